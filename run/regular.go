package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrIrregular marks what is no file: a pipe, a device, a socket or a directory. Reading one may
// never end.
var ErrIrregular = errors.New("not a regular file")

// OpenRegular opens a file for reading. The error is [ErrIrregular], or says why the file cannot be
// opened. It follows links.
func OpenRegular(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	// A pipe may take the place of the file now; without this flag opening one waits for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadRegular reads a file of at most a number of bytes. The errors are those of [OpenRegular], or
// say that it has more.
func ReadRegular(path string, bytesMax int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, bytesMax+1))
	if err == nil && int64(len(data)) > bytesMax {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has more than %d bytes", bytesMax)}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// wholeBytesMax bounds the files of a run that are read as a whole: report, index, waits and
// questions.
const wholeBytesMax = 256 << 20
