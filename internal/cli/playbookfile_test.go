package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run"
)

// TestLearningLeavesAChangedPlaybookAlone: learning from finished runs may take long,
// and what was written into the file meanwhile is not lost.
func TestLearningLeavesAChangedPlaybookAlone(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	m := &Main{files: files{dir: dir, notes: &errs}, printer: printer{Stdout: &out, Stderr: &errs}}
	path := filepath.Join(dir, "book.toml")
	seed := []byte("format = 2\n")
	if err := os.WriteFile(path, seed, 0o644); err != nil {
		t.Fatal(err)
	}
	before, seen, err := m.readPlaybook("book.toml", true)
	if err != nil || !bytes.Equal(seen, seed) {
		t.Fatalf("read %q, %v", seen, err)
	}
	book, err := playbook.Parse([]byte("format = 2\n[[bullet]]\nid = 'nav-00001'\ncontent = 'Learned from a finished run.'\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("somebody's work"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := keepLearned(m, "book.toml", before, seen, book); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	aside, _ := os.ReadFile(path + ".learned")
	if string(got) != "somebody's work" || !bytes.Equal(aside, book.Encode()) || !strings.Contains(errs.String(), "changed meanwhile") {
		t.Errorf("the file has %q, beside it is %q, stderr %q", got, aside, errs.String())
	}
}

// TestAPlaybookThatCannotBeWritten: it is refused before anything is paid for.
func TestAPlaybookThatCannotBeWritten(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	if p := newProcess(t, nil, "minimal", "--ticks", "1", "--run-dir", run); p.run(t) != exitCompleted {
		t.Fatal(p.stderr.String())
	}
	const book = "/proc/none/book.toml"
	for _, args := range [][]string{{"minimal", "--ticks", "2", "--learn-every", "1"}, {"playbook", "learn", run}} {
		p := newProcess(t, nil, append(args, "--playbook", book)...)
		if code := p.run(t); code != exitBadInput || !strings.Contains(p.stderr.String(), `the playbook "`+book+`" cannot be written`) {
			t.Errorf("%v: exit code %d, %s", args, code, p.stderr.String())
		}
		if left, err := os.ReadDir(p.dir); err != nil || len(left) > 0 {
			t.Errorf("%v: %v are left, %v", args, left, err)
		}
	}
}

// TestAPlaybookHasAnEnd: a file without end is refused in place of filling memory.
func TestAPlaybookHasAnEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "book.toml")
	for size, want := range map[int]bool{playbook.BytesMax: true, playbook.BytesMax + 1: false} {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, int64(size)); err != nil {
			t.Fatal(err)
		}
		if data, err := run.ReadRegular(path, playbook.BytesMax); (err == nil) != want || want && len(data) != size {
			t.Errorf("a file of %d bytes: %d bytes read, %v", size, len(data), err)
		}
	}
}
