package behavior

import (
	"fmt"
	"strings"
	"unicode"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/memory"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// outcomeEntry turns a decision and its outcome at a place into one memory. done is
// the same as an episode. Failures and degraded waits weigh more than routine, so that
// they outlive it.
func outcomeEntry(w *wording, d Decision, o world.Outcome, done episode, place string) memory.Entry {
	e := memory.Entry{
		Tick: done.last, Kind: memory.KindOutcome, Importance: memory.ImportanceRoutine, Trust: trace.TrustSelfObservation,
		Subjects: []string{done.action, place},
	}
	// The topic has none of the numbers: it is what all episodes like this one have in common.
	e.Topic = done.action
	if done.things != "" {
		e.Topic += " " + done.things
	}
	switch {
	case done.wait != "":
		e.Topic += w.History.Failed + string(done.wait)
	case done.refusal != nil:
		e.Topic += w.History.Refused + strings.Join(strings.Fields(string(done.refusal.Code)+" "+done.refusal.Field+" "+
			done.refusal.Resource), " ")
	default:
		e.Topic += w.History.Done
	}
	if done.low != 0 {
		e.Measures = append(e.Measures, memory.Range(w.History.Amount, done.low))
	}
	if done.price != 0 {
		e.Measures = append(e.Measures, memory.Range("price", done.price))
	}
	if r := done.refusal; r != nil {
		e.Measures = append(e.Measures, w.numbersOf(r)...)
	}
	name := naming{d.Known, o.Accepted}
	switch {
	case d.WaitReason != "":
		e.Text = w.History.Waited + string(d.WaitReason)
		e.Importance = memory.ImportanceRoutine / 2
		e.Failed = false
	case !o.Accepted:
		e.Text = w.actionText(d.Executed, name)
		if d.veiled {
			e.Text = done.action
		}
		e.Text += w.History.Refused + w.rejectionText(done.refusal)
		e.Importance = memory.ImportanceFailure
		e.Failed = true
		if done.refusal != nil {
			e.Subjects = append(e.Subjects, done.refusal.Resource)
		}
	default:
		e.Text = w.actionText(d.Executed, name) + w.History.Done
		for arg := range world.Arguments(o.Action) {
			switch arg.Kind {
			case world.ParamPlace, world.ParamAgent, world.ParamFactory, world.ParamOrder:
				if id := name.of(repeated(o.Action), arg); id != textUnknown {
					e.Subjects = append(e.Subjects, id)
				}
			}
		}
	}
	for _, c := range o.Changes {
		if !e.Failed {
			e.Text += string(words.Append(nil, " ", c.Resource, " ", words.Change(c.Amount)))
		}
		e.Measures = append(e.Measures, memory.Sum(c.Resource, c.Amount))
		e.Subjects = append(e.Subjects, c.Resource)
	}
	if o.Created != "" {
		e.Text += w.History.Started + o.Created
		e.Importance = memory.ImportanceCreated
		e.Subjects = append(e.Subjects, o.Created)
	}
	return e
}

// placeEntry is what the agent found at its place.
func placeEntry(w *wording, o *world.Observation) memory.Entry {
	h := o.Here
	return memory.Entry{
		Tick: o.Tick, Kind: memory.KindObservation, Importance: memory.ImportanceRoutine, Trust: trace.TrustSelfObservation,
		Text: w.History.Found.Text(h.ID, h.Radiation, h.CompoundG), Topic: w.History.Place.Text(h.ID),
		Subjects: []string{h.ID},
		Measures: []memory.Measure{memory.Range(w.History.Radiation, h.Radiation), memory.Range("compound", h.CompoundG)},
	}
}

// actionText writes an action as its name and its arguments in registry order.
func (w *wording) actionText(a world.Action, name naming) string {
	if order, ok := a.(world.ExecuteUntil); ok {
		return "execute_until " + w.actionText(order.Do, name)
	}
	text := a.ActionName()
	for arg := range world.Arguments(a) {
		if argument := w.argumentText(a, arg, name); argument != "" {
			text += " " + argument
		}
	}
	return text
}

// idText keeps of a model-written id what an id can consist of, so that it cannot
// carry a sentence into memory.
func idText(s string) string {
	kept := strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.:-", r)) {
			return r
		}
		return -1
	}, s)
	return kept[:min(len(kept), idCharsMax)]
}

const idCharsMax = 64

func (w *wording) rejectionText(r *world.Rejection) string {
	if r == nil {
		return w.History.NoReason
	}
	text := strings.TrimSpace(w.Word(string(r.Code)) + " " + r.Resource)
	if r.Code == world.RejectContended {
		text += w.History.Contended
	}
	for _, n := range w.numbersOf(r) {
		least := ""
		if n.Name == w.History.Limit && r.Code == world.RejectInvalidAmount {
			least = "1.."
		}
		text += fmt.Sprintf(" %s %s%d", n.Name, least, n.Low)
	}
	return text
}

// numbersOf are the numbers a refusal gives.
func (w *wording) numbersOf(r *world.Rejection) (list []memory.Measure) {
	for _, n := range []struct {
		name  string
		value *int64
	}{{w.History.Requested, r.Requested}, {w.History.Available, r.Available}, {w.History.Limit, r.Maximum}} {
		if n.value != nil {
			list = append(list, memory.Range(n.name, *n.value))
		}
	}
	return list
}
