package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/memory"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// textCharsMax bounds a text that is shown on one line, in characters.
const textCharsMax = 80

// none is shown for an empty field of a record.
const none = "none"

// RawText shows recorded JSON on one line.
func RawText(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return none
	}
	return string(raw)
}

// OutcomeText renders the outcome of the action with the world's numbers, such as
// "accepted, electricity -10, hardware +5". An outcome that this version cannot read is
// shown as it was recorded.
func OutcomeText(raw json.RawMessage) string {
	var o world.Outcome
	switch {
	case RawText(raw) == none:
		return none
	case json.Unmarshal(raw, &o) != nil:
		return RawText(raw)
	}
	before := ""
	if o.RefusedBefore > 0 {
		before = fmt.Sprintf(" after %d decided before it that the world refused", o.RefusedBefore)
	}
	if !o.Accepted {
		return "rejected" + before + ": " + rejectionText(o.Rejection)
	}
	text := "accepted" + before
	for _, c := range o.Changes {
		text += fmt.Sprintf(", %s %+d", c.Resource, c.Amount)
	}
	if o.Created != "" {
		text += ", created " + o.Created
	}
	return text
}

// rejectionText shows a refusal with its code, its field and the numbers that it
// has, such as "storage_full electricity, requested 50 units, maximum 40 units".
func rejectionText(r *world.Rejection) string {
	if r == nil {
		return "without a code"
	}
	text := string(r.Code)
	for _, word := range []string{r.Field, r.Resource} {
		if word != "" {
			text += " " + word
		}
	}
	for _, n := range []struct {
		name  string
		value *int64
	}{{"requested", r.Requested}, {"available", r.Available}, {"maximum", r.Maximum}} {
		if n.value != nil {
			text += strings.TrimRight(fmt.Sprintf(", %s %d %s", n.name, *n.value, r.Unit), " ")
		}
	}
	return text
}

// DecisionText renders a decision and its outcome on one line. A turn that failed is no decision to wait: it is
// shown as what it is, such as "no answer (no answer came in time)".
func DecisionText(d trace.Decision) string {
	if d.WaitReason != "" {
		return wording.Failed(d.WaitReason)
	}
	return ActionText(string(d.Executed)) + ", " + OutcomeText(d.Outcome)
}

// Quoted quotes what an agent or an operator wrote, clipped, on one line.
func Quoted(text string) string { return memory.Quote(plaintext.Clip(text, textCharsMax)) }

// did says what the agent did in a tick, and what it has in common with ticks in which it did
// the same: not the amounts.
func (r Row) did() (text, key string) {
	place := []string{string(r.State), r.Place, r.GoingTo, r.PowerState}
	if r.Decision == nil {
		text = map[RowState]string{
			RowTravelling: "under way to " + r.GoingTo, RowWaiting: "waits", RowShutdown: "has no power",
			RowStopped: "nobody decides: its endpoint was given up",
		}[r.State]
		return text, strings.Join(place, "\x00")
	}
	d := r.Decision
	text, name := actionText(d.Executed)
	if d.WaitReason != "" {
		return wording.Failed(d.WaitReason), strings.Join(append(place, name, string(d.WaitReason)), "\x00")
	}
	if r.State == RowContinued {
		text = "continues " + text
	}
	outcome, result := OutcomeText(d.Outcome), "accepted"
	if changes, accepted := strings.CutPrefix(outcome, "accepted"); accepted {
		outcome = strings.TrimLeft(changes, ", ")
	} else {
		result, _, _ = strings.Cut(outcome, ",") // with the code, without numbers
	}
	if outcome != "" {
		text += ": " + outcome
	}
	return text, strings.Join(append(place, name, result), "\x00")
}

// ActionText shows an encoded action in few words, such as "mine_compound 5000", or as it is if it is none.
func ActionText(encoded string) string {
	text, _ := actionText(json.RawMessage(encoded))
	return text
}

// actionText shows an action in few words, such as "mine_compound 5000" or "send_message agent-2
// \"come\"", and without its amounts.
func actionText(encoded json.RawMessage) (text, withoutAmounts string) {
	a, err := world.DecodeAction(encoded)
	if err != nil {
		return RawText(encoded), RawText(encoded)
	}
	order, isOrder := a.(world.ExecuteUntil)
	if !isOrder {
		return stepText(a)
	}
	text, withoutAmounts = stepText(order.Do)
	for _, step := range order.Then {
		whole, bare := stepText(step.Do)
		text += ", then " + whole
		withoutAmounts += ", then " + bare
	}
	name := order.ActionName() + " "
	return name + text, name + withoutAmounts
}

// stepText is [actionText] of an action that is no order.
func stepText(a world.Action) (text, withoutAmounts string) {
	text = a.ActionName()
	withoutAmounts = text
	for v := range world.Arguments(a) {
		word := v.Text
		switch {
		case v.Kind == world.ParamText:
			word = memory.Quote(v.Text)
		case v.Kind == world.ParamAmount && v.Slot() == world.SlotForTicks:
			text += fmt.Sprintf(" for %d ticks", v.Int)
			continue
		case v.Kind == world.ParamAmount:
			text += fmt.Sprintf(" %d", v.Int)
			continue
		case word == "":
			continue
		case v.Slot() == world.SlotWant:
			word = "for " + word
		}
		text, withoutAmounts = text+" "+word, withoutAmounts+" "+word
	}
	return text, withoutAmounts
}

// Notes are the events of a tick that its action does not tell: messages, power, goals, trades
// by others, jobs, and orders that ended.
func (r Row) Notes() (notes []string) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	for _, e := range r.Events {
		text := ""
		if e.Text != "" {
			text = ": " + memory.Quote(e.Text)
		}
		switch own := e.Agent == r.Agent; {
		case e.Kind == world.EventMessageDelivered && own:
			note("got [%s]%s", e.Subject, text)
		case e.Kind == world.EventMessageSent && own:
			note("sent [%s]%s", e.Subject, text)
		case e.Kind == world.EventNotePosted && own:
			note("posted [%s]%s", e.Subject, text)
		case e.Kind == world.EventPowerState && own:
			note("power is %s", e.Detail)
		case e.Kind == world.EventGoalMet && own:
			note("goal met: %s", e.Subject)
		case e.Kind == world.EventStandingEnded && own:
			note("its order ended: %s", e.Detail)
		case slices.Contains([]world.EventKind{world.EventFactoryBuilt, world.EventJobDone}, e.Kind) && own,
			slices.Contains([]world.EventKind{world.EventTrade, world.EventOfferAccepted, world.EventOfferExpired,
				world.EventOrderExpired, world.EventCollected}, e.Kind),
			e.Kind == world.EventActionApplied && !own:
			note("%s", eventText(e, r.Agent))
		}
	}
	return notes
}

// eventText says what an event was, and what it brought an agent.
func eventText(e world.Event, agent string) string {
	text := strings.ReplaceAll(string(e.Kind), "_", " ")
	if e.Kind == world.EventActionApplied && e.Action != nil {
		text = e.Action.ActionName()
	}
	if e.Agent != agent {
		text += " by " + e.Agent
	}
	for _, word := range []string{e.Subject, e.Detail} {
		if word != "" && word != agent {
			text += " " + word
		}
	}
	for _, g := range e.Gains(agent) {
		text += fmt.Sprintf(", %s %+d", g.Resource, g.Amount)
	}
	return text
}
