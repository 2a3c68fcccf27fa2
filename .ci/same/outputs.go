package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// helpLine is a command in a list of commands of a help text.
var helpLine = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) {2,}\S`)

// commands are all commands of a binary, each as its words. The first is the default one, without any.
func commands(dir, binary string, words ...string) (list [][]string) {
	list = append(list, words)
	help, err := output(dir, binary, append(slices.Clone(words), "--help")...)
	if err != nil {
		return list
	}
	if _, below, found := bytes.Cut(help, []byte("COMMAND\n")); found {
		below, _, _ = bytes.Cut(below, []byte("\nFlags:"))
		for _, m := range helpLine.FindAllSubmatch(below, -1) {
			if name := string(m[1]); name != "help" {
				list = append(list, commands(dir, binary, append(slices.Clone(words), name)...)...)
			}
		}
	}
	return list
}

// outputs compares what commands print: help and settings of every one, and what those print that
// read a run. It returns how many differ.
func (c *comparison) outputs() (failed int) {
	list := commands(c.dir, c.old)
	n := 0
	same := func(args ...string) {
		n++
		if !c.sameOutput(args...) {
			failed++
		}
	}
	for _, words := range list {
		same(append(slices.Clone(words), "--help")...)
		same(append(slices.Clone(words), "--print-config")...)
	}
	same("help", "settings")
	same("scenarios", "list")
	same("scenarios", "show", "llm_bootstrap")
	dir := filepath.Join(c.dir, "read")
	_, err := output(c.dir, c.old, "llm_bootstrap", "--offline", "--quiet", "--ticks", "20", "--faults", c.faults,
		"--run-dir", dir)
	if err != nil {
		fmt.Println("DIFFERS", err)
		return failed + 1
	}
	for _, args := range []string{
		"explain read", "explain read --json", "explain read --tick 3", "explain read --tick 3 --agent agent-1",
		"explain read --tick 3 --agent agent-1 --json", "explain read --agent agent-2", "explain read --tick 99",
		"inspect read", "inspect read --json", "report read", "report read --json", "export read",
		"trace verify read", "trace canonical read", "runs list", "compare read read", "replay read",
	} {
		same(strings.Fields(args)...)
	}
	fmt.Printf("outputs: %d commands, %d calls, %d differ\n", len(list), n, failed)
	return failed
}

// changing is what differs between two calls of one binary: times and durations.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*|\d+(\.\d+)? ?(ms|s|seconds)\b|\d+m\d+s`)

// sameOutput compares what one call of both binaries prints, and how it ends.
func (c *comparison) sameOutput(args ...string) bool {
	text := func(binary string) string {
		out, err := output(c.dir, binary, args...)
		said := string(out)
		if err != nil {
			said += err.Error()
		}
		return changing.ReplaceAllString(strings.ReplaceAll(said, binary, "world_llm_agent_demo"), "TIME")
	}
	before := text(c.old)
	after := text(c.fresh)
	if before == after {
		return true
	}
	fmt.Printf("DIFFERS %s:\n%s", strings.Join(args, " "), firstDifference(before, after))
	return false
}

// firstDifference shows the first lines in which two texts differ.
func firstDifference(before, after string) string {
	a := strings.Split(before, "\n")
	b := strings.Split(after, "\n")
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	line := func(lines []string) string {
		if i < len(lines) {
			return lines[i]
		}
		return "(the end)"
	}
	return fmt.Sprintf("  was %s\n  now %s\n", line(a), line(b))
}

// batchFile is a small batch: two arms, two seeds.
const batchFile = `name = "same"
scenarios = ["minimal"]
seeds = [1, 2]
[settings.run]
ticks = 6
[axes.protocol.full]
run.protocol = "full"
[axes.protocol.lean]
run.protocol = "lean"
`

// batch compares results, summary and a question of one batch. It returns how many differ.
func (c *comparison) batch() (failed int) {
	said := map[string][]string{}
	for _, binary := range []string{c.old, c.fresh} {
		dir, err := os.MkdirTemp(c.dir, "batch")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "same.toml"), []byte(batchFile), 0o644)
		}
		if err != nil {
			fmt.Println("DIFFERS", err)
			return 1
		}
		played, _ := output(dir, binary, "batch", "run", "same.toml", "--dir", "b", "--quiet")
		results, _ := os.ReadFile(filepath.Join(dir, "b", "results.jsonl"))
		summed, _ := output(dir, binary, "batch", "report", "b")
		cells, _ := filepath.Glob(filepath.Join(dir, "b", "cells", "*", "attempt-1", "run"))
		asked := []byte("no cell")
		if len(cells) > 0 {
			asked, _ = output(dir, binary, "ask", cells[0], "--tick", "3", "--agent", "agent-1", "Why?")
		}
		for _, text := range [][]byte{played, sortedLines(results), summed, asked} {
			said[binary] = append(said[binary], changing.ReplaceAllString(string(text), "TIME"))
		}
	}
	for i, what := range []string{"batch run", "results.jsonl", "batch report", "ask"} {
		before := said[c.old][i]
		after := said[c.fresh][i]
		if before == "" || before != after {
			failed++
			fmt.Printf("DIFFERS %s of a batch:\n%s", what, firstDifference(before, after))
		}
	}
	fmt.Printf("batch: %d of 4 outputs differ\n", failed)
	return failed
}

// clocked are the members of a result that a clock writes.
var clocked = regexp.MustCompile(`"(wall_ms|model_p95_ms|began|ended|worker|host|head|trace_head)":("[^"]*"|\d+)`)

// sortedLines are the lines of results in one order, without clocks.
func sortedLines(text []byte) []byte {
	lines := strings.Split(clocked.ReplaceAllString(string(text), `"$1":0`), "\n")
	slices.Sort(lines)
	return []byte(strings.Join(lines, "\n"))
}
