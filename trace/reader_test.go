package trace

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const tickEndLine = `{"type":"tick_end","tick":1,"digest":"d","due":0,"continued":0,"world_time":1}` + "\n"

func TestReaderNamesTheBadLine(t *testing.T) {
	for _, test := range []struct {
		name, line, want string
	}{
		{"not JSON", "hello", "not a record: invalid character"},
		{"empty", "", "not a record: unexpected end"},
		{"array", "[1]", "not a record: json: cannot unmarshal array"},
		{"null", "null", `not a record: no "type"`},
		{"no type", `{"tick":1}`, `not a record: no "type"`},
		{"wrong field type", `{"type":"step","tick":1,"step":"one"}`, "malformed step record"},
		{"two objects", `{"type":"tick_end","tick":1}{}`, "not a record: invalid character '{' after"},
		{"no format", `{"type":"header","tick":0}`, "malformed header record: format 0"},
		{"newer format", `{"type":"header","tick":0,"format":3,"agents":"text"}`, "written by a newer version (format 3), this program reads format 2"},
		{"older format", `{"type":"header","tick":0,"format":1,"agents":"text"}`, "written by an older version (format 1), this program reads format 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewReader(strings.NewReader(tickEndLine + test.line + "\n" + tickEndLine))
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
			_, err := r.Next()
			var bad *LineError
			if !errors.As(err, &bad) {
				t.Fatalf("error = %v, want a LineError", err)
			}
			if bad.Line != 2 || bad.Offset != int64(len(tickEndLine)) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %q (line %d, offset %d), want line 2, offset %d, %q", err, bad.Line, bad.Offset, len(tickEndLine), test.want)
			}
			if next, err := r.Next(); err != nil || next.RecordType() != TypeTickEnd {
				t.Errorf("record after the bad line = %v, %v, want the tick_end", next, err)
			}
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("error at the end = %v, want io.EOF", err)
			}
		})
	}
}

func TestReaderTellsNewerFormatsApart(t *testing.T) {
	_, err := NewReader(strings.NewReader(`{"type":"header","format":99}` + "\n")).Next()
	if !errors.Is(err, ErrFormat) {
		t.Errorf("error = %v, want ErrFormat", err)
	}
}

// TestReaderRepairsEveryCut cuts a trace at each byte: the text before Offset must be the
// records whose lines are complete.
func TestReaderRepairsEveryCut(t *testing.T) {
	whole := lines(t, TickEnd{Tick: 1}, TickEnd{Tick: 2}, TickEnd{Tick: 3})
	for cut := range len(whole) + 1 {
		r := NewReader(bytes.NewReader(whole[:cut]))
		records := 0
		var last error
		for _, err := range r.All() {
			if last = err; err == nil {
				records++
			}
		}
		complete := bytes.Count(whole[:cut], []byte("\n"))
		end := bytes.LastIndexByte(whole[:cut], '\n') + 1
		if records != complete || r.Offset() != int64(end) {
			t.Fatalf("cut at %d: %d records up to %d, want %d up to %d", cut, records, r.Offset(), complete, end)
		}
		if torn := errors.Is(last, ErrTorn); torn != (end != cut) {
			t.Fatalf("cut at %d: error %v, want torn = %v", cut, last, end != cut)
		}
	}
}

func TestReaderKeepsUnknownTypes(t *testing.T) {
	const line = `{"type":"playbook_delta","tick":7,"op":"add","timing":{"ms":3}}`
	got := readAll(t, []byte(line+"\n"))
	want := []Record{Unknown{Type: "playbook_delta", Tick: 7, Raw: []byte(line)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("records (-want +got):\n%s", diff)
	}
	if again := lines(t, got...); string(again) != line+"\n" {
		t.Errorf("written again = %s, want the same line", again)
	}
}

// endless is a file without line feeds.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestReaderGivesUpOnEndlessLines(t *testing.T) {
	r := NewReader(io.MultiReader(io.LimitReader(endless{}, LineBytesMax+1<<20), strings.NewReader("\n"+tickEndLine)))
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, errLong) {
			t.Fatalf("error = %v, want %v", err, errLong)
		}
	}
}

func TestReaderPassesReadErrorsOn(t *testing.T) {
	broken := errors.New("connection lost")
	r := NewReader(io.MultiReader(strings.NewReader(tickEndLine), errReader{broken}))
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != broken {
		t.Errorf("error = %v, want %v", err, broken)
	}
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }

// FuzzReader checks that no input makes the reader panic or loop, and that what
// it accepts can be written and read again with the same meaning.
func FuzzReader(f *testing.F) {
	pinned, err := os.ReadFile("testdata/records.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(pinned)
	for _, line := range bytes.SplitAfter(pinned, []byte("\n")) {
		f.Add(line)
	}
	f.Add([]byte(`{"type":"later","timing":{"a":1},"x":[{}]}` + "\n\n{\"type\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := NewReader(bytes.NewReader(text))
		for range bytes.Count(text, []byte("\n")) + 2 {
			record, err := r.Next()
			if err == io.EOF {
				return
			}
			if err == nil {
				checkStable(t, record)
			}
		}
		if _, err := r.Next(); err != io.EOF {
			t.Fatalf("more results than lines: %v", err)
		}
	})
}

func checkStable(t *testing.T, record Record) {
	once, err := Encode(untimed(record))
	if err != nil {
		t.Fatalf("cannot encode what was read: %v", err)
	}
	again, err := Decode(once)
	if err != nil {
		t.Fatalf("cannot read what was written: %v\n%s", err, once)
	}
	twice, err := Encode(untimed(again))
	if err != nil || !bytes.Equal(once, twice) {
		t.Fatalf("not stable (%v):\n%s\n%s", err, once, twice)
	}
}
