package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// executedIn plays a scenario with prompts in a language and returns what every agent
// did, with the digest of every tick, and the requests.
func executedIn(t *testing.T, scenario, protocol, language string, ticks int64) (lines []string, requests []llmclient.Request, dir string) {
	t.Helper()
	o := options(t, scenario, ticks)
	o.Protocol, o.Language = protocol, language
	requests = requestsOf(t, o)
	file, err := rundir.Dir(o.RunDir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for record, err := range trace.NewReader(file).All() {
		if err != nil {
			t.Fatal(err)
		}
		switch r := record.(type) {
		case trace.Decision:
			lines = append(lines, fmt.Sprintf("%d %s %s %s", r.Tick, r.AgentID, r.DecidedBy, r.Executed))
		case trace.TickEnd:
			lines = append(lines, fmt.Sprintf("%d %s", r.Tick, r.Digest))
		}
	}
	return lines, requests, o.RunDir
}

// requestsOf plays a run and returns all its requests.
func requestsOf(t *testing.T, o engine.Options) (requests []llmclient.Request) {
	t.Helper()
	live := o.Source
	var mu sync.Mutex
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		mu.Lock()
		requests = append(requests, r)
		mu.Unlock()
		return live.Respond(ctx, key, r)
	})
	run(t, o)
	return requests
}

// TestErrorsAreChinese spoils half of the answers, so that a run shows the messages about
// wrong calls and answers.
func TestErrorsAreChinese(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 80)
	o.Language = "zh"
	o = spoilt(t, o, "any_shape=50%", openai.Config{})
	requests := requestsOf(t, o)
	requireStaticText(t, requests)
	requireChinese(t, requests)
	codes := map[string]bool{}
	for _, r := range requests {
		for _, it := range r.Input {
			for _, code := range []string{"INVALID_ARGUMENTS", "ARGUMENTS_NOT_JSON", "SEVERAL_DECISIONS", "UNUSABLE_ANSWER"} {
				if strings.Contains(it.Text, `"code":"`+code+`"`) {
					codes[code] = true
				}
			}
		}
	}
	if len(codes) != 4 {
		t.Errorf("the run came by the errors %v only, so nothing is shown about the others", codes)
	}
}

// TestLanguagesLeadToTheSameRun: a prompt says the same in every language, so a
// policy that reads all of them decides the same.
func TestLanguagesLeadToTheSameRun(t *testing.T) {
	slow(t)
	ticks := ticksUpTo(10, 30)
	for _, protocol := range []string{"full", "lean"} {
		english, _, _ := executedIn(t, "llm_bootstrap", protocol, "en", ticks)
		chinese, requests, dir := executedIn(t, "llm_bootstrap", protocol, "zh", ticks)
		if diff := gocmp.Diff(english, chinese); diff != "" {
			t.Errorf("%s: the run in Chinese is another one (-en +zh):\n%.4000s", protocol, diff)
		}
		if len(english) < 3*int(ticks) {
			t.Fatalf("%s: only %d lines to compare", protocol, len(english))
		}
		requireReplays(t, dir, ticks)
		requireStaticText(t, requests)
		requireChinese(t, requests)
		if !bytes.Contains(readTrace(t, dir), []byte(`"language":"zh"`)) {
			t.Errorf("%s: the trace's header does not tell the language", protocol)
		}
	}
}

// requireStaticText demands the same instructions, tools and first item in all requests of all
// agents.
func requireStaticText(t *testing.T, requests []llmclient.Request) {
	t.Helper()
	prefix := func(r llmclient.Request) string {
		return r.Instructions + string(llmclient.ToolList(r.Tools)) + string(r.Input[0].Raw)
	}
	for _, r := range requests {
		if prefix(r) != prefix(requests[0]) {
			t.Fatalf("instructions, tools or the first item changed within a run: %s", prefix(r))
		}
	}
}

// requireChinese demands that nothing the program itself says in a request is an
// English sentence: two words of English side by side. What a scenario, a model or
// another agent wrote may be English, and single words are identifiers.
func requireChinese(t *testing.T, requests []llmclient.Request) {
	t.Helper()
	var found []string
	for _, r := range requests {
		texts := []string{r.Instructions}
		for _, tool := range r.Tools {
			texts = append(texts, tool.Description)
		}
		for _, it := range r.Input {
			switch {
			case it.Kind == llmclient.KindFunctionOutput, it.Role == "developer" && strings.HasPrefix(it.Text, "{"):
				texts = append(texts, sentences(t, it.Text)...)
			case it.Kind == llmclient.KindMessage && it.Role != "assistant":
				texts = append(texts, it.Text)
			}
		}
		for _, text := range texts {
			for line := range strings.Lines(text) {
				if word := englishIn(line); word != "" && !slices.Contains(found, word+" in "+line) {
					found = append(found, word+" in "+line)
				}
			}
		}
	}
	if len(found) > 0 {
		t.Errorf("%d lines of Chinese prompts hold English:\n%.4000s", len(found), strings.Join(found, ""))
	}
}

// sentences are the strings in the JSON of an output that have a space.
func sentences(t *testing.T, output string) (texts []string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(output), &v); err != nil {
		t.Fatalf("an output is no JSON: %s", output)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.Contains(v, " ") {
				texts = append(texts, v)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case map[string]any:
			for key, inner := range v {
				// Personas and names are the scenario's, messages and notes the other
				// agents', and a plan is the model's.
				if key != "name" && key != "inbox" && key != "notes" && key != "planned" {
					walk(inner)
				}
			}
		}
	}
	walk(v)
	return texts
}

// notOurs are lines that a scenario or another agent wrote, and identifiers and strings
// between the words.
var (
	notOurs     = regexp.MustCompile(`^(短期：|长期：|计分，未达成：|已达成，第 \d+ 回合：|人设：|\{"inbox"|\{"notes")`)
	quoted      = regexp.MustCompile(`"(\\.|[^"\\])*"|[A-Za-z]+…`)
	englishWord = regexp.MustCompile(`[A-Za-z][A-Za-z_.:0-9-]*`)
)

// englishIn returns the first word of a line that is neither an identifier nor part
// of what others wrote.
func englishIn(line string) string {
	if notOurs.MatchString(line) {
		return ""
	}
	for _, word := range englishWord.FindAllString(quoted.ReplaceAllString(line, ""), -1) {
		if !identifier(word) {
			return word
		}
	}
	return ""
}

// identifiers are the words without a sign of one (an underscore, a dot, a digit, a
// hyphen, a colon) that mean the same in every language: resources, slots and
// fields, states, materials, sides and names of tools.
var identifiers = strings.Fields(`
	electricity compound hardware data heat g km x id null ok JSON
	to what amount price text value ignore until query limit section topic action
	candidate candidates steps goal actions why wait plan decision turn call reason respond skip source contended
	normal low critical shutdown idle working building buy sell outcome observation heard max recipe factory rejection possible
	silicate metal ice carbon composite maintenance arrived recipes power travel market`)

func identifier(word string) bool {
	return strings.ContainsAny(word, "_.:-0123456789") || slices.Contains(identifiers, word)
}
