package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.com/agentworld/internal/lease"
	"example.com/agentworld/internal/owner"
)

// ClaimName begins the names of the directories that say which process works on the run: one for each
// claim, of which the latest stays when the run ends, since it counts them.
const ClaimName = "run.claim"

// ClaimMax is how long the owner of a run may be silent: after that another host may take the run over.
const ClaimMax = 30 * time.Second

// claimPrefix begins the names of claims in a run directory.
const claimPrefix = ClaimName + "-"

// SaysWho reports whether a file only says who owns a run, by the parts of its path. A copy of the run
// has no owner and leaves such files out.
func SaysWho(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part == LockFile || strings.HasPrefix(part, ClaimName) {
			return true
		}
	}
	return false
}

// Claim is the right of this process to write a run, from [Dir.Claim] to [Claim.Unlock].
type Claim struct {
	dir Dir
	// lock is the locked directory, nil where there are no locks.
	lock  *os.File
	lease *lease.Lease
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
	by := "another process"
	if e.By.PID != 0 {
		by = fmt.Sprintf("process %d of host %s", e.By.PID, strconv.QuoteToASCII(e.By.Host))
	}
	return fmt.Sprintf("%s has taken over the run directory %s, because this process was silent for longer than %s; "+
		"nothing was written since", by, e.Dir, ClaimMax)
}

// claim makes this process the owner of a run whose directory it has locked.
func (d Dir) claim(lock *os.File) (*Claim, error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	claims := lease.In(d.folder())
	earlier, err := claims.Numbers(ClaimName)
	if err != nil {
		return nil, err
	}
	l, err := claims.Claim(ClaimName, ClaimMax)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, d.lockedBy(claims)
	}
	for _, n := range earlier {
		_ = d.folder().RemoveAll(lease.Path(ClaimName, n)) // they do not matter any more
	}
	return &Claim{dir: d, lock: lock, lease: l}, nil
}

// lockedBy is the error that another process has the run, although the lock of the system was free.
func (d Dir) lockedBy(claims *lease.Dir) error {
	at, err := claims.Stand(ClaimName, ClaimMax)
	if err != nil {
		return err
	}
	locked := &LockedError{Dir: string(d), PID: pidText(at.By)}
	if !at.By.SameHost() {
		locked.Other = true
		locked.Host = at.By.Host
		locked.Age = max(0, at.Age)
	}
	return locked
}

// pidText is the id of a process, empty if it is unknown.
func pidText(p owner.Process) string {
	if p.PID == 0 {
		return ""
	}
	return strconv.Itoa(p.PID)
}

// Check returns an error if another process has the run by now. It is asked before each write, and
// looks at the disk only if this process was silent for long: stopped, suspended, or without its disk.
func (c *Claim) Check() error {
	err := c.lease.Check()
	if lost, is := errors.AsType[*lease.LostError](err); is && !lost.Moved {
		return &TakenOverError{Dir: string(c.dir), By: lost.By}
	}
	if err != nil {
		return fmt.Errorf("keep the claim of run directory %s: %w", c.dir, err)
	}
	return nil
}

// Unlock gives the run back. It leaves alone what another process has taken over.
func (c *Claim) Unlock() error {
	err := c.lease.Release()
	if c.lock != nil {
		err = errors.Join(err, c.lock.Close())
	}
	if err != nil {
		return fmt.Errorf("unlock run directory: %w", err)
	}
	return nil
}
