package run

// Disk is what runs are written through, Storage an open file of it, and SystemDisk the real
// one.
type (
	Disk       = disk
	Storage    = storage
	SystemDisk = systemDisk
)

// OnDisk is for tests that run beside no other. It lets runs be written to d until the
// function it returns is called.
func OnDisk(d Disk) (restore func()) {
	before := onDisk
	onDisk = d
	return func() { onDisk = before }
}
