package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"example.com/agentworld/trace"
)

// Verified is what of a run beside its trace is as it was written.
type Verified struct {
	// Report says that there is a report. It is whole, and was made of this trace, if that was read
	// to its end without an error.
	Report bool
	// Questions and Playbooks count those that carry a hash.
	Questions, Playbooks int
	// Recording names where the answers of the run were recorded, empty for none. Lines counts its
	// lines.
	Recording string
	Lines     int
	// Uncovered are files of the run that nothing vouches for, each with the reason; Missing are those
	// for which something should.
	Uncovered, Missing []string
}

// VerifyRest checks what belongs to a run beside its trace: questions, playbooks and the recording
// that it takes its answers from, which is where the run says. The error names what is not as it was
// written.
func (d Dir) VerifyRest() (v Verified, err error) {
	h, err := d.Header()
	if err != nil {
		return v, err
	}
	_, err = d.reportedHead()
	if err != nil {
		return v, err
	}
	v.Report = exists(d.file(ReportFile))
	asks, err := d.Asks()
	if err != nil {
		return v, err
	}
	v.Questions = len(asks)
	if err := d.verifyPlaybooks(&v); err != nil {
		return v, err
	}
	if err := verifyRecording(h, &v); err != nil {
		return v, err
	}
	for _, file := range []struct{ name, why string }{
		{IndexFile, "it is made of the trace"},
		{CutFile, "it is what resumes cut off, for people"},
		{waitsFile, "it is what the run waits for now"},
		{ControlFile, "it is the address of the page"},
		{ClaimFile, "it says who has the run"},
		{LockFile, "it says who has the run"},
	} {
		if exists(d.file(file.name)) {
			v.Uncovered = append(v.Uncovered, file.name+": "+file.why)
		}
	}
	return v, nil
}

// verifyPlaybooks checks the playbooks of the run.
func (d Dir) verifyPlaybooks(v *Verified) error {
	books, err := d.folder().List(PlaybookDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, b := range books {
		name := filepath.Join(PlaybookDir, b.Name())
		if filepath.Ext(name) != bookSuffix {
			v.Uncovered = append(v.Uncovered, name+": it is no file of the run")
			continue
		}
		text, err := d.folder().Read(name, wholeBytesMax)
		if err != nil {
			return err
		}
		if err := CheckPlaybook(text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !hasHash(text) {
			v.Missing = append(v.Missing, name+" has no hash: a person may have changed it")
			continue
		}
		v.Playbooks++
	}
	return nil
}

// verifyRecording reads all of the recording that a run takes its answers from.
func verifyRecording(h trace.Header, v *Verified) error {
	recording := h.Latest().Recording
	if recording == nil {
		return nil
	}
	path := ""
	if h.Timing != nil {
		path = h.Timing.RecordingPath
	}
	if path == "" {
		v.Missing = append(v.Missing, "the run does not say where its recording is, "+recording.Name)
		return nil
	}
	f, err := OpenRecording(path, nil)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoRun) {
		v.Missing = append(v.Missing, "the recording of the run is not at "+path)
		return nil
	}
	if err == nil {
		defer f.Close()
		for _, failed := range lines(f, undecoded) {
			if failed != nil {
				err = failed
				break
			}
			v.Lines++
		}
	}
	if err != nil {
		return fmt.Errorf("the recording %s: %w", recording.Name, err)
	}
	v.Recording = recording.Name
	return nil
}

// undecoded leaves a line as it is.
func undecoded([]byte) (trace.Record, error) { return nil, nil }

// VerifiedTrace is a trace whose lines fit their chain.
type VerifiedTrace struct {
	Lines int
	Bytes int64
	// Tick is the last whole tick, Head the chain of the last line.
	Tick int64
	Head trace.Chain
	// Kept is the number of the line that has the head which was looked for, 0 for none.
	Kept int
}

// VerifyTrace holds every line of the trace against its chain, and looks for a head. The error says where
// the trace is broken.
func (d Source) VerifyTrace(head trace.Chain) (v VerifiedTrace, err error) {
	f, err := d.open()
	if err != nil {
		return v, err
	}
	defer f.Close()
	ticks := func(line []byte) (trace.Record, error) {
		if trace.TypeOf(line) != trace.TypeTickEnd {
			return nil, nil
		}
		return trace.Decode(line)
	}
	for line, err := range lines(f, ticks) {
		err = cmp.Or(err, line.Err)
		if err != nil {
			return v, err
		}
		v.Lines++
		v.Bytes += int64(line.Size)
		v.Head = line.Chain
		if line.Chain == head {
			v.Kept = v.Lines
		}
		if line.Record != nil {
			v.Tick = trace.TickOf(line.Record)
		}
	}
	return v, nil
}

// CopyTrace writes the lines of the trace as they are. The error may be one of w. A trace of another
// format is refused; lines after the first one need not be records.
func (d Source) CopyTrace(w io.Writer) error {
	f, err := d.open()
	if err != nil {
		return err
	}
	defer f.Close()
	lines := trace.NewReader(f)
	for _, err = lines.Next(); err == nil; _, err = lines.NextLine() {
		if _, err := w.Write(append(lines.Raw(), '\n')); err != nil {
			return err
		}
	}
	if err == io.EOF || errors.Is(err, trace.ErrTorn) {
		return nil
	}
	return err
}
