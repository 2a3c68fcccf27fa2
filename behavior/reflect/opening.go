package reflect

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Goal is how far the agent has got with one of its goals.
type Goal struct {
	// Text is the scenario's.
	Text         string
	Now, AtLeast int64
	// MetAt is the tick in which it was first met, -1 before.
	MetAt int64
}

// The bounds of an opening in entries.
const (
	textsShown      = 8
	textCharsShown  = 600
	bulletsShownMax = 40
	// apartShownMax bounds each list of effects that belong to no decision, ofOneMax those of one decision.
	apartShownMax = 12
	ofOneMax      = 4
)

// opening is what a turn shows: the newest decisions and the most concerned bullets
// that fit.
type opening struct {
	*Experience
	goals []Goal
	// guarded says that it holds no untrusted text.
	guarded   bool
	decisions []Evaluated
	apart     []Effect
	bullets   []playbook.Bullet
	texts     []trace.Source
	text      string
}

// compose writes the opening within the token budget. Decisions are its subject. So texts of
// other agents are cut first, then bullets, then the oldest decisions.
func (k *Runtime) compose(e *Experience, book *playbook.Playbook, goals []Goal) opening {
	o := opening{Experience: e, goals: goals, guarded: k.guarded, bullets: book.Bullets()}
	o.decisions, o.apart = e.reviewed()
	decided, total := len(o.decisions), len(o.bullets)
	// The bullets that the decisions had in view come first, by how often, and then the
	// newest others.
	shown := map[string]int{}
	for _, j := range o.decisions {
		for _, id := range j.Shown {
			shown[id]++
		}
	}
	slices.Reverse(o.bullets)
	slices.SortStableFunc(o.bullets, func(a, b playbook.Bullet) int { return cmp.Compare(shown[b.ID], shown[a.ID]) })
	o.bullets = o.bullets[:min(total, bulletsShownMax)]
	if !k.guarded {
		for _, s := range e.texts {
			written := s.Kind == trace.KindMessage || s.Kind == trace.KindNote
			if written && utf8.RuneCountInString(s.Text) <= textCharsShown && !strings.ContainsAny(s.Text, "\r\n") {
				o.texts = append(o.texts, s)
			}
		}
		o.texts = o.texts[max(0, len(o.texts)-textsShown):]
	}
	for {
		o.text = o.write(k.words, decided, total)
		switch {
		case k.cfg.CountTokens(o.text) <= k.inputTokens:
			return o
		case len(o.texts) > 0:
			o.texts = o.texts[(len(o.texts)+1)/2:]
		case len(o.bullets) > len(o.decisions):
			o.bullets = o.bullets[:len(o.bullets)/2]
		case len(o.decisions) > 1:
			o.decisions = o.decisions[(len(o.decisions)+1)/2:]
		case len(o.bullets) > 0:
			o.bullets = o.bullets[:len(o.bullets)/2]
		default:
			return o
		}
	}
}

// write writes the sections. What the world answered comes first.
func (o opening) write(w *words.Reflection, decided, bullets int) string {
	lines := o.feedback(w)
	if len(o.goals) > 0 {
		lines = append(lines, w.Goals)
	}
	for _, g := range o.goals {
		text := plaintext.Line(g.Text)
		if g.MetAt >= 0 {
			lines = append(lines, w.Met.Text(text, g.MetAt))
			continue
		}
		lines = append(lines, w.Goal.Text(text, g.Now, g.AtLeast))
	}
	lines = append(lines, w.Decisions)
	lines = leftOut(w, lines, decided-len(o.decisions))
	for _, j := range o.decisions {
		lines = append(lines, j.line(w))
	}
	chosen, others := split(o.apart, func(f Effect) bool { return f.Chosen })
	lines = effects(w, lines, w.Events, others)
	lines = effects(w, lines, w.Chosen, chosen)
	if len(o.refused) > 0 {
		lines = append(lines, w.Rejected)
	}
	for _, r := range o.refused {
		line := o.refusal(w, r)
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	lines = append(lines, w.Playbook)
	if bullets == 0 {
		lines = append(lines, w.Empty)
	}
	for _, b := range o.bullets {
		line := b.Line()
		if o.guarded && b.Trust < trace.TrustSelfObservation {
			line = "[" + b.ID + "] " + w.Doubted
		}
		lines = append(lines, w.Worth.Text(line, b.Helpful, b.Harmful, b.Neutral))
	}
	lines = leftOut(w, lines, bullets-len(o.bullets))
	if len(o.texts) > 0 {
		lines = append(lines, w.Texts)
	}
	for _, s := range o.texts {
		lines = append(lines, s.Text)
	}
	return strings.Join(lines, "\n")
}

// feedback is what the world made of the window's decisions: how many ended how, and what became of each
// stock. The difference that nothing explains is upkeep.
func (o opening) feedback(w *words.Reflection) []string {
	ends := map[End]int{}
	waits := 0
	var window []Evaluated
	for _, j := range o.decisions {
		if j.earlier {
			continue
		}
		window = append(window, j)
		ends[j.End]++
		if j.Waited {
			waits++
		}
	}
	heading := w.Feedback
	if n := len(window); n > 0 {
		heading += w.Ticks.Text(window[0].Tick, window[n-1].Tick)
	}
	lines := []string{heading,
		w.Counts.Text(len(window), ends[EndOK], ends[EndRefused], ends[EndDegraded], waits)}
	moved := slices.Clone(o.moved)
	for _, a := range slices.Concat(o.start, o.now) {
		moved = move(moved, world.Amount{Resource: a.Resource}) // it is listed though nothing moved it
	}
	for _, m := range moved {
		from, to := held(o.start, m.resource), held(o.now, m.resource)
		line := w.Stock.Text(m.resource, from, to, m.gained, m.lost)
		if upkeep := to - from - m.gained + m.lost; upkeep != 0 {
			line += w.Upkeep.Text(words.Change(upkeep))
		}
		lines = append(lines, line)
	}
	return lines
}

// held is how much of a resource is in a stock.
func held(stock []world.Amount, resource string) int64 {
	for _, a := range stock {
		if a.Resource == resource {
			return a.Amount
		}
	}
	return 0
}

// line is the decision with what came of it.
func (j Evaluated) line(w *words.Reflection) string {
	line := j.Line
	if j.Order != 0 {
		line += w.Order.Text(j.Order)
	}
	for _, f := range j.effects[:min(len(j.effects), ofOneMax)] {
		line += " | " + f.Line
	}
	if more := len(j.effects) - ofOneMax; more > 0 {
		line += " " + w.LeftOut.Text(more)
	}
	if len(j.Used) > 0 {
		line += w.Used.Text("[" + strings.Join(j.Used, "] [") + "]")
	}
	return line
}

// effects adds the newest effects that belong to no decision, or that others chose, under a heading.
func effects(w *words.Reflection, lines []string, heading string, list []Effect) []string {
	if len(list) == 0 {
		return lines
	}
	lines = append(lines, heading)
	newest := list[max(0, len(list)-apartShownMax):]
	lines = leftOut(w, lines, len(list)-len(newest))
	for _, f := range newest {
		line := f.Line
		if f.Of != 0 {
			line += w.Of.Text(f.Of)
		}
		lines = append(lines, line)
	}
	return lines
}

// split returns the entries of which it is true, and the others.
func split(list []Effect, is func(Effect) bool) (are, others []Effect) {
	for _, f := range list {
		if is(f) {
			are = append(are, f)
		} else {
			others = append(others, f)
		}
	}
	return are, others
}

// refusal says what of the last proposals was not applied, and why. It repeats no content that repeats
// another agent, whatever the reason: a provider may keep what this model was not shown.
func (o opening) refusal(w *words.Reflection, r playbook.Rejected) string {
	d := detailOf(r.Delta)
	proposal := short(string(r.Delta.Op))
	if d.ID != "" {
		proposal += " [" + d.ID + "]"
	}
	switch {
	case r.Code == playbook.UntrustedText || r.Code == playbook.UntrustedEvidence ||
		playbook.Repeats(d.Content, o.Experience.texts):
		proposal += " " + w.Unrepeated
	case d.Content != "":
		proposal += " " + string(llmclient.Marshal(d.Content))
	case len(d.Decisions) > 0:
		proposal += w.Of.Text(d.Decisions[0])
	}
	return proposal + ": " + reason(w, r)
}

// reason is why a proposal was not applied. Of the numbers of its code, a text takes those that it needs.
func reason(w *words.Reflection, r playbook.Rejected) string {
	form, known := w.Refusals[string(r.Code)]
	if !known {
		panic("reflect: no text for the code " + string(r.Code))
	}
	var values []any
	for _, place := range form.Places() {
		switch place {
		case "other":
			values = append(values, r.Other)
		case "value":
			values = append(values, r.Value)
		case "least", "most":
			values = append(values, r.Limit)
		default:
			panic("reflect: no value for the place " + place)
		}
	}
	return form.Text(values...)
}

func leftOut(w *words.Reflection, lines []string, n int) []string {
	if n > 0 {
		lines = append(lines, w.LeftOut.Text(n))
	}
	return lines
}
