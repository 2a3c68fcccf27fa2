package stub

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// The tools of the turn protocol. Every other tool is a module: a question that
// changes nothing.
const (
	// toolPlan opens a turn.
	toolPlan = "plan"
	// toolDraft offers candidates; its output says what a dry run makes of each.
	toolDraft = "decision_draft"
	// toolDecision ends a turn.
	toolDecision = "decision"
	// toolTurn is plan, draft and decision in one.
	toolTurn = "turn"
	// toolDryRun is a module; the transcript learns from its output what fails.
	toolDryRun = "world_dry_run"
)

// The answers of a check of one action.
const (
	statusAccepted = "accepted"
	statusRejected = "rejected"
	statusUnknown  = "unknown_until_tried"
)

// call is one call made earlier in this turn.
type call struct {
	id   string
	name string
	// arguments are nil when they were not a JSON object.
	arguments object
	// output is the text that answered the call; answered says that one came.
	output   string
	answered bool
}

// transcript is the record of the present turn, oldest call first. It is read from
// the input, never remembered: the client is the only one who keeps it.
type transcript []call

// readTranscript collects the calls of a turn and binds each output to its call.
// Outputs without a call and calls without an output are tolerated; a client that
// sends them has a fault of its own, which is not this server's to hide or find.
func readTranscript(items []llmclient.Item) transcript {
	var t transcript
	for _, item := range items {
		switch item.Kind {
		case llmclient.KindFunctionCall:
			made := call{id: item.CallID, name: strings.TrimPrefix(item.Name, namespace)}
			if decode([]byte(item.Text), &made.arguments) != nil {
				made.arguments = nil
			}
			t = append(t, made)
		case llmclient.KindFunctionOutput:
			for i := len(t) - 1; i >= 0; i-- { // the latest call with its id
				if t[i].id == item.CallID && !t[i].answered {
					t[i].output, t[i].answered = item.Text, true
					break
				}
			}
		}
	}
	return t
}

// count returns how many calls of a tool were made.
func (t transcript) count(name string) int {
	n := 0
	for _, c := range t {
		if c.name == name {
			n++
		}
	}
	return n
}

// modules returns how many calls went to modules.
func (t transcript) modules() int {
	return len(t) - t.count(toolPlan) - t.count(toolDraft) - t.count(toolDecision) - t.count(toolTurn)
}

// refusals returns how many decisions came back instead of ending the turn. A
// decision that was accepted has no output, because the turn ends with it.
func (t transcript) refusals() int {
	n := 0
	for _, c := range t {
		if c.answered && (c.name == toolDecision || c.name == toolTurn) {
			n++
		}
	}
	return n
}

// last returns the latest answered call of a tool.
func (t transcript) last(name string) (call, bool) {
	for i := len(t) - 1; i >= 0; i-- {
		if t[i].name == name && t[i].answered {
			return t[i], true
		}
	}
	return call{}, false
}

// refused returns the signatures of the actions this turn has shown to fail:
// decisions that came back, drafted candidates and dry runs that were rejected.
func (t transcript) refused() map[string]bool {
	out := map[string]bool{}
	for i, c := range t {
		if !c.answered {
			continue
		}
		switch c.name {
		case toolDecision, toolTurn:
			out[signature(t[:i].committed(c))] = true
		case toolDryRun:
			if s := statuses(c.output); len(s) > 0 && s[0] == statusRejected {
				out[signature(c.arguments["action"])] = true
			}
		case toolDraft:
			for _, k := range c.candidates() {
				if k.status == statusRejected {
					out[signature(k.action)] = true
				}
			}
		}
	}
	return out
}

// committed returns the action that a decision chose, given in full or as the number
// of a candidate in the same call or in the last draft before it.
func (t transcript) committed(c call) any {
	if action, given := c.arguments["action"]; given {
		return action
	}
	candidates := c.candidates()
	if draft, ok := t.last(toolDraft); ok && len(candidates) == 0 {
		candidates = draft.candidates()
	}
	number, _ := c.arguments["candidate"].(json.Number)
	if n, err := number.Int64(); err == nil && n >= 1 && n <= int64(len(candidates)) {
		return candidates[n-1].action
	}
	return nil
}

// candidate is one candidate of a draft with the status its output gave it, ""
// when the output gave none.
type candidate struct {
	action any
	status string
}

// candidates returns the candidates of a draft call.
func (c call) candidates() []candidate {
	list, _ := c.arguments["candidates"].([]any)
	found := statuses(c.output)
	var out []candidate
	for i, entry := range list {
		k := candidate{action: entry}
		if i < len(found) {
			k.status = found[i]
		}
		out = append(out, k)
	}
	return out
}

// checkStatus matches the status of one check in a tool output. What surrounds it is not
// the policy's business; a text within the output has its quotes escaped.
var checkStatus = regexp.MustCompile(`"status"\s*:\s*"(` + statusAccepted + `|` + statusRejected + `|` +
	statusUnknown + `)"`)

// statuses reads the check statuses in a tool output, in order.
func statuses(output string) []string {
	var out []string
	for _, found := range checkStatus.FindAllStringSubmatch(output, -1) {
		out = append(out, found[1])
	}
	return out
}

// signature identifies an action by its name and its arguments, nulls and the names
// of the arguments aside: an action written in slots and the same one in a record,
// which has longer names for them, have the same signature, JSON text included. It
// is "" for what is no action.
func signature(action any) string {
	if text, quoted := action.(string); quoted {
		var inner object
		if decode([]byte(text), &inner) != nil {
			return ""
		}
		action = inner
	}
	fields, ok := action.(object)
	if !ok {
		return ""
	}
	if inner, wrapped := fields["do"].(object); wrapped {
		return signature(inner)
	}
	values := []string{}
	for key, v := range fields {
		if v != nil && key != "action" && key != slotThen {
			values = append(values, string(llmclient.Marshal(v)))
		}
	}
	slices.Sort(values)
	return name(fields) + "(" + strings.Join(values, ",") + ")"
}
