package reflect

import (
	"encoding/json"
	"slices"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// call is one function call of an answer, or what stands for one in its text.
type call struct {
	id, tool, args string
	// text marks a call read from text.
	text bool
	// lenient names what it took to read it.
	lenient []string
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
			calls = append(calls, call{id: it.CallID, tool: it.Name, args: args})
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
		if object, _, e := behavior.ReadArguments(it.Text); e == nil {
			args = string(llmclient.Marshal(object))
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
	errors, kind, code := make([]string, len(calls)), behavior.ParseKind(""), ""
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
		lenient = append(lenient, made.lenient...)
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
	kind     behavior.ParseKind
	code     string
	argument *behavior.ArgumentError
}

// decode reads one call into what its stage collects.
func (t *Turn) decode(made *call, r *reflection, c *curation) problem {
	switch {
	case !t.isTool(made.tool):
		return problem{kind: behavior.ParseUnknownTool, code: behavior.CodeUnknownTool}
	case made.tool != string(t.stage):
		return problem{kind: behavior.ParseNotAllowedNow, code: behavior.CodeNotAllowedNow}
	}
	fields, lenient, e := behavior.ReadArguments(made.args)
	made.lenient = append(made.lenient, lenient...)
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
	return problem{kind: behavior.ParseInvalidArgs, code: behavior.ArgumentCode(made.args, e), argument: e}
}

// decodeLists reads an object of lists. One without any of them is refused: an empty
// object must not pass for the wish to change nothing.
func decodeLists(fields behavior.Object, into any, lists ...string) *behavior.ArgumentError {
	absent, e := behavior.DecodeObject(fields, into, lists...)
	if e == nil && len(absent) == len(lists) {
		e = &behavior.ArgumentError{Path: lists[0], Expected: "a list", Got: "nothing"}
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
		if made.text {
			t.say(text)
		} else {
			t.input = append(t.input, llmclient.FunctionOutput(made.id, text))
		}
	}
}

// readText finds calls in a text: objects with the fields of the stage's tool, or
// with a name and arguments.
func (t *Turn) readText(text string) (calls []call, kind behavior.ParseKind) {
	objects, lenient, kind := behavior.ReadText(text)
	if kind != "" {
		return nil, kind
	}
	for _, object := range objects {
		args, tool := object, string(t.stage)
		var name string
		if json.Unmarshal(object["name"], &name) == nil && object["arguments"] != nil {
			var inner behavior.Object
			var quoted string
			if json.Unmarshal(object["arguments"], &quoted) != nil {
				quoted = string(object["arguments"])
			}
			if json.Unmarshal([]byte(quoted), &inner) == nil {
				args, tool = inner, name
			}
		}
		if args["deltas"] != nil || args["tags"] != nil || args["insights"] != nil {
			calls = append(calls, call{tool: tool, args: string(llmclient.Marshal(args)), text: true})
		}
	}
	if len(calls) == 0 {
		return nil, behavior.ParseUnknownShape
	}
	calls[0].lenient = lenient
	return calls, ""
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
