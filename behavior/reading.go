package behavior

import (
	"encoding/json"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
)

// What turns of other kinds, which speak English whatever the language of the prompts,
// need of the reading and the wording of this package, so
// that a model meets one protocol, whatever it is asked. A Turn uses the same
// functions under their own names.

// Unusable returns why nothing of an answer may be used, empty when it may be read:
// it was cut short, filtered, refused, empty, or is beyond all bounds.
func Unusable(a llmclient.Answer) answer.Problem {
	kind := a.Kind()
	if cut, ok := cutKinds[kind]; ok {
		return cut
	}
	switch {
	case a.Reply == nil || oversized(a.Reply):
		return answer.TooLarge
	case kind == llmclient.AnswerRefusal:
		return answer.Refusal
	case kind != llmclient.AnswerCalls && kind != llmclient.AnswerText:
		return answer.EmptyOutput
	}
	return ""
}

// UnusableText tells a model that an answer could not be used, what may be called
// and which retry the next answer is.
func UnusableText(kind answer.Problem, allowed []string, attempt, of int) string {
	f := wordsOf(modules.English).aboutAnswer(kind, allowed)
	f.Attempt, f.Of = attempt, of
	return encode(f)
}

// CallError is the output of a call that went wrong: one of the codes above with
// its fixed text, the fault if there is one, and which retry the next answer is.
// parameters is the tool's schema, shown only to who sent no JSON.
func CallError(code string, e *answer.ArgumentError, parameters json.RawMessage, attempt, of int) string {
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
func ArgumentCode(raw string, e *answer.ArgumentError) string { return argumentCode(raw, e) }

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
