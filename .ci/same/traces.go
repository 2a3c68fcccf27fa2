package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
)

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
	table, _, _ := strings.Cut(string(out), "\n\n") // notes follow
	for line := range strings.Lines(table) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "NAME" {
			names = append(names, fields[0])
		}
	}
	return names, nil
}

// traces runs a scenario with both binaries and returns how many records agree.
func (c *comparison) traces(name string, seed int) (int, error) {
	label := fmt.Sprintf("%s-%d-%d-%s", filepath.Base(name), seed, c.ticks,
		strings.NewReplacer("=", "", "%", "", ",", "-", "/", "").Replace(c.faults))
	kept := c.old + ".runs/" + label + ".jsonl"
	before, err := os.ReadFile(kept)
	if err != nil {
		before, err = c.played(c.old, "old-"+label, name, seed)
		if err != nil {
			return 0, err
		}
		err = errors.Join(os.MkdirAll(filepath.Dir(kept), 0o755), os.WriteFile(kept, before, 0o644))
		if err != nil {
			return 0, err
		}
	}
	after, err := c.played(c.fresh, "new-"+label, name, seed)
	if err != nil {
		return 0, err
	}
	if bytes.Equal(before, after) {
		return bytes.Count(after, []byte("\n")), nil
	}
	a, err := records(before)
	if err != nil {
		return 0, err
	}
	b, err := records(after)
	if err != nil {
		return 0, err
	}
	err = equal(acted(a), acted(b), "executed actions and digests")
	if err != nil || c.actionsOnly {
		return len(b), err
	}
	return len(b), equal(c.table.before(a), c.table.after(b), "canonical trace")
}

// played is the canonical trace of a run. The newer binary replays the runs of the older one.
func (c *comparison) played(binary, label, name string, seed int) ([]byte, error) {
	dir := filepath.Join(c.dir, label)
	defer os.RemoveAll(dir)
	args := []string{name, "--offline", "--quiet", "--seed", fmt.Sprint(seed), "--ticks", fmt.Sprint(c.ticks),
		"--run-dir", dir}
	if c.faults != "" {
		args = append(args, "--faults", c.faults)
	}
	_, err := output(c.dir, binary, args...)
	if err != nil {
		return nil, err
	}
	if binary == c.old {
		_, err = output(c.dir, c.fresh, "replay", dir)
		if err != nil {
			return nil, fmt.Errorf("the older binary's run: %w", err)
		}
	}
	return output(c.dir, binary, "trace", "canonical", dir)
}

// output is what a command writes to its standard output.
func output(dir, binary string, args ...string) ([]byte, error) {
	c := exec.Command(binary, args...)
	c.Dir = dir
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return out, fmt.Errorf("%s %s: %w: %s", filepath.Base(binary), strings.Join(args, " "), err, said.Bytes())
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
