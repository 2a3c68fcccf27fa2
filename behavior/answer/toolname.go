package answer

import (
	"iter"
	"regexp"
	"slices"
	"strings"
)

// nameForms are all that may be around the name of a function. Chat templates put some of it
// there, servers that cut an answer at the wrong place the rest. A form is taken off at the
// beginning or at the end of a name, as often as one fits. What is doubtful could belong to the
// name: it is taken off only if the name is no tool's with it.
var nameForms = []struct {
	form          string
	before, after string
	doubtful      bool
}{
	{form: "space, quotes and marks of Markdown", before: "[\\s\"'`$@/*,;:]+", after: "[\\s\"'`*,;:.]+"},
	{form: "a recipient of a message", before: `(?:assistant\s+|recipient(?:_name)?\s*[=:]\s*)?to=`},
	{form: "a namespace", before: `(?:functions?|tools?|default_api|api|namespace|mcp__[\w-]{1,40}?|mcp)(?:\.|/|::?|__)`},
	{form: "a method", after: `\.call|\(\s*\)`},
	{form: "the number of a call", after: `[:#]\d{1,4}`},
	{form: "the type of what follows", after: `\s+(?:json|code|commentary)`},
	{form: "tags and tokens of a template", before: `(?:<[^<>]{0,40}>)+`, after: `<[^{(]*`},
	{form: "a namespace in one word", before: `functions?[_-]`, doubtful: true},
	{form: "the type of what follows, in one word", after: `(?:json|code|commentary)`, doubtful: true},
	{form: "a number, or what it is, in one word", after: `[_-](?:\d{1,4}|tool)`, doubtful: true},
}

// surePart and anyPart match what may be around a name: the sure forms, and all.
var surePart, anyPart = aroundName(false), aroundName(true)

// aroundName matches the forms at the beginning (first) and at the end (second) of a name.
func aroundName(doubtful bool) [2]*regexp.Regexp {
	var before, after []string
	for _, f := range nameForms {
		if f.doubtful && !doubtful {
			continue
		}
		if f.before != "" {
			before = append(before, f.before)
		}
		if f.after != "" {
			after = append(after, f.after)
		}
	}
	return [2]*regexp.Regexp{
		regexp.MustCompile(`(?is)^(?:` + strings.Join(before, "|") + `)+`),
		regexp.MustCompile(`(?is)(?:` + strings.Join(after, "|") + `)+$`),
	}
}

// stripped takes a name out of what is around it.
func stripped(around [2]*regexp.Regexp, name string) string {
	return around[1].ReplaceAllString(around[0].ReplaceAllString(name, ""), "")
}

// bareOf is a name without the sure forms that may be around one.
func bareOf(name string) string { return stripped(surePart, name) }

// spellings are the names that a written one may mean, the surest first.
func spellings(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if yield(name) && yield(bareOf(name)) {
			yield(stripped(anyPart, name))
		}
	}
}

// named finds the tool that a name means: its own, a module's, or either in another spelling,
// between the words of a template. A name that could mean two tools means none.
func (v *Vocabulary) named(name string) (tool string, used []Repair, ok bool) {
	for written := range spellings(name) {
		if written != name {
			used = []Repair{ToolAlias}
		}
		if written != NoTool && v.Tool(written) == written {
			return written, used, true
		}
		if v.ToolOf != nil {
			tool, ok = v.ToolOf(written)
			if ok {
				return tool, used, true
			}
		}
		for _, t := range v.Tools {
			if sameName(t.Name, written) {
				if ok {
					return "", nil, false
				}
				tool, ok = t.Name, true
			}
		}
		if ok {
			return tool, []Repair{ToolAlias}, true
		}
	}
	return "", nil, false
}

// actionOf is the spelling of a name that means an action, "" where it means none or no action
// may be taken.
func (v *Vocabulary) actionOf(name string) string {
	if v.Decides == "" {
		return ""
	}
	for written := range spellings(name) {
		if isAction(written) {
			return written
		}
	}
	return ""
}

// action reports whether a name means an action where one may be taken.
func (v *Vocabulary) action(name string) bool { return v.actionOf(name) != "" }

// knows reports whether name is a tool, a module or an action.
func (v *Vocabulary) knows(name string) bool {
	_, _, isTool := v.named(name)
	return isTool || v.action(name)
}

// argumentsStart matches where a name goes over into the arguments of its call.
var argumentsStart = regexp.MustCompile(`[{(]|<` + tagModel + `arg_(?:key|value)>|<` + tagSpace + `parameter[ =]`)

// cutName separates the arguments that a server left in the name of a call. whole is false if they
// cannot be read. inside has no kind if there are none.
func (v *Vocabulary) cutName(written string) (name string, inside Value, whole bool) {
	at := argumentsStart.FindStringIndex(written)
	if at == nil {
		return written, Value{}, true
	}
	name, rest := written[:at[0]], written[at[0]:]
	var fault *ArgumentError
	args, _, end := readKeywords(rest[1:])
	switch {
	case rest[0] == '<':
		inside, _, fault = taggedArguments(rest)
	case rest[0] == '(' && end > 0 && strings.Trim(rest[1+end:], " \t\r\n;`") == "":
		inside = args
	default:
		inside, _, fault = ReadObject(rest)
	}
	if fault != nil {
		return written, Value{}, false
	}
	if len(inside.Fields) == 0 {
		inside = Value{}
	}
	return name, inside, true
}

// parallelName matches the name under which models make several calls at once.
var parallelName = regexp.MustCompile(`(?i)^(?:multi_tool_use[._])?parallel(?:_tool_calls?)?$`)

// isParallel reports whether a name is that of several calls at once.
func isParallel(name string) bool {
	for written := range spellings(name) {
		if parallelName.MatchString(written) {
			return true
		}
	}
	return false
}

// Called returns the calls that a model made under a name. That is one call: of the tool of that
// name, or a decision on the action of that name. What is neither keeps its name. Only the name of
// several calls at once has several.
func (v *Vocabulary) Called(name, arguments string) []Call {
	bare, inside, whole := v.cutName(name)
	switch {
	case !whole:
		return []Call{{Tool: name, Arguments: arguments}}
	case inside.Kind == "":
	case bareOf(bare) == "":
		// The whole call is where its name belongs.
		calls := v.callsOf(inside, wrappersMax)
		if isNothing(arguments) && len(calls) == 1 && v.Tool(calls[0].Tool) != NoTool {
			return []Call{calls[0].made(ArgumentsInName)}
		}
		return []Call{{Tool: name, Arguments: arguments}}
	default:
		tool, text := v.called(bare, string(inside.JSON())), arguments
		given, _, fault := ReadObject(arguments)
		if isNothing(text) || fault == nil && given.equal(inside) {
			tool.Repairs = append(tool.Repairs, ArgumentsInName)
			return []Call{tool}
		}
		// There are two values for one thing, and no reason to take either.
		twice := &ArgumentError{
			Expected: say("arguments in one place"), Got: say("others in the name of the call"), NotJSON: true,
		}
		return []Call{refusedCall(tool.Tool, arguments, twice)}
	}
	if _, _, isTool := v.named(bare); !isTool && isParallel(bare) {
		o, _, _ := ReadObject(arguments)
		if calls := v.callsOf(o, wrappersMax); len(calls) > 0 && len(calls) <= CallsMax {
			for i := range calls {
				calls[i] = calls[i].made(WrapperKey)
			}
			return calls
		}
	}
	return []Call{v.called(bare, arguments)}
}

// made is a call that was read, as one that the model made.
func (c Call) made(used Repair) Call {
	c.Text = false
	c.Repairs = append(slices.DeleteFunc(slices.Clone(c.Repairs), func(r Repair) bool { return r == used }), used)
	return c
}

// isNothing reports whether the text of arguments says nothing.
func isNothing(arguments string) bool {
	return slices.Contains([]string{"", "{}", "null", `""`}, strings.Join(strings.Fields(arguments), ""))
}

// refusedCall is a call whose arguments were looked at and must not be read in any other way.
func refusedCall(tool, arguments string, fault *ArgumentError) Call {
	return Call{Tool: tool, Arguments: arguments, read: &readArguments{text: arguments, fault: fault}}
}

// called is the one call that was made under a name.
func (v *Vocabulary) called(name, arguments string) Call {
	tool, used, isTool := v.named(name)
	object, lenient, fault := ReadObject(arguments)
	if draft, ok := v.draftIn(tool, object); ok {
		return draft.made(ToolFromFields)
	}
	if isTool {
		read := &readArguments{arguments, object, lenient, fault}
		c := Call{Tool: tool, Arguments: arguments, Repairs: used, read: read}
		if inner, wrapped := v.unwrapped(tool, object); wrapped {
			c.Arguments, c.Repairs = inner, append(used, WrapperKey)
			if draft, ok := v.draftIn(tool, Parse([]byte(inner))); ok {
				return draft.made(ToolFromFields)
			}
		}
		return c
	}
	if v.action(name) {
		if strings.TrimSpace(arguments) == "" {
			object, lenient, fault = ReadObject("{}")
		}
		if fault == nil {
			return v.namedCall(name, object, lenient)
		}
	}
	// What is called as the end of a turn is a decision, or a draft, by its fields.
	bare := bareOf(name)
	kind, _ := stepKind(bare)
	isWrapper := slices.ContainsFunc(wrapperKeys, func(key string) bool { return sameName(key, bare) })
	if name == "" || kind == StepRespond || isWrapper {
		if calls := v.callsOf(object, wrappersMax); len(calls) == 1 && v.Tool(calls[0].Tool) != NoTool {
			return calls[0].made(WrapperKey)
		}
	}
	return Call{Tool: name, Arguments: arguments}
}
