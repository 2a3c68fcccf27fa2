package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/explain"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/world"
)

// lending is a model that plays the run of docs/explain.md: agent-2 asks for charge in tick 2 and
// promises to return it, agent-1 lends it and then waits for it until it has none left.
func lending(t *testing.T) string {
	t.Helper()
	tickOf := regexp.MustCompile(`# Observation, tick ([0-9]+)`)
	lent := regexp.MustCompile(`\[(mem-[0-9]+-[0-9]+)\][^\n]*transfer`)
	candidate := func(fields map[string]any) map[string]any {
		c := map[string]any{"action": nil, "to": nil, "id": nil, "what": nil, "amount": nil, "price": nil, "text": nil}
		maps.Copy(c, fields)
		return c
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var request struct {
			Input  []json.RawMessage `json:"input"`
			Choice struct {
				Tools []struct{ Name string } `json:"tools"`
			} `json:"tool_choice"`
		}
		if err := json.Unmarshal(body, &request); err != nil {
			t.Errorf("request: %v", err)
			return
		}
		text, offered := "", []string{}
		for _, tool := range request.Choice.Tools {
			offered = append(offered, tool.Name)
		}
		for _, raw := range request.Input {
			it, _ := llmclient.ParseItem(raw)
			if it.Kind != llmclient.KindFunctionCall {
				text += it.Text + "\n"
			}
		}
		tick, miner := 0, strings.Contains(text, "you: agent-1,")
		if at := tickOf.FindStringSubmatch(text); at != nil {
			_, _ = fmt.Sscan(at[1], &tick)
		}
		do, why, used, order := map[string]any{"action": "wait"}, "Nothing to do.", []string{}, any(nil)
		memory := lent.FindStringSubmatch(text)
		switch {
		case !miner && strings.Contains(text, "mine_compound (compound_depleted)"): // there is nothing left to do
		case !miner && tick == 2:
			do, why = map[string]any{"action": "send_message", "to": "agent-1", "text": "Lend me 40 electricity. I bring you 80 before you run out."}, "I need charge."
		case !miner && tick > 2:
			do, why = map[string]any{"action": "mine_compound", "amount": 1000}, "There is charge again."
			order = map[string]any{"until": []any{map[string]any{"event": "electricity_below", "value": 60}}, "max_ticks": 12}
		case memory != nil:
			do, why, used = map[string]any{"action": "wait_ticks", "amount": 30}, "agent-2 owes me charge and brings it, so I wait.", memory[1:2]
		case strings.Contains(text, "msg-2-agent-2-1"):
			do, why, used = map[string]any{"action": "transfer_resource", "to": "agent-2", "what": "electricity", "amount": 40}, "agent-2 brings back twice as much [msg-2-agent-2-1].", []string{}
		case tick > 1:
			do = map[string]any{"action": "mine_compound", "amount": 1000}
		}
		call := func(name string, args map[string]any) map[string]any {
			raw, _ := json.Marshal(args)
			return map[string]any{"type": "function_call", "id": "fc-" + name, "call_id": "c-" + name, "name": name, "arguments": string(raw), "status": "completed"}
		}
		output := []any{call("decision_draft", map[string]any{"candidates": []any{candidate(do)}}), call("decision", map[string]any{"candidate": 1, "execute_until": order, "why": why, "sources_used": used})}
		if slices.Equal(offered, []string{"plan"}) {
			planned := candidate(map[string]any{"action": "wait"})
			planned["max_ticks"] = nil
			output = []any{call("plan", map[string]any{"goal": "Keep the charge.", "steps": []any{map[string]any{"kind": "respond"}}, "actions": []any{planned}})}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "resp", "object": "response", "status": "completed", "model": "m", "output": output,
			"usage": map[string]any{"input_tokens": 100, "output_tokens": 10, "total_tokens": 110},
		})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// lentCharge plays that run into the directory RUN.
func lentCharge(t *testing.T) *inProcess {
	t.Helper()
	p := newProcess(t, nil)
	text, err := os.ReadFile("testdata/lent_charge.toml")
	if err == nil {
		err = os.WriteFile(filepath.Join(p.dir, "lent_charge.toml"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.played(t, "lent_charge.toml", "--ticks", "60", "--model", "m", "--base-url", lending(t), "--run-dir", "RUN", "--quiet")
	return p
}

// TestExplainPage runs every command on the page and compares the output with the page's. The
// second and the third are those that the one before advises: three commands lead from an agent
// without power to the message, forty ticks before, that it is due to.
func TestExplainPage(t *testing.T) {
	const path = "../../docs/explain.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, output, took, wording := lentCharge(t), "", regexp.MustCompile(`[0-9]+ ms`), regexp.MustCompile(`template-[0-9a-f]{8}`)
	blocks := strings.Split(string(page), "```console\n")
	for i, block := range blocks[1:] {
		command, rest, _ := strings.Cut(block, "\n")
		_, rest, _ = strings.Cut(rest, "```")
		words := strings.Fields(strings.TrimPrefix(command, "$ "+programName+" "))
		var advised []string
		switch i {
		case 1:
			advised = nextArguments(t, output, "shows what it did last before it had no power")
		case 2:
			advised = nextArguments(t, output, "shows the decision that it remembers")
		}
		if advised != nil && !slices.Equal(advised, words) {
			t.Errorf("the page says %q, the output before %q", words, advised)
		}
		output = p.played(t, words...)
		blocks[i+1] = command + "\n" + foldedPage(wording.ReplaceAllString(took.ReplaceAllString(output, "20 ms"), "template-1a2b3c4d")) + "```" + rest
	}
	if want := `written by agent-2 in tick 2 (message_sent): "Lend me 40 electricity.`; len(blocks) != 4 || !strings.Contains(output, want) {
		t.Errorf("%d commands do not end at the message:\n%s", len(blocks)-1, output)
	}
	got := strings.Join(blocks, "```console\n")
	keepPage(t, path, string(page), got)
}

// TestExplainLeadsOn runs what explanations advise, and looks at ticks without a decision and at
// standing orders.
func TestExplainLeadsOn(t *testing.T) {
	p := lentCharge(t)
	demand := func(output string, want ...string) string {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(output, w) {
				t.Errorf("no %q in:\n%s", w, output)
			}
		}
		return output
	}
	explain := func(args ...string) string { return p.played(t, append([]string{"explain", "RUN"}, args...)...) }

	idle := demand(explain("--tick", "12", "--agent", "agent-1"), "waits since tick 5; no decision", "made in     tick 4", "agent-2 owes me charge", "charge      31 of 100, normal")
	demand(p.played(t, nextArguments(t, idle, "shows its last decision before")...), "agent-1, tick 4 ", `"wait_ticks","ticks":30`)
	demand(explain("--tick", "50", "--agent", "agent-1"), "has no power since tick 43; no decision", "made in     tick 38")
	var state struct {
		Decision any
		State    struct{ State, Place string }
	}
	if err := json.Unmarshal([]byte(explain("--tick", "50", "--agent", "agent-1", "--json")), &state); err != nil || state.Decision != nil || state.State.State != "shutdown" || state.State.Place != "shade" {
		t.Errorf("state %+v, error %v", state, err)
	}

	order := demand(explain("--tick", "9", "--agent", "agent-2"), "decided by  standing", "given in    tick 3", "There is charge again.")
	demand(p.played(t, nextArguments(t, order, "shows the tick that gave the order")...), "agent-2, tick 3 ", "execute_until")

	early := explain("--agent", "agent-1", "--to", "3")
	demand(p.played(t, nextArguments(t, early, "shows its last decision here")...), "agent-1, tick 3 ")
	source := explain("--tick", "3", "--agent", "agent-1")
	demand(p.played(t, nextArguments(t, source, "shows where the source is from and what it led to")...), "written by agent-2 in tick 2", "used (text)")
	demand(p.played(t, nextArguments(t, source, "shows the prompts and answers")...), "--- instructions", "Call 2  ")

	var rows struct {
		Rows []struct {
			Tick   int64
			State  string
			Events []struct{ Kind string }
		}
	}
	text := explain("--agent", "agent-1", "--from", "40", "--to", "44", "--json")
	if err := json.Unmarshal([]byte(text), &rows); err != nil || len(rows.Rows) != 5 || rows.Rows[0].State != "waiting" || rows.Rows[3].State != "shutdown" {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestTimelinesFitTheirColumns: the length of a line has a bound, and the ticks beyond the last one are a
// command away.
func TestTimelinesFitTheirColumns(t *testing.T) {
	varied := explain.Timeline{From: 3}
	for tick := range int64(1000) {
		varied.Add(explain.Row{Tick: tick + 1, State: explain.RowWaiting, Agent: "agent-1", Place: fmt.Sprint(strings.Repeat("far", 40), tick), Electricity: tick + 1})
	}
	var b bytes.Buffer
	for _, columns := range []int{20, 80, 200} {
		b.Reset()
		writeTimeline(&b, varied.Lines, columns)
		for line := range strings.Lines(b.String()) {
			if n := plaintext.Cells(strings.TrimSuffix(line, "\n")); n > columns {
				t.Fatalf("%d columns of %d: %s", n, columns, line)
			}
		}
	}
	writeTimeline(&b, varied.Lines, 0)
	if whole := strings.Repeat("far", 40) + "399"; !strings.Contains(b.String(), whole) {
		t.Errorf("a pipe has no %s", whole)
	}
	m := &Main{environment: environment{LookupEnv: func(string) (string, bool) { return "", false }}}
	m.printAdvice(&b, timelineAdvice("a run", "agent-1", varied.More))
	if got := nextArguments(t, b.String(), "shows the ticks after these"); strings.Join(got, " ") != "explain a run --agent agent-1 --from 403" {
		t.Errorf("advised %q", got)
	}
}

// TestTimelinesDropColumns: half of a line is for what the agent did; what it has and where it is
// goes before that.
func TestTimelinesDropColumns(t *testing.T) {
	line := explain.TimelineLine{First: 1, Last: 12, Did: strings.Repeat("did ", 30), Row: explain.Row{
		Agent: "agent-4", Place: "spring", Electricity: 812, Heat: 41,
		Stock: []world.Amount{{Resource: "compound", Amount: 12000}, {Resource: "hardware", Amount: 4}},
	}}
	short := line
	short.Did = "waits"
	for _, c := range []struct {
		columns     int
		line        explain.TimelineLine
		title, text string
	}{
		{0, short, "ticks  place   charge  heat  stock                       what it did", "1-12   spring     812    41  compound 12000, hardware 4  waits"},
		{80, short, "ticks  place   charge  heat  stock                       what it did", "1-12   spring     812    41  compound 12000, hardware 4  waits"},
		{80, line, "ticks  place   charge  stock            what it did", "1-12   spring     812  compound 12000…  did did"},
		{40, line, "ticks  charge  what it did", "1-12      812  did did"},
		{24, line, "ticks  what it did", "1-12   did did"},
		{10, line, "what it d…", "did did d…"},
	} {
		var b bytes.Buffer
		writeTimeline(&b, []explain.TimelineLine{c.line}, c.columns)
		title, text, _ := strings.Cut(b.String(), "\n")
		if title != c.title || !strings.HasPrefix(text, c.text) {
			t.Errorf("%d columns:\n%s\nwant\n%s\n%s", c.columns, b.String(), c.title, c.text)
		}
	}
}

// TestAdviceFits: what an advice says may be cut, its command not.
func TestAdviceFits(t *testing.T) {
	const line = "next: program explain RUN   # shows all"
	for columns, want := range map[int]string{0: line, 50: line, 36: "next: program explain RUN   # shows…", 30: "next: program explain RUN", 10: "next: program explain RUN"} {
		if got := fitAdvice(line, columns); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}
