//go:build unix

package folder

import (
	"io/fs"
	"os"
	"syscall"
)

// countsNames says that what describes a file counts its names.
const countsNames = true

// names counts the names of a file.
func names(_ *os.File, info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}
