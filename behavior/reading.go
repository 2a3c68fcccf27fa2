package behavior

import (
	"encoding/json"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
)

// What turns of other kinds, which speak English whatever the language of the prompts,
// need of the reading and the wording of this package, so
// that a model meets one protocol, whatever it is asked. A Turn uses the same
// functions under their own names.

// Object is a JSON object whose values are still raw.
type Object = fields

// ReadArguments reads the arguments of a call as an object, with the leniencies it
// took. The error says what they are instead, or which bound they exceed.
func ReadArguments(raw string) (Object, []string, *modules.ArgumentError) { return decodeFields(raw) }

// DecodeObject fills a typed struct from o. Required fields that are absent stay
// zero and are returned as leniencies; a field of the wrong type is the error.
func DecodeObject(o Object, into any, required ...string) (absent []string, e *modules.ArgumentError) {
	return o.decode(into, required...)
}

// ReadText returns the JSON objects in an answer that is text, with the leniencies
// it took. kind is not empty when the text must not be used.
func ReadText(text string) (objects []Object, leniencies []string, kind ParseKind) {
	leniencies = []string{lenTextInsteadOfCall}
	said, whole := withoutThinking(text[:min(len(text), textBytesMax)])
	switch {
	case len(text) > textBytesMax, strings.Count(text, "\n") > textLinesMax:
		return nil, nil, ParseTooLarge
	case !whole:
		return nil, nil, ParseTruncated
	case said != text:
		leniencies = append(leniencies, lenThinkingRemoved)
	}
	if inner, encoded := modules.DecodeString(said); encoded {
		said, leniencies = inner, append(leniencies, string(modules.DoubleEncoded))
	}
	found := modules.FindObjects(said)
	switch {
	case found.Problem != "":
		return nil, nil, problemKind(found.Problem)
	case len(found.Objects) == 0:
		return nil, nil, ParseNoJSON
	}
	for _, object := range found.Objects {
		var f fields
		if json.Unmarshal(object, &f) == nil {
			objects = append(objects, f)
		}
	}
	leniencies = append(leniencies, leniencyNames(found.Leniencies)...)
	return objects, append(leniencies, leniencyNames(modules.Surroundings(found.Rest))...), ""
}

// Unusable returns why nothing of an answer may be used, empty when it may be read:
// it was cut short, filtered, refused, empty, or is beyond all bounds.
func Unusable(a llmclient.Answer) ParseKind {
	kind := a.Kind()
	if cut, ok := cutKinds[kind]; ok {
		return cut
	}
	switch {
	case a.Reply == nil || oversized(a.Reply):
		return ParseTooLarge
	case kind == llmclient.AnswerRefusal:
		return ParseRefusal
	case kind != llmclient.AnswerCalls && kind != llmclient.AnswerText:
		return ParseEmptyOutput
	}
	return ""
}

// UnusableText tells a model that an answer could not be used, what may be called
// and which retry the next answer is.
func UnusableText(kind ParseKind, allowed []string, attempt, of int) string {
	f := wordsOf(modules.English).aboutAnswer(kind, allowed)
	f.Attempt, f.Of = attempt, of
	return encode(f)
}

// CallError is the output of a call that went wrong: one of the codes above with
// its fixed text, the fault if there is one, and which retry the next answer is.
// parameters is the tool's schema, shown only to who sent no JSON.
func CallError(code string, e *modules.ArgumentError, parameters json.RawMessage, attempt, of int) string {
	w := wordsOf(modules.English)
	f := w.newFeedback(code)
	if e != nil {
		f = w.wrongArguments(code, e)
	}
	if code == CodeArgumentsNotJSON {
		f.Parameters = parameters
	}
	f.Attempt, f.Of = attempt, of
	return encode(f)
}

// ArgumentCode tells which of the three ways arguments failed.
func ArgumentCode(raw string, e *modules.ArgumentError) string { return argumentCode(raw, e) }

// StrictTool returns a function tool whose arguments are the fields of Args, all of
// them required. enums closes the sets of values of fields by name.
func StrictTool[Args any](name, doc string, enums map[string][]string) llmclient.Tool {
	return llmclient.Tool{Name: name, Description: doc, Parameters: argsSchema[Args](enums), Strict: true}
}

// Told is what became of a decision in the words of the English prompt's history: the line
// as it would stand there, and its end alone. A wait put in place of an action says
// which action that was; the codes are what the guard refused in the turn.
func (k *Kit) Told(tick int64, d Decision, o world.Outcome, codes []string) (line, end string) {
	w := wordsOf(modules.English)
	done := newDeed(w, tick, d.WaitReason, o, k.aliased(d.naming(o.Accepted)))
	end = done.end(w)
	if d.WaitReason != "" && d.Proposed != nil {
		end += textWanted + w.actionText(d.Proposed, d.naming(false))
		for _, code := range codes {
			end += " " + idText(code)
		}
	}
	done.ids = nil
	whole := done.line(w)
	return whole[:len(whole)-len(done.end(w))] + end, end
}

// textWanted introduces the action of a turn that came to nothing.
const textWanted = ", wanted "

// ArgumentError says why arguments of a call were refused.
type ArgumentError = modules.ArgumentError
