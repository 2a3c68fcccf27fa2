package reflect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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
	// guarded says that it holds no words of others.
	guarded   bool
	decisions []Judged
	bullets   []playbook.Bullet
	texts     []trace.Source
	text      string
}

// compose writes the opening within the token budget. Decisions are what it is
// about, so texts of others go first, then bullets, then the oldest decisions.
func (k *Kit) compose(e *Experience, book *playbook.Playbook, goals []Goal) opening {
	o := opening{guarded: k.guarded, decisions: e.decisions, bullets: concerned(book, e.decisions)}
	if !k.guarded {
		o.texts = shownTexts(e.texts)
	}
	total := len(book.Bullets())
	for {
		o.text = o.write(goals, len(e.decisions), total)
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

// concerned returns the bullets that the decisions had in view, the most shown
// first, and then the newest others.
func concerned(book *playbook.Playbook, decisions []Judged) []playbook.Bullet {
	shown := bulletsShown(decisions)
	all := book.Bullets()
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b playbook.Bullet) int { return cmp.Compare(shown[b.ID], shown[a.ID]) })
	return all[:min(len(all), bulletsShownMax)]
}

// shownTexts returns the newest texts that are messages or notes and short enough.
func shownTexts(texts []trace.Source) []trace.Source {
	var list []trace.Source
	for _, s := range texts {
		text := s.Kind == trace.KindMessage || s.Kind == trace.KindNote
		if text && utf8.RuneCountInString(s.Text) <= textCharsShown && !strings.ContainsAny(s.Text, "\r\n") {
			list = append(list, s)
		}
	}
	return list[max(0, len(list)-textsShown):]
}

// write writes the sections. What the world answered comes first.
func (o opening) write(goals []Goal, decisions, bullets int) string {
	lines := o.feedback()
	if len(goals) > 0 {
		lines = append(lines, headingGoals)
	}
	for _, g := range goals {
		lines = append(lines, fmt.Sprintf(lineGoal, plaintext.Line(g.Text), g.Now, g.AtLeast))
	}
	lines = append(lines, headingDecisions)
	lines = leftOut(lines, decisions-len(o.decisions))
	for _, j := range o.decisions {
		line := j.Line
		if len(j.Used) > 0 {
			line += fmt.Sprintf(lineUsed, "["+strings.Join(j.Used, "] [")+"]")
		}
		lines = append(lines, line)
	}
	lines = append(lines, headingPlaybook)
	for _, b := range o.bullets {
		line := b.Line()
		if o.guarded && b.Trust < trace.TrustSelfObservation {
			line = "[" + b.ID + "] " + textDoubted
		}
		lines = append(lines, fmt.Sprintf(lineWorth, line, b.Helpful, b.Harmful, b.Neutral))
	}
	lines = leftOut(lines, bullets-len(o.bullets))
	if len(o.texts) > 0 {
		lines = append(lines, headingTexts)
	}
	for _, s := range o.texts {
		lines = append(lines, s.Text)
	}
	return strings.Join(lines, "\n")
}

func leftOut(lines []string, n int) []string {
	if n > 0 {
		lines = append(lines, fmt.Sprintf(lineLeftOut, n))
	}
	return lines
}

// feedback sums up what the world answered.
func (o opening) feedback() []string {
	heading := headingFeedback
	if n := len(o.decisions); n > 0 {
		heading += fmt.Sprintf(lineTicks, o.decisions[0].Tick, o.decisions[n-1].Tick)
	}
	ends := map[End]int{}
	waits := 0
	var changes []world.Amount
	for _, j := range o.decisions {
		ends[j.End]++
		if j.Waited {
			waits++
		}
		changes = summed(changes, j.Changes)
	}
	var parts []string
	for _, c := range changes {
		parts = append(parts, fmt.Sprintf("%s %+d", c.Resource, c.Amount))
	}
	return []string{
		heading,
		fmt.Sprintf(lineCounts, len(o.decisions), ends[EndOK], ends[EndRefused], ends[EndDegraded], waits),
		fmt.Sprintf(lineChanges, cmp.Or(strings.Join(parts, ", "), textNoChange)),
	}
}

// summed adds amounts by resource, in order of first mention.
func summed(total, added []world.Amount) []world.Amount {
	for _, a := range added {
		i := slices.IndexFunc(total, func(t world.Amount) bool { return t.Resource == a.Resource })
		if i < 0 {
			total = append(total, a)
		} else {
			total[i].Amount += a.Amount
		}
	}
	return total
}
