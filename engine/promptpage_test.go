package engine_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/modules"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

var update = flag.Bool("update", false, "rewrite the parts of docs/prompt.md that come from runs")

// pageTick is the tick from which the page takes the first turn that has texts of
// others to show.
const pageTick = 18

// requestMean and requestMost bound the characters of instructions and input in the
// default profile, over all calls and in one. Text to cut, not limits to raise.
const (
	requestMean = 3500
	requestMost = 6000
)

// TestPromptPage keeps the example and the figures of docs/prompt.md what runs say.
func TestPromptPage(t *testing.T) {
	slow(t)
	const path = "../docs/prompt.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var example string
	measured := map[behavior.Profile]figures{}
	for _, profile := range behavior.Profiles() {
		shown, f := promptsOf(t, profile, modules.English)
		measured[profile] = f
		if profile == behavior.ProfileBalanced {
			example = shown
		}
	}
	got := between(t, string(page), "example", "```\n"+example+"\n```")
	chinese, f := promptsOf(t, behavior.ProfileBalanced, modules.Chinese)
	got = between(t, got, "chinese", "```\n"+chinese+"\n```")
	got = between(t, got, "languages", languagesTable(measured[behavior.ProfileBalanced], f))
	got = between(t, got, "profiles", figuresTable(measured))
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(string(page), got); diff != "" {
		t.Errorf("%s (-page +runs), -update rewrites it:\n%s", path, diff)
	}
	if compact, rich := measured[behavior.ProfileCompact], measured[behavior.ProfileRich]; compact.opening >= rich.opening {
		t.Errorf("compact openings take %d characters, rich ones %d", compact.opening, rich.opening)
	}
	if f := measured[behavior.ProfileBalanced]; f.request/f.calls > requestMean || f.requestMost > requestMost {
		t.Errorf("instructions and input take %d characters on average and %d at most, want %d and %d", f.request/f.calls, f.requestMost, requestMean, requestMost)
	}
}

// between replaces what stands between the marks of a part.
func between(t *testing.T, page, part, text string) string {
	t.Helper()
	head, rest, found := strings.Cut(page, "<!-- "+part+" -->\n")
	_, tail, ended := strings.Cut(rest, "<!-- end -->")
	if !found || !ended {
		t.Fatalf("the page has no part %s", part)
	}
	return head + "<!-- " + part + " -->\n" + text + "\n<!-- end -->" + tail
}

// figures are sums over the model calls of a run, of which the table shows means.
type figures struct {
	calls, opening, openingTokens, openingMost, request, requestMost, staticTokens int
	// chars is by section.
	chars map[string]int
}

// promptsOf plays 30 ticks and returns the messages of the page's turn and figures of
// all of them.
func promptsOf(t *testing.T, profile behavior.Profile, language modules.Language) (shown string, f figures) {
	t.Helper()
	o := options(t, "llm_bootstrap", 30)
	o.PromptProfile, o.Language = string(profile), string(language)
	live := o.Source
	var mu sync.Mutex
	f.chars = map[string]int{}
	messages := map[trace.CallKey][]string{}
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		mu.Lock()
		opening := r.Input[0].Text
		f.calls, f.opening, f.openingTokens = f.calls+1, f.opening+len([]rune(opening)), f.openingTokens+tokens.Count(opening)
		f.openingMost, f.request, f.requestMost = max(f.openingMost, len([]rune(opening))), f.request+r.Chars(), max(f.requestMost, r.Chars())
		f.staticTokens += tokens.Count(r.Instructions)
		for _, tool := range r.Tools {
			f.staticTokens += tokens.Count(string(tool.Wire()))
		}
		turn := trace.CallKey{Tick: key.Tick, Agent: key.Agent}
		messages[turn] = nil
		for _, it := range r.Input {
			if it.Kind == llmclient.KindMessage && it.Role == "user" {
				messages[turn] = append(messages[turn], it.Text)
			}
		}
		mu.Unlock()
		return live.Respond(ctx, key, r)
	})
	run(t, o)
	sectionChars(t, o.RunDir, f.chars)
	return pageTurn(t, messages), f
}

// pageTurn is the first turn from pageTick on that shows texts of others.
func pageTurn(t *testing.T, messages map[trace.CallKey][]string) string {
	t.Helper()
	var turns []trace.CallKey
	for turn, shown := range messages {
		if turn.Tick >= pageTick && len(shown) > 1 {
			turns = append(turns, turn)
		}
	}
	if len(turns) == 0 {
		t.Fatal("no turn shows texts of others")
	}
	slices.SortFunc(turns, func(a, b trace.CallKey) int {
		return cmp.Or(cmp.Compare(a.Tick, b.Tick), cmp.Compare(a.Agent, b.Agent))
	})
	return strings.Join(messages[turns[0]], "\n")
}

// sectionChars adds up the characters of each section over all calls.
func sectionChars(t *testing.T, dir string, into map[string]int) {
	t.Helper()
	file, err := rundir.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for record, err := range trace.NewReader(file).All() {
		if err != nil {
			t.Fatal(err)
		}
		if call, ok := record.(trace.ModelCall); ok {
			for _, s := range call.Sections {
				into[s.Name] += s.Chars
			}
		}
	}
}

// figuresTable writes the means as a Markdown table.
func figuresTable(measured map[behavior.Profile]figures) string {
	var b strings.Builder
	b.WriteString("| per model call | compact | balanced | rich |\n|---|---|---|---|\n")
	row := func(name, form string, value func(f figures) int) {
		b.WriteString("| " + name)
		for _, p := range behavior.Profiles() {
			fmt.Fprintf(&b, " | "+form, value(measured[p]))
		}
		b.WriteString(" |\n")
	}
	for _, s := range []string{"goals", "history", "memory", "last_outcome", "observation", "messages"} {
		row(s+", characters", "%d", func(f figures) int { return f.chars[s] / f.calls })
	}
	row("opening message, characters", "%d", func(f figures) int { return f.opening / f.calls })
	row("opening message, tokens", "%d", func(f figures) int { return f.openingTokens / f.calls })
	row("longest opening message, characters", "%d", func(f figures) int { return f.openingMost })
	row("instructions and input, characters", "%d", func(f figures) int { return f.request / f.calls })
	row("the most of them in one call", "%d", func(f figures) int { return f.requestMost })
	return strings.TrimSuffix(b.String(), "\n")
}

// languagesTable compares the languages in what a provider counts.
func languagesTable(english, chinese figures) string {
	var b strings.Builder
	b.WriteString("| per model call | English | Chinese |\n|---|---|---|\n")
	for _, row := range []struct {
		name  string
		value func(f figures) int
	}{
		{"instructions and tools, tokens", func(f figures) int { return f.staticTokens / f.calls }},
		{"opening message, tokens", func(f figures) int { return f.openingTokens / f.calls }},
		{"opening message, characters", func(f figures) int { return f.opening / f.calls }},
	} {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", row.name, row.value(english), row.value(chinese))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
