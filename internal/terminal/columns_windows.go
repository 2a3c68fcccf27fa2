package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// Columns is how wide a terminal is, 0 where it does not say.
func Columns(f *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil {
		return 0
	}
	return int(info.Window.Right-info.Window.Left) + 1
}
