package dashboard_test

import (
	"bufio"
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// listed is a run in the list.
type listed struct{ ID, Status, Problem string }

func list(t *testing.T, at string) map[string]listed {
	t.Helper()
	rows := map[string]listed{}
	for _, r := range read[struct{ Runs []listed }](t, at+"runs").Runs {
		rows[r.ID] = r
	}
	return rows
}

// keepReport writes the report of a run.
func keepReport(t *testing.T, dir string) {
	t.Helper()
	f, err := run.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	of, err := report.Fold(trace.NewReader(f))
	if err == nil {
		err = run.Dir(dir).KeepReport(of.JSON())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTheListShowsWhatIsWrong lists runs that cannot be read, or never began.
func TestTheListShowsWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	change := func(id, name string, how func([]byte) []byte) {
		t.Helper()
		path := filepath.Join(dir, id, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, how(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"whole", "first", "middle", "report", "cut", "noise", "begun"} {
		record(t, filepath.Join(dir, id), "minimal", 4, nil)
	}
	for id, files := range map[string][]string{"locked": {run.LockFile}, "empty": {run.TraceFile, run.LockFile}, "books": {run.PlaybookDir + "/agent-1.toml"}, "other": {"notes.txt"}} {
		for _, name := range files {
			path := filepath.Join(dir, id, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	change("first", run.TraceFile, func(text []byte) []byte { return append([]byte("x"), text...) })
	change("noise", run.TraceFile, func(text []byte) []byte { return bytes.Repeat([]byte{0xf3, 0x81, 'x'}, 700) })
	change("begun", run.TraceFile, func(text []byte) []byte { return text[:100] })
	if err := os.Remove(filepath.Join(dir, "begun", run.ReportFile)); err != nil {
		t.Fatal(err)
	}
	change("middle", run.TraceFile, func(text []byte) []byte { return bytes.Replace(text, []byte(`"tick":2`), []byte(`"tick":3`), 1) })
	for _, id := range []string{"report", "cut"} {
		keepReport(t, filepath.Join(dir, id))
	}
	change("report", run.ReportFile, func(text []byte) []byte { return bytes.Replace(text, []byte(`completed`), []byte(`compleated`), 1) })
	change("cut", run.TraceFile, func(text []byte) []byte {
		lines := bytes.SplitAfter(text, []byte("\n"))
		return bytes.Join(lines[:len(lines)-3], nil)
	})
	at := serve(t, dir) + "api/"
	if _, _, body := request(t, at+"run?run=middle", nil); !bytes.Contains(body, []byte("chain")) {
		t.Errorf("the broken run is %s", body)
	}
	rows := list(t, at)
	for id, want := range map[string]string{
		"whole": "completed", "first": "damaged", "middle": "damaged", "report": "damaged", "cut": "damaged", "noise": "damaged", "begun": "not_begun", "locked": "not_begun", "empty": "not_begun", "books": "not_begun", "other": "",
	} {
		got := rows[id]
		if got.Status != want || (got.Problem != "") != (want == "damaged") || strings.Contains(got.Problem, dir) {
			t.Errorf("%s is %+v, want %q", id, got, want)
		}
	}
}

// TestTheListKeepsItsOrder lists runs that began in the same second by their last change, and one in a
// directory whose name cannot be said.
func TestTheListKeepsItsOrder(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "a"), "minimal", 2, nil)
	text, err := os.ReadFile(filepath.Join(dir, "a", run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for age, id := range []string{"b", "a", "d", "c"} {
		path := filepath.Join(dir, id, run.TraceFile)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600), os.Chtimes(path, now, now.Add(-time.Duration(age)*time.Millisecond))); err != nil {
			t.Fatal(err)
		}
	}
	odd := "odd\xff"
	if err := os.MkdirAll(filepath.Join(dir, odd), 0o700); err != nil {
		t.Skipf("SKIPPED: no such name is possible here: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, odd, run.TraceFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, r := range read[struct{ Runs []listed }](t, serve(t, dir)+"api/runs").Runs {
		order = append(order, r.ID)
		if odd := strings.HasPrefix(r.ID, "odd"); odd != strings.Contains(r.Problem, "UTF-8") || odd != (r.Status == "damaged") {
			t.Errorf("%+v", r)
		}
	}
	if got := strings.Join(order, " "); got != "b a d c odd\ufffd" {
		t.Errorf("the list is %s", got)
	}
}

// TestATraceThatBreaksIsFound waits for the list to show that a trace which no one opened is broken
// in its middle, of a run that ended and of one that did not.
func TestATraceThatBreaksIsFound(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"whole", "ended", "open"} {
		record(t, filepath.Join(dir, id), "minimal", 4, nil)
		path := filepath.Join(dir, id, run.TraceFile)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if id != "whole" {
			text = bytes.Replace(text, []byte(`"tick":2`), []byte(`"tick":3`), 1)
		}
		if id == "open" {
			text = text[:bytes.LastIndex(text[:len(text)-1], []byte("\n"))+1]
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := serve(t, dir) + "api/"
	stream, err := http.Get(at + "stream")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	rows := list(t, at)
	for lines := bufio.NewScanner(stream.Body); (rows["ended"].Status != "damaged" || rows["open"].Status != "damaged") && lines.Scan(); {
		rows = list(t, at)
	}
	if rows["whole"].Status != "completed" || rows["ended"].Problem == "" || rows["open"].Problem == "" {
		t.Errorf("the list has %+v", rows)
	}
}

// TestABatchHasNoRunsThatNeverBegan lists a batch: the directories of its cells and attempts are
// none of runs.
func TestABatchHasNoRunsThatNeverBegan(t *testing.T) {
	dir := t.TempDir()
	runs := playBatch(t, dir, "arms", func(*batch.Result) {})
	for _, name := range []string{filepath.Dir(runs[0]), filepath.Dir(filepath.Dir(runs[0]))} {
		if err := os.WriteFile(filepath.Join(dir, name, run.LockFile), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if rows := list(t, serve(t, dir)+"api/"); len(rows) != len(runs) {
		t.Errorf("the list has %+v", rows)
	}
}

// TestARunThatWasRemovedIsGone removes a run while a page shows it.
func TestARunThatWasRemovedIsGone(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "short"), "minimal", 3, nil)
	at := serve(t, dir) + "api/"
	type view struct {
		Tick   int64
		Row    listed
		Damage string
	}
	if v := read[view](t, at+"run?run=short"); v.Tick != 3 || v.Row.Status != "completed" {
		t.Fatalf("the run is %+v", v)
	}
	stream, err := http.Get(at + "stream")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if err := os.RemoveAll(filepath.Join(dir, "short")); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stream.Body); lines.Scan() && !strings.Contains(lines.Text(), `"short"`); {
	}
	if v := read[view](t, at+"run?run=short"); v.Tick != 3 || v.Row.Status != "gone" || !strings.Contains(v.Damage, "removed") || strings.Contains(v.Damage, dir) {
		t.Errorf("the run is %+v", v)
	}
	for _, what := range []string{"world?run=short&tick=2", "log?run=short", "turn?run=short&tick=2&agent=agent-1"} {
		if status, _, body := request(t, at+what, nil); status != http.StatusGone || !bytes.Contains(body, []byte("removed")) {
			t.Errorf("%s: status %d: %s", what, status, body)
		}
	}
	record(t, filepath.Join(dir, "short"), "minimal", 2, nil)
	if v := read[view](t, at+"run?run=short"); v.Tick != 2 || v.Row.Status != "completed" || v.Damage != "" {
		t.Errorf("another run in its place is %+v", v)
	}
}

// TestMessagesNameNoPathOfTheMachine damages a run and a batch.
func TestMessagesNameNoPathOfTheMachine(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "damaged"), "minimal", 3, nil)
	runs := playBatch(t, filepath.Join(dir, "arms"), "arms", func(*batch.Result) {})
	cell := filepath.Dir(filepath.Dir(runs[0]))
	for name, text := range map[string]string{"damaged/trace.jsonl": "{}\n", "damaged/asks.jsonl": "x\n", "arms/" + filepath.ToSlash(cell) + "/result.json": "{"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	playBatch(t, filepath.Join(dir, "lost"), "lost", func(r *batch.Result) {
		r.Status, r.Reason = trace.RunInternalError, "open "+filepath.Join(dir, "lost", "x.toml")+": no such file"
	})
	if err := os.Remove(filepath.Join(dir, "lost", "batch.toml")); err != nil {
		t.Fatal(err)
	}
	at := serve(t, dir) + "api/"
	if _, _, body := request(t, at+"batch?batch=lost", nil); !bytes.Contains(body, []byte("open lost/x.toml: no such file")) || !bytes.Contains(body, []byte("open lost/batch.toml: no such file")) || bytes.Contains(body, []byte(dir)) {
		t.Errorf("the batch is %s", body)
	}
	for _, what := range []string{"runs", "run?run=damaged", "log?run=damaged", "asks?run=damaged", "compare?a=damaged&b=damaged", "batch?batch=arms"} {
		status, _, body := request(t, at+what, nil)
		if bytes.Contains(body, []byte(dir)) || bytes.Contains(body, []byte(filepath.Dir(dir))) {
			t.Errorf("%s: status %d: %s", what, status, body)
		}
		// A damaged cell fails alone.
		if what != "runs" && what != "batch?batch=arms" && (status == http.StatusOK || !bytes.Contains(body, []byte(`"error"`))) {
			t.Errorf("%s: status %d: %s", what, status, body)
		}
	}
}
