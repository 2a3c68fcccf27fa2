package world

// Journey is what a journey between two points costs in electricity and how many
// ticks it takes.
func (r Rules) Journey(from, to Position) (cost, ticks int64) {
	d := from.distanceCM(to)
	return r.moveCost(d), r.moveTicks(d)
}

// Survey is the start of a world seen from outside, including what is hidden from its
// agents. It is for tools that check scenarios, not for players.
type Survey struct {
	// Places are all places: the listed ones first, then the fragments of the belt.
	Places []Place
	// Radiation is what a harvest at each of them may draw from.
	Radiation []int64
	// Starts say how each agent begins, by number.
	Starts []Start
}

// Start is how one agent begins.
type Start struct {
	// Agent is the agent's id, Place the number of its place in the survey.
	Agent string
	Place int
	// Stock lists what it has any of, and must not be changed.
	Stock []Amount
}

// Survey looks at what the seed makes of a scenario, which must be sound.
func (s Scenario) Survey(seed uint64) Survey {
	s = s.Instance(seed)
	g := newGeography(s, seed)
	v := Survey{Places: g.places, Radiation: g.radiation}
	for n := range int(s.Agents.Count) {
		v.Starts = append(v.Starts, Start{agentID(n), int(s.spawnOf(n)), s.stockOf(n)})
	}
	return v
}

// HarvestMost is the most that one harvest can yield at a place with the given
// radiation to an agent with the given heat, if there is room for it.
func (r Rules) HarvestMost(radiation, heat int64) int64 {
	r.PowerCapacity = amountMax
	f := facts{law: &law{Industry: &Industry{Rules: r}}, radiation: radiation, heat: heat}
	return f.harvestLimit().max
}
