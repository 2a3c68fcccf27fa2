package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/trace/tracetest"
	"example.com/agentworld/world"
)

// threeFiles makes a run of six ticks whose trace is two closed segments and the open
// file, of two ticks each, as lines.
func threeFiles(t *testing.T) [3][][]byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	p := newProcess(t, nil, "minimal", "--ticks", "6", "--run-dir", dir, "--quiet")
	if code := p.run(t); code != exitCompleted {
		t.Fatalf("exit code %d: %s", code, p.output())
	}
	text, err := os.ReadFile(filepath.Join(dir, run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	header, ticks := ticksOf(t, text)
	var files [3][][]byte
	var chain trace.Chain
	for i := range files {
		first := header
		if i > 0 {
			first = fmt.Appendf(nil, `{"type":"segment","tick":%d,"number":%d,"ticks_requested":6}`, 2*i, i+1)
		}
		var sealed []byte
		lines := append([][]byte{first}, append(ticks[2*i], ticks[2*i+1]...)...)
		sealed, chain = tracetest.SealedAfter(append(bytes.Join(lines, []byte("\n")), '\n'), chain)
		files[i] = bytes.Split(bytes.TrimSuffix(sealed, []byte("\n")), []byte("\n"))
	}
	return files
}

// packed is a closed segment with the given lines.
func packed(t *testing.T, lines [][]byte) []byte {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	return encoder.EncodeAll(append(bytes.Join(lines, []byte("\n")), '\n'), nil)
}

// halved is the lines with one of them, counted from 1, cut in half, and where it begins.
func halved(lines [][]byte, number int) (damaged [][]byte, offset int) {
	damaged = append(damaged, lines...)
	for _, line := range lines[:number-1] {
		offset += len(line) + 1
	}
	damaged[number-1] = lines[number-1][:len(lines[number-1])/2]
	return damaged, offset
}

// TestDamageIsTheSameEverywhere damages one file of a trace in several ways. Every
// command that reads it ends with the exit code of bad input and names the file, and the
// line where there are lines.
func TestDamageIsTheSameEverywhere(t *testing.T) {
	files := threeFiles(t)
	// The end and an answer of the first tick of a file are within whole ticks.
	lineOf := func(lines [][]byte, kind trace.Type) int {
		for i, line := range lines {
			if trace.TypeOf(line) == kind {
				return i + 1
			}
		}
		t.Fatalf("there is no %s", kind)
		return 0
	}
	endOf := func(lines [][]byte) int { return lineOf(lines, trace.TypeTickEnd) }
	callIn := lineOf(files[1], trace.TypeModelCall)
	brokenCall, callAt := halved(files[1], callIn)
	brokenOpen, openAt := halved(files[2], endOf(files[2]))
	brokenClosed, closedAt := halved(files[1], endOf(files[1]))
	second := packed(t, files[1])
	flipped := bytes.Clone(second)
	flipped[len(flipped)/2] ^= 0x55
	for name, c := range map[string]struct {
		second []byte // nil for none
		open   [][]byte
		want   string
		cat    bool // the lines can be read, which is all that trace cat needs
	}{
		"a line of the open file":       {second, brokenOpen, fmt.Sprintf("trace.jsonl, line %d (byte %d): ", endOf(files[2]), openAt), true},
		"a line of a closed segment":    {packed(t, brokenClosed), files[2], fmt.Sprintf("trace-000002.jsonl.zst, line %d (byte %d): ", endOf(files[1]), closedAt), true},
		"an answer in a closed segment": {packed(t, brokenCall), files[2], fmt.Sprintf("trace-000002.jsonl.zst, line %d (byte %d): ", callIn, callAt), true},
		"bytes of a closed segment":     {flipped, files[2], "trace-000002.jsonl.zst is damaged: ", false},
		"the end of a closed segment":   {second[:len(second)-10], files[2], "trace-000002.jsonl.zst is damaged: ", false},
		"all of a closed segment":       {[]byte{}, files[2], "trace-000002.jsonl.zst is damaged: it is empty", false},
		"a closed segment that is gone": {nil, files[2], "trace-000002.jsonl.zst is missing", false},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		whole := map[string][]byte{
			"trace-000001.jsonl.zst": packed(t, files[0]), run.TraceFile: append(bytes.Join(c.open, []byte("\n")), '\n'),
		}
		if c.second != nil {
			whole["trace-000002.jsonl.zst"] = c.second
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range whole {
			if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		commands := [][]string{
			{"inspect", dir}, {"report", dir}, {"replay", dir}, {"resume", dir, "--until-tick", "8"}, {"trace", "canonical", dir},
			{"fork", dir, "--at-tick", "6", "--ticks", "8", "--run-dir", dir + "-fork"}, {"answers", "export", dir, dir + ".answers"},
			{"explain", dir, "--tick", "6", "--agent", "agent-1"}, {"bench", "ahead", dir},
		}
		if !c.cat {
			commands = append(commands, []string{"trace", "cat", dir})
		}
		for _, args := range commands {
			p := newProcess(t, nil, args...)
			if code := p.run(t); code != exitBadInput || !strings.Contains(p.stderr.String(), c.want) {
				t.Errorf("%s: %s: exit code %d, %s; want %d and %q", name, strings.Join(args[:2], " "), code, p.stderr.String(), exitBadInput, c.want)
			}
			if regexp.MustCompile(`remove|start it again`).MatchString(p.stderr.String()) {
				t.Errorf("%s: %s advises removal: %s", name, args[0], p.stderr.String())
			}
		}
	}
}

// forge replaces the trace of a run, chained again and without a report that knows better.
func forge(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, tracetest.Sealed(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(filepath.Dir(path), run.ReportFile)); err != nil {
		t.Fatal(err)
	}
}

// TestAForkOutlivesItsParent: a parent that cannot be read any more leaves the fork its
// report and its explanations, without a comparison.
func TestAForkOutlivesItsParent(t *testing.T) {
	dir := t.TempDir()
	parent, fork := filepath.Join(dir, "parent"), filepath.Join(dir, "fork")
	for _, args := range [][]string{
		{"minimal", "--ticks", "4", "--run-dir", parent, "--quiet"},
		{"fork", parent, "--at-tick", "2", "--run-dir", fork, "--quiet"},
	} {
		if p := newProcess(t, nil, args...); p.run(t) != exitCompleted {
			t.Fatal(p.output())
		}
	}
	if text, err := os.ReadFile(filepath.Join(fork, run.ReportFile)); err != nil {
		t.Error(err)
	} else {
		validReport(t, text)
	}
	path := filepath.Join(parent, run.TraceFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Replace(text, []byte(`"accepted":true`), []byte(`"accepted":"?"`), 1)
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"report", fork}, {"resume", fork, "--until-tick", "5", "--quiet"}} {
		p := newProcess(t, nil, args...)
		if code := p.run(t); code != exitCompleted || !strings.Contains(p.output(), "the fork is not compared with its parent") || !strings.Contains(p.output(), "none of 4 turns failed") {
			t.Errorf("%v: exit code %d: %s", args, code, p.output())
		}
	}
	if _, err := os.Stat(filepath.Join(fork, run.ReportFile)); err != nil {
		t.Error(err)
	}
}

// TestAForkOfAnotherVersionSaysSo: that a scenario of another version is none of this one is
// told as what it is.
func TestAForkOfAnotherVersionSaysSo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if p := newProcess(t, nil, "minimal", "--ticks", "2", "--run-dir", dir, "--quiet"); p.run(t) != exitCompleted {
		t.Fatal(p.output())
	}
	path := filepath.Join(dir, run.TraceFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for was, is := range map[string]string{`"rules_version":"` + world.RulesVersion: `"rules_version":"0`, `[[places]]`: `[[planes]]`} {
		if !bytes.Contains(text, []byte(was)) {
			t.Fatalf("no %s in the trace", was)
		}
		text = bytes.Replace(text, []byte(was), []byte(is), 1)
	}
	forge(t, path, text)
	p := newProcess(t, nil, "fork", dir, "--at-tick", "1", "--run-dir", dir+"-fork", "--quiet")
	if code := p.run(t); code != exitBadInput || !strings.Contains(p.output(), "recorded by another version") {
		t.Errorf("exit code %d: %s", code, p.output())
	}
}
