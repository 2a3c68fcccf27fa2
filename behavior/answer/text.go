package answer

import (
	"regexp"
	"slices"
	"strings"
)

// The bounds of an answer. What is beyond them was not meant to be a decision; the bound
// on its lines keeps the search for labels short.
const (
	// CallsMax bounds the calls of one answer, [TextBytesMax] and textLinesMax its text.
	CallsMax     = 16
	TextBytesMax = 256 << 10
	textLinesMax = 2000
)

// Reading is what a text means.
type Reading struct {
	// Calls are the calls, each with its own repairs; Repairs are those of the text as a
	// whole.
	Calls   []Call
	Repairs []Repair
	// Problem says why the text cannot be used, empty when it can.
	Problem Problem
	// Kept is the text up to the steps that the model made up, empty where it made up
	// none.
	Kept string
}

// Read finds the calls that a text means. The order of the steps is the order of trust. What was
// only thought about is removed first. Then Read looks for a line that names an action, then for
// objects, then for calls in other syntaxes.
func (v *Vocabulary) Read(text string) Reading {
	r := Reading{Repairs: []Repair{TextInsteadOfCall}}
	r.Calls, r.Problem = v.read(text, &r)
	if r.Problem == "" {
		return r
	}
	// One that is too long to look for labels stays as it is.
	r.Kept = ""
	if len(text) <= TextBytesMax && strings.Count(text, "\n") <= textLinesMax {
		marks := marksIn(text)
		i := slices.IndexFunc(marks, func(m mark) bool { return m.kind == labelObservation })
		if i >= 0 && strings.TrimSpace(text[:marks[i].start]) != "" {
			r.Kept = text[:marks[i].start]
		}
	}
	return r
}

func (v *Vocabulary) read(text string, r *Reading) (calls []Call, problem Problem) {
	if len(text) > TextBytesMax {
		return nil, TooLarge
	}
	if at := resultMadeUp(text); at >= 0 {
		text, r.Kept = text[:at], text[:at]
		r.use(LaterDiscarded)
	}
	said, whole := WithoutThinking(text)
	switch {
	case !whole:
		return nil, Truncated
	case strings.Count(said, "\n") > textLinesMax:
		return nil, TooLarge
	case said != text:
		r.use(ThinkingRemoved)
	}
	if visible := strings.TrimLeftFunc(said, isInvisible); visible != said {
		said = visible
		r.use(InvisibleRemoved)
	}
	if q := (reader{text: said, depthMax: 1}); q.next() == '"' {
		// The text may be one JSON string as a whole that holds something like an object.
		if inner, _ := q.quoted(); q.state == readWhole && q.next() == 0 && strings.Contains(inner, "{") {
			said = inner
			r.use(DoubleEncoded)
		}
	}
	if plain, escape := unescaped(said); escape != "" {
		said = plain
		r.use(escape)
	}
	said, calls, problem = v.labelled(said, r)
	if problem != "" || calls != nil {
		return calls, problem
	}
	calls, used, problem := v.objectsIn(said)
	if problem == NoJSON {
		calls, used, problem = v.line(said)
	}
	r.use(used...)
	return calls, problem
}

// decisionLine matches a line with a label that a decision may follow.
var decisionLine = regexp.MustCompile(
	`(?i)^[\s*_#-]*(?:(?:my |final )*(?:decision|action|answer|choice|finish|决定)[\s*_]*[:：=(\[]|.*\\boxed\{)`)

// line reads a text that ends in an action with its values, or in the name of a candidate. It
// follows a label in the last line, or is the whole text.
func (v *Vocabulary) line(text string) (calls []Call, used []Repair, problem Problem) {
	said := strings.TrimSpace(text)
	start := strings.LastIndexByte(said, '\n') + 1
	last := said[start:]
	if len(last) > beforeMax {
		return nil, nil, NoJSON
	}
	label := decisionLine.FindString(last)
	if cited(said, start, start+len(label)) {
		return nil, nil, NoJSON
	}
	if label != "" {
		said = last[len(label):]
		if closed := strings.LastIndexAny(said, ")]}"); closed >= 0 && !strings.ContainsAny(label[len(label)-1:], ":=：") {
			said = said[:closed]
		}
	}
	o, _ := actionIn(stringOf(strings.Trim(said, " \t*_`\"'.。")))
	if _, ok := numberOf(o); ok {
		o = objectOf(Field{"candidate", o})
	} else if _, _, e := decodeAction(o, Names{}, nil); e != nil && (label == "" || o.Kind != Object) {
		return nil, nil, NoJSON
	}
	c, ok := v.decisionCall(o, nil)
	if !ok {
		return nil, nil, NoJSON
	}
	return []Call{c}, []Repair{FinishLine}, ""
}

// use records repairs of the whole text, each once.
func (r *Reading) use(used ...Repair) {
	for _, u := range used {
		if !slices.Contains(r.Repairs, u) {
			r.Repairs = append(r.Repairs, u)
		}
	}
}

// objectsIn returns the calls that a text holds: written down in full, or as JSON objects.
func (v *Vocabulary) objectsIn(text string) (calls []Call, used []Repair, problem Problem) {
	calls, spans, problem := v.writtenCalls(text)
	if problem != "" {
		return nil, nil, problem
	}
	// What is inside of a written call belongs to it.
	blank := []byte(text)
	for _, span := range spans {
		copy(blank[span[0]:span[1]], strings.Repeat(" ", span[1]-span[0]))
	}
	f, problem := findObjects(string(blank))
	switch {
	case problem != "":
		return nil, nil, problem
	case len(f.objects)+len(calls) == 0:
		return nil, nil, NoJSON
	}
	meant, bare := make([][]Call, len(f.objects)), make([]bool, len(f.objects))
	candidates, draft := v.looseCandidates(f)
	for i, o := range f.objects {
		switch {
		case candidates[i]:
			if draft != nil {
				meant[i], draft = []Call{*draft}, nil
			}
			continue
		case f.listed && !v.isCall(o):
			// A list of several objects does not say which of them it means.
			return nil, nil, Several
		}
		if call, mark, ok := v.namedBefore(o, f.befores[i]); ok {
			meant[i] = []Call{call}
			f.used = append(f.used, CallSyntax)
			f.rest = endMarks.ReplaceAllString(strings.Replace(f.rest, mark, "", 1), "")
		} else {
			meant[i], bare[i] = v.callsOf(o, wrappersMax), !v.isCall(o)
		}
	}
	if argumentTag.MatchString(f.rest) && slices.Contains(bare, true) {
		// What is left between tags of arguments is the value of one whose name was lost.
		return nil, nil, UnknownShape
	}
	// Where a decision is called by its name, an object without one is part of what is said about it.
	decides := func(c Call) bool { return c.Tool == v.Decides && c.Tool != "" }
	named := slices.ContainsFunc(calls, decides)
	for i, more := range meant {
		named = named || !bare[i] && slices.ContainsFunc(more, decides)
	}
	passed, ignored := 0, false
	for i, more := range meant {
		if named && bare[i] && slices.ContainsFunc(more, decides) {
			more = nil
		}
		ignored = ignored || len(more) == 0 && !candidates[i]
		for passed < len(spans) && spans[passed][0] < f.starts[i] {
			passed++
		}
		// The calls stay in the order of the text.
		calls = slices.Insert(calls, len(calls)-len(spans)+passed, more...)
	}
	if len(calls) == 0 {
		return nil, nil, UnknownShape
	}
	if ignored {
		f.used = append(f.used, ObjectIgnored)
	}
	if len(spans) > 0 {
		f.used = append(f.used, CallSyntax)
	}
	return calls, append(f.used, around(f.rest)...), ""
}

// candidatesMark matches what is before candidates that are in no object: their field, or the word
// for one and its number. A word for the one that was chosen is none.
var (
	candidatesMark = regexp.MustCompile(
		"(?i)(?:candidates?|candidate[ _-]?actions?|decision[ _-]?draft|draft|options?|候选(?:动作)?)" +
			"[\"'`*_]*\\s*#?\\d{0,2}[\"'`*_]*\\s*[:：=.)-]?[\\s*`]*[\\[(]*\\s*(?:```\\w*)?\\s*$")
	chosenMark = regexp.MustCompile(
		`(?i)(?:chosen|choose|selected|select|final|best|commit\w*|pick\w*)[\w\s"'*:_-]{0,40}$`)
)

// looseCandidates finds the objects of a text that are candidates of a draft outside of any object.
// The text does not say which of them to take. draft is the call of all of them, nil without any.
func (v *Vocabulary) looseCandidates(f found) (is []bool, draft *Call) {
	is = make([]bool, len(f.objects))
	var list []Value
	for i, o := range f.objects {
		if i > 0 && f.starts[i] == f.starts[i-1] {
			is[i] = is[i-1] // of one list
		} else if v.Decides != "" {
			before := f.befores[i][max(0, len(f.befores[i])-beforeMax):]
			at := candidatesMark.FindStringIndex(before)
			is[i] = at != nil && !chosenMark.MatchString(before[:at[0]])
		}
		o, _ := actionIn(o)
		is[i] = is[i] && namedIn(o, ActionField) != "" && !v.isCall(o)
		if is[i] {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return is, nil
	}
	call := textCall(ToolDraft, objectOf(Field{"candidates", arrayOf(list...)}), DraftShorthand)
	if v.Tool(ToolDraft) == NoTool {
		call.Tool = v.Decides
	}
	return is, &call
}

// namedBefore is the call of an object that does not say itself what it is: the arguments of a tool
// named before it. mark is the text that names it.
func (v *Vocabulary) namedBefore(o Value, before string) (c Call, mark string, ok bool) {
	before = before[max(0, len(before)-beforeMax):]
	name, mark := recipientOf(before)
	addressed := name != ""
	for j := 0; j < len(beforeObject) && name == ""; j++ {
		if at := beforeObject[j].FindStringSubmatchIndex(before); at != nil {
			name, mark = before[at[2]:at[3]], before[at[0]:]
		}
	}
	if isParallel(name) {
		return Call{}, "", false // what is in it says itself what it is
	}
	decides := ownName(o) == "" || slices.Contains([]string{ToolDecision, ToolTurn, ToolDraft}, bareOf(name))
	switch {
	case name == "" || v.isCall(o):
		return Call{}, "", false
	case v.knows(name) && (decides || addressed):
		return v.namedCall(name, o, nil), mark, true
	case addressed && strings.Contains(mark, "functions"):
		return textCall(NoTool, o), mark, true
	}
	return Call{}, "", false
}
