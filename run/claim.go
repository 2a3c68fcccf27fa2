package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/internal/owner"
)

// ClaimFile says which process works on the run, and is written every [BeatEvery] while it does,
// so that its modification time says when that process was last alive. It stays when the run ends:
// it counts the claims.
const ClaimFile = "run.claim"

// The owner of a run writes its claim every BeatEvery. Another host may take the run over after a
// silence of ClaimMax.
const (
	BeatEvery = 5 * time.Second
	ClaimMax  = 30 * time.Second
)

// silentMax is after what silence an owner looks whether it still has the run before it writes. It is
// much less than ClaimMax: the pause between the look and the write counts as well.
const silentMax = ClaimMax / 2

// ticketPrefix begins the names of tickets. A ticket is an empty-handed right to write the claim of
// a number: making its file is what decides between hosts, whose locks may not know of each other.
const ticketPrefix = ClaimFile + "."

// ticketName is the name of the ticket of a claim.
func ticketName(number int64) string { return ticketPrefix + strconv.FormatInt(number, 10) }

// SaysWho reports whether a file of a run directory only says who owns the run. A copy of the run
// has no owner and leaves such files out.
func SaysWho(name string) bool {
	return name == ClaimFile || name == LockFile || strings.HasPrefix(name, ticketPrefix)
}

// claimRecord is the content of [ClaimFile] and of tickets.
type claimRecord struct {
	// Number is the number of the claim; it only rises.
	Number int64 `json:"number"`
	// Ended says that the owner has given the run back.
	Ended bool `json:"ended"`
	// Device is that of the file system through which the owner sees the run, empty if unknown.
	// With the same device on the same host, locks of the operating system can be relied on.
	Device string        `json:"device"`
	Owner  owner.Process `json:"owner"`
}

// claimBytes is the size of a claim in its file: it is written in place, so a later one has to
// cover all of an earlier one.
const claimBytes = 4096

// encode returns the record in the form of its file.
func (r claimRecord) encode() []byte {
	data, err := json.Marshal(r)
	if err != nil {
		panic("run: a claim cannot be encoded: " + err.Error())
	}
	// Spaces fill what the hash, the data and the line feed of each leave.
	space := claimBytes - len(withHash(nil)) - 1 - len(data)
	if space > 0 {
		data = append(data, bytes.Repeat([]byte{' '}, space)...)
	}
	return withHash(append(data, '\n'))
}

// readClaim reads a claim or a ticket. One that cannot be understood has the number 0 and an unknown
// owner; changed is when it was written, by the clock of the file system.
func (d Dir) readClaim(name string) (r claimRecord, changed time.Time, err error) {
	f, err := d.folder().Open(name)
	if err != nil {
		return r, changed, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return r, changed, err
	}
	text := make([]byte, min(info.Size(), 2*claimBytes))
	n, _ := f.ReadAt(text, 0) // what is cut off has no hash that fits
	data := withoutHash(text[:n])
	if data == nil || json.Unmarshal(data, &r) != nil || r.Number < 1 || r.Number >= folder.NumberMax {
		r = claimRecord{}
	}
	return r, info.ModTime(), nil
}

// self is this process, and lockDescription locks a claim; tests play processes of other hosts.
var (
	self            = owner.Self
	lockDescription = lockOpen
)

// tickets are the numbers of the tickets that there are, and the highest one, 0 for none.
func (d Dir) tickets() (numbers []int64, highest int64, err error) {
	entries, err := d.folder().List(".")
	if err != nil {
		return nil, 0, err
	}
	numbers = folder.Numbered(entries, ticketPrefix)
	if len(numbers) > 0 {
		highest = numbers[len(numbers)-1]
	}
	return numbers, highest, nil
}

// Claim is the right of this process to write a run, from [Dir.Claim] to [Claim.Unlock].
//
// Invariant: it holds as long as no other claim of the run has a higher number. A process that takes
// a run over first makes a ticket with a higher number, and then checks whether the owner has written
// since. An owner that was silent first writes its heartbeat, and then looks for such a ticket. So at
// most one of the two continues.
type Claim struct {
	dir    Dir
	number int64
	// lock is the locked directory, file the locked claim.
	lock, file *os.File
	record     claimRecord
	// home is the directory that was claimed: another one may get its name.
	home os.FileInfo

	stop  chan struct{}
	beats sync.WaitGroup

	mu sync.Mutex
	// heard is when this process last renewed the claim, lost why it no longer has the run.
	heard time.Time
	lost  error
}

// TakenOverError says that another process has taken a run over, because this one was silent for
// longer than [ClaimMax].
type TakenOverError struct {
	Dir string
	// By is the process that has it.
	By owner.Process
}

// Error names the process.
func (e *TakenOverError) Error() string {
	return fmt.Sprintf("%s has taken over the run directory %s, because this process was silent for longer than %s; "+
		"nothing was written since", processText(e.By), e.Dir, ClaimMax)
}

// processText names a process for people.
func processText(p owner.Process) string {
	if p.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d of host %s", p.PID, strconv.QuoteToASCII(p.Host))
}

// claim makes this process the owner of a run whose directory it has locked.
func (d Dir) claim(lock *os.File) (*Claim, error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	home, err := os.Stat(string(d))
	if err != nil {
		return nil, err
	}
	file, err := d.folder().OpenFile(ClaimFile, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	c := &Claim{dir: d, lock: lock, file: file, home: home, stop: make(chan struct{})}
	err = c.acquire()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	c.beats.Go(c.beat)
	return c, nil
}

// errMoved says that the claim of a run changed while it was read: another process wrote it, or the
// file system first returned what it had cached. The caller tries again.
var errMoved = errors.New("the claim of the run was written meanwhile")

// acquire takes the claim, unless another process has it.
func (c *Claim) acquire() error {
	held, err := lockDescription(c.file)
	if err != nil {
		return err
	}
	if !held {
		return &LockedError{Dir: string(c.dir), PID: c.dir.signed()}
	}
	if !c.dir.names(ClaimFile, c.file) {
		return errMoved
	}
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	seen, changed, err := c.dir.readClaim(ClaimFile)
	if err != nil {
		return err
	}
	fresh := info.Size() == 0 // this process or one that was killed at once has made it
	if !fresh {
		if err := c.dir.refuse(ClaimFile, seen, changed, deviceOf(info)); err != nil {
			return err
		}
	}
	numbers, highest, err := c.dir.tickets()
	if err != nil {
		return err
	}
	if highest > seen.Number { // somebody is about to claim the run, or was stopped then
		ticket, made, err := c.dir.readClaim(ticketName(highest))
		if err == nil {
			err = c.dir.refuse(ticketName(highest), ticket, made, deviceOf(info))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	c.number = max(seen.Number, highest) + 1
	c.record = claimRecord{Number: c.number, Device: deviceOf(info), Owner: self()}
	if err := c.takeTicket(seen, changed, fresh); err != nil {
		return err
	}
	began := time.Now()
	err = c.write()
	if err == nil {
		// If another process has made a higher number since, it has the run.
		_, highest, err = c.dir.tickets()
		if err == nil && highest != c.number {
			err = errMoved
		}
	}
	if err != nil {
		return errors.Join(err, c.dir.folder().Remove(ticketName(c.number)))
	}
	for _, n := range numbers {
		_ = c.dir.folder().Remove(ticketName(n)) // lower ones do not matter any more
	}
	c.heard = began
	return nil
}

// takeTicket makes the ticket of the claim. It removes the ticket again if another process was
// faster, or if the claim is no longer as it was seen.
func (c *Claim) takeTicket(seen claimRecord, changed time.Time, fresh bool) error {
	ticket, err := c.dir.folder().OpenFile(ticketName(c.number), os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return errMoved
	}
	if err != nil {
		return err
	}
	_, err = ticket.Write(c.record.encode())
	err = errors.Join(err, ticket.Close())
	if err == nil {
		var now claimRecord
		var at time.Time
		var highest int64
		now, at, err = c.dir.readClaim(ClaimFile)
		if err == nil {
			_, highest, err = c.dir.tickets()
		}
		moved := now.Number != seen.Number || now.Ended != seen.Ended || !fresh && !at.Equal(changed)
		if err == nil && (moved || highest != c.number) {
			err = errMoved
		}
	}
	if err != nil {
		return errors.Join(err, c.dir.folder().Remove(ticketName(c.number)))
	}
	return nil
}

// refuse says that the owner of a claim or ticket has the run. The file was written at changed;
// device is that of the file system through which this process sees it. The locks of the operating
// system are free.
func (d Dir) refuse(name string, r claimRecord, changed time.Time, device string) error {
	if r.Ended {
		return nil
	}
	if r.Owner.SameHost() {
		// A process on this host that lives holds the locks, unless it came by another mount,
		// which may have locks of its own.
		if r.Owner.State() == owner.Ended || r.Device != "" && r.Device == device {
			return nil
		}
		return &LockedError{Dir: string(d), PID: strconv.Itoa(r.Owner.PID)}
	}
	now, err := d.folder().Now(ClaimFile)
	if err != nil {
		return fmt.Errorf("look at the clock of the file system: %w", err)
	}
	age := now.Sub(changed)
	if age > ClaimMax {
		return nil
	}
	if age < -BeatEvery {
		// The clock was set back, or the file was brought here with a time of its own. It says nothing
		// of its owner, who is waited for from now on.
		if err := d.folder().Touch(name); err != nil {
			return fmt.Errorf("set the time of a claim, which is in the future: %w", err)
		}
	}
	age = max(0, age)
	return &LockedError{
		Dir: string(d), PID: pidText(r.Owner), Host: r.Owner.Host, Other: true, Age: age, Unreadable: r.Number == 0,
	}
}

func pidText(p owner.Process) string {
	if p.PID == 0 {
		return ""
	}
	return strconv.Itoa(p.PID)
}

// write writes the claim and its ticket. The ticket keeps others out if the claim is removed. The
// modification times of the files are then the file system's.
func (c *Claim) write() error {
	for _, name := range []string{ticketName(c.number), ClaimFile} {
		// Opened again: a network file system passes on what was written when a file is closed.
		f, err := c.dir.folder().OpenFile(name, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(c.record.encode(), 0)
		if err == nil { // what somebody else has put there may be longer
			err = f.Truncate(claimBytes)
		}
		if err == nil && name == ClaimFile && !sameFiles(f, c.file) { // somebody has removed or replaced it
			err = c.lockAgain()
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// lockAgain locks the file that now has the name of the claim.
func (c *Claim) lockAgain() error {
	f, err := c.dir.folder().OpenFile(ClaimFile, os.O_RDWR)
	if err != nil {
		return err
	}
	held, err := lockDescription(f)
	if err == nil && !held {
		err = &LockedError{Dir: string(c.dir)}
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	err = c.file.Close()
	c.file = f
	return err
}

// beat keeps the claim alive until it is given back or lost.
func (c *Claim) beat() {
	every := time.NewTicker(BeatEvery)
	defer every.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-every.C:
		}
		// An error that may pass is met again when the run is written.
		err := c.renew()
		if _, over := errors.AsType[*TakenOverError](err); over || errors.Is(err, errReplaced) {
			return
		}
	}
}

// renew writes a heartbeat, unless another process has the run.
func (c *Claim) renew() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return c.lost
	}
	// Others count from when the claim was written, which is after this.
	began := time.Now()
	for range 2 { // before the heartbeat, and after it: see the invariant
		if err := c.overtaken(); err != nil {
			return err
		}
		if err := c.write(); err != nil {
			return fmt.Errorf("keep the claim of run directory %s: %w", c.dir, err)
		}
	}
	if err := c.overtaken(); err != nil {
		return err
	}
	c.heard = began
	return nil
}

// errReplaced says that a name is no longer that of the directory that was claimed: nothing of what it
// is now is this process's.
var errReplaced = errors.New("it was moved, removed or replaced while this process had it")

// overtaken is the error that another process has a claim of a higher number, or another directory
// the name. mu is held.
func (c *Claim) overtaken() error {
	if named, err := os.Stat(string(c.dir)); err == nil && !os.SameFile(named, c.home) || errors.Is(err, fs.ErrNotExist) {
		c.lost = fmt.Errorf("run directory %s: %w", c.dir, errReplaced)
		return c.lost
	}
	now, _, err := c.dir.readClaim(ClaimFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // somebody may have removed it: it is written again
		return fmt.Errorf("look at the claim of run directory %s: %w", c.dir, err)
	}
	if now.Number > c.number {
		c.lost = &TakenOverError{Dir: string(c.dir), By: now.Owner}
		return c.lost
	}
	_, highest, err := c.dir.tickets()
	if err != nil {
		return fmt.Errorf("look at the claim of run directory %s: %w", c.dir, err)
	}
	if highest > c.number {
		by, _, _ := c.dir.readClaim(ticketName(highest)) // it is only for people
		c.lost = &TakenOverError{Dir: string(c.dir), By: by.Owner}
	}
	return c.lost
}

// Check returns an error if another process has the run by now. It is asked before each write, and
// looks at the disk only if this process was silent for long: stopped, suspended, or without its disk.
func (c *Claim) Check() error {
	c.mu.Lock()
	lost, heard := c.lost, c.heard
	c.mu.Unlock()
	if lost != nil {
		return lost
	}
	now := time.Now()
	// A clock that counts only while the machine runs does not know of a suspension.
	silent := max(now.Sub(heard), now.Round(0).Sub(heard.Round(0)))
	if silent <= silentMax {
		return nil
	}
	return c.renew()
}

// Unlock gives the run back. It leaves alone what another process has taken over.
func (c *Claim) Unlock() error {
	close(c.stop)
	c.beats.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.overtaken()
	switch {
	case c.lost != nil, errors.Is(err, fs.ErrNotExist): // there is nothing to give back
		err = nil
	case err == nil:
		c.record.Ended = true
		err = c.write()
		// The ticket has done its work, and the lock file is for people. Both are removed while the
		// run is locked, so they cannot be another process's.
		_ = c.dir.folder().Remove(ticketName(c.number))
		_ = c.dir.folder().Remove(LockFile)
	}
	err = errors.Join(err, c.file.Close())
	if c.lock != nil {
		err = errors.Join(err, c.lock.Close())
	}
	if err != nil {
		return fmt.Errorf("unlock run directory: %w", err)
	}
	return nil
}
