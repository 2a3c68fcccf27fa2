package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Dir is the path of a run directory.
type Dir string

// The files of a run in its directory. A long trace is spread over more files; see
// [Dir.Open].
const (
	TraceFile  = "trace.jsonl"
	ReportFile = "report.json"
	// IndexFile holds the hash of a [state.Index] in JSON, and that JSON. It has nothing
	// that the trace does not have, and may be deleted at any time.
	IndexFile = "trace.index"
	// CutFile collects what resumes cut off a trace, for people.
	CutFile = "trace-cut.jsonl"
	// LockFile holds the id of the process that works on the run, for people. Its lock is
	// what claims the run.
	LockFile = "run.lock"
	// ControlFile holds the address that lets the next browser control the run, as long as its page
	// is served.
	ControlFile = "control-address"
	// AheadFile holds the answers that were asked ahead of a run, see package engine/ahead. A resume uses
	// those that the run has not come to; it may be deleted at any time, and they are then asked for again.
	AheadFile = "ahead.jsonl"
	// waitsFile holds what the process at work waits for.
	waitsFile = "waits.json"
	// PlaybookDir holds the agents' playbooks, one file AGENT.toml for each.
	PlaybookDir = "playbooks"
	// bookSuffix ends the name of a playbook.
	bookSuffix = ".toml"
)

// file is the path of a file of the run.
func (d Dir) file(name string) string { return filepath.Join(string(d), name) }

// OccupiedError is the error about a directory for a new run that has files of one already.
type OccupiedError struct {
	Dir Dir
	// File is one of them.
	File string
}

// Error names the directory and the file.
func (e *OccupiedError) Error() string {
	return fmt.Sprintf("run directory %s already holds a run, at least its %s; choose another directory", e.Dir, e.File)
}

// Create makes the directory of a new run with its parents and proves that it is
// writable. It refuses a directory that already holds a trace, because two runs in one
// file cannot be separated. It also refuses the rest of a run: a report, or closed
// segments, which the new run would replace one by one. Files that are rebuilt when
// missing, such as an index, do not count.
func (d Dir) Create() error {
	var parents []string
	for at := filepath.Clean(string(d)); !exists(at) && filepath.Dir(at) != at; at = filepath.Dir(at) {
		parents = append(parents, filepath.Dir(at))
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("create run directory: %w", err)
	}
	for _, parent := range parents {
		_ = onDisk.SyncDir(folder.Dir(parent)) // one that may be written and not read cannot be synced
	}
	left, err := d.leftOfRun()
	if err != nil {
		return fmt.Errorf("create run directory: %w", err)
	}
	if left != "" {
		return &OccupiedError{d, left}
	}
	if err := d.writable(); err != nil {
		return fmt.Errorf("create run directory: %w", err)
	}
	probe, err := os.CreateTemp(string(d), ".probe-*")
	if err != nil {
		return fmt.Errorf("write to run directory: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// leftOfRun returns a file of a run that the directory holds, empty for none. A trace that ends
// before its first record is none: its process was stopped before it had paid for anything.
func (d Dir) leftOfRun() (name string, err error) {
	entries, err := d.folder().List(".")
	if err != nil {
		return "", err
	}
	if d.Begun() { // also a link to a file that is gone is somebody's
		if _, err := d.Header(); !errors.Is(err, ErrNothingRecorded) {
			return TraceFile, nil
		}
	}
	for _, e := range entries {
		if isSegment(e.Name()) || e.Name() == ReportFile {
			return e.Name(), nil
		}
	}
	return "", nil
}

// OpenAhead opens the answers that were asked ahead.
func (d Dir) OpenAhead() (*os.File, error) { return d.folder().Open(AheadFile) }

// AppendAhead opens the answers that were asked ahead, to read them and to append some.
func (d Dir) AppendAhead() (*os.File, error) {
	return d.folder().OpenFile(AheadFile, os.O_CREATE|os.O_RDWR)
}

// Begun says that the directory holds a trace.
func (d Dir) Begun() bool { return exists(d.file(TraceFile)) }

// exists reports whether something exists at a path, or this cannot be determined.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// ErrNothingRecorded marks a run that was stopped before its header was written.
var ErrNothingRecorded = errors.New("it was stopped before anything was recorded")

// playbookHash begins the last line of a playbook in a run directory, a comment: a hash of
// all other lines follows.
const playbookHash = "# hash of the lines above: "

// KeepPlaybook writes the playbook of an agent.
func (d Dir) KeepPlaybook(agent string, text []byte) error {
	if err := d.folder().MkdirAll(PlaybookDir); err != nil {
		return fmt.Errorf("write playbook: %w", err)
	}
	text = fmt.Appendf(bytes.Clone(text), "%s%s\n", playbookHash, llmclient.Hash(text))
	return onDisk.Replace(d.folder(), filepath.Join(PlaybookDir, agent+bookSuffix), folder.Content(text))
}

// CheckPlaybook says whether a playbook with the hash that [Dir.KeepPlaybook] gives it is not
// as it was written. One without a hash is a person's, and may be anything.
func CheckPlaybook(text []byte) error {
	at := bytes.LastIndex(text, []byte(playbookHash))
	if at < 0 || string(text[at+len(playbookHash):]) == llmclient.Hash(text[:at])+"\n" {
		return nil
	}
	return errors.New("it was changed since a run wrote it; without its last line it may be changed")
}

// hasHash says that a playbook has the hash that [Dir.KeepPlaybook] gives it, right or wrong.
func hasHash(text []byte) bool { return bytes.Contains(text, []byte(playbookHash)) }

// withHash is data after a line with its hash; withoutHash takes that away, and is nil where
// it does not fit.
func withHash(data []byte) []byte { return fmt.Appendf(nil, "%s\n%s", llmclient.Hash(data), data) }

func withoutHash(text []byte) []byte {
	hash, data, _ := bytes.Cut(text, []byte("\n"))
	if string(hash) != llmclient.Hash(data) {
		return nil
	}
	return data
}

// KeepBook writes a playbook without a hash, which a person may change.
func (d Dir) KeepBook(name string, text []byte) error {
	err := os.MkdirAll(string(d), 0o700)
	if err == nil {
		err = d.folder().MkdirAll(PlaybookDir)
	}
	if err == nil {
		err = onDisk.Replace(d.folder(), filepath.Join(PlaybookDir, name), folder.Content(text))
	}
	if err != nil {
		return fmt.Errorf("write playbook: %w", err)
	}
	return nil
}

// KeepWaits writes what the running process waits for. A failure to write is no error:
// the file is only information.
func (d Dir) KeepWaits(waits []byte) {
	_ = onDisk.Replace(d.folder(), waitsFile, folder.Content(withHash(waits)))
}

// Waits are those that were kept last, nil for none.
func (d Dir) Waits() []byte {
	text, err := d.folder().Read(waitsFile, wholeBytesMax)
	if err != nil {
		return nil
	}
	return withoutHash(text)
}

// KeepControl writes the address that lets the next browser control the run.
func (d Dir) KeepControl(address string) error {
	return d.folder().Replace(ControlFile, folder.Content([]byte(address+"\n")))
}

// ForgetControl removes the address, which lets nobody in any more, or what is in its place.
func (d Dir) ForgetControl() { _ = d.folder().Remove(ControlFile) }

// ForgetWaits removes them.
func (d Dir) ForgetWaits() { _ = d.folder().Remove(waitsFile) }

// KeepReport replaces the report of the run. It returns an error if the trace has changed
// since the report was made: the process that continues the run writes its own.
func (d Dir) KeepReport(report []byte) error {
	head, err := state.ReportHead(report)
	if err != nil {
		return fmt.Errorf("keep the report: %w", err)
	}
	f, _, err := d.openLast()
	if err != nil {
		return fmt.Errorf("keep the report: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		// A trace that a full disk cut off has no chain at its end.
		if chain, err := chainBefore(f, info.Size()); err == nil && chain != head {
			return fmt.Errorf("keep the report: another process went on with %s meanwhile", d)
		}
	}
	return onDisk.Replace(d.folder(), ReportFile, folder.Content(report))
}

// Files are the files that the trace is spread over now, in order, as far as they are there.
func (d Dir) Files() ([]string, error) {
	f, number, err := d.openLast()
	if err != nil {
		return nil, err
	}
	var paths []string
	closed, err := d.closedSegments()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for _, n := range closed {
		if n < number {
			paths = append(paths, d.file(segmentName(n)))
		}
	}
	if exists(d.file(TraceFile)) { // it may be lost, and the closed ones be there
		paths = append(paths, d.file(TraceFile))
	}
	return paths, f.Close()
}

// Header returns the header of the run, or [ErrNothingRecorded].
func (d Dir) Header() (trace.Header, error) { return d.As(nil).Header() }

// Header is [Dir.Header] in the way of the source.
func (d Source) Header() (trace.Header, error) {
	h, _, err := d.first()
	return h, err
}

// Identity is the chain that the first line of the trace has, which identifies the run: files beside the trace are
// sealed with it, see [trace.Seal]. It is that of a first line that was changed, too.
func (d Dir) Identity() (trace.Chain, error) {
	_, chain, err := d.As(&Reading{Unverified: true}).first()
	return chain, err
}

// first returns the header of the run and the chain of its line.
func (d Source) first() (trace.Header, trace.Chain, error) {
	f, err := d.Open()
	if err != nil {
		return trace.Header{}, "", err
	}
	defer f.Close()
	lines := trace.NewReader(f)
	h, err := lines.Header()
	if err == io.EOF || errors.Is(err, trace.ErrTorn) {
		err = d.noHeader()
	}
	if err != nil {
		return trace.Header{}, "", fmt.Errorf("read trace of %s: %w", d.Dir, err)
	}
	return h, lines.Chain(), nil
}

// headerBegin is what the trace of every run begins with.
const headerBegin = `{"type":"` + string(trace.TypeHeader) + `"`

// noHeader is why the trace has no whole first line: [ErrNothingRecorded] if it is empty or holds a part
// of a header, with zeros where a power failure kept only the length. Anything else is no trace.
func (d Dir) noHeader() error {
	f, err := d.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	begin := make([]byte, len(headerBegin))
	n, err := io.ReadFull(f, begin)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if !strings.HasPrefix(headerBegin, string(bytes.TrimRight(begin[:n], "\x00"))) {
		return trace.ErrNoHeader
	}
	return ErrNothingRecorded
}

// RemoveReport removes the report of a run that continues: it names a head that the trace
// may lose.
func (d Dir) RemoveReport() error {
	if err := onDisk.Remove(d.folder(), ReportFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the report of the run so far: %w", err)
	}
	return onDisk.SyncDir(d.folder())
}

// RemoveEmpty removes the directory of a run after [Dir.Clear], with the file that its lock may have
// left. The error may be that somebody else keeps something there.
func (d Dir) RemoveEmpty() error {
	for _, name := range []string{LockFile, ClaimFile} {
		_ = d.folder().Remove(name)
	}
	if err := os.Remove(string(d)); err != nil {
		return fmt.Errorf("remove the directory of a run: %w", err)
	}
	return nil
}

// Clear removes the files of a run. It removes the trace from its end to its beginning, and syncs
// each removal before the next: what an interruption or a power failure leaves of a fork is still
// recognized as unfinished. The claim stays: it is this process's.
func (d Dir) Clear() error {
	var names []string
	books, _ := d.folder().List(PlaybookDir)
	for _, b := range books {
		if filepath.Ext(b.Name()) == bookSuffix {
			names = append(names, filepath.Join(PlaybookDir, b.Name()))
		}
	}
	names = append(names, ReportFile, IndexFile, CutFile, ControlFile, waitsFile, AsksFile, AheadFile)
	trace := len(names)
	names = append(names, TraceFile)
	closed, err := d.closedSegments()
	if err != nil {
		return fmt.Errorf("remove a run: %w", err)
	}
	for _, n := range slices.Backward(closed) {
		names = append(names, segmentName(n))
	}
	for i, name := range names {
		err := onDisk.Remove(d.folder(), name)
		if err == nil && i >= trace {
			err = onDisk.SyncDir(d.folder()) // otherwise this file could come back without those before it
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove a run: %w", err)
		}
	}
	_ = d.folder().Remove(PlaybookDir) // which stays when somebody else keeps something there
	return nil
}
