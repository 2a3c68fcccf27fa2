package behavior

import (
	"fmt"
	"strings"
	"unicode"

	"agentworld/memory"
	"agentworld/world"
)

// outcomeEntry turns a decision and its outcome into one memory. Failures and
// degraded waits weigh more than routine, so that they outlive it.
func outcomeEntry(w *wording, tick int64, d Decision, o world.Outcome) memory.Entry {
	e := memory.Entry{Tick: tick, Kind: memory.KindOutcome, Importance: 500, Trust: memory.SelfObservation}
	switch {
	case d.Wait != "":
		e.Text, e.Importance, e.Failed = w.textWaited+string(d.Wait), 800, true
	case !o.Accepted:
		// The ids in a refused action are the model's own words, not facts.
		e.Text, e.Importance, e.Failed = w.actionText(d.Executed)+w.textRefused+w.rejectionText(o.Rejection), 800, true
		e.Trust = memory.Derived
	default:
		e.Text = w.actionText(d.Executed) + w.textDone + changesText(o.Changes)
	}
	if o.Created != "" {
		e.Text += w.textStarted + o.Created
		e.Importance = 900
	}
	return e
}

// actionText writes an action as name and arguments in registry order.
func (w *wording) actionText(a world.Action) string {
	if order, ok := a.(world.ExecuteUntil); ok {
		return "execute_until " + w.actionText(order.Do)
	}
	args := world.ActionArgs(a)
	words := []string{a.ActionName()}
	for _, spec := range world.Actions() {
		if spec.Name != a.ActionName() {
			continue
		}
		for _, p := range spec.Params {
			switch p.Kind {
			case world.ParamAmount:
				words = append(words, fmt.Sprint(args[p.Name].Int))
			case world.ParamText:
				words = append(words, w.textLength(args[p.Name].Text))
			default:
				words = append(words, idText(args[p.Name].Text))
			}
		}
	}
	return strings.Join(words, " ")
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
		return w.textNoReason
	}
	words := []string{string(r.Code)}
	if r.Resource != "" {
		words = append(words, r.Resource)
	}
	for _, n := range []struct {
		name  string
		value *int64
	}{{w.textRequested, r.Requested}, {w.textAvailable, r.Available}, {w.textLimit, r.Maximum}} {
		if n.value != nil {
			words = append(words, fmt.Sprintf("%s %d", n.name, *n.value))
		}
	}
	return strings.Join(words, " ")
}

func changesText(changes []world.Amount) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, " %s%+d", c.Resource, c.Amount)
	}
	return b.String()
}
