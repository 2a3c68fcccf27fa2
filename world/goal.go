package world

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// GoalStatus is how far one agent is with one goal.
type GoalStatus struct {
	Goal Goal `json:"goal"`
	// AgentID is whose goal it is, also for goals of every agent.
	AgentID string `json:"agent_id"`
	// MetAt is the first tick after which the metric was high enough, -1 if it
	// never was. A goal once met stays met.
	MetAt int64 `json:"met_at"`
	// Now is the metric's present value.
	Now int64 `json:"now"`
}

// metric is a goal's measure, its names resolved. Exactly one of its fields is set.
type metric struct {
	// now is the present value for an agent.
	now func(w *World, a *agent) int64
	// counts is what an event adds to the value for the agent that it happened to.
	counts func(e *Event) int64
}

// pursuit is one agent's goal. count is the value of a metric that counts events.
type pursuit struct {
	goal   Goal
	metric metric
	metAt  int64
	count  int64
}

// value is the present value of the metric.
func (p *pursuit) value(w *World, a *agent) int64 {
	if p.metric.counts != nil {
		return p.count
	}
	return p.metric.now(w, a)
}

// countableEvent is a kind of event that a goal can count. received says that others alone bring it about.
type countableEvent struct {
	kind     EventKind
	received bool
}

// countable are these kinds. Their agent knows of them in the same tick, so that the count tells it nothing.
var countable = []countableEvent{
	{kind: EventArrived}, {kind: EventFactoryBuilt}, {kind: EventBatchDone}, {kind: EventJobDone}, {kind: EventTrade},
	{kind: EventMessageSent}, {kind: EventMessageDelivered, received: true}, {kind: EventNotePosted},
	{kind: EventOfferMade}, {kind: EventOfferAccepted},
}

// CountableEvents names the kinds of events that a goal can count.
func CountableEvents() (names []string) {
	for _, e := range countable {
		names = append(names, string(e.kind))
	}
	return names
}

// ByOthers says how other agents can meet a goal though its own agent does nothing: by gifts or by messages.
// It is empty if they cannot. Rules that forbid an action to all agents count.
func (s Scenario) ByOthers(g Goal) string {
	if s.Agents.Count < 2 {
		return ""
	}
	sort, name, _ := strings.Cut(g.Metric, ":")
	received := slices.Contains(countable, countableEvent{EventKind(name), true})
	switch {
	case (sort == "stock" || sort == "product") && !s.forbids(Transfer{}.ActionName()):
		return "gifts"
	case sort == "event" && received:
		return "messages"
	}
	return ""
}

// parseMetric resolves "kind:name" against the scenario.
// Names are resolved once, when the world is made; a goal that names nothing is a
// fault of the scenario and not a goal that is never met.
func (s Scenario) parseMetric(in *Industry, text string) (metric, error) {
	switch sort, name, _ := strings.Cut(text, ":"); sort {
	case "stock", "product":
		if r, ok := in.resource(name); ok && (sort == "stock" || r >= controlChip) {
			// What own offers hold counts where the agent can see it: elsewhere it may have been
			// taken, which is not to show.
			return metric{now: func(w *World, a *agent) int64 { return w.stockOf(a)[r] + w.heldHere(a, r) }}, nil
		}
	case "factory":
		if kind, ok := kindNumber(in.Kinds, name); ok {
			return metric{now: func(w *World, a *agent) (finished int64) {
				for _, k := range a.factories {
					if w.factories[k].ready && w.factories[k].kind == kind {
						finished++
					}
				}
				return finished
			}}, nil
		}
	case "place":
		// A place counts while the agent is there, not while it travels to it.
		if p, ok := s.placeNumber(name); ok {
			return metric{now: func(_ *World, a *agent) int64 { return bit(a.place == p) }}, nil
		}
	case "made":
		if r, ok := in.resource(name); ok && r > compound {
			return metric{counts: func(e *Event) int64 { return e.made(name) }}, nil
		}
	case "event":
		if slices.Contains(CountableEvents(), name) {
			kind := EventKind(name)
			return metric{counts: func(e *Event) int64 {
				// The last batch of a job is one too.
				return bit(e.Kind == kind || kind == EventBatchDone && e.Kind == EventJobDone)
			}}, nil
		}
	}
	return metric{}, s.noMetric(in, text)
}

// metricForms says what the metric of a goal is.
const metricForms = "stock:, product:, made:, factory:, place: or event: and a name"

// namesShown bounds the names of an error.
const namesShown = 20

// noMetric says what is wrong with a metric that resolves to nothing, and what is allowed in its place.
func (s Scenario) noMetric(in *Industry, text string) error {
	sort, _, _ := strings.Cut(text, ":")
	var names []string
	switch sort {
	case "stock":
		names = in.Resources
	case "product":
		names = in.Resources[controlChip:]
	case "made":
		names = in.Resources[compound+1:]
	case "factory":
		for _, kind := range in.Kinds {
			names = append(names, kind.Name)
		}
	case "place":
		for _, p := range s.Places {
			names = append(names, p.ID)
		}
		if s.Belt != nil {
			names = append(names, s.Belt.IDPrefix+"-1 and the other fragments")
		}
	case "event":
		names = CountableEvents()
	default:
		return fmt.Errorf("%q is no measure of this scenario; allowed: %s", text, metricForms)
	}
	more := ""
	if len(names) > namesShown {
		names = names[:namesShown]
		more = " and more"
	}
	return fmt.Errorf("%q names nothing of this scenario; allowed after %s: are %s%s", text, sort,
		strings.Join(names, ", "), more)
}

// checkGoals allows a goal per agent beside the usual number, for scenarios that
// WithAgents has spread over a crowd.
func (s Scenario) checkGoals() error {
	if len(s.Goals) > goalsMax+int(s.Agents.Count) {
		return fmt.Errorf("goals: %d, want at most %d beside one per agent", len(s.Goals), goalsMax)
	}
	var all []error
	seen, in := map[string]bool{}, s.Industry()
	for i, g := range s.Goals {
		field := fmt.Sprintf("goals[%d]", i)
		all = append(all, checkID(field+".id", g.ID), checkText(field+".text", g.Text, textMax))
		if _, ok := s.agentNumber(g.Agent); g.Agent != "*" && !ok {
			all = append(all, fmt.Errorf("%s.agent: there is no agent %q", field, g.Agent))
		}
		if _, err := s.parseMetric(in, g.Metric); g.Metric == "" {
			all = append(all, fmt.Errorf("%s.metric: it is missing; allowed: %s", field, metricForms))
		} else if err != nil {
			all = append(all, fmt.Errorf("%s.metric: %w", field, err))
		}
		all = append(all, within([]valueRange{{field + ".at_least", g.AtLeast, 1, amountMax}}))
		if seen[g.ID] && g.ID != "" {
			all = append(all, fmt.Errorf("%s.id: %q is used twice", field, g.ID))
		}
		seen[g.ID] = true
	}
	return errors.Join(all...)
}

// pursuits lists every agent's goals by agent, each agent's in scenario order.
// Goals change nothing in the world and no agent's view; they only say when what
// was asked for has been reached.
func (s Scenario) pursuits() [][]pursuit {
	lists, in := make([][]pursuit, s.Agents.Count), s.Industry()
	for _, g := range s.Goals {
		m, err := s.parseMetric(in, g.Metric)
		if err != nil {
			panic("world: a checked scenario has a bad metric: " + err.Error())
		}
		from, to := 0, len(lists)
		if g.Agent != "*" {
			from, _ = s.agentNumber(g.Agent)
			to = from + 1
		}
		for n := from; n < to; n++ {
			lists[n] = append(lists[n], pursuit{goal: g, metric: m, metAt: -1})
		}
	}
	return lists
}

// SetGoals replaces the goals from the next tick on. Call it between ticks, after Apply. A goal that keeps its
// id, agent and metric keeps what was counted for it, and with the same bound whether it was met. A new one
// counts events from here on. The error names a goal that cannot be; the world is then unchanged.
func (w *World) SetGoals(goals []Goal) error {
	next := w.scenario
	next.Goals = slices.Clone(goals)
	if err := next.checkGoals(); err != nil {
		return err
	}
	w.scenario = next
	before := w.goals
	w.goals = next.pursuits()
	w.counting = false
	for n, list := range w.goals {
		same := len(list) == len(before[n])
		for i := range list {
			p := &list[i]
			at := slices.IndexFunc(before[n], func(old pursuit) bool {
				return old.goal.ID == p.goal.ID && old.goal.Metric == p.goal.Metric
			})
			same = same && at == i && before[n][at].goal.AtLeast == p.goal.AtLeast
			if at >= 0 {
				p.count = before[n][at].count
			}
			if at >= 0 && before[n][at].goal.AtLeast == p.goal.AtLeast {
				p.metAt = before[n][at].metAt
			}
			w.counting = w.counting || p.metric.counts != nil
		}
		if !same {
			w.touchAgent(int32(n))
		}
	}
	return nil
}

// countGoals adds an event to the goals of its agent that count such events.
func (w *World) countGoals(e *Event) {
	n, ok := w.numbers[e.Agent]
	if !ok {
		return
	}
	for i := range w.goals[n] {
		p := &w.goals[n][i]
		if p.metric.counts == nil {
			continue
		}
		if more := p.metric.counts(e); more != 0 {
			p.count = saturatingAdd(p.count, more)
			w.touchAgent(n)
		}
	}
}

// reviewGoals notes the goals of agent n that are met now for the first time.
// Only agents that changed are reviewed. A charge that runs down by itself cannot
// meet a goal, so that idle agents need no look.
func (w *World) reviewGoals(n int32) {
	for i := range w.goals[n] {
		p := &w.goals[n][i]
		if p.metAt >= 0 || p.value(w, &w.agents[n]) < p.goal.AtLeast {
			continue
		}
		p.metAt = w.tick
		w.emit(Event{Kind: EventGoalMet, Agent: w.agents[n].id, Subject: p.goal.ID})
	}
}

// Goals lists the status of every agent's goals, by agent and then in the order
// of the scenario.
func (w *World) Goals() []GoalStatus {
	var list []GoalStatus
	for n := range w.goals {
		list = append(list, w.goalsOf(n)...)
	}
	return list
}

// goalsOf is the status of the goals of agent n.
func (w *World) goalsOf(n int) (list []GoalStatus) {
	a := &w.agents[n]
	for i := range w.goals[n] {
		p := &w.goals[n][i]
		list = append(list, GoalStatus{p.goal, a.id, p.metAt, p.value(w, a)})
	}
	return list
}
