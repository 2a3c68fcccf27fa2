package behavior

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// parseKinds are all kinds of unusable answers. The outputs of the calls report the kinds about
// calls.
var parseKinds = []answer.Problem{
	answer.EmptyOutput, answer.Refusal, answer.Truncated, answer.Filtered, answer.Incomplete, answer.NoJSON, answer.TooLarge,
	answer.UnknownShape, answer.Several,
}

// feedbackCodes are the codes that have a text of their own.
var feedbackCodes = []string{
	CodeArgumentsNotJSON, CodeArgumentsNotObject, CodeInvalidArguments, CodeUnknownTool, CodeNotAllowedNow, CodeModuleLimit,
	CodeReasonViolation, CodeWouldRefuse, CodeUnseenID, CodeSeveralDecisions, CodeNotExecuted, CodeNoResult,
	CodeToolLimit, CodeToolNotYours, CodeToolNotPlanned, string(trace.ToolFailed), string(trace.ToolPanicked), string(trace.ToolTimeout),
	string(trace.ToolUnavailable), string(trace.ToolChanged), string(trace.ToolAbandoned), string(trace.ToolNotCalled),
}

// TestTablesCoverTheCodes: there is a text for each code, problem and reason, none for another, and
// none takes a value. Every language has the same names.
func TestTablesCoverTheCodes(t *testing.T) {
	for what, c := range map[string]struct {
		table words.Table
		names []string
	}{"feedback": {english.Feedback, feedbackCodes}, "unusable": {english.Unusable, namesOf(append(parseKinds, answer.MalformedCall, answer.Endless))},
		"policy": {english.Policy, namesOf(policy.Reasons())}} {
		if diff := cmp.Diff(slices.Sorted(slices.Values(c.names)), slices.Sorted(maps.Keys(c.table))); diff != "" {
			t.Errorf("%s (-want +texts):\n%s", what, diff)
		}
		for name, form := range c.table {
			if len(form.Places()) > 0 {
				t.Errorf("%s: the text of %s takes values", what, name)
			}
		}
	}
}

func namesOf[S ~string](list []S) (names []string) {
	for _, s := range list {
		names = append(names, string(s))
	}
	return names
}

// TestFeedbackWording holds every text that reports a fault to a model: the texts in the table of
// each language, and each in the form in which it is sent.
func TestFeedbackWording(t *testing.T) {
	for l, file := range map[string]string{words.English: "testdata/feedback.golden", "zh": "testdata/feedback_zh.golden"} {
		compareGolden(t, file, feedbackIn(wordsOf(words.In(l))))
	}
}

func feedbackIn(w *wording) string {
	var b strings.Builder
	for _, code := range feedbackCodes {
		fmt.Fprintf(&b, "%s\n  %s\n", code, w.Feedback.Text(code))
	}
	for _, kind := range parseKinds {
		fmt.Fprintf(&b, "%s %s\n  %s\n  %s\n", CodeUnusableAnswer, kind, encode(w.aboutAnswer(kind, []string{answer.ToolDecision})), encode(w.aboutAnswer(kind, nil)))
	}
	bad := &answer.ArgumentError{Path: "candidate", Expected: answer.Phrase{Form: "an integer"}, Got: answer.Phrase{Form: "null"}}
	limited := w.newFeedback(CodeUnknownTool)
	limited.Known, limited.Allowed, limited.TriesLeft = []string{answer.ToolPlan, answer.ToolDecision}, []string{answer.ToolDecision}, 1
	rejected := Evaluation{
		Adjusted:    world.BuildFactory{FactoryKind: "factory.assembler.mk1"},
		Check:       world.Check{Status: world.CheckRejected, Rejection: &world.Rejection{Code: "insufficient_resource", Field: "factory_kind"}},
		Adjustments: []world.Adjustment{{Action: "mine_compound", Field: "compound_mass_g", From: 9, To: 5, Bound: "rule"}},
	}
	again := w.refused(&rejected)
	again.TriesLeft = 2
	fmt.Fprintf(&b, "with what varies\n  %s\n  %s\n  %s\n", encode(w.wrongArguments(CodeInvalidArguments, bad)), encode(limited), encode(again))
	b.WriteString("policy\n")
	for _, rule := range policy.Reasons() {
		broken := Evaluation{Result: policy.Result{Violation: &policy.Violation{Reason: rule, Argument: "amount", Requested: new(int64), Maximum: new(int64), Unit: "g"}}}
		broken.plan = []policy.PlannedAction{{Action: "mine_compound", Amount: new(int64(5))}}
		f := w.refused(&broken)
		f.TriesLeft = 3
		fmt.Fprintf(&b, "  %s\n", encode(f))
	}
	b.WriteString("modules\n")
	for _, c := range [][2]string{{"no_such", "{}"}, {"world_rules", "{"}, {"world_rules", "[]"}, {"world_rules", "{}"}, {"memory_short_term_recent", `{"limit":1}`}} {
		result := modules.New().Saying(words.In(w.Code)).Call(modules.Env{CallsLeft: new(2)}, "c", c[0], c[1])
		fmt.Fprintf(&b, "  %s\n", result.Output)
	}
	return b.String()
}

// compareGolden compares text with a file, which the -update flag of the package
// rewrites.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestArgumentCodes(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{``, CodeArgumentsNotJSON}, {`{"a":`, CodeArgumentsNotJSON}, {`please`, CodeArgumentsNotJSON},
		{`null`, CodeArgumentsNotObject}, {`[]`, CodeArgumentsNotObject}, {`[{},{}]`, CodeArgumentsNotObject}, {`3`, CodeArgumentsNotObject},
		{`{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, CodeArgumentsNotJSON},
	} {
		_, _, e := answer.ReadObject(tt.raw)
		if e == nil {
			t.Errorf("arguments %.20q are accepted", tt.raw)
			continue
		}
		if got := argumentCode(tt.raw, e); got != tt.want {
			t.Errorf("arguments %.20q: code %s, want %s", tt.raw, got, tt.want)
		}
	}
	if got := argumentCode(`{`, &answer.ArgumentError{Path: "action"}); got != CodeInvalidArguments {
		t.Errorf("an error about a field has code %s, want %s", got, CodeInvalidArguments)
	}
}

// TestBrokenHistoryIsRepaired puts items into a turn's input that no path of its
// own leads to: the next request is one that a provider accepts, and says what it
// took.
func TestBrokenHistoryIsRepaired(t *testing.T) {
	runtime, err := NewRuntime(Config{}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	s, _, _ := scenario.Embedded("minimal")
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	turn := runtime.Agent(w.AgentID(0), w.Persona(0)).Begin(w.View(0))
	opening := len(turn.conversation.Input)
	turn.room()
	turn.conversation.Input = append(turn.conversation.Input,
		llmclient.FunctionOutput("x", "orphan"), llmclient.FunctionCall("", "plan", "{}"), llmclient.FunctionCall("a", "plan", "{}"),
		llmclient.FunctionOutput("a", "first"), llmclient.FunctionOutput("a", "second"),
	)
	ask := turn.Next().(Ask)
	if _, faults := llmclient.PairItems(ask.Request.Input, ""); len(faults) > 0 {
		t.Fatalf("an input with %+v", faults)
	}
	var codes []string
	for _, n := range turn.Steps() {
		codes = append(codes, fmt.Sprintf("%s %s %v", n.Kind, n.Code, n.Minted))
	}
	want := []string{"item_repair output_without_call false", "item_repair call_id_missing true", "item_repair call_without_output false", "item_repair output_repeated false"}
	if !slices.Equal(codes, want) {
		t.Errorf("notes %q, want %q", codes, want)
	}
	added := ask.Request.Input[opening+2]
	if added.Text != encode(english.newFeedback(CodeNoResult)) || added.CallID != llmclient.MintCallID("1") {
		t.Errorf("the lost output is %s", added.Raw)
	}
	tokens := 0
	for _, it := range ask.Request.Input {
		tokens += runtime.count(string(it.Raw))
	}
	if turn.conversation.tokens != tokens {
		t.Errorf("%d tokens counted, want %d: the repair left the count behind", turn.conversation.tokens, tokens)
	}
}
