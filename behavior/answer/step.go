package answer

import (
	"cmp"
	"slices"
	"strings"
)

// PlanStep is one typed step of a plan. What a model says about it beyond its kind is not
// read.
type PlanStep struct {
	// Kind is one of [StepKinds], [StepThink], and [StepUnknown] for any other word.
	Kind string `json:"kind"`
}

// The kinds of plan steps.
const (
	StepCall    = "call"
	StepReason  = "reason"
	StepRespond = "respond"
	StepSkip    = "skip"
	StepUnknown = "unknown"
	// StepThink is a step of thinking in another word than reason, which models put before all
	// they do. It is a reason step for who then thinks; calls in it are no violation.
	StepThink = "think"
)

// StepKinds are the kinds of plan steps that a model may name.
var StepKinds = []string{StepCall, StepReason, StepRespond, StepSkip}

// stepWords are other words for the kinds, folded: what models and agent frameworks call
// a step in which no tool is called, above all.
var stepWords = map[string][]string{
	StepReason: {"reasoning", "internalreasoning", "internalthought", "notoolcall", "notool", "nocall"},
	StepThink: {
		"thinking", "thought", "thoughts", "analyze", "analyse", "analysis", "reflect", "reflection", "deliberate",
		"deliberation", "consider",
		"chainofthought", "scratchpad",
	},
	StepCall: {"toolcall", "modulecall", "functioncall", "tool", "module", "function", "query", "lookup", "search",
		"read", "observe", "retrieve"},
	StepRespond: {
		"response", "answer", "act", "action", "decide", "decision", "draft", "decisiondraft", "final", "finish", "execute",
		"commit", "finalanswer",
		"finaldecision", "makedecision", "submit", "submitdecision", "submitanswer", "choose", "takeaction", "doaction",
	},
	StepSkip: {"none", "noop", "pass", "idle", "nothing", "wait"},
}

// stepKind is the kind that a word means, whatever its case, and with or without dashes,
// underscores and the word "step".
func stepKind(word string) (kind string, exact bool) {
	if slices.Contains(StepKinds, word) {
		return word, true
	}
	folded := strings.ReplaceAll(bareName(word), ":", "")
	for _, form := range []string{folded, strings.TrimSuffix(folded, "step"), strings.TrimPrefix(folded, "step")} {
		for _, kind := range append(StepKinds[:len(StepKinds):len(StepKinds)], StepThink) {
			if form == kind || slices.Contains(stepWords[kind], form) {
				return kind, false
			}
		}
	}
	return StepUnknown, false
}

// Thinks reports whether a step of a kind is one of reasoning.
func Thinks(kind string) bool { return kind == StepReason || kind == StepThink }

// Thought is what a call says whose tool is no tool but a name of thinking, as models call it
// that are trained to have one.
func Thought(c Call) (text string, ok bool) {
	if kind, _ := stepKind(c.Tool); !Thinks(kind) {
		return "", false
	}
	o, _, _ := ReadObject(c.Arguments)
	var said []string
	for _, f := range o.Fields {
		if f.Value.Kind == String {
			said = append(said, f.Value.Text)
		}
	}
	return cmp.Or(strings.Join(said, "\n"), c.Arguments), true
}

// stepFields are the fields that may hold the kind of a step, the schema's own first.
// Another one may say that a step of a kind that calls has nothing to call.
var stepFields = []string{"kind", "type", "step", "name", "tool", "tool_name", "module", "action", "capability"}

// mendSteps brings the steps of a plan to objects with a known kind. Other words for a kind are
// read as what they mean. A word of no known meaning is kept as unknown, because one odd step
// must not cost the plan. {"next":"module_call"} is read as a step too.
func mendSteps(o Value) (mended Value, used []Repair) {
	step := func(kind string) Value { return Value{Kind: Object, Fields: []Field{{"kind", stringOf(kind)}}} }
	if !o.has("steps") && o.has("next") {
		kind := StepRespond
		if o.textOf("next") == "module_call" {
			kind = StepCall
		}
		o.set("steps", arrayOf(step(kind)))
		return o, []Repair{PlanNext}
	}
	if !o.has("steps") {
		return o, nil
	}
	list := o.Field("steps")
	if list.Kind != Array {
		list = arrayOf(list)
	}
	steps := []Value{}
	for _, item := range list.Items {
		kind, exact := StepUnknown, false
		switch item.Kind {
		case Null:
			continue
		case String:
			// A sentence about a step is one of acting, as the last step of most plans is.
			kind, exact = stepKind(item.Text)
			if kind == StepUnknown {
				kind = StepRespond
			}
			if !exact {
				used = append(used, StepFromText)
			}
		case Object:
			for _, field := range stepFields {
				word := item.Field(field)
				if word.Kind != String {
					continue
				}
				k, e := stepKind(word.Text)
				if kind == StepUnknown || Thinks(k) && kind == StepCall {
					kind, exact = k, e && field == "kind"
				}
			}
			if !exact {
				used = append(used, StepKindVariant)
			}
		}
		if kind == StepUnknown {
			used = append(used, StepKindUnknown)
		}
		steps = append(steps, step(kind))
	}
	o.set("steps", arrayOf(steps...))
	return o, used
}
