package behavior

import (
	"encoding/json"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
)

// The leniencies of reading text where a function call was expected. Each is
// counted under its own name; what they yield passes the same validation as a
// function call's arguments.
const (
	lenTextInsteadOfCall = "text_instead_of_call"
	lenThinkingRemoved   = "thinking_removed"
	lenObjectIgnored     = "object_ignored"
)

// The bounds of a text that is read. What is longer was not meant to be a decision;
// the bound on its lines keeps the search for labels short.
const (
	textBytesMax = 256 << 10
	textLinesMax = 2000
)

// readText is the fallback for an answer that is text. It looks for the calls that
// the text stands for and hands them on as if they had been made.
func (t *Turn) readText(text string) {
	calls, leniencies, kind := t.callsIn(text)
	if kind != "" {
		if kept := told(text); strings.TrimSpace(kept) != "" && len(kept) < len(text) {
			t.retract(kept)
		}
		t.repair(kind)
		return
	}
	if slices.Contains(leniencies, lenLaterDiscarded) {
		t.retract(keptText(text))
	}
	t.slots = calls
	for i := range t.slots {
		t.writeOut(&t.slots[i])
	}
	t.dispatch(append([]string{lenTextInsteadOfCall}, leniencies...))
}

// repairInventedText is the code of an answer's text that goes back without the
// steps a model made up.
const repairInventedText = "invented_text_dropped"

// retract replaces the texts of the last answer by the part of them that is kept,
// and drops the reasoning that led to them. The one exception to sending items back
// as they came: an observation that the model made up would be taken for one in
// every later request.
func (t *Turn) retract(kept string) {
	items := t.input[:t.answerAt:t.answerAt]
	for _, it := range t.input[t.answerAt:] {
		if it.Kind != llmclient.KindMessage && it.Kind != llmclient.KindReasoning {
			items = append(items, it)
		}
	}
	t.input = append(items, llmclient.Message("assistant", strings.TrimSpace(kept)))
	t.note(trace.Step{Kind: trace.StepItemRepair, Status: trace.StatusOK, Code: repairInventedText})
}

// writeOut puts the call that was read from a text behind that text, as if it had
// been made: the model sees how it was understood and how it is done, and its output
// is paired like any other.
func (t *Turn) writeOut(s *slot) {
	s.callID = t.mintCallID()
	t.callIDs[s.callID] = true
	args := s.args
	if !isObject(args) {
		args = "{}"
	}
	t.input = append(t.input, llmclient.FunctionCall(s.callID, s.tool, args))
}

// callsIn returns the calls that a text stands for, each with its own leniencies,
// and those of the text as a whole. The order of the steps is the order of trust:
// what was only thought about is taken away first, then a line that names an action
// is looked for, then objects, then calls in other syntaxes.
func (t *Turn) callsIn(text string) (calls []slot, leniencies []string, kind ParseKind) {
	if len(text) > textBytesMax {
		return nil, nil, ParseTooLarge
	}
	said, whole := withoutThinking(text)
	if !whole {
		return nil, nil, ParseTruncated
	}
	if strings.Count(said, "\n") > textLinesMax {
		return nil, nil, ParseTooLarge
	}
	if said != text {
		leniencies = append(leniencies, lenThinkingRemoved)
	}
	if inner, encoded := modules.DecodeString(said); encoded {
		said, leniencies = inner, append(leniencies, string(modules.DoubleEncoded))
	}
	said, call, lenient, kind := t.labelled(said)
	leniencies = append(leniencies, lenient...)
	if kind != "" || call != nil {
		return call, leniencies, kind
	}
	calls, lenient, kind = t.objectsIn(said)
	if kind == ParseNoJSON {
		switch written, problem := t.writtenCalls(said); {
		case problem != "":
			return nil, nil, problem
		case len(written) > callsPerAnswerMax:
			return nil, nil, ParseTooLarge
		case len(written) > 0:
			return written, append(leniencies, string(modules.CallSyntax)), ""
		}
	}
	return calls, append(leniencies, lenient...), kind
}

// objectsIn returns the calls that the JSON objects of a text stand for.
func (t *Turn) objectsIn(text string) (calls []slot, leniencies []string, kind ParseKind) {
	found := modules.FindObjects(text)
	if found.Problem != "" {
		return nil, nil, problemKind(found.Problem)
	}
	leniencies = leniencyNames(found.Leniencies)
	rest, ignored := found.Rest, 0
	for i, object := range found.Objects {
		s, mark, ok := t.callOf(object, found.Befores[i])
		if !ok {
			ignored++
			continue
		}
		if mark != "" {
			leniencies = append(leniencies, string(modules.CallSyntax))
			rest = endMarks.ReplaceAllString(strings.Replace(rest, mark, "", 1), "")
		}
		calls = append(calls, s)
	}
	switch {
	case len(found.Objects) == 0:
		return nil, nil, ParseNoJSON
	case len(calls) == 0:
		return nil, nil, ParseUnknownShape
	case ignored > 0:
		leniencies = append(leniencies, lenObjectIgnored)
	}
	return calls, append(leniencies, leniencyNames(modules.Surroundings(rest))...), ""
}

// problemKind is the parse kind of a text that may not be used.
func problemKind(p modules.FindProblem) ParseKind {
	switch p {
	case modules.FindCut:
		return ParseTruncated
	case modules.FindDeep:
		return ParseTooLarge
	case modules.FindList:
		return ParseSeveral
	}
	return ParseUnknownShape
}

// callOf returns the call that an object stands for. An object that does not say
// itself what it is may be the arguments of a tool named in front of it; mark is
// then the text that names it.
func (t *Turn) callOf(object json.RawMessage, before string) (s slot, mark string, ok bool) {
	var f fields
	if json.Unmarshal(object, &f) != nil {
		return slot{}, "", false
	}
	if name, mark := nameBefore(before); name != "" && t.knows(name) && (ownName(f) == "" || name == toolDecision || name == toolTurn) {
		return t.namedCall(name, f, nil), mark, true
	}
	s, ok = t.readObject(f)
	return s, "", ok
}

// thinkingMarks are the pairs of marks between which models think aloud.
var thinkingMarks = [][2]string{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"}, {"<reasoning>", "</reasoning>"},
	{"<reflection>", "</reflection>"}, {"<scratchpad>", "</scratchpad>"}, {"<analysis>", "</analysis>"}, {"[think]", "[/think]"},
	{"◁think▷", "◁/think▷"},
}

// thoughtsMax bounds the blocks of thinking that are taken out.
const thoughtsMax = 16

// withoutThinking takes out what was only thought about; it must not be taken for
// a decision. whole is false when the thinking never ends. A closing mark alone
// ends thinking that began before the text did, as some templates have it. A mark
// inside of an object is part of a value.
func withoutThinking(text string) (said string, whole bool) {
	text, whole = withoutAnalysis(text)
	if !whole {
		return "", false
	}
	lower := lowerASCII(text)
	var present [][2]string
	for _, pair := range thinkingMarks {
		if strings.Contains(lower, pair[0]) || strings.Contains(lower, pair[1]) {
			present = append(present, pair)
		}
	}
	from := 0
	for range thoughtsMax {
		lower = lowerASCII(text)
		at, pair, closing := firstMark(lower[from:], present)
		if at < 0 {
			return text, true
		}
		at += from
		switch end := strings.Index(lower[at:], pair[1]); {
		case insideObject(text[:at]):
			from = at + 1
		case closing:
			text, from = text[at+len(pair[1]):], 0
		case end < 0:
			return "", false
		default:
			text, from = text[:at]+text[at+end+len(pair[1]):], at
		}
	}
	return text, false
}

// firstMark finds the first mark of the given pairs; at is -1 when there is none.
func firstMark(text string, pairs [][2]string) (at int, pair [2]string, closing bool) {
	at = -1
	for _, p := range pairs {
		for i, mark := range p {
			if found := strings.Index(text, mark); found >= 0 && (at < 0 || found < at) {
				at, pair, closing = found, p, i == 1
			}
		}
	}
	return at, pair, closing
}

// analysisMark begins the part of an answer that a template with channels keeps for
// thinking; what begins the next part ends it.
const analysisMark = "<|channel|>analysis<|message|>"

// withoutAnalysis takes out the channel of thinking; whole is false when it never
// ends.
func withoutAnalysis(text string) (said string, whole bool) {
	for range thoughtsMax {
		at := strings.Index(text, analysisMark)
		if at < 0 {
			return text, true
		}
		thought := text[at+len(analysisMark):]
		end := -1
		for _, mark := range []string{"<|end|>", "<|start|>", "<|channel|>"} {
			if i := strings.Index(thought, mark); i >= 0 && (end < 0 || i < end) {
				end = i
			}
		}
		if end < 0 {
			return "", false
		}
		text = text[:at] + thought[end:]
	}
	return text, !strings.Contains(text, analysisMark)
}

// lowerASCII lowers the letters of ASCII, so that places in the text stay the same.
func lowerASCII(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// insideObject reports whether a text ends inside of an object. A brace that begins
// none is prose, and hides nothing.
func insideObject(text string) bool {
	if openBraces(text) <= 0 {
		return false
	}
	depth, begun := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '}':
			depth = max(0, depth-1)
		case text[i] != '{':
		case depth > 0:
			depth++
		default:
			if begun++; begun > marksMax || modules.BeginsObject(text[i:]) {
				depth++
			}
		}
	}
	return depth > 0
}

// openBraces is how many braces more a text opens than it closes.
func openBraces(text string) int { return strings.Count(text, "{") - strings.Count(text, "}") }

// textCall is a call with arguments made from text.
func textCall(tool string, f fields, leniencies ...string) slot {
	return slot{tool: tool, args: string(llmclient.Marshal(f)), text: true, leniencies: leniencies}
}

// knows reports whether name is a tool, a module or an action.
func (t *Turn) knows(name string) bool {
	_, _, isTool := t.toolNamed(name)
	return isTool || modules.IsAction(name)
}

// toolNamed finds the tool that a name stands for: its own, a module's, or either
// with the prefix that some templates put before the names of functions.
func (t *Turn) toolNamed(name string) (tool string, leniencies []string, ok bool) {
	if t.knownName(name) == name {
		return name, nil, true
	}
	if bare, cut := strings.CutPrefix(name, "functions."); cut {
		tool, _, ok = t.toolNamed(bare)
		return tool, []string{lenToolAlias}, ok
	}
	if tool, ok = t.mind.registry.ToolOf(name); ok {
		return tool, nil, true
	}
	i := slices.IndexFunc(t.mind.tools, func(known llmclient.Tool) bool { return sameName(known.Name, name) })
	if i < 0 {
		return "", nil, false
	}
	return t.mind.tools[i].Name, []string{lenToolAlias}, true
}

// sameName compares names without case and separators.
func sameName(a, b string) bool {
	bare := func(s string) string { return separators.Replace(strings.ToLower(s)) }
	return len(b) <= 64 && bare(a) == bare(b)
}

var separators = strings.NewReplacer("_", "", "-", "", ".", "")
