// Package wording says in plain words what the codes of a run mean: how it ended, why a turn failed, what the guard
// or the world refused. The terminal, the report and the page take their words from here, so that one code is
// never called two things. A code that this version does not know is shown as it is.
package wording

import (
	"strings"

	"example.com/agentworld/trace"
)

// Words are all clauses by code, for a reader in another language than Go. Each is a clause without a full stop.
type Words struct {
	// Statuses say how a run ended, by run status.
	Statuses map[string]string `json:"statuses"`
	// Failures say why a call to a model had no reply, by error kind.
	Failures map[string]string `json:"failures"`
	// Answers say why an answer could not be used, by problem.
	Answers map[string]string `json:"answers"`
	// Seats say why a seat made no move.
	Seats map[string]string `json:"seats"`
	// Turns say why a turn ended without a decision, by the wait reasons that are not composed of a prefix and
	// one of the above.
	Turns map[string]string `json:"turns"`
	// Guard says why the guard refused an action, by rule.
	Guard map[string]string `json:"guard"`
	// Rejections say why the world refused an action, by code.
	Rejections map[string]string `json:"rejections"`
	// Deciders say who decided, by the deciders of a decision and of the report.
	Deciders map[string]string `json:"deciders"`
	// Settings are what settings are called, by their names in records; others are their names in words.
	Settings map[string]string `json:"settings"`
	// Caps are what a cap bounds, by its name in a refusal.
	Caps map[string]string `json:"caps"`
	// Tasks say what the score of a task measures, by its metric without the resource.
	Tasks map[string]string `json:"tasks"`
}

// All are the words of this version. The maps are not to be changed.
func All() Words {
	return Words{statuses, failures, answers, seats, turns, guard, rejections, deciders, settings, caps, tasks}
}

// Status says how a run ended, such as "reached one of its caps".
func Status(s trace.RunStatus) string { return of(statuses, string(s)) }

// Reason says why a turn failed, such as "no answer came in time".
func Reason(w trace.WaitReason) string {
	for _, composed := range []struct {
		prefix string
		table  map[string]string
	}{{trace.WaitModelPrefix, failures}, {trace.WaitParsePrefix, answers}, {trace.WaitSeatPrefix, seats}} {
		if code, found := strings.CutPrefix(string(w), composed.prefix); found {
			return of(composed.table, code)
		}
	}
	return of(turns, string(w))
}

// Failure says why a call to a model had no reply, by error kind.
func Failure(kind string) string { return of(failures, kind) }

// Rejection says why the world refused an action.
func Rejection(code string) string { return of(rejections, code) }

// Setting is what a setting is called, by its name in records.
func Setting(name string) string { return of(settings, name) }

// Task says what the score of a task measures, by its metric: "held_min:data" is "data held by the agent with the
// least".
func Task(metric string) string {
	kind, resource, _ := strings.Cut(metric, ":")
	return strings.TrimSpace(strings.ReplaceAll(resource, "_", " ") + " " + of(tasks, kind))
}

// Outcome says in two or three words what a failed turn came to: no answer, an answer that could not be used, no
// move, or nothing that was allowed.
func Outcome(w trace.WaitReason) string {
	switch w.Class() {
	case trace.ClassModel:
		return "no answer"
	case trace.ClassParse:
		return "no usable answer"
	case trace.ClassSeat:
		return "no move"
	case trace.ClassGuard, trace.ClassWorld:
		return "nothing allowed"
	}
	return "no decision"
}

// Failed says what a failed turn came to and why, such as "no usable answer (two decisions in one answer)".
func Failed(w trace.WaitReason) string { return Outcome(w) + " (" + Reason(w) + ")" }

// of is the clause of a code, or the code in words.
func of(table map[string]string, code string) string {
	if text, known := table[code]; known {
		return text
	}
	return strings.ReplaceAll(code, "_", " ")
}
