package engine_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/trace/tracetest"
)

// editedTrace copies the trace of a run into a directory of its own, with its lines as
// edit makes them.
func editedTrace(t testing.TB, dir string, edit func(lines [][]byte) [][]byte) string {
	t.Helper()
	lines := edit(bytes.SplitAfter(readFile(t, filepath.Join(dir, rundir.TraceFile)), []byte("\n")))
	copied := t.TempDir()
	if err := os.WriteFile(filepath.Join(copied, rundir.TraceFile), tracetest.Sealed(bytes.Join(lines, nil)), 0o644); err != nil {
		t.Fatal(err)
	}
	return copied
}

// unpacked is what a compressed file holds.
func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	f, err := rundir.OpenRecording(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// firstLine is the number of the first line that begins so; they count from 0.
func firstLine(t testing.TB, lines [][]byte, begin string) int {
	t.Helper()
	for n, line := range lines {
		if bytes.HasPrefix(line, []byte(begin)) {
			return n
		}
	}
	t.Fatalf("no line begins with %s", begin)
	return 0
}

// answerPart is the number of the line with the item of the first answer of a tick.
func answerPart(t testing.TB, lines [][]byte, call int) int {
	t.Helper()
	record, err := trace.Decode(bytes.TrimSuffix(lines[call], []byte("\n")))
	if err != nil {
		t.Fatal(err)
	}
	hash := record.(trace.ModelCall).Answer.Output[0]
	for n, line := range lines[:call] {
		if bytes.HasPrefix(line, []byte(`{"type":"part"`)) && bytes.Contains(line, []byte(hash)) {
			return n
		}
	}
	t.Fatalf("part %s is not before its call", hash)
	return 0
}

// TestDamagedRecordingEndsTheRun damages recordings in their fourth tick of six, or at
// the end, and takes answers from them with and without a model to ask.
func TestDamagedRecordingEndsTheRun(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 6)
	run(t, o)
	const call = `{"type":"model_call","tick":4,`
	answers := unpacked(t, exported(t, o.RunDir))
	cut := filepath.Join(t.TempDir(), "cut.jsonl")
	if err := os.WriteFile(cut, answers[:len(answers)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path string
		// ticks are the whole ones to expect, -1 for any number below six.
		ticks int64
		want  string
	}{
		"cut file": {cut, -1, "the recording cut.jsonl is damaged"},
		"no record": {editedTrace(t, o.RunDir, func(lines [][]byte) [][]byte {
			lines[firstLine(t, lines, call)] = []byte("\x00\x00\x00\n")
			return lines
		}), 3, "the chain is broken"},
		"torn line": {editedTrace(t, o.RunDir, func(lines [][]byte) [][]byte {
			n := firstLine(t, lines, call)
			return append(lines[:n:n], lines[n][:50])
		}), 3, "cut short"},
		"missing part": {editedTrace(t, o.RunDir, func(lines [][]byte) [][]byte {
			n := answerPart(t, lines, firstLine(t, lines, call))
			return append(lines[:n:n], lines[n+1:]...)
		}), 3, "is not in the trace"},
		"changed part": {editedTrace(t, o.RunDir, func(lines [][]byte) [][]byte {
			n := answerPart(t, lines, firstLine(t, lines, call))
			lines[n] = bytes.Replace(lines[n], []byte(`"body":"`), []byte(`"body":" `), 1)
			return lines
		}), 3, "another hash"},
	} {
		for _, model := range []engine.Source{nil, o.Source} {
			again, source := replayedFrom(t, o, c.path, model)
			result := run(t, again)
			if result.Status != trace.RunRecordingDamaged || !strings.Contains(result.Reason, c.want) {
				t.Errorf("%s: %+v, want recording_damaged with %q", name, result, c.want)
			}
			if c.ticks >= 0 && result.TicksDone != c.ticks || result.TicksDone > 5 {
				t.Errorf("%s: %d whole ticks, want %d", name, result.TicksDone, c.ticks)
			}
			if source.Asked() != 0 {
				t.Errorf("%s: %d answers were asked of the model", name, source.Asked())
			}
			if r := fold(t, again.RunDir); r.RunStatus != trace.RunRecordingDamaged || r.TraceCounts.LLMErrorsByKind["recording_damaged"] == 0 {
				t.Errorf("%s: report says %s, %v", name, r.RunStatus, r.TraceCounts.LLMErrorsByKind)
			}
			requireReplays(t, again.RunDir, result.TicksDone)
		}
	}
}
