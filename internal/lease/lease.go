// Package lease is the ownership of names in a directory that several processes share, possibly on
// hosts whose locks and clocks do not know of each other.
//
// A claim of a name is a directory, called after the name and the number of the claim: making it is
// what decides between several processes. The owner writes a file in it four times a lease, so that
// its modification time, by the clock of the file system, says when the owner was last alive.
package lease

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/internal/owner"
)

// The files of a claim.
const (
	// OwnerFile names the process.
	OwnerFile = "owner"
	// EndedFile is there once the process has given the claim up.
	EndedFile = "ended"
)

// Dir is a directory with claims. Names are relative paths with the separators of the system.
type Dir struct {
	folder.Dir
	// now, when set, is the time of the file system, so that many looks ask for it once.
	now *time.Time
	// reads says that nothing is written.
	reads bool
}

// In returns the claims in a directory.
func In(d folder.Dir) *Dir { return &Dir{Dir: d} }

// At returns the claims in a directory for one who only looks at them, and takes now for the time of the
// file system: asking for that writes.
func At(d folder.Dir, now time.Time) *Dir { return &Dir{Dir: d, now: &now, reads: true} }

// Path is the directory of a claim.
func Path(name string, number int64) string { return name + "-" + strconv.FormatInt(number, 10) }

// Numbers are those of the claims of a name, rising; none where the directory of the name is missing.
func (d *Dir) Numbers(name string) (numbers []int64, err error) {
	entries, err := d.List(filepath.Dir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return folder.Numbered(entries, filepath.Base(name)+"-"), err
}

// owner reads who has a claim, and when it was written. The file is opened first: a network file
// system then asks its server.
func (d *Dir) owner(dir string) (p owner.Process, heard time.Time, err error) {
	f, err := d.Open(filepath.Join(dir, OwnerFile))
	if err != nil { // it is about to be written
		info, err := d.Stat(dir)
		if err != nil {
			return p, heard, err
		}
		return p, info.ModTime(), nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return p, heard, err
	}
	text := make([]byte, min(info.Size(), ownerBytesMax))
	n, _ := f.ReadAt(text, 0)
	if json.Unmarshal(text[:n], &p) != nil { // what is cut off is no JSON
		p = owner.Process{}
	}
	return p, info.ModTime(), nil
}

// ownerBytesMax is the longest text of an owner that is read.
const ownerBytesMax = 1 << 16

// Standing is who has a name.
type Standing struct {
	// Number is that of the last claim, 0 if there was none.
	Number int64
	// By is the process that made it; unknown once it has given it up, while it is not written yet, or if
	// it is damaged.
	By owner.Process
	// Free says that the next claim can be had. Silent says that this is because the owner was silent
	// for a lease, or ended without giving the claim up. Gone says that no process has it for certain.
	Free, Silent, Gone bool
	// Heard is when the owner was last alive, and Age how long ago that is, by the clock of the file
	// system, where that matters.
	Heard time.Time
	Age   time.Duration
}

// Stand says who has a name, whose owners keep it by a lease of this length.
func (d *Dir) Stand(name string, lease time.Duration) (s Standing, err error) {
	numbers, err := d.Numbers(name)
	if err != nil {
		return s, err
	}
	dir := ""
	if len(numbers) > 0 {
		s.Number = numbers[len(numbers)-1]
		dir = Path(name, s.Number)
	}
	if dir == "" || d.Exists(filepath.Join(dir, EndedFile)) {
		s.Free = true
		s.Gone = true
		return s, nil
	}
	s.By, s.Heard, err = d.owner(dir)
	if err != nil {
		return s, err
	}
	if s.By.State() == owner.Ended {
		s.Free, s.Silent = true, true
		s.Gone = true
		return s, nil
	}
	if d.now == nil {
		now, err := d.Now(filepath.Join(filepath.Dir(name), "clock"))
		if err != nil {
			return s, err
		}
		d.now = &now
	}
	s.Age = d.now.Sub(s.Heard)
	if s.Age < -lease && !d.reads {
		// The clock was set back, or the directory was brought here with a time of its own. It says
		// nothing of the owner, who is waited for from now on.
		if err := d.touch(dir); err != nil {
			return s, err
		}
	}
	s.Silent = s.Age > lease
	s.Free = s.Silent
	return s, nil
}

// touch gives a claim the present time by the clock of the file system.
func (d *Dir) touch(dir string) error {
	err := d.Touch(filepath.Join(dir, OwnerFile))
	if errors.Is(err, fs.ErrNotExist) {
		_, err = d.Now(filepath.Join(dir, OwnerFile)) // which makes and removes a file in it
	}
	return err
}

// Lease is the ownership of a name, until it is released or lost.
//
// Invariant: it holds as long as no claim has a higher number. A process that takes a name over makes
// its claim, and then looks whether the owner has written since it was found silent. An owner that was
// silent writes, and then looks for such a claim. So at most one of the two goes on.
type Lease struct {
	dir    *Dir
	name   string
	number int64
	length time.Duration
	// text is what the owner writes. It has a mark that tells this claim from all others.
	text []byte
	// home is the directory as it was claimed: another one may get its path.
	home fs.FileInfo

	stop  context.CancelFunc
	beats sync.WaitGroup

	mu sync.Mutex
	// heard is when this process last wrote, lost why it no longer has the name.
	heard time.Time
	lost  error
}

// LostError says that a lease is no longer this process's.
type LostError struct {
	// By is the process that has the name. Moved says that the directory was moved, removed or replaced
	// instead.
	By    owner.Process
	Moved bool
}

// Error says what happened.
func (e *LostError) Error() string {
	if e.Moved {
		return "it was moved, removed or replaced while this process had it"
	}
	return fmt.Sprintf("process %d of host %s has it by now", e.By.PID, strconv.QuoteToASCII(e.By.Host))
}

// Claim makes this process the owner of a name, with the next number. It is nil if another process has
// the name or was faster.
func (d *Dir) Claim(name string, lease time.Duration) (*Lease, error) {
	d = In(d.Dir) // the time is asked for again
	at, err := d.Stand(name, lease)
	if err != nil || !at.Free {
		return nil, err
	}
	l := &Lease{dir: d, name: name, number: at.Number + 1, length: lease, text: ownerText(), heard: time.Now()}
	l.home, err = os.Stat(string(d.Dir))
	if err == nil {
		err = d.MkdirAll(filepath.Dir(name))
	}
	if err == nil {
		err = d.Mkdir(l.path())
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, nil
	}
	if err == nil {
		err = l.write()
	}
	back := false
	if err == nil && at.Silent && !at.Gone {
		var now time.Time
		_, now, err = d.owner(Path(name, at.Number))
		back = err == nil && !now.Equal(at.Heard)
	}
	if back {
		return nil, d.RemoveAll(l.path())
	}
	if err != nil {
		return nil, err
	}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(context.Background())
	l.beats.Go(func() { l.beat(ctx) })
	return l, nil
}

// ownerText is what the owner of a new claim writes.
func ownerText() []byte {
	text, err := json.Marshal(struct {
		owner.Process
		Mark string `json:"mark"`
	}{self(), rand.Text()})
	if err != nil {
		panic("lease: a process cannot be encoded: " + err.Error())
	}
	return append(text, '\n')
}

// self is this process; tests play processes of other hosts.
var self = owner.Self

// path is the directory of the claim.
func (l *Lease) path() string { return Path(l.name, l.number) }

// Number counts the claims of the name, from 1.
func (l *Lease) Number() int64 { return l.number }

// write says that the owner is alive. The file is written, not only touched: the time is then that of
// the file system. It is made again if somebody has removed it.
func (l *Lease) write() error {
	name := filepath.Join(l.path(), OwnerFile)
	f, err := l.dir.OpenFile(name, os.O_WRONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(l.dir.MkdirAll(l.path()), l.dir.Replace(name, folder.Content(l.text)))
	}
	if err != nil {
		return err
	}
	_, err = f.Write(l.text)
	return errors.Join(err, f.Close())
}

// look says why the lease is lost, or cannot be looked at. mu is held.
func (l *Lease) look() error {
	if l.lost != nil {
		return l.lost
	}
	here, err := os.Stat(string(l.dir.Dir))
	if err == nil && !os.SameFile(here, l.home) || errors.Is(err, fs.ErrNotExist) {
		l.lost = &LostError{Moved: true}
		return l.lost
	}
	if err != nil {
		return err
	}
	numbers, err := l.dir.Numbers(l.name)
	if err != nil {
		return err
	}
	if last := slices.Max(append(numbers, l.number)); last > l.number {
		by, _, _ := l.dir.owner(Path(l.name, last)) // it is only for people
		l.lost = &LostError{By: by}
		return l.lost
	}
	text, err := l.dir.Read(filepath.Join(l.path(), OwnerFile), ownerBytesMax)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is written again
	}
	if err == nil && !bytes.Equal(text, l.text) {
		by, _, _ := l.dir.owner(l.path())
		l.lost = &LostError{By: by}
		return l.lost
	}
	return err
}

// renew writes a sign of life, unless the lease is lost.
func (l *Lease) renew() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	began := time.Now() // others count from when it was written, which is later
	err := l.look()
	if err == nil {
		err = l.write()
	}
	if err == nil {
		err = l.look() // see the invariant
	}
	if err == nil {
		l.heard = began
	}
	return err
}

// beat renews the lease until ctx ends or it is lost. An error that may pass is met again by the owner.
func (l *Lease) beat(ctx context.Context) {
	pulse := time.NewTicker(l.length / 4)
	defer pulse.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pulse.C:
		}
		if _, lost := errors.AsType[*LostError](l.renew()); lost {
			return
		}
	}
}

// Holds reports whether no later claim has been made. Others may have taken a silent owner for gone, so
// it asks before each act that only one process may do: the later number is the fence.
func (l *Lease) Holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.look() == nil
}

// Check is a cheaper [Lease.Holds] for what is done often. It looks at the disk only if this process was
// silent for half a lease: stopped, suspended, or without its disk. The error is a [*LostError], or says
// why the disk cannot be looked at.
func (l *Lease) Check() error {
	l.mu.Lock()
	lost, heard := l.lost, l.heard
	l.mu.Unlock()
	if lost != nil {
		return lost
	}
	now := time.Now()
	// A clock that counts only while the machine runs does not know of a suspension.
	silent := max(now.Sub(heard), now.Round(0).Sub(heard.Round(0)))
	if silent <= l.length/2 { // the pause between this look and what is done counts as well
		return nil
	}
	return l.renew()
}

// Release gives the name up, so that the next claim need not wait. It leaves alone what a later owner
// has.
func (l *Lease) Release() error {
	l.stop()
	l.beats.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.look()
	if l.lost != nil {
		return nil // there is nothing to give back
	}
	if err == nil {
		err = l.dir.MkdirAll(l.path())
	}
	if err != nil {
		return err
	}
	return l.dir.Replace(filepath.Join(l.path(), EndedFile), folder.Content(nil))
}
