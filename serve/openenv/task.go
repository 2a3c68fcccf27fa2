package openenv

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"example.com/agentworld/baseline"
	"example.com/agentworld/engine"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// The splits of a task.
const (
	splitTrain = "train"
	splitTest  = "test"
)

// instances are how many each split has. Those of train have the seeds from 0, those of test the seeds of suites,
// of which a suite has as many. The seeds between them are held out, and never served.
var instances = map[string]int64{splitTrain: 1_000_000, splitTest: int64(len(scenario.Suites()[0].Seeds))}

// instance is a world of the task.
type instance struct {
	Split string `json:"split"`
	Index int64  `json:"index"`
}

// seed is the seed of the instance.
func (i instance) seed() uint64 {
	if i.Split == splitTest {
		return scenario.SuiteSeeds + uint64(i.Index)
	}
	return uint64(i.Index)
}

// task is what is served: a scenario with a task, and who plays it.
type task struct {
	// of is the scenario as its text has it.
	of world.Scenario
	// play is what the run of an episode is made of, but for its seed, its directory and the client's seat.
	play session.Config
	// agent is the client's.
	agent string
}

// seatName is what records call the client.
const seatName = "openenv"

// newTask checks what is to be served. An agent that nobody is named for is played by the scripted seat, unless
// there is a model.
func newTask(play session.Config, agent string) (*task, error) {
	of, err := scenario.Parse(play.Scenario, []byte(play.ScenarioTOML))
	if err != nil {
		return nil, err
	}
	if of.Task == nil {
		return nil, fmt.Errorf("scenario %s has no task; allowed: a scenario with one, such as task_production_chips_40",
			of.ID)
	}
	agents := of.In(play.Language).AgentIDs()
	if agent == "" {
		agent = agents[0]
	}
	if !slices.Contains(agents, agent) {
		return nil, fmt.Errorf("the scenario has no agent %q; allowed: %v", agent, agents)
	}
	if slices.ContainsFunc(play.Seats, func(s engine.Seat) bool { return s.Name == seatName }) {
		return nil, fmt.Errorf("a seat is called %s, which is the name of the clients' own", seatName)
	}
	t := &task{of: of, play: play, agent: agent}
	t.play.Ticks = of.Task.Ticks
	t.play.Vary = of.Vary != nil
	if len(play.Settings.Seats) == 0 && len(of.Agents.Seats) == 0 && play.Model == "" {
		t.play.Settings.Seats = []trace.AgentSeat{{Agent: trace.AnyAgent, Seat: "scripted"}}
	}
	return t, nil
}

// choose finds the instance that a reset asks for. Without an index it is drawn from the seed, and without a seed
// by chance.
func (t *task) choose(r resetRequest) (instance, error) {
	i := instance{Split: splitTrain}
	if r.Split != nil {
		i.Split = *r.Split
	}
	size, known := instances[i.Split]
	switch {
	case !known:
		return i, errors.New("split: allowed are train and test")
	case r.Index != nil && (*r.Index < 0 || *r.Index >= size):
		return i, fmt.Errorf("index: allowed are 0 to %d", size-1)
	case r.Index != nil:
		i.Index = *r.Index
	case r.Seed != nil:
		i.Index = int64(*r.Seed % uint64(size))
	default:
		i.Index = rand.Int64N(size)
	}
	return i, nil
}

// world is the scenario of an instance.
func (t *task) world(i instance) (world.Scenario, error) {
	return scenario.Choice{Seed: i.seed(), Vary: t.play.Vary, Rules: t.play.Rules, Goals: t.play.Goals,
		Agents: t.play.AgentsOverride, Language: t.play.Language}.Of(t.of)
}

// others says who plays the other agents, by their ids: a seat, or a model.
func (t *task) others() map[string]string {
	seats := trace.Seated(seatsOf(t.of), t.play.Settings.Seats)
	who := map[string]string{}
	for _, id := range t.of.AgentIDs() {
		if id == t.agent {
			continue
		}
		who[id] = trace.ModelSeat
		if s, seated := trace.SeatOf(seats, id); seated {
			who[id] = s.Seat
		}
	}
	return who
}

// seatsOf are the seats that a scenario gives to its agents.
func seatsOf(s world.Scenario) (list []trace.AgentSeat) {
	for _, id := range slices.Sorted(maps.Keys(s.Agents.Seats)) {
		list = append(list, trace.AgentSeat{Agent: id, Seat: s.Agents.Seats[id]})
	}
	return list
}

// floor is the score of an instance if the client's agent only waits. known is false where others play than
// the program's own seats: what they do is found out by playing with them alone.
func (t *task) floor(i instance) (score int64, known bool, err error) {
	players, others := baseline.Players(), t.others()
	for _, who := range others {
		if players[who] == nil {
			return 0, false, nil
		}
	}
	of, err := t.world(i)
	if err != nil {
		return 0, false, err
	}
	policy := func(b baseline.Brief) baseline.Decider {
		b.Seed = i.seed()
		each := map[string]baseline.Decider{t.agent: baseline.Nothing(b)}
		for id, who := range others {
			each[id] = players[who](b)
		}
		return func(v world.View) world.Action { return each[v.AgentID()](v) }
	}
	_, score, err = baseline.Play(of, i.seed(), of.Task.Ticks, policy)
	return score, err == nil, err
}

// Range is what the rewards of an episode are within.
type Range struct {
	// Step is for each reward, Episode for their sum.
	Step    [2]int64 `json:"step"`
	Episode [2]int64 `json:"episode"`
}

// rewards are the bounds of an instance, which follow from its rules.
func (t *task) rewards(i instance) (Range, error) {
	of, err := t.world(i)
	if err != nil {
		return Range{}, err
	}
	most := baseline.BoundOf(of).Score
	start := world.NewScorer(of).Score(0)
	most = max(most, start)
	return Range{Step: [2]int64{-most, most}, Episode: [2]int64{-start, most - start}}, nil
}
