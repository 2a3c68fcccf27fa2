package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/agentworld/explain/export"
	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/plaintext"
)

// toDirectory writes tables as files of a directory that appears whole or not at all. It takes the place of an earlier
// export, and of nothing else.
func (e *exporting) toDirectory(name string, format export.Format, tables []export.Table) error {
	path := e.path(name)
	if err := replaceable(path); err != nil {
		return badInput("%s %w; allowed: a new directory, or one of an earlier export", shown(name), err)
	}
	if err := plaintext.FileName(filepath.Base(path)); err != nil {
		return badInput("%s cannot be written: %w", shown(name), err)
	}
	made, err := makeWritable(filepath.Dir(path))
	if err != nil {
		return badInput("%s cannot be written: %w; allowed: a new directory where one can be made", shown(name), err)
	}
	err = atomicfile.Directory(path, func(dir string) error { return e.fillDirectory(dir, format, tables) })
	if err != nil {
		made.discard()
		return err
	}
	for i, t := range tables {
		plaintext.Fprintf(e.Stdout, "%s  %s\n", filepath.Join(name, t.Name+"."+string(format)),
			plaintext.Count(e.writers[i].Rows(), "row"))
	}
	return nil
}

// fillDirectory writes tables to the files of a directory.
func (e *exporting) fillDirectory(dir string, format export.Format, tables []export.Table) (err error) {
	var files []*os.File
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}()
	err = e.tables(format, tables, func(table string) (io.Writer, error) {
		f, err := os.Create(filepath.Join(dir, table+"."+string(format)))
		if err == nil {
			files = append(files, f)
		}
		return f, err
	})
	for _, f := range files {
		if err == nil {
			err = f.Sync()
		}
	}
	return err
}

// replaceable says why a directory cannot be replaced by an export: it has files of something else.
func replaceable(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot be read: %w", cause(err))
	}
	ours := map[string]bool{}
	for _, t := range export.TableNames() {
		for _, format := range []export.Format{export.CSV, export.JSONLines} {
			ours[t+"."+string(format)] = true
		}
	}
	for _, e := range entries {
		if !ours[e.Name()] || !e.Type().IsRegular() {
			return fmt.Errorf("holds something else, %s", shown(e.Name()))
		}
	}
	return nil
}
