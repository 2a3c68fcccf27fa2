package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/trace/tracetest"
)

// directory is what a run directory holds, by path in it.
type directory map[string][]byte

// The files of the runs of these tests.
const (
	first, second = "trace-000001.jsonl.zst", "trace-000002.jsonl.zst"
	open          = run.TraceFile
)

// readDirectory reads all files of a directory.
func readDirectory(t *testing.T, dir string) directory {
	t.Helper()
	d := directory{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		d[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// write makes the directory hold d and nothing else.
func (d directory) write(t *testing.T, dir string) {
	t.Helper()
	for name := range readDirectory(t, dir) {
		if d[name] == nil {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range d {
		if old, err := os.ReadFile(filepath.Join(dir, name)); err == nil && bytes.Equal(old, text) {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// recordedInThree makes a run with everything that a directory can hold: two closed
// segments and the open file, of two ticks each, a report, an index, playbooks, and what
// killed processes leave.
func recordedInThree(t *testing.T, dir string, seed string) directory {
	t.Helper()
	p := newProcess(t, nil, "minimal", "--agents", "2", "--ticks", "6", "--learn-every", "2", "--seed", seed, "--run-dir", dir, "--quiet")
	if code := p.run(t); code != exitCompleted {
		t.Fatalf("exit code %d: %s", code, p.output())
	}
	text := readDirectory(t, dir)[open]
	var chain trace.Chain
	for n, lines := range inThree(t, text) {
		sealed, after := tracetest.SealedAfter(lines, chain)
		chain = after
		name := open
		if n < 2 {
			name, sealed = []string{first, second}[n], packedBytes(t, sealed)
		}
		if err := os.WriteFile(filepath.Join(dir, name), sealed, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{run.ReportFile, run.IndexFile} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{run.LockFile: "1 6b86b273\n", "waits.json": "x", run.CutFile: "{}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"report", dir, "--json", filepath.Join(dir, run.ReportFile)}, {"inspect", dir}} {
		if p := newProcess(t, nil, args...); p.run(t) != exitCompleted {
			t.Fatal(p.output())
		}
	}
	return readDirectory(t, dir)
}

// inThree splits a trace after ticks 2 and 4.
func inThree(t *testing.T, text []byte) (files [3][]byte) {
	t.Helper()
	n := 0
	for line := range bytes.Lines(text) {
		files[n] = append(files[n], line...)
		if trace.TypeOf(line) == trace.TypeTickEnd && n < 2 && bytes.Contains(line, fmt.Appendf(nil, `"tick":%d,`, 2*n+2)) {
			n++
			files[n] = fmt.Appendf(nil, `{"type":"segment","tick":%d,"number":%d}`+"\n", 2*n, n+1)
		}
	}
	return files
}

func packedBytes(t *testing.T, text []byte) []byte {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	return encoder.EncodeAll(text, nil)
}

func unpackedBytes(t *testing.T, packed []byte) []byte {
	t.Helper()
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	text, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// tamper is a run, and what every command that reads runs says of it.
type tamper struct {
	t     *testing.T
	dir   string
	whole directory
	// commands are those to call, said what they printed of the whole run.
	commands [][]string
	said     []string
	made     string
	// every is how many commands there are for each one that a try calls, and tries counts them:
	// the next try calls the next ones.
	every, tries int
}

func newTamper(t *testing.T) *tamper {
	root := t.TempDir()
	dir, twin := filepath.Join(root, "run"), filepath.Join(root, "twin")
	s := &tamper{t: t, dir: dir, whole: recordedInThree(t, dir, "5"), made: filepath.Join(root, "made"), every: 1}
	recordedInThree(t, twin, "5")
	s.commands = [][]string{
		{"trace", "verify", dir}, {"export", dir, "--table", "states"}, {"explain", dir, "--agent", "agent-1"}, {"inspect", dir}, {"inspect", dir, "--tick", "3", "--json"}, {"report", dir}, {"report", dir, "--json", "-"},
		{"replay", dir}, {"trace", "canonical", dir}, {"trace", "cat", dir}, {"explain", dir, "--tick", "1", "--agent", "agent-1", "--json"},
		{"compare", dir, twin, "--json"}, {"answers", "export", dir, filepath.Join(s.made, "answers.zst")}, {"answers", "show", dir},
		{"fork", dir, "--at-tick", "4", "--ticks", "5", "--run-dir", filepath.Join(s.made, "fork"), "--quiet"},
		{"resume", dir, "--until-tick", "7", "--quiet"}, {"resume", dir, "--quiet"},
	}
	for name := range s.whole {
		if strings.HasPrefix(name, run.PlaybookDir) {
			s.commands = append(s.commands, []string{"playbook", "show", filepath.Join(dir, name)})
		}
	}
	for _, args := range s.commands {
		code, out, errs := s.call(args)
		if code != exitCompleted {
			t.Fatalf("%v: exit code %d: %s", args, code, errs)
		}
		s.said = append(s.said, out)
		s.whole.write(t, dir)
	}
	return s
}

// clock are the parts of an output that differ between two calls.
var clock = regexp.MustCompile(`"(started_at|finished_at|trace_head|report_hash)": "[^"]*"|"wall_ms": \d+| in [0-9.]+ s, by|(?m)^(head|time) .*$`)

func (s *tamper) call(args []string) (code int, out, errs string) {
	if err := os.RemoveAll(s.made); err != nil {
		s.t.Fatal(err)
	}
	p := newProcess(s.t, nil, args...)
	code = p.run(s.t)
	return code, clock.ReplaceAllString(p.stdout.String(), ""), p.stderr.String()
}

// try calls all commands with the run directory as changed. Each says the same as of the whole
// run or names one of the files.
func (s *tamper) try(what string, changed directory, named ...string) (noticed int) {
	s.t.Helper()
	changed.write(s.t, s.dir)
	s.tries++
	for i, args := range s.commands {
		if (i+s.tries)%s.every != 0 {
			continue
		}
		code, out, errs := s.call(args)
		switch {
		case slices.ContainsFunc(named, func(name string) bool { return strings.Contains(errs, name) }) && (code != exitCompleted || strings.Contains(errs, "note: ")):
			noticed++
		case code != exitCompleted || out != s.said[i]:
			s.t.Errorf("%s: %s %s: exit code %d, and names none of %v: %.300s", what, args[0], args[1], code, named, errs)
		}
		changed.write(s.t, s.dir) // as a resume, a report or an index may have changed it
	}
	return noticed
}

// TestBitFlips flips single bits of a run directory, in all files alike.
func TestBitFlips(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many runs")
	}
	flips := 5
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		flips = 2000
	}
	s := newTamper(t)
	names := slices.Sorted(maps.Keys(s.whole))
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	silent, noticed := 0, 0
	for n := range flips {
		name := names[n%len(names)]
		changed := maps.Clone(s.whole)
		changed[name] = bytes.Clone(changed[name])
		at, bit := rng.IntN(len(changed[name])), rng.IntN(8)
		changed[name][at] ^= 1 << bit
		of := s.try(fmt.Sprintf("seed=%d: bit %d of byte %d of %s", seed, bit, at, name), changed, filepath.Base(name))
		if noticed += of; of == 0 {
			silent++
		}
		if strings.HasPrefix(name, "trace") && name != run.IndexFile && name != run.CutFile && of < 8 {
			t.Errorf("seed=%d: only %d commands name a bit of %s", seed, of, name)
		}
	}
	t.Logf("%d flips: named %d times, %d changed nothing that a command prints", flips, noticed, silent)
}

// replaced is a file with the n-th text in it changed, counted from 0, or from -1 backwards.
func (s *tamper) replaced(text []byte, n int, was, is string) []byte {
	s.t.Helper()
	at, from := -1, 0
	if n < 0 {
		at = bytes.LastIndex(text, []byte(was))
	}
	for ; n >= 0; n-- {
		next := bytes.Index(text[from:], []byte(was))
		if next < 0 {
			at = -1
			break
		}
		at, from = from+next, from+next+1
	}
	if at < 0 {
		s.t.Fatalf("there is no %s", was)
	}
	return slices.Concat(text[:at], []byte(is), text[at+len(was):])
}

// TestEdits changes a run as people and programs do, by rule. Every command names a file of
// it, or says what it said before.
func TestEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many runs")
	}
	s := newTamper(t)
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		s.every = 8
	}
	other := filepath.Join(t.TempDir(), "other")
	foreign := recordedInThree(t, other, "6")
	lines := bytes.SplitAfter(s.whole[open], []byte("\n"))
	lines = lines[:len(lines)-1]
	count := len(lines)
	joined := func(lines ...[]byte) []byte { return bytes.Join(lines, nil) }
	type edit struct {
		what   string
		change func(d directory)
	}
	text := func(what, file string, n int, was, is string) edit {
		return edit{what, func(d directory) {
			if strings.HasSuffix(file, ".zst") {
				d[file] = packedBytes(t, s.replaced(unpackedBytes(t, d[file]), n, was, is))
				return
			}
			d[file] = s.replaced(d[file], n, was, is)
		}}
	}
	trace := func(what string, to []byte) edit { return edit{what, func(d directory) { d[open] = to }} }
	edits := []edit{
		text("usage", open, 0, `"usage":{"input":`, `"usage":{"input":1`),
		text("usage in a closed segment", second, -1, `"output":`, `"output":1`),
		text("cached tokens", open, -1, `"cached":0`, `"cached":9`),
		text("an agent's id", open, 0, `"agent_id":"agent-1"`, `"agent_id":"agent-2"`),
		text("a call's id", open, 0, `"call_id":"call_`, `"call_id":"cell_`),
		text("an answer's id", second, 0, `"id":"resp_`, `"id":"rasp_`),
		text("a request hash", second, 0, `"request_hash":"`, `"request_hash":"0`),
		text("an answer's status", open, 0, `"status":"completed"`, `"status":"incomplete"`),
		text("how the run ended", open, -1, `"run_status":"completed"`, `"run_status":"interrupted"`),
		text("who decided", open, 0, `"decided_by":"`, `"decided_by":"x`),
		text("an outcome", second, 0, `"accepted":true`, `"accepted":false`),
		text("the seed", first, 0, `"seed":5`, `"seed":6`),
		text("the model", first, 0, `"model_source":"scripted"`, `"model_source":"live"`),
		text("a digest", second, -1, `"digest":"`, `"digest":"0`),
		text("the case of a key", open, 0, `"tick":`, `"Tick":`),
		text("the case of the usage", open, 0, `"usage":`, `"Usage":`),
		text("the case of a type", open, 0, `{"type":"step"`, `{"Type":"step"`),
		text("a field more", open, 0, `"answer":{`, `"note":"x","answer":{`),
		text("a field twice", open, 0, `"usage":{`, `"usage":{"input":0},"usage":{`),
		text("a field less", open, -1, `,"total":`, `,"other":`),
		text("a space", open, 0, `":`, `": `),
		text("the case of a chain", first, 0, `"chain":"`, `"Chain":"`),
		text("a chain", open, -1, `"chain":"`, `"chain":"0`),
		text("the number of a file", open, 0, `"number":3`, `"number":2`),
		text("a latency", first, 0, `"latency_ms":`, `"latency_ms":9`),
		trace("a line twice", joined(joined(lines[:4]...), lines[3], joined(lines[4:]...))),
		trace("a line less", joined(joined(lines[:4]...), joined(lines[5:]...))),
		trace("lines swapped", joined(joined(lines[:4]...), lines[5], lines[4], joined(lines[6:]...))),
		trace("a line more", joined(joined(lines[:4]...), []byte(`{"type":"event","tick":5,"event":{}}`+"\n"), joined(lines[4:]...))),
		trace("an empty line", joined(joined(lines[:4]...), []byte("\n"), joined(lines[4:]...))),
		trace("line ends", bytes.ReplaceAll(s.whole[open], []byte("\n"), []byte("\r\n"))),
		trace("no chains", regexp.MustCompile(`,"chain":"[0-9a-f]*"`).ReplaceAll(s.whole[open], nil)),
		trace("another run's file", foreign[open]),
		trace("another run's end", joined(joined(lines[:count-3]...), joined(bytes.SplitAfter(foreign[open], []byte("\n"))[count-3:]...))),
		trace("chained again", tracetest.Sealed(s.replaced(s.whole[open], 0, `"accepted":true`, `"accepted":false`))),
		{"segments swapped", func(d directory) { d[first], d[second] = d[second], d[first] }},
		{"a segment copied", func(d directory) { d[second] = d[first] }},
		{"another run's segment", func(d directory) { d[second] = foreign[second] }},
		{"a segment removed", func(d directory) { delete(d, second) }},
		{"a segment copied to a further name", func(d directory) { d["trace-000003.jsonl.zst"] = d[second] }},
		{"all chained again", func(d directory) {
			begin, chain := tracetest.SealedAfter(s.replaced(unpackedBytes(t, d[first]), -1, `"usage":{"input":`, `"usage":{"input":1`), "")
			middle, chain := tracetest.SealedAfter(unpackedBytes(t, d[second]), chain)
			end, _ := tracetest.SealedAfter(d[open], chain)
			d[first], d[second], d[open] = packedBytes(t, begin), packedBytes(t, middle), end
		}},
		trace("the last line cut", joined(lines[:count-1]...)),
		trace("half of the last line cut", s.whole[open][:len(s.whole[open])-100]),
		trace("the last byte cut", s.whole[open][:len(s.whole[open])-1]),
		trace("the last tick cut", s.whole[open][:bytes.LastIndex(s.whole[open], []byte(`{"type":"tick_end","tick":5`))]),
		trace("all but the first line cut", lines[0]),
		trace("all cut", []byte{}),
		{"the open file removed", func(d directory) { delete(d, open) }},
		text("a number of the report", run.ReportFile, 0, `"total_decisions": `, `"total_decisions": 1`),
		text("the status in the report", run.ReportFile, 0, `"completed"`, `"interrupted"`),
		text("a field more in the report", run.ReportFile, 0, `  "seed"`, `  "note": 1,`+"\n"+`  "seed"`),
		text("the case of a key of the report", run.ReportFile, 0, `"seed"`, `"Seed"`),
		text("a space in the report", run.ReportFile, 0, `": `, `":  `),
		text("the head in the report", run.ReportFile, 0, `"trace_head": "`, `"trace_head": "0`),
		text("no hash in the report", run.ReportFile, 0, `"report_hash"`, `"report"`),
		{"another run's report", func(d directory) { d[run.ReportFile] = foreign[run.ReportFile] }},
		{"another run's index", func(d directory) { d[run.IndexFile] = foreign[run.IndexFile] }},
		text("a lesson", filepath.Join(run.PlaybookDir, "agent-1.toml"), 0, "version = ", "version = 1"),
	}
	for _, e := range edits {
		changed := maps.Clone(s.whole)
		e.change(changed)
		s.try(e.what, changed, "trace.jsonl", "trace-00000", run.ReportFile, "agent-1.toml")
	}
	t.Logf("%d edits", len(edits))
}

// TestHeadKeptElsewhere: a run without a report is compared with a head that was kept elsewhere.
func TestHeadKeptElsewhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	whole := recordedInThree(t, dir, "5")
	delete(whole, run.ReportFile)
	whole.write(t, dir)
	p := newProcess(t, nil, "trace", "verify", dir)
	if code := p.run(t); code != exitCompleted {
		t.Fatal(p.output())
	}
	head := regexp.MustCompile(`(?m)^head +([0-9a-f]{16})$`).FindStringSubmatch(p.stdout.String())[1]
	cut := maps.Clone(whole)
	cut[open] = whole[open][:bytes.LastIndex(whole[open], []byte(`{"type":"run_end"`))]
	for name, c := range map[string]struct {
		of   directory
		head string
		code int
		says string
	}{
		"whole":       {whole, head, exitCompleted, "verified "},
		"upper case":  {whole, strings.ToUpper(head), exitCompleted, "verified "},
		"cut":         {cut, head, exitBadInput, "no line of its trace has the head"},
		"cut, no one": {cut, "", exitCompleted, "verified "},
		"no head":     {whole, "x", exitBadInput, "is no head of a trace"},
	} {
		c.of.write(t, dir)
		args := []string{"trace", "verify", dir}
		if c.head != "" {
			args = append(args, "--head", c.head)
		}
		if p := newProcess(t, nil, args...); p.run(t) != c.code || !strings.Contains(p.output(), c.says) {
			t.Errorf("%s: want exit code %d and %q: %s", name, c.code, c.says, p.output())
		}
	}
	whole.write(t, dir)
	if p := newProcess(t, nil, "resume", dir, "--until-tick", "7", "--quiet"); p.run(t) != exitCompleted {
		t.Fatal(p.output())
	}
	if p := newProcess(t, nil, "trace", "verify", dir, "--head", head); p.run(t) != exitCompleted || !strings.Contains(p.stdout.String(), "added since: ") {
		t.Errorf("a run that went on: %s", p.output())
	}
}

// TestReportIsFoldedAsTheRunIsWritten: the report of a run, of one that was resumed and of a
// fork is the one that its trace folds into later.
func TestReportIsFoldedAsTheRunIsWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	faults := []string{"--faults", "repairable=20%,http_500=5%,empty_body=3%", "--retry-backoff", "1ms"}
	for _, args := range [][]string{
		append([]string{"llm_bootstrap", "--ticks", "4", "--learn-every", "2", "--cap-calls", "40", "--run-dir", dir, "--quiet"}, faults...),
		{"resume", dir, "--until-tick", "6", "--cap-calls", "none", "--quiet", "--retry-backoff", "1ms"},
		{"fork", dir, "--at-tick", "3", "--ticks", "5", "--run-dir", dir + "-fork", "--quiet", "--retry-backoff", "1ms"},
	} {
		if p := newProcess(t, nil, args...); p.run(t) != exitCompleted && !strings.Contains(p.output(), "budget_exhausted") {
			t.Fatal(p.output())
		}
		of := dir
		if args[0] == "fork" {
			of += "-fork"
		}
		kept, err := os.ReadFile(filepath.Join(of, run.ReportFile))
		if err != nil {
			t.Fatal(err)
		}
		p := newProcess(t, nil, "report", of, "--json", "-")
		if code := p.run(t); code != exitCompleted || p.stdout.String() != string(kept) {
			t.Errorf("%s: the report differs from the one that the trace folds into: exit code %d\n%s", args[0], code, cmp.Diff(string(kept), p.stdout.String()))
		}
	}
}
