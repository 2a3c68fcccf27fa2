package answer

import (
	"regexp"
	"slices"
	"strings"
)

// Calls that are written down with each argument in a tag of its own.

// bars are those of a template's tokens. Models double them, and write wide ones or spaces.
const bars = `\s*[|｜‖]{1,4}\s*`

// tagSpace is the namespace of a tag, as of XML or between the bars of a template's token.
const tagSpace = `(?:\w{1,20}:|` + bars + `\w{1,20}` + bars + `)?`

// tagModel is the name of a model that its tags begin with.
const tagModel = `(?:\w{1,20}_)?`

// tagName is the name of a function as it is between tags.
const tagName = `([\w.:/-]+)`

var (
	// taggedName matches the beginning of a call: its name in an attribute, or alone after the tag.
	taggedName = regexp.MustCompile(
		`<(?:` + tagSpace + `(?:invoke|function|tool_call|tool) name="|function=)` + tagName + `"?[^<>]{0,40}>|` +
			`<` + tagSpace + tagModel + `tool_call>\s*` + tagName + `(?:\s*\n|[^<>{}\[\]\n]{0,60}<)`)
	taggedEnd = regexp.MustCompile(`</` + tagSpace + tagModel + `(?:invoke|function|tool_call|tool)>`)
	// argumentTag matches a tag of an argument: whether it ends one, what it is of, and a key in it.
	argumentTag = regexp.MustCompile(
		`<(/?)` + tagSpace + tagModel + `(parameter|arg_key|arg_value)(?:(?: name)?=["']?([\w.-]*)["']?[^<>]{0,40})?>`)
	elementName = regexp.MustCompile(`<([\w.-]{1,64})>\s*<[\w.-]{1,64}>`)
	elementArg  = regexp.MustCompile(`^\s*<([\w.-]{1,64})>`)
)

// taggedArgsMax bounds the arguments that are read from tags.
const taggedArgsMax = 32

// elements reads arguments that are elements named after them, up to the mark that ends their call.
// end is after that mark, -1 if something does not end or is not an element.
func elements(text, mark string) (args Value, used []Repair, end int) {
	args = Value{Kind: Object}
	for at := 0; ; {
		if rest := strings.TrimLeft(text[at:], " \t\r\n"); strings.HasPrefix(rest, mark) {
			return args, used, len(text) - len(rest) + len(mark)
		}
		open := elementArg.FindStringSubmatchIndex(text[at:])
		if open == nil || len(args.Fields) == taggedArgsMax {
			return args, nil, -1
		}
		key, from := text[at+open[2]:at+open[3]], at+open[1]
		length := strings.Index(text[from:], "</"+key+">")
		if length < 0 {
			return args, nil, -1
		}
		used = append(used, args.setText(key, strings.TrimSpace(text[from:from+length]))...)
		at = from + length + len(key) + len("</>")
	}
}

// setText gives a field what a text means: JSON, or the text itself.
func (v *Value) setText(key, text string) []Repair {
	value, used, ok := literal(text)
	if !ok {
		value, used = stringOf(text), nil
	}
	v.set(key, value)
	return used
}

// taggedCalls takes the calls of a text that have their arguments in tags. A call whose tags do
// not fit together is one with arguments that cannot be read: no other reader may see its values,
// because they may look like a decision without the key that says what they are.
func (v *Vocabulary) taggedCalls(text string, take func(c Call, start, end int)) Problem {
	taken := 0
	names := taggedName.FindAllStringSubmatchIndex(text, CallsMax+1)
	for i, at := range names {
		own := text[at[0]:]
		if i+1 < len(names) {
			own = text[at[0]:names[i+1][0]]
		}
		name, after := text[max(at[2], at[4]):max(at[3], at[5])], at[1]-at[0]
		if at[4] >= 0 {
			after = at[5] - at[0]
		}
		first, end := argumentTag.FindStringIndex(own[after:]), taggedEnd.FindStringIndex(own)
		switch {
		case insideObject(text[:at[0]]), cited(text, at[0], at[1]):
		case first != nil && (end == nil || end[0] < after+first[0]):
			// Without its end the call may lack arguments.
			return Truncated
		case end != nil && (first != nil || v.knows(name) && strings.TrimSpace(own[after:end[0]]) == ""):
			args, used, fault := taggedArguments(own[after:end[0]])
			if fault != nil && fault.Got.Form == brokenOff.Form {
				return Truncated
			}
			call := v.namedCall(name, args, used)
			if fault != nil {
				call = refusedCall(v.begunBy(name), own[after:end[0]], fault)
				call.Text = true
			}
			take(call, at[0], at[0]+end[1])
			taken++
		}
	}
	for _, at := range elementName.FindAllStringSubmatchIndex(text, CallsMax+1) {
		name := text[at[2]:at[3]]
		_, _, isTool := v.named(name)
		if taken > 0 || !isTool || insideObject(text[:at[0]]) || cited(text, at[0], at[1]) {
			continue
		}
		args, used, end := elements(text[at[3]+1:], "</"+name+">")
		if end < 0 {
			return Truncated
		}
		take(v.namedCall(name, args, used), at[0], at[3]+1+end)
	}
	return ""
}

// begunBy is the longest name of a tool that a name begins with: where the tag of a key is
// missing, the key is part of the name.
func (v *Vocabulary) begunBy(name string) string {
	longest := NoTool
	if tool, _, ok := v.named(name); ok {
		return tool
	}
	for _, t := range v.Tools {
		if strings.HasPrefix(bareOf(name), t.Name) && (longest == NoTool || len(t.Name) > len(longest)) {
			longest = t.Name
		}
	}
	return longest
}

// What a text of arguments in tags is if it ends inside of one, and if its tags do not fit together.
var brokenOff, unpaired = say("an object that breaks off"), say("tags that do not fit together")

// taggedArguments reads arguments in tags: <parameter=KEY>VALUE</parameter>, or a pair of
// <arg_key> and <arg_value> for each. All of a text must be such pairs. Tags that only close what
// was never begun, with nothing between them, are what some servers leave of a call without arguments.
func taggedArguments(text string) (args Value, used []Repair, fault *ArgumentError) {
	wrong := func(got Phrase) (Value, []Repair, *ArgumentError) {
		return Value{}, nil, &ArgumentError{
			Expected: say("a key and a value for each argument, each between its tags"), Got: got, NotJSON: true,
		}
	}
	args = Value{Kind: Object}
	tags := argumentTag.FindAllStringSubmatchIndex(text, 4*taggedArgsMax+1)
	if len(tags) == 0 || !slices.ContainsFunc(tags, func(at []int) bool { return at[2] == at[3] }) {
		if strings.TrimSpace(argumentTag.ReplaceAllString(text, "")) == "" {
			return args, nil, nil
		}
		return wrong(unpaired)
	}
	if strings.TrimSpace(text[:tags[0][0]]) != "" {
		return wrong(unpaired)
	}
	key, keyed := "", false
	for i := 0; i < len(tags); i += 2 {
		open := tags[i]
		if i+1 == len(tags) {
			if open[2] != open[3] {
				return wrong(unpaired)
			}
			return wrong(brokenOff)
		}
		end := tags[i+1]
		kind, content := text[open[4]:open[5]], strings.TrimSpace(text[open[1]:end[0]])
		paired := open[2] == open[3] && end[2] != end[3] && text[end[4]:end[5]] == kind
		between := ""
		if i+2 < len(tags) {
			between = text[end[1]:tags[i+2][0]]
		}
		named := open[6] >= 0
		switch {
		case !paired, strings.TrimSpace(between) != "":
			return wrong(unpaired)
		case kind == "arg_key" && !keyed && content != "":
			key, keyed = content, true
			continue
		case kind == "arg_value" && keyed:
		case kind == "parameter" && named && !keyed:
			key = text[open[6]:open[7]]
		default:
			return wrong(unpaired)
		}
		keyed = false
		if args.has(key) {
			used = append(used, DuplicateKey) // the last counts, as in JSON
		}
		used = append(used, args.setText(key, content)...)
	}
	if keyed {
		return wrong(brokenOff)
	}
	return args, used, nil
}
