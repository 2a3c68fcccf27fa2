package agentworld_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// outsideLinesMost bounds a module with a seat, a tool, a metric and a recipe of one's own.
const outsideLinesMost = 90

// outside is the module of docs/extend.md: another module than this one, with all that the page adds.
type outside struct {
	dir string
	// commands are those of the page, in their order.
	commands []string
}

// newOutside writes the files of the page into a new directory.
func newOutside(t *testing.T) outside {
	t.Helper()
	page, err := os.ReadFile("docs/extend.md")
	if err != nil {
		t.Fatal(err)
	}
	o, lines := outside{dir: filepath.Join(t.TempDir(), "mine")}, 0
	if err := os.Mkdir(o.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)(?:The file `([^`]*)`[^`]*\n\n)?```([a-z]*)\n(.*?)```")
	for _, block := range blocks.FindAllStringSubmatch(string(page), -1) {
		name, language, text := block[1], block[2], block[3]
		switch {
		case language == "sh":
			o.commands = append(o.commands, strings.Split(strings.TrimSpace(text), "\n")...)
		case name == "" || filepath.Ext(name) != "."+language:
			t.Fatalf("nothing compiles a block of the page:\n%s", text)
		default:
			write(t, filepath.Join(o.dir, name), text)
			lines += strings.Count(text, "\n")
		}
	}
	if lines > outsideLinesMost {
		t.Errorf("the module has %d lines, at most %d are a small one", lines, outsideLinesMost)
	}
	return o
}

// call runs a command line in the directory of the module and returns what it prints.
func (o outside) call(t *testing.T, env []string, line string) string {
	t.Helper()
	words := strings.Fields(line)
	c := exec.CommandContext(t.Context(), words[0], words[1:]...)
	c.Dir, c.Env = o.dir, append(os.Environ(), env...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", line, err, out, stderr.String())
	}
	return string(out)
}

// TestExtendPage makes the module of the page as the page says, but for where this module is, and runs each
// command of it.
func TestExtendPage(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || testing.Short() {
		t.Skip("links a program:", err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	o := newOutside(t)
	env := []string{"GOPROXY=off", "GOSUMDB=off", "GOFLAGS=-ldflags=-w", "GOWORK=off"}
	printed := map[string]string{}
	for _, line := range o.commands {
		printed[line] = o.call(t, env, strings.Replace(line, "../agentworld", here, 1))
	}
	for line, want := range map[string]string{
		"./mine --version":                                  "wait 1, smith 1\ntools: price 1\nmetrics: jobs 1\n",
		"./mine scenarios lint nails.toml":                  "tools: 1 tool of yours adds to each call: price ",
		"./mine batch run smiths.toml":                      "jobs of smith better  passed ",
		"./mine nails.toml --ticks 20 --run-dir runs/first": "seats: agent-2 greedy 1, agent-3 smith 1 ",
	} {
		if out, run := printed[line]; !run || !strings.Contains(out, want) {
			t.Errorf("%s: run %t, want %q in\n%s", line, run, want, out)
		}
	}
	o.hasEveryCommand(t)
	o.playsWithoutItsCode(t)
}

// hasEveryCommand compares the commands of the program with those in README.
func (o outside) hasEveryCommand(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "\n## After a run\n")
	table, _, _ = strings.Cut(table, "\n## ")
	commands := regexp.MustCompile("(?m)^\\| `([a-z-]+)[ `].*\\|$").FindAllStringSubmatch(table, -1)
	if len(commands) < 15 {
		t.Fatalf("README lists %d commands", len(commands))
	}
	help := o.call(t, nil, "./mine --help")
	for _, c := range commands {
		if name := c[1]; !strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("help does not list %s", name)
		}
	}
}

// playsWithoutItsCode plays a hundred ticks with a model that asks the tool, and has this process, which has
// neither seat nor tool nor metric, replay and resume them.
func (o outside) playsWithoutItsCode(t *testing.T) {
	server := httptest.NewServer(asksFirst(t, "price", `{"product":"nail"}`))
	defer server.Close()
	dir := filepath.Join(o.dir, "runs", "long")
	o.call(t, nil, "./mine nails.toml --ticks 100 --quiet --model m --base-url "+server.URL+" --run-dir "+dir)
	recorded, err := agentworld.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	played, err := recorded.Report()
	if err != nil {
		t.Fatal(err)
	}
	if len(played.Seats) != 2 || played.Seats[1].Seat != "smith" || played.Seats[1].Moves != 100 || len(played.Seats[1].Failures) != 0 {
		t.Errorf("seats %+v", played.Seats)
	}
	if len(played.Tools) != 1 || played.Tools[0].Calls < 10 || len(played.Tools[0].FailedByCode) != 0 {
		t.Errorf("tools %+v", played.Tools)
	}
	if len(played.OwnMetrics) != 1 || played.OwnMetrics[0].Value == nil || *played.OwnMetrics[0].Value < 50 {
		t.Errorf("metrics %+v", played.OwnMetrics)
	}
	decisions := agentworld.Metric{Name: "later", Version: "1",
		Fold: func(records iter.Seq[agentworld.Record]) (n float64, counted bool) {
			for r := range records {
				if _, is := r.(trace.Decision); is {
					n++
				}
			}
			return n, true
		}}
	measured, err := recorded.Measure(t.Context(), decisions)
	if own := measured.OwnMetrics; err != nil || len(own) != 2 || !slices.ContainsFunc(own, func(m report.OwnMetric) bool {
		return m.Name == "later" && m.Value != nil && *m.Value == 300
	}) {
		t.Errorf("measured later: %v, %+v, want a decision of each of three agents in each tick", err, own)
	}
	o.replays(t, dir, 100)
	how := agentworld.Continued{UntilTick: 103}
	options := agentworld.Options{Dir: dir}
	o.refused(t, options, how, `agent-3 is played by the seat "smith" version 1`)
	how.Seats = []agentworld.AgentSeat{{Agent: "agent-3", Seat: "scripted"}}
	o.refused(t, options, how, "tools are missing, or are not what they were: price 1")
	options.WithoutTools = true
	whole, err := agentworld.Resume(t.Context(), options, how)
	if err != nil || whole.TicksDone != 103 || whole.Report.Seats[2].Seat != "scripted" || whole.Report.Seats[2].Moves != 3 {
		t.Errorf("resumed with another seat: %v, %d ticks, seats %+v", err, whole.TicksDone, whole.Report.Seats)
	}
	o.replays(t, dir, 103)
}

// replays demands that the run replays as it was recorded.
func (o outside) replays(t *testing.T, dir string, ticks int64) {
	t.Helper()
	found, err := agentworld.Replay(t.Context(), dir)
	if err != nil || !found.Equal || found.Ticks != ticks {
		t.Errorf("replay: %v, equal %t, %d ticks", err, found.Equal, found.Ticks)
	}
}

// refused demands that the run is not resumed, and that the error says what is missing.
func (o outside) refused(t *testing.T, options agentworld.Options, how agentworld.Continued, missing string) {
	t.Helper()
	if _, err := agentworld.Resume(context.Background(), options, how); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("resumed without what it needs: %v, want %s", err, missing)
	}
}

// asksFirst is the embedded model, but that it calls a tool at the beginning of each turn.
func asksFirst(t *testing.T, tool, arguments string) http.Handler {
	model := stub.NewHandler(stub.Options{Seed: 1})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request struct {
			Input []struct{ Type, Name string }
		}
		if err != nil || json.Unmarshal(body, &request) != nil {
			t.Errorf("a request that is none: %v", err)
		}
		for _, item := range request.Input {
			if item.Type == "function_call" {
				r.Body = io.NopCloser(bytes.NewReader(body))
				model.ServeHTTP(w, r)
				return
			}
		}
		w.Header().Set("Content-Type", "application/json")
		answer := map[string]any{
			"id": "r", "object": "response", "created_at": 1, "status": "completed", "model": "m",
			"output": []any{map[string]any{"type": "function_call", "id": "fc", "call_id": "call_price",
				"status": "completed", "name": tool, "arguments": arguments}},
			"usage": map[string]int{"input_tokens": 100, "output_tokens": 10, "total_tokens": 110},
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	})
}
