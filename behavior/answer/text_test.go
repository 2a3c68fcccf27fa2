package answer

import (
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/llmclient"
)

// TestWithoutThinking takes out what was only thought.
func TestWithoutThinking(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		whole            bool
	}{
		{"none", `{"decision":"wait"}`, `{"decision":"wait"}`, true},
		{"one", `<think>a {"decision":"fly"}</think>b`, "b", true},
		{"two of different kinds", `<think>a</think>b[THINK]c[/THINK]d`, "bd", true},
		{"begun before the text", "so I mine.</think>\nb", "\nb", true},
		{"never ended", `a<think>b`, "", false},
		{"inside of a value", `{"text":"<think>"}`, `{"text":"<think>"}`, true},
		{"a flood", strings.Repeat("<think></think>", 1000), "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said, whole := WithoutThinking(tt.text)
			if whole != tt.whole || whole && said != tt.want {
				t.Errorf("%q, %v, want %q, %v", said, whole, tt.want, tt.whole)
			}
		})
	}
}

// TestReadNeedsNoTurn reads texts over a vocabulary of two tools, with and without
// decisions.
func TestReadNeedsNoTurn(t *testing.T) {
	v := Vocabulary{
		Tools:  []llmclient.Tool{{Name: "note", Parameters: []byte(`{"properties":{"text":{"type":"string"}},"required":["text"]}`)}, {Name: "decision"}},
		Fields: []FieldTool{{Field: "text", Tool: "note"}},
	}
	for _, tt := range []struct {
		text, decides string
		want          string
		problem       Problem
	}{
		{`{"name":"note","arguments":{"text":"x"}}`, "", `note {"text":"x"}`, ""},
		{`I write: {"text":"x"}`, "", `note {"text":"x"}`, ""},
		{"Action: note[x]", "", `note {"text":"x"}`, ""},
		{`{"action":"wait"}`, "", "", UnknownShape},
		{`{"action":"wait"}`, "decision", `decision {"action":{"action":"wait"},"execute_until":null}`, ""},
		{"I would wait.", "decision", "", NoJSON},
	} {
		v.Decides = tt.decides
		r, got := v.Read(tt.text), ""
		for _, c := range r.Calls {
			got += c.Tool + " " + c.Arguments
		}
		if got != tt.want || r.Problem != tt.problem {
			t.Errorf("%s is read as %q, %q; want %q, %q", tt.text, got, r.Problem, tt.want, tt.problem)
		}
	}
}

// floods are openers that a broken model repeats until it is cut, and pairs that look like
// more than they are.
var floods = []string{
	"{", "[", "[{", `{"a":`, `{"`, "<think>", "</think>", "<|begin_of_thought|>x<|end_of_thought|>", "<|channel|>analysis<|message|>", "Action: x[\n", "//\n", "{/*", "# ",
	"<tool_call>", `<invoke name="wait"><parameter name="a">`, "<function=wait>", "<function=wait><parameter=a>1</parameter></function>", "[TOOL_CALLS]", "wait(\n", "wait(a={\n",
	"wait(ticks=1), ", `{"tool_calls":[`, `{"a":1}`, "Observation: {}\n", "Thought: { // }\n", "1", "\ufeff", " ", "a b: ", "to=functions.wait ", "<|python_tag|>", "functions.",
}

// cpuTime is the CPU time of the process so far; it is always 0 if the system does not report it.
var cpuTime = func() time.Duration { return 0 }

// TestFloodsCostWhatTheyAreLong reads each flood at two lengths: a text of twice the length
// takes about twice the memory, a few bytes for each of its own, and one beyond the bound
// none. At full size (AGENT_WORLD_LONG) the longest text that is read takes under 0.2 s of CPU.
func TestFloodsCostWhatTheyAreLong(t *testing.T) {
	v := Vocabulary{Tools: []llmclient.Tool{{Name: "plan"}, {Name: "decision"}}, Decides: "decision"}
	const readings = 3
	// With the race detector pools drop a quarter of what they hold, at random: the regular
	// expressions build their machines again. The least of several readings has the fewest of
	// those, and still about a thousand bytes for each mark of a text.
	bytesPerByte, slack := int64(32), int64(16<<10)
	if raceDetector {
		bytesPerByte, slack = 1200, 128<<10
	}
	for _, flood := range floods {
		// Lines are bounded by their number, so that a flood of them is one of long lines.
		flood = strings.ReplaceAll(flood, "\n", strings.Repeat(" {,}", 50)+"\n")
		taken := func(size int) (least int64, spent time.Duration, problem Problem) {
			text := strings.Repeat(flood, size/len(flood))
			least, spent = math.MaxInt64, math.MaxInt64
			for range readings {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := cpuTime()
				problem = v.Read(text).Problem
				spent = min(spent, cpuTime()-began)
				runtime.ReadMemStats(&after)
				least = min(least, int64(after.TotalAlloc-before.TotalAlloc))
			}
			return least, spent, problem
		}
		half, _, _ := taken(4 << 10)
		whole, _, _ := taken(8 << 10)
		// What pools drop differs from text to text, so that under the race detector only the
		// bound holds; what grew with the square would pass it by far.
		if !raceDetector && whole > 9*half/4+slack || whole > bytesPerByte*(8<<10)+slack {
			t.Errorf("%q: %d bytes for a text, %d for half of it", flood, whole, half)
		}
		if bytes, _, problem := taken(4 << 20); bytes > slack || problem != TooLarge {
			t.Errorf("%q: %d bytes and %q for a text beyond the bound", flood, bytes, problem)
		}
		if os.Getenv("AGENT_WORLD_LONG") != "" && !raceDetector {
			bytes, spent, _ := taken(TextBytesMax)
			t.Logf("%q: %d bytes and %s", flood, bytes, spent)
			if bytes > 64<<20 || spent > 200*time.Millisecond {
				t.Errorf("%q: %d bytes and %s for the longest text", flood, bytes, spent)
			}
		}
	}
}

// TestCallsInOtherWords reads calls as templates of further models write them, beside thoughts that
// mention a candidate.
func TestCallsInOtherWords(t *testing.T) {
	v := Vocabulary{Tools: []llmclient.Tool{
		{Name: "decision_draft", Parameters: []byte(`{"properties":{"candidates":{}},"required":["candidates"]}`)},
		{Name: "decision", Parameters: []byte(`{"properties":{"candidate":{}},"required":["candidate"]}`)},
	}, Fields: []FieldTool{{"candidates", ToolDraft}}, Decides: "decision"}
	const draft, first = `decision_draft {"candidates":[{"action":"wait"}]}`, `decision {"candidate":1}`
	for text, want := range map[string]string{
		"<decision_draft>\n<candidates>[{\"action\":\"wait\"}]</candidates>\n</decision_draft>\n<decision>\n<candidate>1</candidate>\n</decision>":                                                                                                                              draft + first,
		"<longcat_tool_call>decision_draft\n<longcat_arg_key>candidates</longcat_arg_key>\n<longcat_arg_value>[{\"action\":\"wait\"}]</longcat_arg_value>\n</longcat_tool_call>":                                                                                                draft,
		`<|tools_prefix|>[{"decision_draft":{"candidates":[{"action":"wait"}]}},{"decision":{"candidate":1}}]<|tools_suffix|>`:                                                                                                                                                  draft + `decision {"decision":{"candidate":1}}`,
		"**Analysis**\nWaiting would be {\"candidate\":2}. I prefer 1.\n\n**Final**\n<tool_call>{\"name\":\"decision_draft\",\"arguments\":{\"candidates\":[{\"action\":\"wait\"}]}}</tool_call><tool_call>{\"name\":\"decision\",\"arguments\":{\"candidate\":1}}</tool_call>": draft + first,
		"<decision_draft>\n<candidates>[{\"action\":\"wait\"}]":                                             "",
		"action: post_note\ntext: Power is scarce here\nwhy: because":                                       `decision {"action":{"action":"post_note","text":"Power is scarce here"},"execute_until":null,"why":"because"}`,
		"tool: decision_draft\narguments:\n  candidates:\n  - action: wait":                                 "",
		"action: post_note\naction input: Note: power is scarce":                                            `decision {"action":{"action":"post_note","text":"Note: power is scarce"},"execute_until":null}`,
		`{"name":"decision_draft","arguments":{"candidates":[{"action":"wait"}]}} and then {"candidate":1}`: draft + first,
	} {
		r, got := v.Read(text), ""
		for _, c := range r.Calls {
			got += c.Tool + " " + c.Arguments
		}
		if got != want {
			t.Errorf("%q is read as %q, %q; want %q", text, got, r.Problem, want)
		}
	}
}

// TestLinesAndTags reads decisions that a text ends in, and the tags and marks of chat templates.
// Quoted text, reported text and text spread over sentences decide nothing.
func TestLinesAndTags(t *testing.T) {
	v := Vocabulary{Tools: []llmclient.Tool{{Name: "plan"}, {Name: "decision"}}, Decides: "decision"}
	const wait, first, mine = `decision {"action":{"action":"wait"},"execute_until":null}`, `decision {"candidate":1}`, `decision {"action":{"action":"mine_compound","amount":5},"execute_until":null}`
	for text, want := range map[string]string{
		"Finish(wait)": wait, "decision: wait": wait, "I have thought.\n**Decision:** `wait`": wait, "wait": wait, "wait.": wait, `The answer is \boxed{wait()}`: wait,
		"Decision: mine_compound 5": mine, "My final answer: mine_compound(5)": mine, "mine_compound 5": mine,
		"1": `decision {"candidate":"1"}`, "Choice: candidate 1": `decision {"candidate":"candidate 1"}`,
		">>>decision\n{\"candidate\":1}": first, "### decision\n```json\n{\"candidate\":1}\n```": first, "/decision {\"candidate\":1}": first, "decision -> {\"candidate\":1}": first,
		"<tool>decision</tool>\n<args>{\"candidate\":1}</args>": first, "I call the tool `decision` with the arguments:\n\n{\"candidate\":1}": first,
		"<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"decision\">\n<｜DSML｜parameter name=\"candidate\" string=\"false\">1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>": first,
		`{"text":"I take it.","tool_calls":[{"name":"decision","arguments":{"candidate":1}}]}`:                                                                                         first, `{"to":"a","content":{"name":"decision","arguments":{"candidate":1}}}`: "",
		"> decision: wait": "", "She said: wait": "", "I would wait.": "", "wait for the job": "", "Decision: I wait, or not": "", "wait\nno, that is wrong": "",
		"1 or 2": "", "Choice: 1 or 2": "", "mine_compound a lot": "", "The decision: wait or mine": "",
	} {
		r, got := v.Read(text), ""
		for _, c := range r.Calls {
			got += c.Tool + " " + c.Arguments
		}
		if got != want {
			t.Errorf("%q is read as %q, %q; want %q", text, got, r.Problem, want)
		}
	}
}
