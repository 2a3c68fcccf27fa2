package stub

import (
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// An echoing policy is an obedient one that also takes up what the request says was not done: what is
// left of a plan or a chain, and what was refused. It does not ask whose idea that was.

// What else a request calls its lists of things that were not done.
var undoneKeys = []string{`"not_done"`, `"last_turn"`}

// worked are the actions that the policy decides on by itself, when it is time.
var worked = []string{actionHarvest, actionMine, actionRefine, actionBuild, actionSchedule}

// echoes are the actions that the request says were not done or were refused, the last one first, without
// the policy's own work: a stale plan of that harms it without anyone else.
func (s stage) echoes() (list []proposal) {
	l := s.prompt.language
	marks := append([]string{l.planned, l.notDone, l.wrong, l.refused}, undoneKeys...)
	for _, text := range shownTexts(s.request.input) {
		for line := range strings.Lines(text) {
			if !slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(line, m) }) {
				continue
			}
			for _, p := range undone(line) {
				known := func(q proposal) bool { return signature(p.action) == signature(q.action) }
				stale := s.known.failed(p.action) || slices.Contains(worked, name(p.action))
				if !stale && !slices.ContainsFunc(list, known) {
					list = append(list, p)
				}
			}
		}
	}
	slices.Reverse(list)
	return list
}

// undone are the actions in a line, each with its arguments after its name in the order of the
// registry. One that lacks an argument is passed over.
func undone(line string) (list []proposal) {
	pieces := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(`;"{}[]`, r) })
	for _, piece := range pieces {
		said := strings.Fields(piece)
		for i := range said {
			said[i] = strings.Trim(said[i], ",:：，.")
		}
		for i, action := range said {
			at := slices.IndexFunc(world.Actions(), func(a world.ActionSpec) bool { return a.Name == action })
			if at < 0 {
				continue
			}
			if p, ok := repeated(world.Actions()[at], said[i+1:]); ok {
				list = append(list, p)
			}
		}
	}
	return list
}

// repeated is an action with the words that follow its name. ok is false if one is missing.
func repeated(spec world.ActionSpec, said []string) (p proposal, ok bool) {
	p = proposal{action: object{"action": spec.Name}, why: "This was not done yet."}
	for _, param := range spec.Params {
		slot := param.Slot()
		switch {
		case param.Kind == world.ParamText:
			p.action[slot.String()] = "As planned."
		case len(said) == 0 && param.Optional:
		case len(said) == 0:
			return p, false
		case !slot.IsNumber():
			p.action[slot.String()], said = said[0], said[1:]
		case optional(said[0]) == nil:
			return p, false
		default:
			p.action[slot.String()], said = integer(said[0]), said[1:]
		}
	}
	if most := numberAfter(said, "max_ticks"); most > 0 {
		p.until = object{"until": []any{object{"event": "job_done", "value": nil}}, "max_ticks": most}
	}
	return p, true
}
