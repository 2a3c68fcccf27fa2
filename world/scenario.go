package world

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Scenario is the complete description of a world's start. The zero value is
// not usable; package scenario reads one from a file, with defaults filled in.
type Scenario struct {
	// ID is the scenario's name on the command line; Aliases are accepted too.
	ID      string   `toml:"id"`
	Aliases []string `toml:"aliases"`
	// Name is a title, Text a short description.
	Name string `toml:"name"`
	Text string `toml:"text"`
	// Seed is the suggested seed of a run; New takes the seed that counts.
	Seed uint64 `toml:"-"`
	// Space bounds all positions.
	Space Space `toml:"space"`
	// VisibilityKM is how far an agent sees from its place.
	VisibilityKM int64 `toml:"visibility_km"`
	// PlacesShown and AgentsShown are how many of the nearest an observation lists.
	PlacesShown int64 `toml:"places_shown"`
	AgentsShown int64 `toml:"agents_shown"`
	// Terms enables requests and offers, see [Request] and [Offer].
	Terms bool `toml:"terms"`
	// Rules are the numbers of physics and industry.
	Rules Rules `toml:"rules"`
	// Products are the names of the scenario's own products, beside the built-in resources.
	Products []string `toml:"products"`
	// FactoryKinds and Recipes are the scenario's own, beside the built-in ones, see [Industry].
	FactoryKinds []FactoryKind `toml:"-"`
	Recipes      []Recipe      `toml:"-"`
	// Places are the sites listed one by one, in the order of the file.
	Places []Place `toml:"-"`
	// Belt describes further sites that New generates from its seed; nil for none.
	Belt *Belt `toml:"belt"`
	// Agents says how many agents start where and with what.
	Agents AgentPlan `toml:"-"`
	// Personas are given to the agents in turn; there may be none.
	Personas []Persona `toml:"personas"`
	// PersonasFile names a file with the personas in place of Personas: a .csv or .toml file in the
	// scenario's folder or below it. The text of a run has its personas in place of the name.
	PersonasFile string `toml:"personas_file"`
	// Goals are what the agents are asked to reach.
	Goals []Goal `toml:"goals"`
	// Texts are the texts of personas and goals in other languages, by their codes, such as "zh".
	Texts map[string]Translation `toml:"texts"`
	// Documents are what the agents can look things up in.
	Documents []Document `toml:"documents"`
	// Tools say which agents may call which tools of the user's.
	Tools []ToolAccess `toml:"tools"`
	// Policy is what the agents may and must not do, whatever they are told; it
	// binds deciding agents and changes nothing in the world.
	Policy []PolicyRule `toml:"policy"`
	// Vary says which numbers are drawn by the seed, nil for none; see [Scenario.Instance].
	Vary *Vary `toml:"vary"`
	// Task is how a run is scored, nil for a scenario that is no test.
	Task *Task `toml:"task"`
	// PlannedAgents is the number of agents before WithAgents changed it, 0 if it never
	// did. PolicyRules are about these agents.
	PlannedAgents int64 `toml:"-"`
}

// Space is the extent of the world in centimetres; positions run from 0 to each
// of them, both included.
type Space struct {
	// WidthCM, DepthCM and HeightCM are the extent in x, y and z.
	WidthCM  int64 `toml:"width_cm"`
	DepthCM  int64 `toml:"depth_cm"`
	HeightCM int64 `toml:"height_cm"`
}

// Position is a point in space, in centimetres.
type Position struct {
	// X, Y and Z are in centimetres from the origin of space.
	X int64 `toml:"x_cm"`
	Y int64 `toml:"y_cm"`
	Z int64 `toml:"z_cm"`
}

// Place is a site where agents can be.
type Place struct {
	// ID is what actions call the place; Name is for people.
	ID       string   `toml:"id"`
	Name     string   `toml:"name"`
	Position Position `toml:"-"`
	// Material is one of [Materials].
	Material string `toml:"material"`
	// RadiusCM is the size of the radiating body, at least 1.
	RadiusCM int64 `toml:"-"`
	// Emission is the strength of its radiation, 0 for none.
	Emission int64 `toml:"emission"`
	// CompoundG is the compound that can be mined there at the start, in grams.
	CompoundG int64 `toml:"compound_g"`
	// RegenG is what the place regrows in [RegenTicks] ticks, in grams, up to
	// CompoundG; 0 for nothing.
	RegenG int64 `toml:"regen_g"`
	// Charted says that every agent knows the place's id, name, position and
	// material from the start.
	Charted bool `toml:"-"`
}

// Materials lists the materials a place can be made of.
func Materials() []string {
	return []string{"silicate", "metal", "ice", "carbon", "composite"}
}

// AgentPlan says how many agents there are and how they start. Spawn and Stock
// are given to the agents in turn.
type AgentPlan struct {
	// Count is the number of agents, called agent-1, agent-2 and so on.
	Count int64 `toml:"count"`
	// Spawn lists place ids, fragments of the belt included.
	Spawn []string `toml:"spawn"`
	// SpawnStride, if not 0, takes the place of Spawn: agent n starts on the
	// fragment n*SpawnStride of the belt, counted round.
	SpawnStride int64 `toml:"spawn_stride"`
	// Seats say by which seat an agent is played, by the id of the agent or "*" for all others, where the
	// settings of a run say nothing. The kernel does not use them.
	Seats map[string]string `toml:"seats"`
	// Stock lists what an agent starts with; electricity must fit the capacity.
	Stock [][]Amount `toml:"-"`
}

// Persona is the character an agent plays. The kernel only shows its name.
type Persona struct {
	// Name is shown to other agents.
	Name string `toml:"name" json:"name"`
	// Text says in the second person who the agent is.
	Text string `toml:"text" json:"text"`
	// ShortTermGoal and LongTermGoal are what the agent wants, in words.
	ShortTermGoal string `toml:"short_term_goal" json:"short_term_goal"`
	LongTermGoal  string `toml:"long_term_goal" json:"long_term_goal"`
}

// Goal is a state an agent is asked to reach.
type Goal struct {
	// ID names the goal in events and reports.
	ID string `toml:"id" json:"id"`
	// Agent is an agent's id, or "*" for every agent.
	Agent string `toml:"agent" json:"agent"`
	// Text is the goal in words.
	Text string `toml:"text" json:"text"`
	// Metric is what is measured: "stock:data" (a resource held),
	// "product:control_chip" (a product held), "made:control_chip" (made by the agent's factories
	// and refining, kept or not), "factory:factory.assembler.mk1" (finished factories of a kind),
	// "place:llm-outpost" (1 while there) or "event:offer_accepted" (events of a kind that the agent
	// took part in; batch_done are all finished batches).
	Metric string `toml:"metric" json:"metric"`
	// AtLeast is the value that meets the goal, at least 1.
	AtLeast int64 `toml:"at_least" json:"at_least"`
}

func agentID(n int) string { return "agent-" + strconv.Itoa(n+1) }

// AgentIDs are the ids of the scenario's agents, in the world's order. They are known before the
// world is.
func (s Scenario) AgentIDs() []string {
	ids := make([]string, max(0, s.Agents.Count))
	for n := range ids {
		ids[n] = agentID(n)
	}
	return ids
}

// WithAgents returns the scenario with n agents, n at least 1. Spawn places,
// starting stocks and personas go round; goals of single agents go round too,
// so that agent k of a scenario for m agents gets the goals and documents of agent k mod m.
// A document whose readers are all absent stays theirs: no one reads it.
// PolicyRules of single agents go round likewise, see [World.PolicyRules].
// A task is dropped unless n is the scenario's own number: its numbers would not
// hold.
func (s Scenario) WithAgents(n int) Scenario {
	before, m := s, int(s.Agents.Count)
	s.PlannedAgents = s.planned()
	s.Agents.Count = int64(n)
	if n != m {
		s.Task = nil
	}
	if m < 1 || n < 1 {
		return s
	}
	var goals []Goal
	for _, g := range s.Goals {
		first, single := before.agentNumber(g.Agent)
		if !single {
			goals = append(goals, g)
			continue
		}
		for k := first; k < n; k += m {
			copied := g
			copied.Agent = agentID(k)
			if k != first {
				copied.ID = g.ID + "." + strconv.Itoa(k+1)
			}
			goals = append(goals, copied)
		}
	}
	s.Goals = goals
	s.Agents.Seats = maps.Clone(s.Agents.Seats)
	maps.DeleteFunc(s.Agents.Seats, func(id, _ string) bool {
		k, known := before.agentNumber(id)
		return known && k >= n
	})
	s.Documents = slices.Clone(s.Documents)
	for i := range s.Documents {
		readers := before.goRound(s.Documents[i].Agents, m, n)
		if len(readers) > 0 { // an empty list would mean all
			s.Documents[i].Agents = readers
		}
	}
	s.Tools = slices.Clone(s.Tools)
	for i, t := range s.Tools {
		if t.Agents != nil {
			s.Tools[i].Agents = append([]string{}, before.goRound(t.Agents, m, n)...)
		}
	}
	return s
}

// spawnOf, stockOf and personaOf are what agent n starts as. The place is given by
// its number.
func (s Scenario) spawnOf(n int) int32 {
	if s.Agents.SpawnStride > 0 {
		return int32(len(s.Places)) + int32(int64(n)*s.Agents.SpawnStride%s.Belt.fragments(s.Space))
	}
	p, ok := s.placeNumber(s.Agents.Spawn[n%len(s.Agents.Spawn)])
	if !ok {
		panic("world: a checked scenario spawns agents nowhere")
	}
	return p
}

// placeNumber is the number of the place called id: first come the listed places,
// then the fragments of the belt.
func (s Scenario) placeNumber(id string) (int32, bool) {
	for i := range s.Places {
		if s.Places[i].ID == id {
			return int32(i), true
		}
	}
	if s.Belt == nil {
		return 0, false
	}
	k, ok := s.Belt.number(id, s.Space)
	return int32(len(s.Places)) + int32(k), ok
}

// stockOf lists what agent n starts with, which may be nothing.
func (s Scenario) stockOf(n int) []Amount {
	if len(s.Agents.Stock) == 0 {
		return nil
	}
	return s.Agents.Stock[n%len(s.Agents.Stock)]
}

// personaOf is the character of agent n, the zero persona if there are none.
func (s Scenario) personaOf(n int) Persona {
	if len(s.Personas) == 0 {
		return Persona{}
	}
	return s.Personas[n%len(s.Personas)]
}

// agentNumber is the number of the agent called id.
func (s Scenario) agentNumber(id string) (int, bool) {
	digits, ok := strings.CutPrefix(id, "agent-")
	k, err := strconv.Atoi(digits)
	if !ok || err != nil || k < 1 || int64(k) > s.Agents.Count || agentID(k-1) != id {
		return 0, false
	}
	return k - 1, true
}
