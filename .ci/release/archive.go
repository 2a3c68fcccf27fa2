package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"time"
)

// file is a file of an archive: data, or what a file has from which it is made.
type file struct {
	name, from string
	data       []byte
	mode       fs.FileMode
}

// content is what the file holds.
func (f file) content() ([]byte, error) {
	if f.from == "" {
		return f.data, nil
	}
	return os.ReadFile(f.from)
}

// writeTar writes files of a folder as a compressed tar archive. It has no owner, and one time for all.
func writeTar(path, folder string, files []file, made time.Time) error {
	return create(path, func(out io.Writer) error {
		compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
		if err != nil {
			return err
		}
		archive := tar.NewWriter(compressed)
		for _, f := range files {
			data, err := f.content()
			if err != nil {
				return err
			}
			err = archive.WriteHeader(&tar.Header{Name: folder + "/" + f.name, Mode: int64(f.mode), Size: int64(len(data)),
				ModTime: made.UTC(), Format: tar.FormatPAX})
			if err != nil {
				return err
			}
			if _, err := archive.Write(data); err != nil {
				return err
			}
		}
		return cmp.Or(archive.Close(), compressed.Close())
	})
}

// writeZip is [writeTar] as a zip archive.
func writeZip(path, folder string, files []file, made time.Time) error {
	return create(path, func(out io.Writer) error {
		archive := zip.NewWriter(out)
		archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(w, flate.BestCompression)
		})
		for _, f := range files {
			data, err := f.content()
			if err != nil {
				return err
			}
			header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: made.UTC()}
			header.SetMode(f.mode)
			w, err := archive.CreateHeader(header)
			if err != nil {
				return err
			}
			if _, err := w.Write(data); err != nil {
				return err
			}
		}
		return archive.Close()
	})
}

// create writes a file and closes it.
func create(path string, fill func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = fill(f)
	return cmp.Or(err, f.Close())
}
