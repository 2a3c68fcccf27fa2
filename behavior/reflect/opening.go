package reflect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// Goal is how far the agent has got with one of its goals.
type Goal struct {
	// Text is the scenario's.
	Text         string
	Now, AtLeast int64
}

// The bounds of an opening in entries.
const (
	textsShown      = 8
	textCharsShown  = 600
	bulletsShownMax = 40
)

// opening is what a turn shows: the newest decisions and the most concerned bullets
// that fit.
type opening struct {
	// guarded says that it holds no untrusted text.
	guarded   bool
	decisions []Evaluated
	bullets   []playbook.Bullet
	texts     []trace.Source
	text      string
}

// compose writes the opening within the token budget. Decisions are its subject. So texts of
// other agents are cut first, then bullets, then the oldest decisions.
func (k *Runtime) compose(e *Experience, book *playbook.Playbook, goals []Goal) opening {
	o := opening{guarded: k.guarded, decisions: e.decisions, bullets: book.Bullets()}
	total := len(o.bullets)
	// The bullets that the decisions had in view come first, by how often, and then the
	// newest others.
	shown := map[string]int{}
	for _, j := range e.decisions {
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
		o.text = o.write(k.words, goals, len(e.decisions), total)
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
func (o opening) write(w *words.Reflection, goals []Goal, decisions, bullets int) string {
	heading := w.Feedback
	if n := len(o.decisions); n > 0 {
		heading += w.Ticks.Text(o.decisions[0].Tick, o.decisions[n-1].Tick)
	}
	ends := map[End]int{}
	waits := 0
	var changed []string
	sums := map[string]int64{}
	for _, j := range o.decisions {
		ends[j.End]++
		if j.Waited {
			waits++
		}
		for _, c := range j.Changes {
			if _, mentioned := sums[c.Resource]; !mentioned {
				changed = append(changed, c.Resource)
			}
			sums[c.Resource] += c.Amount
		}
	}
	for i, resource := range changed {
		changed[i] = fmt.Sprintf("%s %+d", resource, sums[resource])
	}
	lines := []string{
		heading,
		w.Counts.Text(len(o.decisions), ends[EndOK], ends[EndRefused], ends[EndDegraded], waits),
		w.Changes.Text(cmp.Or(strings.Join(changed, ", "), w.NoChange)),
	}
	if len(goals) > 0 {
		lines = append(lines, w.Goals)
	}
	for _, g := range goals {
		lines = append(lines, w.Goal.Text(plaintext.Line(g.Text), g.Now, g.AtLeast))
	}
	lines = append(lines, w.Decisions)
	lines = leftOut(w, lines, decisions-len(o.decisions))
	for _, j := range o.decisions {
		line := j.Line
		if len(j.Used) > 0 {
			line += w.Used.Text("[" + strings.Join(j.Used, "] [") + "]")
		}
		lines = append(lines, line)
	}
	lines = append(lines, w.Playbook)
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

func leftOut(w *words.Reflection, lines []string, n int) []string {
	if n > 0 {
		lines = append(lines, w.LeftOut.Text(n))
	}
	return lines
}
