package behavior

import (
	"cmp"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// appendTask appends what the run is scored by: what counts, whose and when, by when work must
// begin to count, and who helps whom. Every agent is told, since those whose result does not count
// may be the ones that the others depend on.
func (m *Agent) appendTask(b []byte, t *world.Task, r *world.Industry) []byte {
	all := cmp.Or(strings.Join(t.Agents, ", "), m.words.Goals.AllAgents)
	kind, resource := t.Measures()
	metric := m.words.Goals.Metrics.Text(kind)
	if resource != "" {
		metric += ":" + resource
	}
	b = m.words.Goals.Task.Append(append(b, '\n'), metric, all, t.From, t.Ticks)
	switch kind {
	case "produced":
		b = m.words.Goals.Made.Append(b, t.Ticks)
		if last := lastStart(resource, t.Ticks, r); last > 0 {
			b = m.words.Goals.LastStart.Append(b, last)
		}
	case "uptime":
		b = append(b, m.words.Goals.Uptime...)
	case "held":
		b = m.words.Goals.HeldTogether.Append(b, t.Ticks)
	case "held_min":
		b = m.words.Goals.HeldByLeast.Append(b, t.Ticks)
	}
	switch counts := t.Counts(m.id); {
	case !counts && t.Meet != "":
		b = m.words.Goals.HelpAt.Append(b, t.Meet)
	case !counts:
		b = append(b, m.words.Goals.Help...)
	case t.Meet != "" && len(t.Agents) > 0:
		b = m.words.Goals.Helped.Append(b, t.Meet)
	}
	return b
}

// lastStart is the last tick in which a batch can start and be delivered in time, 0 for what no
// recipe yields.
func lastStart(resource string, ticks int64, r *world.Industry) (last int64) {
	for _, recipe := range r.Recipes {
		if slices.ContainsFunc(recipe.Outputs, func(a world.Amount) bool { return a.Resource == resource }) {
			last = max(last, ticks-recipe.Ticks)
		}
	}
	return last
}
