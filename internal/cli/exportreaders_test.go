package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld/explain/export"
	"example.com/agentworld/internal/published"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// fitsTraceSchema holds every line of a run against the published schema of the trace.
func fitsTraceSchema(t *testing.T, dir string) {
	t.Helper()
	resolved := published.Schema(t, "../../trace/trace.schema.json")
	trace, err := os.ReadFile(filepath.Join(dir, run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(trace)) {
		var value any
		if err := json.Unmarshal([]byte(line), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Fatalf("%.100s does not fit: %.600v", line, err)
		}
	}
}

// pythonReads: the standard library of Python reads every table of all runs, as CSV and as JSON lines, to the same
// values, and every conversation.
func pythonReads(t *testing.T, p *inProcess) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT CHECKED: there is no python3 to read the exports with")
	}
	p.played(t, "export", "runs", "--out", "data")
	p.played(t, "export", "runs", "--out", "lines", "--format", "jsonl")
	p.played(t, "export", "runs", "--out", "turns.jsonl", "--format", "messages")
	page, err := os.ReadFile("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, found := strings.Cut(string(page), "With Python alone, all trades of a batch:\n\n```python\n")
	shown, _, _ = strings.Cut(shown, "```")
	if !found {
		t.Fatal("the page shows no loop over trades")
	}
	c := exec.Command(python, "-c", shown+readingInPython)
	c.Dir = p.dir
	out, err := c.Output()
	if err != nil {
		said := ""
		if exit, is := errors.AsType[*exec.ExitError](err); is {
			said = string(exit.Stderr)
		}
		t.Fatalf("python: %v\n%s", err, said)
	}
	paid, rest, _ := strings.Cut(string(out), "\n")
	var read map[string]json.RawMessage
	if err := json.Unmarshal([]byte(rest), &read); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	var turns int
	if err := json.Unmarshal(read["turns"], &turns); err != nil || turns == 0 {
		t.Errorf("%d turns in Python, %v", turns, err)
	}
	want := 0
	for name, rows := range readTables(t, p.path("data")) {
		var of map[string]int
		if err := json.Unmarshal(read[name], &of); err != nil {
			t.Fatal(err)
		}
		if of["csv"] != len(rows) || of["jsonl"] != len(rows) {
			t.Errorf("%s: %d rows in Go, in Python %d of CSV and %d of JSON lines", name, len(rows), of["csv"], of["jsonl"])
		}
		for _, row := range rows {
			if name == "trades" && row["paid_resource"] == "data" {
				n, _ := strconv.Atoi(row["paid"])
				want += n
			}
		}
	}
	if paid != strconv.Itoa(want) {
		t.Errorf("the loop of the page finds %s data paid, want %d", paid, want)
	}
}

// conversationsAgree: the rewards of each agent's turns add up to the score of the run, there is a conversation for
// every turn with a call, and what a message shows bounds its trust.
func conversationsAgree(t *testing.T, p *inProcess) {
	levels := []string{"tool_error", "other_agent", "derived", "self_observation", "rules"}
	untrusted := 0
	for _, name := range []string{"trades", "faults", "fork", "capped"} {
		rewards := map[string]int64{}
		tables := readTables(t, p.path(name))
		turns := map[string]map[string]string{}
		first := map[string]string{}
		for _, row := range tables["decisions"] {
			if row["calls"] != "0" {
				turns[row["agent"]+" "+row["tick"]] = row
				if first[row["agent"]] == "" {
					first[row["agent"]] = row["tick"]
				}
			}
		}
		for line := range strings.Lines(p.played(t, "export", "runs/"+name, "--format", "messages")) {
			var c export.Conversation
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprint(c.Agent, " ", c.Tick)
			row := turns[key]
			delete(turns, key)
			if row == nil || row["authority_by"] != authorityOf(c) || row["trust"] != c.Trust || c.RewardTo < c.Tick {
				t.Fatalf("%s %s: %s, %v, reward to %d", name, key, c.Trust, c.Authority, c.RewardTo)
			}
			if c.Reward != nil {
				rewards[c.Agent] += *c.Reward
			}
			roles := map[string]int{}
			named := map[string]bool{}
			calls := map[string]bool{}
			trust := map[string]trace.Trust{}
			for _, s := range c.Sources {
				trust[s.ID] = s.Trust
			}
			for i, m := range c.Messages {
				roles[m.Role]++
				for _, call := range m.ToolCalls {
					calls[call.ID] = true
				}
				if m.Role == "tool" && !calls[m.ToolCallID] {
					t.Fatalf("%s: a tool answers call %q, which nobody made", key, m.ToolCallID)
				}
				for _, id := range m.Sources {
					named[id] = true
					if slices.Index(levels, m.Trust) > int(trust[id]) {
						t.Fatalf("%s: message %d is %s and shows a source that is %s", key, i, m.Trust, trust[id])
					}
				}
			}
			if row["failure"] == "" && (roles["system"] != 1 || roles["user"] == 0) || len(c.Tools) == 0 {
				t.Fatalf("%s %s: %v messages, %d tools", name, key, roles, len(c.Tools))
			}
			for _, s := range c.Sources {
				if s.Trust < trace.TrustSelfObservation {
					untrusted++
				}
				if !named[s.ID] && s.Kind != trace.KindSaid { // its own words have no id in prompts
					t.Errorf("%s %s: no message shows the source %s", name, key, s.ID)
				}
			}
		}
		if len(turns) > 0 {
			t.Errorf("%s: no conversation of %v", name, slices.Collect(maps.Keys(turns)))
		}
		score, err := strconv.ParseInt(tables["runs"][0]["score"], 10, 64)
		for agent, reward := range rewards {
			if err == nil && scoreBefore(t, tables["ticks"], first[agent])+reward != score {
				t.Errorf("%s: the rewards of %s are %d, the score %d", name, agent, reward, score)
			}
		}
	}
	if untrusted == 0 {
		t.Error("no turn had a text of others in view")
	}
}

func authorityOf(c export.Conversation) string {
	if c.Authority == nil {
		return ""
	}
	return string(c.Authority.By)
}
