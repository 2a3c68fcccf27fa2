//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Columns is how wide a terminal is, 0 where it does not say.
func Columns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
