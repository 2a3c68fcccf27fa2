package run

import "os"

// Storage is what a trace file is written through.
type Storage = storage

// OnDisk is for tests that run beside no other. It puts a disk before the trace files that are opened from now on, until the
// function it returns is called.
func OnDisk(disk func(*os.File) Storage) (restore func()) {
	before := openStorage
	openStorage = disk
	return func() { openStorage = before }
}

// OnSyncDir is for tests that run beside no other. It calls see whenever the names in a directory are synced.
func OnSyncDir(see func(dir string)) (restore func()) {
	before := syncDir
	syncDir = func(dir string) error {
		see(dir)
		return before(dir)
	}
	return func() { syncDir = before }
}

// AtRotation is for tests that run beside no other. It calls step before each step of a rotation.
func AtRotation(step func(name string) error) (restore func()) {
	before := rotationStep
	rotationStep = step
	return func() { rotationStep = before }
}
