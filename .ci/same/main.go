// Command same shows that a change of the engine left its runs as they were. It runs
// every embedded scenario with an older binary and with the present tree, at several
// seeds, and compares the executed actions, the digests and then the
// whole canonical traces, after the renamings that renames.txt lists.
//
//	go run ./.ci/same --old BINARY [--new BINARY] [--seeds 3] [--ticks 12] [--only NAME,NAME] [--faults SPEC]
//
// Build the old binary before the change: go build -o .tmp/old
// ./cmd/world_llm_agent_demo. Its runs are cached next to it.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
)

//go:embed renames.txt
var renamesText string

func main() {
	old := flag.String("old", "", "the older binary")
	fresh := flag.String("new", "", "the newer binary; empty builds the tree")
	seeds := flag.Int("seeds", 3, "seeds a scenario is run at")
	ticks := flag.Int("ticks", 12, "ticks of a run")
	only := flag.String("only", "", "scenarios, between commas; empty is all")
	faults := flag.String("faults", "",
		"faults of the embedded model, such as repairable=20%; they are drawn by requests, so both binaries must make the "+
			"same ones")
	actionsOnly := flag.Bool("actions-only", false, "compare executed actions and digests, not whole traces")
	flag.Parse()
	if err := run(*old, *fresh, *seeds, *ticks, *only, *faults, *actionsOnly); err != nil {
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(1)
	}
}

func run(old, fresh string, seeds, ticks int, only, faults string, actionsOnly bool) error {
	if old == "" {
		return fmt.Errorf("--old names the older binary")
	}
	old, err := filepath.Abs(old)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "same")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if fresh == "" {
		fresh = filepath.Join(dir, "new")
		if out, err := exec.Command("go", "build", "-o", fresh, "./cmd/world_llm_agent_demo").CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w: %s", err, out)
		}
	}
	fresh, err = filepath.Abs(fresh)
	if err != nil {
		return err
	}
	table, err := parseRenames(renamesText)
	if err != nil {
		return err
	}
	names, err := scenarios(old, only)
	if err != nil {
		return err
	}
	type job struct {
		name string
		seed int
	}
	var jobs []job
	for _, name := range names {
		for seed := 1; seed <= seeds; seed++ {
			jobs = append(jobs, job{name, seed})
		}
	}
	work := make(chan job)
	var mu sync.Mutex
	var different []string
	lines := 0
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for j := range work {
				n, err := compare(old, fresh, dir, j.name, j.seed, ticks, faults, table, actionsOnly)
				mu.Lock()
				lines += n
				if err != nil {
					different = append(different, fmt.Sprintf("%s seed %d: %v", j.name, j.seed, err))
					fmt.Println("DIFFERS", different[len(different)-1])
				}
				mu.Unlock()
			}
		})
	}
	for _, j := range jobs {
		work <- j
	}
	close(work)
	group.Wait()
	if len(different) > 0 {
		return fmt.Errorf("%d of %d runs differ", len(different), len(jobs))
	}
	fmt.Printf("same: %d runs of %d scenarios at %d seeds, %d records, all equal\n", len(jobs), len(names), seeds, lines)
	return nil
}

// scenarios lists the embedded scenarios.
func scenarios(binary, only string) ([]string, error) {
	if only != "" {
		return strings.Split(only, ","), nil
	}
	out, err := exec.Command(binary, "scenarios", "list").Output()
	if err != nil {
		return nil, fmt.Errorf("list scenarios: %w", err)
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "NAME" {
			names = append(names, fields[0])
		}
	}
	return names, nil
}

// compare runs a scenario with both binaries and returns how many records agree.
func compare(old, fresh, dir, name string, seed, ticks int, faults string, table renames, actionsOnly bool) (int,
	error) {
	label := fmt.Sprintf("%s-%d-%d-%s", filepath.Base(name), seed, ticks,
		strings.NewReplacer("=", "", "%", "", ",", "-", "/", "").Replace(faults))
	kept := old + ".runs/" + label + ".jsonl"
	before, err := os.ReadFile(kept)
	if err != nil {
		before, err = canonical(old, filepath.Join(dir, "old-"+label), name, seed, ticks, faults)
		if err != nil {
			return 0, err
		}
		if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
			return 0, err
		}
		if err := os.WriteFile(kept, before, 0o644); err != nil {
			return 0, err
		}
	}
	after, err := canonical(fresh, filepath.Join(dir, "new-"+label), name, seed, ticks, faults)
	if err != nil {
		return 0, err
	}
	a, err := records(before)
	if err != nil {
		return 0, err
	}
	b, err := records(after)
	if err != nil {
		return 0, err
	}
	if err := equal(acted(a), acted(b), "executed actions and digests"); err != nil || actionsOnly {
		return len(b), err
	}
	return len(b), equal(table.before(a), table.after(b), "canonical trace")
}

func canonical(binary, dir, name string, seed, ticks int, faults string) ([]byte, error) {
	defer os.RemoveAll(dir)
	args := []string{name, "--offline", "--quiet", "--seed", fmt.Sprint(seed), "--ticks", fmt.Sprint(ticks), "--run-dir",
		dir}
	if faults != "" {
		args = append(args, "--faults", faults)
	}
	c := exec.Command(binary, args...)
	c.Dir = filepath.Dir(dir)
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", filepath.Base(binary), strings.Join(args, " "), err, out)
	}
	out, err := exec.Command(binary, "trace", "canonical", dir).Output()
	if err != nil {
		return nil, fmt.Errorf("trace canonical: %w", err)
	}
	return out, nil
}

type record = map[string]any

func records(text []byte) ([]record, error) {
	var list []record
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<28)
	for lines.Scan() {
		var r record
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.UseNumber()
		if err := decoder.Decode(&r); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, lines.Err()
}

// acted keeps the executed actions, their outcomes and the digests.
func acted(list []record) []record {
	var kept []record
	for _, r := range list {
		switch r["type"] {
		case "decision":
			kept = append(kept, record{"tick": r["tick"], "agent": r["agent_id"], "executed": r["executed"],
				"outcome": r["outcome"]})
		case "tick_end":
			kept = append(kept, record{"tick": r["tick"], "digest": r["digest"]})
		}
	}
	return kept
}

func equal(a, b []record, what string) error {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Errorf("%s: record %d is new: %s", what, i+1, text(b[i]))
		case i >= len(b):
			return fmt.Errorf("%s: record %d is gone: %s", what, i+1, text(a[i]))
		case !reflect.DeepEqual(a[i], b[i]):
			return fmt.Errorf("%s: record %d:\n  was %s\n  now %s", what, i+1, text(different(a[i], b[i])),
				text(different(b[i], a[i])))
		}
	}
	return nil
}

// different keeps the members of r that o has otherwise, with what places the record.
func different(r, o record) record {
	d := record{}
	for k, v := range r {
		if k == "type" || k == "tick" || k == "agent_id" || !reflect.DeepEqual(v, o[k]) {
			d[k] = v
		}
	}
	return d
}

func text(v any) string {
	t, _ := json.Marshal(v)
	return string(t[:min(len(t), 1500)])
}

// renames is what has changed in the form of records: lines "TYPE.PATH -> PATH" move a
// member, "- TYPE.PATH" and "+ TYPE.PATH" drop one from the old and the new trace. A
// type of * is any.
type renames []rename

type rename struct {
	kind, typ, from, to string
}

func parseRenames(text string) (renames, error) {
	var table renames
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.SplitN(line, "#", 2)[0])
		if line == "" {
			continue
		}
		r := rename{kind: "move"}
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			r.kind, line = "drop", rest
		} else if rest, ok := strings.CutPrefix(line, "+ "); ok {
			r.kind, line = "add", rest
		}
		from, to, moves := strings.Cut(line, " -> ")
		typ, path, ok := strings.Cut(from, ".")
		if moves != (r.kind == "move") || !ok {
			return nil, fmt.Errorf("renames.txt: %q: allowed: TYPE.PATH -> PATH, - TYPE.PATH, + TYPE.PATH", line)
		}
		r.typ = typ
		r.from = path
		r.to = to
		table = append(table, r)
	}
	return table, nil
}

// before makes old records look as new ones; a path of * drops the whole record.
func (t renames) before(list []record) []record {
	return t.apply(list, "drop")
}

func (t renames) after(list []record) []record {
	return t.apply(list, "add")
}

func (t renames) apply(list []record, drops string) []record {
	var kept []record
	for _, r := range list {
		if t.one(r, drops) {
			kept = append(kept, r)
		}
	}
	return kept
}

func (t renames) one(r record, drops string) bool {
	for _, n := range t {
		if n.typ != "*" && n.typ != r["type"] {
			continue
		}
		switch {
		case n.kind == drops && n.from == "*":
			return false
		case n.kind == drops:
			take(r, strings.Split(n.from, "."))
		case n.kind == "move" && drops == "drop":
			if v, ok := take(r, strings.Split(n.from, ".")); ok {
				put(r, strings.Split(n.to, "."), v)
			}
		}
	}
	return true
}

// take removes the member at path; a step [] goes into every element of a list, which
// only drops.
func take(r record, path []string) (any, bool) {
	if len(path) == 1 {
		v, ok := r[path[0]]
		delete(r, path[0])
		return v, ok
	}
	if list, ok := r[path[0]].([]any); ok && path[1] == "[]" {
		for _, e := range list {
			if inner, ok := e.(record); ok {
				take(inner, path[2:])
			}
		}
		return nil, false
	}
	inner, ok := r[path[0]].(record)
	if !ok {
		return nil, false
	}
	return take(inner, path[1:])
}

func put(r record, path []string, v any) {
	if len(path) == 1 {
		r[path[0]] = v
		return
	}
	inner, ok := r[path[0]].(record)
	if !ok {
		inner = record{}
		r[path[0]] = inner
	}
	put(inner, path[1:], v)
}
