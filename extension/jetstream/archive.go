package jetstream

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/run"
)

// The bounds of a run directory that comes from a worker.
const (
	archiveBytesMax = 8 << 30
	archiveFilesMax = 100_000
	// archiveWindowMax bounds what a hostile archive can make a reader allocate.
	archiveWindowMax = 64 << 20
)

// pack writes the regular files of a directory to w as a tar file compressed with zstd.
func pack(w io.Writer, dir string) error {
	packed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("pack %s: %w", dir, err)
	}
	files := tar.NewWriter(packed)
	err = folder.Dir(dir).Files(".", func(name string) error {
		if run.SaysWho(name) {
			return nil
		}
		f, err := folder.Dir(dir).Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if err := files.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: filepath.ToSlash(name), Size: info.Size(),
			Mode: 0o600}); err != nil {
			return err
		}
		_, err = io.CopyN(files, f, info.Size())
		return err
	})
	if err := errors.Join(err, files.Close(), packed.Close()); err != nil {
		return fmt.Errorf("pack %s: %w", dir, err)
	}
	return nil
}

// unpack makes dir of what pack has written. It accepts regular files with local names
// only, as many and as large as the bounds allow. If it fails, dir is not there.
func unpack(r io.Reader, dir string, bytesMax int64) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("unpack %s: %w", filepath.Base(dir), err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(dir), ".unpack-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial)
	root, err := os.OpenRoot(partial)
	if err != nil {
		return err
	}
	defer root.Close()
	packed, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(archiveWindowMax))
	if err != nil {
		return err
	}
	defer packed.Close()
	files := tar.NewReader(packed)
	for n, left := 0, bytesMax; ; n++ {
		h, err := files.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		left -= h.Size
		if left < 0 || n == archiveFilesMax {
			return fmt.Errorf("more than %d bytes or %d files", bytesMax, archiveFilesMax)
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(filepath.FromSlash(h.Name)) {
			return fmt.Errorf("%.200q is no regular file within the directory", h.Name)
		}
		if err := extract(root, filepath.FromSlash(h.Name), files); err != nil {
			return err
		}
	}
	// What follows is read too: the reader may find at the end that all of it is damaged.
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	return os.Rename(partial, dir)
}

// extract writes one file, and syncs it.
func extract(root *os.Root, name string, r io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}
