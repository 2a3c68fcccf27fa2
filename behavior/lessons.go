package behavior

import (
	"slices"
	"strings"

	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// lessons offers all trusted bullets if they fit, in the order of their worth. Of a longer playbook it
// offers those that fit the situation best, best first. Both come with shorter heads. doubted are those
// trusted less than what the agent observed itself. They wait for the plan like any untrusted text, and
// never displace a better lesson.
func (m *Agent) lessons(seen *visibleObservation, last world.Outcome) (offered sectionDraft, doubted []trace.Source) {
	limit := min(m.cfg.PlaybookBullets, m.layout.lessons)
	if limit == 0 || m.playbook.Len() == 0 {
		return sectionDraft{name: sectionPlaybook, variants: []variant{{}}}, nil
	}
	least := trace.TrustSelfObservation
	if !m.cfg.Guards(trace.CheckLessons) {
		least = trace.TrustToolError
	}
	situation, wanted := m.situation(seen, last)
	sources, whole := m.fitting(m.playbook.Retrieve("", nil, least, limit+1))
	if !whole || len(sources) > limit {
		sources, _ = m.fitting(m.playbook.Retrieve(situation, wanted, least, limit))
	}
	// What was learned elsewhere advises and does not command, so the heading says what lessons are.
	offered = quoting(sectionPlaybook, m.words.Headings.Playbook, sources)
	if m.playbook.Doubted(least) {
		all := m.playbook.Retrieve(situation, wanted, trace.TrustToolError, m.playbook.Len())
		doubted, _ = m.fitting(slices.DeleteFunc(all, func(b playbook.Scored) bool { return b.Trust >= least }))
		doubted = doubted[:min(len(doubted), limit)]
	}
	return offered, doubted
}

// fitting are the first bullets as sources, as many as a prompt has room for; whole says that these are
// all.
func (m *Agent) fitting(found []playbook.Scored) (sources []trace.Source, whole bool) {
	room := m.layout.lessonChars
	for _, bullet := range found {
		s := bullet.Source()
		room -= s.Chars
		if room < 0 {
			return sources, false
		}
		sources = append(sources, s)
	}
	return sources, true
}

// situation is what an agent would look up lessons by: its goals, its place, what is short and
// what the world refused last. It holds no word of another agent, because the sender of a message
// must not choose the lessons shown with it. wanted are the sections that the situation calls
// for, whatever the words of their bullets. So lessons written in another language are found too.
func (m *Agent) situation(seen *visibleObservation, last world.Outcome) (text string, wanted []playbook.Section) {
	words := []string{m.goalsText, seen.Self.Place, seen.Here.Material, seen.Woken}
	if seen.Self.PowerState != powerNormal {
		words = append(words, seen.Self.PowerState, m.words.Lessons.Power)
		wanted = append(wanted, playbook.Res)
	}
	if 4*seen.Self.Heat >= 3*seen.Self.HeatCapacity {
		words = append(words, m.words.Lessons.Heat)
	}
	if seen.Self.Place != "" && seen.Here.CompoundG == 0 {
		words = append(words, m.words.Lessons.Depleted)
	}
	if seen.Withheld > 0 {
		words = append(words, m.words.Lessons.Texts)
		wanted = append(wanted, playbook.Soc)
	}
	if last.Rejection != nil {
		words = append(words, last.Action.ActionName(), m.words.rejectionText(last.Rejection))
		wanted = append(wanted, playbook.Err)
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "\n"), wanted
}

// powerNormal is the power state that calls for no lesson.
const powerNormal = "normal"
