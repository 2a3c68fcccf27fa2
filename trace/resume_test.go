package trace

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestBlobsAreStoredAgainInEachEpoch writes a blob in two epochs of ticks, in both
// of which it has to stand, once.
func TestBlobsAreStoredAgainInEachEpoch(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	var at []string
	for _, tick := range []int64{1, 2, EpochTicks - 1, EpochTicks, EpochTicks + 1, 2*EpochTicks - 1, 5 * EpochTicks, 5 * EpochTicks} {
		before := out.Len()
		if _, err := w.Blob(tick, BlobItem, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		at = append(at, map[bool]string{true: "stored", false: "there"}[out.Len() > before])
	}
	if got, want := strings.Join(at, " "), "stored there there stored there there stored there"; got != want {
		t.Errorf("a part was %s, want %s", got, want)
	}
	// What a trace holds counts for its own stretch.
	w.MarkStored(newPart(3, BlobItem, []byte(`{"old":1}`)))
	w.MarkStored(newPart(5*EpochTicks+1, BlobItem, []byte(`{"new":1}`)))
	for body, stored := range map[string]bool{`{"old":1}`: true, `{"new":1}`: false} {
		before := out.Len()
		if _, err := w.Blob(5*EpochTicks+2, BlobItem, []byte(body)); err != nil || out.Len() > before != stored {
			t.Errorf("%s: stored %v, want %v, error %v", body, out.Len() > before, stored, err)
		}
	}
	if len(w.stored) != 3 {
		t.Errorf("the writer remembers %d parts, want the 3 of its stretch", len(w.stored))
	}
}

// TestCanonicalFormDoesNotTellHowARunCameAbout compares a run that was stopped, resumed
// twice and spread over files with one that was not.
func TestCanonicalFormDoesNotTellHowARunCameAbout(t *testing.T) {
	header := func(ticks int64) Header { return Header{Format: FormatVersion, Settings: Settings{Ticks: ticks}} }
	call := func(step int) ModelCall { return ModelCall{Tick: 2, AgentID: "a", Step: step} }
	end := func(tick int64, status RunStatus) RunEnd { return RunEnd{Tick: tick, RunStatus: status} }
	unbroken := lines(t, header(2), TickEnd{Tick: 1}, call(1), call(2), TickEnd{Tick: 2}, end(2, RunCompleted))
	broken := lines(t, header(1), TickEnd{Tick: 1}, end(1, RunCompleted), Resume{Tick: 1, TicksRequested: 2}, call(1),
		end(1, RunInterrupted), Resume{Tick: 1, TicksRequested: 2}, call(2), TickEnd{Tick: 2}, Segment{Tick: 2, Number: 2}, end(2, RunCompleted))
	if got, want := canonical(t, broken), canonical(t, unbroken); got != want {
		t.Errorf("canonical form\n%s\nwant\n%s", got, want)
	}
	// A run that was taken up again has not ended, whatever it had been.
	open := lines(t, header(1), TickEnd{Tick: 1}, end(1, RunCompleted), Resume{Tick: 1, TicksRequested: 2})
	if got := canonical(t, open); strings.Contains(got, "run_end") {
		t.Errorf("an overtaken end is in\n%s", got)
	}
}

func TestLinesTellTypesWithoutDecoding(t *testing.T) {
	text := append(lines(t, samples()...), "no record\n{\"type\":\"torn"...)
	l := NewReader(bytes.NewReader(text))
	for _, want := range samples() {
		line, err := l.NextLine()
		if err != nil || TypeOf(line) != want.RecordType() {
			t.Fatalf("type %q, error %v, want %q", TypeOf(line), err, want.RecordType())
		}
		if _, err := Decode(line); err != nil {
			t.Errorf("%s: %v", want.RecordType(), err)
		}
	}
	if line, err := l.NextLine(); err != nil || TypeOf(line) != "" {
		t.Errorf("type %q, error %v of a line that is no record", TypeOf(line), err)
	}
	if _, err := l.NextLine(); !errors.Is(err, ErrTorn) {
		t.Errorf("a torn line: %v", err)
	}
	if _, err := NewReader(strings.NewReader("")).NextLine(); err != io.EOF {
		t.Errorf("an empty trace: %v", err)
	}
	for _, line := range []string{"", "{}", `{"type":"`, `{"type":1}`} {
		if got := TypeOf([]byte(line)); got != "" {
			t.Errorf("%q has type %q", line, got)
		}
	}
}
