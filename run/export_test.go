package run

// Disk is what runs are written through, Storage an open file of it, and SystemDisk the real
// one.
type (
	Disk       = disk
	Storage    = storage
	SystemDisk = systemDisk
)

// OnDisk is for tests that run alone. Runs are written to d until the returned function
// is called.
func OnDisk(d Disk) (restore func()) {
	before := onDisk
	onDisk = d
	return func() { onDisk = before }
}
