package behavior

import "example.com/agentworld/world"

// Leaning is what the turn is likely to decide, by what was answered so far, with what it would do if that is refused:
// the best candidate of its newest draft, or else the planned action that it would end in if it ended now; nil if it
// has neither. It changes nothing.
func (t *Turn) Leaning() (list []world.Action) {
	if w := t.draft.accepted; w != nil {
		for _, number := range w.ranked() {
			a := w.verdicts[number-1].Adjusted
			if len(list) > 0 {
				a = repeated(a)
			}
			list = append(list, a)
		}
	}
	if len(list) > 0 {
		return list
	}
	best, _ := t.best()
	for _, d := range best {
		list = append(list, d.Executed)
	}
	return list
}
