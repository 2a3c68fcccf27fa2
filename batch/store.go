package batch

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/internal/owner"
)

// Store is where the processes that play a batch agree on who does what: claims of cells and leases
// of the budget are built on it. Keys are relative paths with slashes.
//
// Every method may be called by many processes at once, also on several hosts whose locks and
// clocks do not know of each other. An error is a failure of the store; what it was to do may have
// happened or not.
type Store interface {
	// Put stores data under a key for good. Of several calls for one key only the first counts; it
	// alone returns true.
	Put(key string, data []byte) (first bool, err error)
	// Get returns what was put under a key; ok is false if nothing was.
	Get(key string) (data []byte, ok bool, err error)
	// Set stores data under a key in place of what was there.
	Set(key string, data []byte) error
	// Stand returns what the latest claim of a key is, and whether the next one can be had.
	Stand(key string, lease time.Duration) (Standing, error)
	// Claim makes this process the owner of a key, with the next number. It returns nil if another
	// process owns the key or was faster. An owner renews its claim four times a lease; it loses
	// the key if it releases it, has ended for certain, or was silent for a lease.
	Claim(key string, lease time.Duration) (Lease, error)
}

// Lease is the ownership of a key.
type Lease interface {
	// Number counts the claims of the key, from 1.
	Number() int64
	// Holds reports whether no later claim has been made. Others may have taken a silent owner for
	// gone, so it asks before each act that only one process may do: the later number is the fence.
	Holds() bool
	// Release gives the key up, so that the next claim need not wait. It leaves alone what a later
	// owner has.
	Release() error
}

// Standing is who has a key of a [Store].
type Standing struct {
	// Number is that of the latest claim, 0 if there was none.
	Number int64
	// Free says that the next claim can be had. Silent says that this is because the owner was silent
	// for a lease, or ended without a release. Gone says that no process owns the key for certain.
	Free, Silent, Gone bool
	// Host is the name of the owner's host, for people.
	Host string
}

// The files of a claim.
const (
	// ownerFile names the process; its modification time says when it was last alive.
	ownerFile = "owner"
	// endedFile is there once the process has given the claim up.
	endedFile = "ended"
)

// Store returns the store that is in the batch directory.
func (d Dir) Store() Store { return &dirStore{dir: d.folder()} }

// dirStore is a [Store] in a directory. A claim of a key is a directory, named after the key and the
// number of the claim: making it is what decides between several processes.
type dirStore struct {
	dir folder.Dir
	// now, when set, is the time of the file system, so that many looks ask for it once.
	now *time.Time
}

// Put implements [Store].
func (s *dirStore) Put(key string, data []byte) (first bool, err error) {
	err = s.dir.MkdirAll(filepath.FromSlash(path.Dir(key)))
	if err == nil {
		err = s.dir.Once(filepath.FromSlash(key), data)
	}
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// Get implements [Store].
func (s *dirStore) Get(key string) (data []byte, ok bool, err error) {
	data, err = s.dir.Read(filepath.FromSlash(key), fileBytesMax)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// Set implements [Store].
func (s *dirStore) Set(key string, data []byte) error {
	if err := s.dir.MkdirAll(filepath.FromSlash(path.Dir(key))); err != nil {
		return err
	}
	return s.dir.Replace(filepath.FromSlash(key), folder.Content(data))
}

// claimDir is the directory of a claim.
func claimDir(key string, number int64) string {
	return filepath.FromSlash(key) + "-" + strconv.FormatInt(number, 10)
}

// claims are the numbers of the claims of a key, rising.
func (s *dirStore) claims(key string) (numbers []int64, err error) {
	entries, err := s.dir.List(filepath.FromSlash(path.Dir(key)))
	if err != nil {
		return nil, err
	}
	return folder.Numbered(entries, path.Base(key)+"-"), nil
}

// Stand implements [Store].
func (s *dirStore) Stand(key string, lease time.Duration) (Standing, error) {
	numbers, err := s.claims(key)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Standing{}, err
	}
	if len(numbers) == 0 {
		return Standing{Free: true, Gone: true}, nil
	}
	latest := Standing{Number: numbers[len(numbers)-1]}
	dir := claimDir(key, latest.Number)
	if s.dir.Exists(filepath.Join(dir, endedFile)) {
		latest.Free, latest.Gone = true, true
		return latest, nil
	}
	by := s.owner(dir)
	latest.Host = by.Host
	if by.State() == owner.Ended {
		latest.Free = true
		latest.Silent = true
		latest.Gone = true
		return latest, nil
	}
	age, err := s.age(dir)
	if err != nil {
		return latest, err
	}
	if age < -lease {
		// The clock was set back, or the directory was brought here with a time of its own. It says
		// nothing of the owner, who is waited for from now on.
		if err := s.touch(dir); err != nil {
			return latest, err
		}
	}
	latest.Silent = age > lease
	latest.Free = latest.Silent
	return latest, nil
}

// owner is the process that has a claim. One that is not written yet, or by an earlier version, is
// unknown but for the name of its host.
func (s *dirStore) owner(dir string) (p owner.Process) {
	text, err := s.dir.Read(filepath.Join(dir, ownerFile), 1<<16)
	if err != nil {
		return p
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return owner.Process{Host: strings.TrimSpace(string(text))}
	}
	return p
}

// age is how long ago the owner of a claim was alive, by the clock of the file system.
func (s *dirStore) age(dir string) (time.Duration, error) {
	info, err := s.dir.Stat(filepath.Join(dir, ownerFile))
	if errors.Is(err, fs.ErrNotExist) { // it is about to be written
		info, err = s.dir.Stat(dir)
	}
	if err != nil {
		return 0, err
	}
	if s.now == nil {
		now, err := s.dir.Now(filepath.Join(filepath.Dir(dir), "clock"))
		if err != nil {
			return 0, err
		}
		s.now = &now
	}
	return s.now.Sub(info.ModTime()), nil
}

// touch gives a claim the present time by the clock of the file system.
func (s *dirStore) touch(dir string) error {
	err := s.dir.Touch(filepath.Join(dir, ownerFile))
	if errors.Is(err, fs.ErrNotExist) {
		_, err = s.dir.Now(filepath.Join(dir, ownerFile)) // which makes and removes a file in it
	}
	return err
}

// ownerText is what the owner of a claim writes: always the same, so that it can be written again.
func ownerText() []byte {
	text, err := json.Marshal(owner.Self())
	if err != nil {
		panic("batch: a process cannot be encoded: " + err.Error())
	}
	return append(text, '\n')
}

// Claim implements [Store].
func (s *dirStore) Claim(key string, lease time.Duration) (Lease, error) {
	s = &dirStore{dir: s.dir} // the time is asked for again
	latest, err := s.Stand(key, lease)
	if err != nil || !latest.Free {
		return nil, err
	}
	c := &dirLease{store: s, key: key, number: latest.Number + 1}
	dir := claimDir(key, c.number)
	err = s.dir.MkdirAll(filepath.Dir(dir))
	if err == nil {
		err = s.dir.Mkdir(dir)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, nil
	}
	if err == nil {
		err = s.dir.Replace(filepath.Join(dir, ownerFile), folder.Content(ownerText()))
	}
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.beats.Go(func() { c.beat(ctx, lease/4) })
	return c, nil
}

// dirLease is a [Lease] of a [dirStore].
type dirLease struct {
	store  *dirStore
	key    string
	number int64

	stop  context.CancelFunc
	beats sync.WaitGroup
}

// Number implements [Lease].
func (c *dirLease) Number() int64 { return c.number }

// Holds implements [Lease].
func (c *dirLease) Holds() bool {
	_, err := c.store.dir.Stat(claimDir(c.key, c.number+1))
	return errors.Is(err, fs.ErrNotExist)
}

// beat writes the owner again, until ctx ends or the claim is lost. It is written, not only touched:
// the time is then that of the file system.
func (c *dirLease) beat(ctx context.Context, every time.Duration) {
	pulse := time.NewTicker(every)
	defer pulse.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pulse.C:
		}
		if !c.Holds() {
			return
		}
		f, err := c.store.dir.OpenFile(filepath.Join(claimDir(c.key, c.number), ownerFile), os.O_WRONLY)
		if err == nil {
			_, _ = f.Write(ownerText())
			_ = f.Close()
		}
	}
}

// Release implements [Lease].
func (c *dirLease) Release() error {
	c.stop()
	c.beats.Wait()
	return c.store.dir.Replace(filepath.Join(claimDir(c.key, c.number), endedFile), folder.Content(nil))
}
