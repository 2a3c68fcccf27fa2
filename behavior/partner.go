package behavior

import (
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// partnersMax bounds the agents of whom the note on an offer to anyone speaks.
const partnersMax = 4

// partnersNote says of an offer what the rules of its receivers let them take of it, and of a request what
// they let them give. It is empty if no such rule lets this agent ask.
func (t *Turn) partnersNote(a world.Action) string {
	to, good := "", ""
	answers := []string{(world.AcceptOffer{}).ActionName()}
	switch do := repeated(a).(type) {
	case world.Offer:
		to, good = do.To, do.Want
	case world.Request:
		to, good = do.To, do.Resource
		answers = []string{(world.Transfer{}).ActionName(), (world.Offer{}).ActionName()}
	default:
		return ""
	}
	seen := &t.exposure.opening.known
	receivers := []string{to}
	if to == world.ToAnyone {
		receivers = nil
		for _, c := range seen.Agents {
			if c.Place == seen.Self.Place && len(receivers) < partnersMax {
				receivers = append(receivers, c.ID)
			}
		}
	}
	w := t.agent.words
	var notes []string
	for _, id := range receivers {
		var rules []string
		for _, r := range t.view.GivesTo(id) {
			if r.What != "" && r.What != good || !slices.Contains(answers, r.Action) || !observes(seen, id) {
				continue
			}
			r.What = good
			if line := w.mostOf(&r); !slices.Contains(rules, line) {
				rules = append(rules, line)
			}
		}
		if len(rules) > 0 {
			notes = append(notes, w.Allowed.Partner.Text(plain(id), strings.Join(rules, "; ")))
		}
	}
	return strings.Join(notes, " ")
}

// mostOf is what one rule lets its agent give at once, and for what, named as in the own limits: first what this
// agent gives.
func (w *wording) mostOf(r *world.PolicyRule) string {
	text := r.What
	if r.GetAtLeast > 0 {
		text = w.Allowed.Taking.Text(max(1, r.Per), plain(r.What), r.GetAtLeast, plain(r.Get))
	}
	if r.Most > 0 {
		text += ", " + w.Allowed.Once.Text(r.Most, w.counted(r))
	}
	return text
}
