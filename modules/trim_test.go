package modules

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/agentworld/memory"
	"example.com/agentworld/trace"
)

func TestLongResultsLoseListTails(t *testing.T) {
	env := testEnv(t)
	full := New().Call(env, "c", "environment_current_observation", `{}`)
	if full.Status != StatusPartial || full.CharsFull <= ResultCharsDefault {
		t.Fatalf("the observation of %d characters should not fit: %s", full.CharsFull, full.Status)
	}
	d := decode(t, full)
	if !d.Truncated || len(d.Omitted) == 0 {
		t.Errorf("output does not say what is missing: %s", full.Output)
	}
	var kept map[string]json.RawMessage
	if err := json.Unmarshal(d.Result, &kept); err != nil || kept["self"] == nil {
		t.Errorf("the agent's own state is gone: %s", full.Output)
	}
	o := env.View.Observe()
	lengths := map[string]int{"can": len(o.Can), "places": len(o.Places), "agents": len(o.Agents), "factories": len(o.Factories)}
	for list, n := range d.Omitted {
		var left []json.RawMessage
		if err := json.Unmarshal(kept[list], &left); err != nil || len(left)+n != lengths[list] {
			t.Errorf("%s: %d kept and %d omitted of %d", list, len(left), n, lengths[list])
		}
	}
}

func TestCutMemoriesKeepOnlyTheirOwnSources(t *testing.T) {
	m := memory.New(memory.Words{Total: "total"})
	for i := range 32 {
		m.Record(memory.Entry{Tick: int64(i), Kind: memory.KindObservation, Text: fmt.Sprint("矿石 ", strings.Repeat("矿", 100), i), Trust: trace.TrustSelfObservation})
	}
	got := New().Call(Env{View: viewOf(t, "minimal"), Memory: m}, "c", "memory_short_term_recent", `{"limit":32}`)
	lines := into[[]string](t, got)
	if got.Status != StatusPartial || len(lines) == 0 || len(lines) != len(got.Sources) || decode(t, got).Omitted["result"] != 32-len(lines) {
		t.Fatalf("%d lines, %d sources: %s", len(lines), len(got.Sources), got.Output)
	}
	for i, s := range got.Sources {
		if s.Text != lines[i] || !strings.HasPrefix(lines[i], "["+s.ID+"]") {
			t.Errorf("source %d is %s, line is %s", i, s.ID, lines[i])
		}
	}
	if got.Sources[0].ID != "mem-31-32" {
		t.Errorf("the newest memory was cut, the first left is %s", got.Sources[0].ID)
	}
}

func TestTextThatNoListCanShortenIsCut(t *testing.T) {
	body := map[string]string{"text": strings.Repeat(`"矿\`, 4000)}
	got := Result{Module: "m"}.answered(Env{}, lookup{body: body, id: "x"})
	if n := utf8.RuneCountInString(got.Output); n > ResultCharsDefault || n < ResultCharsDefault/3 || !utf8.ValidString(got.Output) {
		t.Errorf("preview takes %d characters", n)
	}
	var out struct {
		Truncated bool   `json:"truncated"`
		CharsFull int    `json:"chars_full"`
		Preview   string `json:"preview"`
	}
	if err := json.Unmarshal([]byte(got.Output), &out); err != nil || !out.Truncated || out.CharsFull != got.CharsFull || out.Preview == "" {
		t.Errorf("preview is %.80s: %v", got.Output, err)
	}
	if got.Status != StatusPartial || len(got.Sources) != 1 || got.Sources[0].ID != "x" {
		t.Errorf("result is %s with sources %+v", got.Status, got.Sources)
	}
}

// For every answer of a module, the output is valid JSON within the bound and the
// omitted counts add up.
func TestOutputsAreAlwaysWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := rapid.MapOf(rapid.StringMatching(`[a-z]{1,6}`), rapid.SliceOf(rapid.String())).Draw(t, "lists")
		env := Env{ResultCharsMax: rapid.IntRange(-1, 3000).Draw(t, "max")}
		got := Result{Module: "m"}.answered(env, lookup{body: lists, id: "x"})
		var d decoded
		if err := json.Unmarshal([]byte(got.Output), &d); err != nil {
			t.Fatalf("output %q: %v", got.Output, err)
		}
		n := utf8.RuneCountInString(got.Output)
		if n > env.charsMax() || (got.Status == StatusPartial) != (got.CharsFull > env.charsMax()) {
			t.Fatalf("%d characters of %d within %d: %s", n, got.CharsFull, env.charsMax(), got.Status)
		}
		var kept map[string][]string
		if d.Result == nil {
			return // a preview
		}
		if err := json.Unmarshal(d.Result, &kept); err != nil {
			t.Fatal(err)
		}
		for name, list := range lists {
			if len(kept[name])+d.Omitted[name] != len(list) {
				t.Fatalf("%s: %d kept and %d omitted of %d", name, len(kept[name]), d.Omitted[name], len(list))
			}
		}
	})
}

// The longest error still fits into the smallest bound.
func TestErrorsFitTheSmallestBound(t *testing.T) {
	env := Env{View: viewOf(t, "minimal"), ResultCharsMax: 1}
	for tool, args := range map[string]string{
		"no_such_tool": `{}`, "world_rules": `{`, "memory_short_term_recent": `{}`,
		"environment_current_observation": `{"section":"x"}`, "world_route": `{"x":1}`,
	} {
		if got := New().Call(env, "c", tool, args); utf8.RuneCountInString(got.Output) > ResultCharsMin || got.Status != StatusError {
			t.Errorf("%s: %d characters, %s", tool, utf8.RuneCountInString(got.Output), got.Status)
		}
	}
	for _, action := range []string{`{}`, `{"action":"fly"}`, `{"action":"wait","x":1}`, `{"action":"transfer_resource","to_agent":"a","kind":"x","amount":1}`} {
		if got := New().Call(env, "c", "world_dry_run", `{"action":`+action+`}`); utf8.RuneCountInString(got.Output) > ResultCharsMin || got.Code != CodeInvalidArguments {
			t.Errorf("dry run of %s: %d characters, %s", action, utf8.RuneCountInString(got.Output), got.Code)
		}
	}
}
