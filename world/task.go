package world

import (
	"errors"
	"slices"
	"strings"
)

// Families lists the families of tasks: tasks that ask for output, tasks that ask to stay
// powered or productive through a shortage, and tasks that no agent can do alone.
func Families() []string { return []string{"production", "survival", "cooperation"} }

// Task makes a scenario a test: one number says how well a run went, and three
// more say what that number means. The numbers hold for the scenario's own seed
// and number of agents.
type Task struct {
	// Family is one of [Families].
	Family string `toml:"family"`
	// Ticks is the length of a run that counts, 20 to 1,000. Later ticks add
	// nothing to the score, and a shorter run gains nothing by being short.
	Ticks int64 `toml:"ticks"`
	// From is the first tick that counts, 1 to Ticks; what is made before it is
	// preparation.
	From int64 `toml:"from"`
	// Metric is what the score measures:
	//   - "produced:control_chip": units of a resource made in the window;
	//   - "uptime": per mille of agent-ticks in the window not shut down;
	//   - "held:data": the stock of all counted agents together at the end;
	//   - "held_min:data": the smallest stock among them at the end.
	// Electricity can be neither produced nor held: it is not stock but charge.
	Metric string `toml:"metric"`
	// Agents lists the ids of the agents whose result counts; none means all.
	Agents []string `toml:"agents"`
	// Meet is the id of a listed and charted place where help is wanted, empty if there is
	// none in particular.
	Meet string `toml:"meet"`
}

// The limits of a task's length, in ticks.
const (
	TaskTicksMin = 20
	TaskTicksMax = 1000
)

// The kinds of metric a score can have.
const (
	metricProduced = "produced"
	metricUptime   = "uptime"
	metricHeld     = "held"
	metricHeldMin  = "held_min"
)

// Measures splits the metric into its kind and the resource it is about, which is
// empty for uptime.
func (t Task) Measures() (kind, resource string) {
	kind, resource, _ = strings.Cut(t.Metric, ":")
	return kind, resource
}

// Counts says whether the result of the agent with the given id counts.
func (t Task) Counts(id string) bool { return len(t.Agents) == 0 || slices.Contains(t.Agents, id) }

// Window is the number of ticks that count.
func (t Task) Window() int64 { return t.Ticks - t.From + 1 }

// checkTask checks a scenario's task, if it has one.
func (s Scenario) checkTask() error {
	if s.Task == nil {
		return nil
	}
	t, all := *s.Task, wrongs(nil)
	all.when(!slices.Contains(Families(), t.Family), "task.family: %q is none of %s", t.Family,
		strings.Join(Families(), ", "))
	all = append(all, within([]valueRange{
		{"task.ticks", t.Ticks, TaskTicksMin, TaskTicksMax},
		{"task.from", t.From, 1, max(1, t.Ticks)},
	}))
	kind, name := t.Measures()
	r, known := s.Industry().resource(name)
	measurable := false
	switch kind {
	case metricUptime:
		measurable = t.Metric == metricUptime
	case metricProduced:
		measurable = known && r > compound // which is dug, not made
	case metricHeld, metricHeldMin:
		measurable = known && r != electricity
	}
	all.when(!measurable, "task.metric: %q is no uptime, produced:, held: or held_min: of a resource", t.Metric)
	charted := slices.ContainsFunc(s.Places, func(p Place) bool { return p.ID == t.Meet && p.Charted })
	all.when(t.Meet != "" && !charted, "task.meet: there is no charted place %q", t.Meet)
	all.when(len(t.Agents) > listMax, "task.agents: %d, want at most %d", len(t.Agents), listMax)
	for i, id := range t.Agents[:min(len(t.Agents), listMax)] {
		_, known := s.agentNumber(id)
		all.when(!known, "task.agents[%d]: there is no agent %q", i, id)
		all.when(slices.Contains(t.Agents[:i], id), "task.agents[%d]: %s is listed twice", i, id)
	}
	return errors.Join(all...)
}
