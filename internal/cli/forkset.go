package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// setAllowed says what --set takes.
const setAllowed = "rules.FIELD=VALUE; personas.AGENT.text=TEXT, also .short_term_goal and .long_term_goal; " +
	"goals.ID.at_least=NUMBER, also .metric, .text and .agent; goals.ID=none"

// errNotUnderstood is the error of a change that is none.
var errNotUnderstood = errors.New("not understood; allowed: " + setAllowed + "; docs/forks.md lists the fields")

// changeAtFork takes what --set gives a fork: rules and goals into the settings, and texts of agents as switches
// from the tick after the fork on. A scenario that cannot be read is left to the session.
func (p *plan) changeAtFork(fork *forkPoint) (switches []trace.Switch, err error) {
	of, err := playback.Scenario(p.Settings)
	if err != nil || len(fork.Set) == 0 {
		return nil, nil
	}
	goals := slices.Clone(of.Goals)
	for _, change := range fork.Set {
		name, text, _ := strings.Cut(change, "=")
		table, field, _ := strings.Cut(strings.TrimSpace(name), ".")
		text = strings.TrimSpace(text)
		err := errNotUnderstood
		switch {
		case text == "":
		case table == "rules":
			err = setRule(&of.Rules, field, text)
			p.Rules = &of.Rules
		case table == "personas":
			var s trace.Switch
			s, err = personaSwitch(field, text)
			s.Tick = fork.AtTick + 1
			switches = append(switches, s)
		case table == "goals":
			goals, err = setGoal(goals, field, text)
			p.Goals = goals
		}
		if err != nil {
			return nil, badInput("--set %s: %w", shown(change), err)
		}
	}
	of.Goals = goals
	// The prompt shows the scenario with the changes, so it has to be valid under them.
	if err := of.Check(); err != nil {
		text := errorText(err)
		for i, g := range goals { // a number says nothing to who wrote an id
			text = strings.ReplaceAll(text, fmt.Sprintf("goals[%d].", i), "goals."+g.ID+".")
		}
		return nil, badInput("--set: what the scenario begins with does not fit: %s", text)
	}
	return switches, nil
}

// setRule changes a rule.
func setRule(rules *world.Rules, field, text string) error {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%s is not understood; allowed: whole numbers", shown(text))
	}
	changed, err := rules.With(field, value)
	if err != nil {
		if all := world.ChangeableRules(); !slices.Contains(all, field) {
			return fmt.Errorf("%w; %s", err, document.Offer(field, all, "docs/forks.md"))
		}
		return err
	}
	*rules = changed
	return nil
}

// personaSwitch is the change of a text of an agent.
func personaSwitch(field, text string) (s trace.Switch, err error) {
	agent, what, _ := strings.Cut(field, ".")
	s.AgentID = agent
	switch what {
	case "text":
		s.Persona = &text
	case "short_term_goal":
		s.ShortTermGoal = &text
	case "long_term_goal":
		s.LongTermGoal = &text
	default:
		err = errNotUnderstood
	}
	return s, err
}

// setGoal changes one of the goals, adds one of another id, or removes one. An added goal is that of all agents
// unless another change says whose.
func setGoal(goals []world.Goal, field, text string) (changed []world.Goal, err error) {
	of := func(id string) int { return slices.IndexFunc(goals, func(g world.Goal) bool { return g.ID == id }) }
	point := strings.LastIndexByte(field, '.') // ids may have points, too
	if text == settings.None && (point < 0 || !slices.Contains(goalFields, field[point+1:])) {
		at := of(field)
		if at < 0 {
			return goals, noGoal(goals, field)
		}
		return slices.Delete(goals, at, at+1), nil
	}
	if point < 0 {
		return goals, errNotUnderstood
	}
	at := of(field[:point])
	if at < 0 {
		at = len(goals)
		goals = append(goals, world.Goal{ID: field[:point], Agent: world.Anyone})
	}
	switch g := &goals[at]; field[point+1:] {
	case "agent":
		g.Agent = text
	case "text":
		g.Text = text
	case "metric":
		g.Metric = text
	case "at_least":
		g.AtLeast, err = strconv.ParseInt(text, 10, 64)
		if err != nil {
			err = fmt.Errorf("%s is not understood; allowed: whole numbers", shown(text))
		}
	default:
		err = errNotUnderstood
	}
	return goals, err
}

// goalFields are the fields of a goal that can be set.
var goalFields = []string{"agent", "text", "metric", "at_least"}

// noGoal refuses to remove a goal that is not there.
func noGoal(goals []world.Goal, id string) error {
	var ids []string
	for _, g := range goals {
		ids = append(ids, g.ID)
	}
	if len(ids) == 0 {
		return fmt.Errorf("there is no goal %s; this scenario has none", shown(id))
	}
	return fmt.Errorf("there is no goal %s; %s", shown(id), document.Offer(id, ids, "scenarios show"))
}
