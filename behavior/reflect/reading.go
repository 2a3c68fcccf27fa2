package reflect

import (
	"encoding/json"
	"slices"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// call is one function call of an answer, or what stands for one in its text.
type call struct {
	answer.Call
	id string
}

// admit appends an answer's items to the input and returns its calls, or without
// any its text. Outputs that a model made up are left out, and a call that a
// provider would not take back is rebuilt; what else does not pair is mended before
// the next request.
func (t *Turn) admit(r *llmclient.Reply) (calls []call, text string) {
	var texts []string
	for _, it := range r.Items {
		switch it.Kind {
		case llmclient.KindFunctionOutput:
			continue
		case llmclient.KindFunctionCall:
			args := it.Text
			if it.CallID == "" || t.called(it.CallID) || !json.Valid([]byte(args)) || !t.isTool(it.Name) {
				it = t.rebuilt(it)
			}
			calls = append(calls, call{answer.Call{Tool: it.Name, Arguments: args}, it.CallID})
		case llmclient.KindMessage:
			if it.Role != "assistant" {
				it = it.WithRole("assistant")
			}
			texts = append(texts, it.Text)
		}
		t.input = append(t.input, it)
	}
	return calls, strings.Join(texts, "\n")
}

// called reports whether a call of this turn has the id.
func (t *Turn) called(id string) bool {
	return slices.ContainsFunc(t.input, func(it llmclient.Item) bool { return it.Kind == llmclient.KindFunctionCall && it.CallID == id })
}

// rebuilt returns a call item that can be sent back: with an id of its own, a name
// and arguments that are JSON.
func (t *Turn) rebuilt(it llmclient.Item) llmclient.Item {
	id, name, args := it.CallID, it.Name, it.Text
	if id == "" || t.called(id) {
		for n := 1; id == "" || t.called(id); n++ {
			id = "call_learn_" + string(llmclient.Marshal(t.step())) + "_" + string(llmclient.Marshal(n))
		}
	}
	if !t.isTool(name) {
		name = "unknown"
	}
	if !json.Valid([]byte(args)) {
		args = "{}"
		if object, _, e := answer.ReadObject(it.Text); e == nil {
			args = string(object.JSON())
		}
	}
	t.note(trace.Step{Kind: trace.StepLearnItemRepair, Status: trace.StatusOK, Code: "call_rebuilt", CallID: id})
	return it.Rebuilt(id, name, args)
}

func (t *Turn) isTool(name string) bool { return name == toolReflect || name == toolCurate }

// take reads the calls of an answer, or its text when there are none. Several calls
// of the stage's tool count as one that holds all of them; a call that cannot be
// read makes the whole answer unusable, because half of a curation is not one.
func (t *Turn) take(calls []call, text string) {
	if len(calls) == 0 {
		found, kind := t.readText(text)
		if kind != "" {
			t.repair(kind, "")
			return
		}
		calls = found
	}
	var r reflection
	var c curation
	errors, kind, code := make([]string, len(calls)), answer.Problem(""), ""
	taken := false
	for i := range calls {
		problem := t.decode(&calls[i], &r, &c)
		if problem.code == "" {
			taken = true
			continue
		}
		kind, code = problem.kind, problem.code
		errors[i] = behavior.CallError(code, problem.argument, t.parameters(), t.repairs+1, repairsMax)
	}
	if kind != "" || !taken {
		t.answerCalls(calls, errors, true)
		t.repair(kind, code)
		return
	}
	t.answerCalls(calls, errors, false)
	t.accept(r, c, calls)
}

// accept takes what a readable answer holds.
func (t *Turn) accept(r reflection, c curation, calls []call) {
	var lenient []string
	for _, made := range calls {
		for _, r := range made.Repairs {
			lenient = append(lenient, string(r))
		}
	}
	n := trace.Step{Kind: trace.StepReflect, Status: trace.StatusOK, CallID: calls[0].id, Leniencies: lenient}
	if t.stage == trace.StageReflect {
		n.Detail = llmclient.Marshal(map[string]int{"tags": len(r.Tags), "insights": len(r.Insights), "round": t.rounds + 1})
		t.note(n)
		t.reflectedOnce(r)
		return
	}
	n.Kind, n.Detail = trace.StepCurate, llmclient.Marshal(map[string]int{"deltas": len(c.Deltas)})
	t.note(n)
	t.curated(c)
}

// problem is what was wrong with a call; the zero value is nothing.
type problem struct {
	kind     answer.Problem
	code     string
	argument *answer.ArgumentError
}

// decode reads one call into what its stage collects.
func (t *Turn) decode(made *call, r *reflection, c *curation) problem {
	switch {
	case !t.isTool(made.Tool):
		return problem{kind: answer.UnknownTool, code: behavior.CodeUnknownTool}
	case made.Tool != string(t.stage):
		return problem{kind: answer.NotAllowedNow, code: behavior.CodeNotAllowedNow}
	}
	fields, used, e := answer.ReadObject(made.Arguments)
	made.Repairs = append(made.Repairs, used...)
	if e == nil && t.stage == trace.StageReflect {
		var one reflection
		if e = decodeLists(fields, &one, "tags", "insights"); e == nil {
			r.Tags, r.Insights = append(r.Tags, one.Tags...), append(r.Insights, one.Insights...)
			return problem{}
		}
	}
	if e == nil && t.stage == trace.StageCurate {
		var one curation
		if e = decodeLists(fields, &one, "deltas"); e == nil {
			c.Deltas = append(c.Deltas, one.Deltas...)
			return problem{}
		}
	}
	return problem{kind: answer.InvalidArgs, code: behavior.ArgumentCode(made.Arguments, e), argument: e}
}

// decodeLists reads an object of lists. One without any of them is refused: an empty
// object must not pass for the wish to change nothing.
func decodeLists(fields answer.Value, into any, lists ...string) *answer.ArgumentError {
	absent, e := fields.Decode(into, lists...)
	if e == nil && len(absent) == len(lists) {
		e = &answer.ArgumentError{Path: lists[0], Expected: "a list", Got: "nothing"}
	}
	return e
}

// answerCalls gives every call its output. failed says that the answer is not used.
func (t *Turn) answerCalls(calls []call, errors []string, failed bool) {
	output := outputCurated
	switch {
	case t.stage == trace.StageReflect && t.rounds+1 < t.kit.rounds:
		output = outputAgain
	case t.stage == trace.StageReflect:
		output = outputReflected
	}
	for i, made := range calls {
		text := output
		if errors[i] != "" {
			text = errors[i]
		} else if failed {
			text = behavior.CallError(behavior.CodeNotExecuted, nil, nil, 0, 0)
		}
		if made.Text {
			t.say(text)
		} else {
			t.input = append(t.input, llmclient.FunctionOutput(made.id, text))
		}
	}
}

// readText finds the calls that a text stands for. An object that names no tool is meant
// for that of the stage.
func (t *Turn) readText(text string) (calls []call, problem answer.Problem) {
	v := answer.Vocabulary{Tools: t.kit.tools}
	for _, field := range []string{"deltas", "tags", "insights"} {
		v.Fields = append(v.Fields, answer.FieldTool{Field: field, Tool: string(t.stage)})
	}
	r := v.Read(text)
	for i, c := range r.Calls {
		if i == 0 {
			c.Repairs = slices.Concat(r.Repairs, c.Repairs)
		}
		calls = append(calls, call{Call: c})
	}
	return calls, r.Problem
}

// parameters is the schema of the stage's tool.
func (t *Turn) parameters() json.RawMessage {
	for _, tool := range t.kit.tools {
		if tool.Name == string(t.stage) {
			return tool.Parameters
		}
	}
	panic("learn: stage " + string(t.stage) + " has no tool")
}
