package batch

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/internal/lease"
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

// Store returns the store that is in the batch directory.
func (d Dir) Store() Store { return dirStore{lease.In(d.folder())} }

// dirStore is a [Store] in a directory.
type dirStore struct{ dir *lease.Dir }

// Put implements [Store].
func (s dirStore) Put(key string, data []byte) (first bool, err error) {
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
func (s dirStore) Get(key string) (data []byte, ok bool, err error) {
	data, err = s.dir.Read(filepath.FromSlash(key), fileBytesMax)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// Set implements [Store].
func (s dirStore) Set(key string, data []byte) error {
	return s.dir.Replace(filepath.FromSlash(key), folder.Content(data))
}

// Stand implements [Store].
func (s dirStore) Stand(key string, length time.Duration) (Standing, error) {
	at, err := s.dir.Stand(filepath.FromSlash(key), length)
	return Standing{Number: at.Number, Free: at.Free, Silent: at.Silent, Gone: at.Gone, Host: at.By.Host}, err
}

// Claim implements [Store].
func (s dirStore) Claim(key string, length time.Duration) (Lease, error) {
	l, err := s.dir.Claim(filepath.FromSlash(key), length)
	if l == nil {
		return nil, err // and no interface that holds nil
	}
	return l, err
}
