package answer

import (
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// Vocabulary is what an answer may name. Actions need no entry: they are the registry's.
type Vocabulary struct {
	// Tools are the tools of the run.
	Tools []llmclient.Tool
	// ToolOf finds the tool of a module by the module's dotted name; nil without modules.
	ToolOf func(module string) (tool string, ok bool)
	// Fields are the tools that an object without any name is meant for, by one of its
	// fields; the first that fits counts.
	Fields []FieldTool
	// WindowTokens is the context window, which bounds one answer.
	WindowTokens int
	// Decides is the tool that takes a decision; empty where none is asked for, so that
	// nothing is read as an action.
	Decides string
}

// FieldTool is a field that only the arguments of one tool have.
type FieldTool struct{ Field, Tool string }

// NoTool replaces the name of a tool that does not exist.
const NoTool = "unknown"

// Tool returns a name if it is the exact name of a tool, else a fixed word, so that text
// of a model does not become a counter's name.
func (v *Vocabulary) Tool(name string) string {
	if slices.ContainsFunc(v.Tools, func(t llmclient.Tool) bool { return t.Name == name }) {
		return name
	}
	return NoTool
}

// schemaOf is the schema of a tool's arguments.
func (v *Vocabulary) schemaOf(tool string) Value {
	i := slices.IndexFunc(v.Tools, func(t llmclient.Tool) bool { return t.Name == tool })
	return Parse(v.Tools[i].Parameters)
}

// Call is one call of an answer: as the model made it, or as read from its text.
type Call struct {
	// Tool is a name as the model wrote it where it made the call, else the tool's.
	Tool string
	// Arguments is the raw argument text.
	Arguments string
	// Text marks a call read from text.
	Text bool
	// Repairs are what it took to find the call.
	Repairs []Repair
	// read is the object in the text that was read to find the call, nil for none.
	read *readArguments
}

// readArguments is what [ReadObject] returns of a text.
type readArguments struct {
	text   string
	object Value
	used   []Repair
	fault  *ArgumentError
}

// object is the arguments as an object, see [ReadObject].
func (c Call) object() (Value, []Repair, *ArgumentError) {
	if r := c.read; r != nil && r.text == c.Arguments {
		return r.object, r.used, r.fault
	}
	return ReadObject(c.Arguments)
}

// Texts are the strings in the arguments at any depth, other than the list of sources used.
// Arguments that cannot be read are one text.
func (c Call) Texts() (texts []string) {
	o, _, e := c.object()
	if e != nil {
		return []string{c.Arguments}
	}
	o, _ = respelled(o, toolFields)
	var visit func(v Value)
	visit = func(v Value) {
		if v.Kind == String {
			texts = append(texts, v.Text)
		}
		for _, item := range v.Items {
			visit(item)
		}
		for _, f := range v.Fields {
			if f.Name != "sources_used" {
				visit(f.Value)
			}
		}
	}
	visit(o)
	return texts
}

// norm drops the repairs that are none where text was read: only the schema asks
// for slots and for candidates without anything around them, and text comes without
// a schema.
func (c Call) norm(used []Repair) []Repair {
	if !c.Text {
		return used
	}
	return slices.DeleteFunc(slices.Clone(used), func(r Repair) bool {
		return r == NamedParameter || r == WrappedAction || strings.HasPrefix(string(r), absentPrefix)
	})
}

// textCall is a call with arguments made from text.
func textCall(tool string, args Value, used ...Repair) Call {
	return Call{Tool: tool, Arguments: string(args.sorted().JSON()), Text: true, Repairs: used}
}

// The keys under which models put a call's name and its arguments, and those in
// which they wrap it. The first of each is the API's own.
var (
	nameKeys = []string{"name", "tool", "tool_name", "function_name", "function", "recipient_name", "module",
		"invoke", "action", "decision"}
	argumentKeys = []string{
		"arguments", "args", "parameters", "params", "input", "tool_input", "action_input", "kwargs", "tool_arguments",
		"tool_args", "function_arguments", "function_args",
	}
	wrapperKeys = []string{
		"tool_call", "function_call", "function", "tool_calls", "function_calls", "tool_uses", "tool_use", "tools",
		"functions", "calls", "call", "command", "params",
		"multi_tool_use.parallel", "choices", "message", "content", "parts", "result", "output", "response", "answer",
		"final_answer", "decision",
	}
)

// callKeys are all of them, which models write in other spellings: toolCalls is tool_calls.
var callKeys = slices.Concat(nameKeys, argumentKeys, wrapperKeys)

// letterKeys are the keys of an object that is a message. Its content is text, and a call only if
// it is said to be one.
var letterKeys = []string{"to", "from", "text", "sender", "author", "source"}

// wrappersMax bounds the objects that a call may be inside of: as many as a body of another
// API has.
const wrappersMax = 4

// callsOf turns one object of the protocol, written as text, into the calls it means. That is one
// call, unless the object holds a list in which each element names its own call. What wraps them
// is removed.
func (v *Vocabulary) callsOf(o Value, wrappers int) (found []Call) {
	o, _ = respelled(o, callKeys)
	// {TOOL:{...}} has arguments under the name of their tool; what is under "decision" alone
	// is a decision in any shape.
	for _, f := range o.Fields {
		if tool, used, ok := v.named(f.Name); ok && f.Value.Kind == Object && (f.Name != "decision" || len(o.Fields) > 1) {
			found = append(found, textCall(tool, f.Value, append(used, CallKey)...))
		}
	}
	if len(found) > 0 && len(found) == len(o.Fields) {
		return found
	}
	found = nil
	wrapped := first([]string{"tool_calls", "function_calls", "tool_call", "function_call"}, o.gives)
	switch c, ok := v.bareCall(o); {
	case ok && wrapped == "":
		return []Call{c}
	case wrappers == 0, wrapped != "" && ownName(o) != "", slices.ContainsFunc(orderFields, o.gives):
		// Calls next to a decision, or to a part of one, do not say which of them is meant.
		return nil
	}
	letter := slices.ContainsFunc(letterKeys, o.has)
	for _, key := range wrapperKeys {
		if letter && !strings.Contains(key, "call") {
			continue
		}
		inner, repair := o.Field(key), WrapperKey
		if inner.Kind == String && strings.HasPrefix(strings.TrimSpace(inner.Text), "{") {
			inner, _, _ = ReadObject(inner.Text)
			repair = JSONInString
		}
		items := inner.Items
		if inner.Kind == Object {
			items = []Value{inner}
		}
		var calls []Call
		for _, item := range items {
			more := v.callsOf(item, wrappers-1)
			if len(more) == 0 || len(items) > 1 && !v.isCall(item) {
				calls = nil
				break
			}
			calls = append(calls, more...)
		}
		switch {
		case len(calls) == 0:
			continue
		case found != nil:
			// Calls under two keys do not say which of them are meant.
			return nil
		case !slices.Contains(calls[0].Repairs, repair):
			calls[0].Repairs = append(calls[0].Repairs, repair)
		}
		found = calls
	}
	return found
}

// isCall reports whether an object says itself which call it is.
func (v *Vocabulary) isCall(o Value) bool {
	o, _ = respelled(o, callKeys)
	_, own := v.explicitCall(o)
	_, inner := v.explicitCall(o.Field(first([]string{"function", "function_call", "tool_call", "tool_use"}, o.gives)))
	if own || inner || len(o.Fields) != 1 || o.Fields[0].Value.Kind != Object {
		return own || inner
	}
	_, _, keyed := v.named(o.Fields[0].Name) // {TOOL:{...}}
	return keyed
}

// unwrapped returns the arguments of a tool that are inside of an object: the whole call once
// more, or one field that the tool has not.
func (v *Vocabulary) unwrapped(tool string, o Value) (inner string, wrapped bool) {
	for range wrappersMax {
		c, whole := v.explicitCall(o)
		if o.textOf("type") == "object" {
			o = o.without("type") // in the shape of a schema
		}
		var next Value
		switch {
		case whole && c.Tool == tool:
			next, _, _ = ReadObject(c.Arguments)
		case len(o.Fields) == 1 && o.Fields[0].Name != "decision" && o.Fields[0].Name != "action":
			next = o.Fields[0].Value
			if next.Kind == String {
				next, _, _ = ReadObject(next.Text)
			}
		}
		if next.Kind != Object {
			return "", false
		}
		properties := v.schemaOf(tool).Field("properties")
		known := func(f Field) bool { return properties.has(f.Name) }
		if slices.ContainsFunc(o.Fields, known) {
			return "", false
		}
		o = next
		if len(o.Fields) == 0 || slices.ContainsFunc(o.Fields, known) {
			return string(o.JSON()), true
		}
	}
	return "", false
}

// bareCall reads an object that is not wrapped into anything.
func (v *Vocabulary) bareCall(o Value) (Call, bool) {
	if c, ok := v.explicitCall(o); ok {
		return c, true
	}
	kind, typed := o.textOf("type"), o
	o = o.without("type")
	if draft, lists := v.draftIn("", o); lists && v.action(kind) {
		return draft, true
	}
	switch {
	case v.Decides != "" && kind == ToolDraft:
		return v.draftCall(o, nil)
	case v.Decides != "" && (kind == ToolPlan || kind == ToolTurn):
		return textCall(kind, o), true
	case v.action(kind) && o.textOf("decision")+o.textOf("action") == "":
		o.set("decision", stringOf(kind))
		return v.decisionCall(o, []Repair{TypeKey})
	case kind != v.Decides && ownName(o) == "":
		// The tool may be named next to the arguments.
		if tool, _, ok := v.named(kind); ok {
			return textCall(tool, o, TypeKey), true
		}
		key := first(nameKeys, func(key string) bool { _, _, ok := v.named(o.textOf(key)); return ok })
		if tool, used, ok := v.named(o.textOf(key)); ok {
			return textCall(tool, o.without(key), append(used, CallKey)...), true
		}
	}
	for _, f := range v.Fields {
		switch {
		case !o.has(f.Field) || f.Field == "candidates" && o.has("candidate"):
		case f.Tool == ToolDraft:
			return v.draftCall(typed, []Repair{ToolFromFields})
		default:
			return textCall(f.Tool, o, ToolFromFields), true
		}
	}
	return v.decisionCall(typed, nil)
}

// explicitCall reads {"name":TOOL,"arguments":{...}} and its relatives. A tool that
// does not exist is called all the same: the answer to that names those that do.
func (v *Vocabulary) explicitCall(o Value) (Call, bool) {
	nameKey := first(nameKeys, func(key string) bool { return o.textOf(key) != "" })
	argsKey := first(argumentKeys, o.has)
	name, kind := o.textOf(nameKey), o.textOf("type")
	isModule := kind == "module_call" || nameKey == "module"
	var used []Repair
	switch {
	case name == "" || argsKey == "" && !isModule || kind == ToolDraft:
		return Call{}, false
	case (argsKey == "input" || nameKey == "action" || nameKey == "decision") && !v.knows(name):
		return Call{}, false
	case !isModule && (nameKey != "name" || argsKey != "arguments"):
		used = append(used, CallKey)
	}
	args, acts := o.Field(argsKey), v.action(name)
	for _, f := range o.Fields {
		if slices.Contains(argumentKeys, f.Name) && f.Name != argsKey && f.Value.Kind != Null && !isParam(name, f.Name) &&
			!f.Value.equal(args) {
			return textCall(v.Decides, contradiction(name, ownName(o)), used...), true
		}
	}
	raw := string(args.JSON())
	switch args.Kind {
	case Null:
		args = Value{Kind: Object}
	case String: // as on the wire
		raw = args.Text
		if inner, more, fault := ReadObject(raw); acts && fault == nil {
			args, used = inner, append(used, more...)
		}
	}
	if args.Kind != Object {
		c := v.called(name, raw)
		return Call{Tool: v.Tool(c.Tool), Arguments: c.Arguments, Text: true, Repairs: append(used, c.Repairs...)}, true
	}
	for _, f := range o.Fields {
		// Fields next to the arguments of an action belong to the decision.
		if acts && f.Name != nameKey && f.Name != argsKey &&
			(isParam(name, f.Name) || slices.Contains(envelopeFields, f.Name)) {
			args.put(f.Name, f.Value)
		}
	}
	return v.namedCall(name, args, used), true
}

// first returns the first of the keys that holds, "" when none does.
func first(keys []string, holds func(string) bool) string {
	if i := slices.IndexFunc(keys, holds); i >= 0 {
		return keys[i]
	}
	return ""
}

// namedCall is the call of the tool or action called name.
func (v *Vocabulary) namedCall(name string, args Value, used []Repair) Call {
	tool, alias, ok := v.named(name)
	if draft, lists := v.draftIn(tool, args); lists {
		draft.Repairs = append(used, draft.Repairs...)
		return draft
	}
	switch {
	case ok:
		return textCall(tool, args, append(used, alias...)...)
	case v.action(name):
		name = v.actionOf(name)
		for _, key := range []string{"action", "decision"} {
			if own := namedIn(args, key); own != "" && !sameActionName(own, name) && !isStanding(name) {
				return textCall(v.Decides, contradiction(name, own), used...)
			}
		}
		if args.Field("action").Kind != Object {
			args = args.without("action")
		}
		args.set("decision", stringOf(name))
		if c, ok := v.decisionCall(args, append(used, ActionAsTool)); ok {
			return c
		}
	}
	return textCall(NoTool, args, used...)
}
