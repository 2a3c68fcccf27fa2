package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
)

// outputFile is a file that will be written at the end of a run, checked before
// its beginning.
type outputFile struct {
	// path is absolute, or empty if there is no file. stdout says that it is the standard output.
	path   string
	stdout bool
	// made are the directories the check created.
	made madeDirs
}

// madeDirs are directories that did not exist before, innermost first.
type madeDirs []string

// discard removes the directories again, as far as they are empty.
func (made madeDirs) discard() {
	for _, dir := range made {
		// A directory that another process filled in the meantime stays.
		_ = os.Remove(dir)
	}
}

// keptPath is a file or directory that no output may replace.
type keptPath struct {
	// what names it in an error, path is absolute; empty is none.
	what, path string
	// owned says the contrary: the output is a new one of that, and may replace it there.
	owned bool
}

// replacedBy reports whether a file written at path would replace or block the kept one.
// path may be the same path, another name of the same file, or a directory of the kept
// file.
func (k keptPath) replacedBy(path string) bool {
	if k.path == "" {
		return false
	}
	path, kept := filepath.Clean(path), filepath.Clean(k.path)
	return strings.HasPrefix(kept, path+string(filepath.Separator)) || sameFile(path, kept)
}

// sameFile reports whether two paths name the same file or directory, which may be none yet.
func sameFile(one, other string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	return filepath.Clean(one) == filepath.Clean(other) || errA == nil && errB == nil && os.SameFile(a, b)
}

// stdoutName stands for stdout where a user names a file to write.
const stdoutName = "-"

// output prepares the file a user names, called what in an error, none without a name. It is stdout for [stdoutName].
func (fl *files) output(what, name string, kept ...keptPath) (outputFile, error) {
	switch name {
	case "":
		return outputFile{}, nil
	case stdoutName:
		return outputFile{stdout: true}, nil
	}
	out, err := prepareOutput(fl.path(name), kept...)
	if err != nil {
		return out, badInput("%s%s cannot be written: %w; allowed: a file in a writable directory", what, shown(name), err)
	}
	return out, nil
}

// notStdout refuses stdout as a file, called what: one that is read, too, or holds no text.
func notStdout(what, name string) error {
	if name != stdoutName {
		return nil
	}
	return badInput("%s cannot be stdout, which %s is; allowed: a file, such as ./%s", what, stdoutName, stdoutName)
}

// write fills a file, which appears whole or not at all, or stdout.
func (m *Main) write(out outputFile, fill func(io.Writer) error) error {
	if out.stdout {
		return buffered(m.Stdout, fill)
	}
	var failed error // says what it is about
	err := atomicfile.WriteWith(out.path, func(f *os.File) error {
		failed = buffered(f, fill)
		return failed
	})
	if err != nil {
		out.made.discard()
		return cmp.Or(failed, err)
	}
	return nil
}

// writeTo writes what a command has made to a file, called what in an error, or to stdout if none is named. What is
// kept is not written over.
func (m *Main) writeTo(what, name string, fill func(io.Writer) error, kept ...keptPath) error {
	out, err := m.output(what, cmp.Or(name, stdoutName), kept...)
	if err == nil {
		err = m.write(out, fill)
	}
	if err == nil {
		m.noteMade(what, out)
	}
	return err
}

// whole fills a file with a text.
func whole(text []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(text); return err }
}

// columnsOf is how wide a text for [Main.writeTo] may be; 0 is any width, as in a file.
func (m *Main) columnsOf(name string) int {
	if cmp.Or(name, stdoutName) != stdoutName {
		return 0
	}
	return m.outputColumns()
}

// beside is where the program talks to people beside an output: stderr where that is stdout, which a program reads.
func (m *Main) beside(out ...outputFile) io.Writer {
	if slices.ContainsFunc(out, func(o outputFile) bool { return o.stdout }) {
		return m.Stderr
	}
	return m.Stdout
}

// buffered fills w through a buffer.
func buffered(w io.Writer, fill func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 256<<10)
	if err := fill(b); err != nil {
		return err
	}
	return b.Flush()
}

// noteMade says that a file goes to a directory that was made for it.
func (fl *files) noteMade(what string, out outputFile) {
	if len(out.made) > 0 {
		plaintext.Fprintf(fl.notes, "note: %sgoes to a new directory, %s\n", what, fl.shownPath(out.made[0]))
	}
}

// reportFlag is the flag of the report's file, which may have no value: then the report goes to
// reportFileDefault, with the scenario's name.
const (
	reportFlag        = "--report-json"
	reportFileDefault = ".tmp/<scenario>-report.json"
)

// withReportFile gives the flag of the report's file a value where it has none: at the end, or
// before another flag.
func withReportFile(args []string) []string {
	given := slices.Clone(append([]string{}, args...))
	for i, word := range given {
		if last := i == len(given)-1; word == reportFlag &&
			(last || strings.HasPrefix(given[i+1], "-") && given[i+1] != stdoutName) {
			given[i] += "=" + reportFileDefault
		}
		if word == "--" {
			break
		}
	}
	return given
}

// reportOutput prepares the file of the report.
func reportOutput(m *Main, p *plan) (outputFile, error) {
	if p.ReportJSON == reportFileDefault {
		p.ReportJSON = strings.Replace(reportFileDefault, "<scenario>", scenarioWord(p.Scenario), 1)
	}
	return m.output("the report ", p.ReportJSON, append(p.kept, m.ownReport(p.RunDir))...)
}

// What the commands that make them write again.
const (
	reportOfRun = "the report of a run"
	aPlaybook   = "a playbook"
)

// ownReport is the report of a run as an output of the commands that make it.
func (fl *files) ownReport(runDir string) keptPath {
	return keptPath{what: reportOfRun, path: filepath.Join(fl.path(runDir), run.ReportFile), owned: true}
}

// recordsAt are what a file at path could replace: the records in its directory, the report and playbooks of a run, and
// a playbook anywhere.
func recordsAt(path string) []keptPath {
	dir := filepath.Dir(path)
	kept := records(dir)
	if _, err := os.Stat(path); err != nil {
		return kept
	}
	switch {
	case filepath.Base(path) == run.ReportFile && batch.IsRun(dir):
		return append(kept, keptPath{what: reportOfRun, path: path})
	case filepath.Base(dir) == run.PlaybookDir && batch.IsRun(filepath.Dir(dir)):
		return append(kept, keptPath{what: "a record of a run", path: path})
	}
	text, err := run.ReadRegular(path, playbook.BytesMax)
	if err == nil {
		_, err = playbook.Parse(text)
	}
	if err == nil {
		kept = append(kept, keptPath{what: aPlaybook, path: path})
	}
	return kept
}

// records are the files of a run, of a batch or of a cell in a directory that nobody could make again.
func records(dir string) (kept []keptPath) {
	for _, name := range batch.Dir(dir).Records() {
		kept = append(kept, keptPath{what: "a record of a batch", path: filepath.Join(dir, name)})
	}
	what, names := "a record of a run", []string{run.TraceFile, run.IndexFile, run.ClaimFile, run.AsksFile, run.AheadFile}
	_, cell := batch.RunOfCell(dir)
	switch {
	case cell:
		what, names = "the result of a cell", []string{batch.ResultFile}
	case !batch.IsRun(dir):
		return kept
	}
	for _, name := range names {
		kept = append(kept, keptPath{what: what, path: filepath.Join(dir, name)})
	}
	return kept
}

// prepareOutput makes the parents of path and proves that a file can be written
// there without replacing any of kept. It leaves no file, and on failure no
// directory.
func prepareOutput(path string, kept ...keptPath) (outputFile, error) {
	if err := plaintext.FileName(filepath.Base(path)); err != nil {
		return outputFile{}, err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		// Renaming over a directory fails late; renaming over a device would
		// replace it.
		return outputFile{}, errors.New("exists and is not a regular file")
	}
	ends := path
	if through, err := filepath.EvalSymlinks(path); err == nil {
		ends = through // a link is written through
	}
	for _, k := range slices.Concat(kept, recordsAt(path), recordsAt(ends)) {
		owned := func(o keptPath) bool { return o.owned && o.what == k.what && sameFile(o.path, k.path) }
		if (k.replacedBy(path) || k.replacedBy(ends)) && !slices.ContainsFunc(kept, owned) {
			return outputFile{}, fmt.Errorf("would replace %s", k.what)
		}
	}
	made, err := makeWritable(filepath.Dir(path))
	if err != nil {
		return outputFile{}, err
	}
	return outputFile{path: path, made: made}, nil
}

// makeWritable makes a directory with its parents, and proves that something can be written there. On failure it
// leaves none of them.
func makeWritable(dir string) (madeDirs, error) {
	missing := missingDirs(dir)
	for _, made := range missing {
		if err := plaintext.FileName(filepath.Base(made)); err != nil {
			return nil, err
		}
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		// Permissions alone do not tell: a full or read-only file system refuses only
		// the attempt.
		var f *os.File
		f, err = os.CreateTemp(dir, ".writable-*")
		if err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		missing.discard()
		return nil, cause(err)
	}
	return missing, nil
}

// missingDirs lists dir and its parents that do not exist, innermost first: what
// has to be made for a file in dir, and removed again when nothing comes of it.
func missingDirs(dir string) madeDirs {
	var missing madeDirs
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return missing
		}
		missing = append(missing, dir)
		dir = filepath.Dir(dir)
	}
}
