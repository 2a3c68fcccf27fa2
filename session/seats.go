package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/baseline"
	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// ownSeatVersion is the version of a seat of the program: it grows when that plays otherwise.
func ownSeatVersion(name string) string {
	if name == baseline.RandomPlayer { // 2: repeats draw otherwise
		return "2"
	}
	return "1"
}

// OwnSeats are the seats that every program has, in the order of their names: the players of package
// baseline. None of them reads texts.
func OwnSeats() (list []engine.Seat) {
	players := baseline.Players()
	for _, name := range slices.Sorted(maps.Keys(players)) {
		policy := players[name]
		list = append(list, engine.Seat{Name: name, Version: ownSeatVersion(name), New: func(b engine.Brief) engine.Player {
			return baselinePlayer(policy(b.Brief))
		}})
	}
	return list
}

// baselinePlayer plays by a policy, which sees the view behind the observation: the same without texts.
type baselinePlayer baseline.Decider

// Act implements [engine.Player].
func (p baselinePlayer) Act(_ context.Context, o seat.Observation) (seat.Move, error) {
	return seat.Move{Action: p(o.View)}, nil
}

// Recall implements [engine.Recaller].
func (p baselinePlayer) Recall(o seat.Observation, _ seat.Move) { p(o.View) }

// SeatError says that a seat that a run needs is not there.
type SeatError struct {
	// Agent is whose seat it is.
	Agent string
	// Seat and Version are what is needed; Version is empty if any would do.
	Seat, Version string
	// Other is the version that is there, empty if the seat is not.
	Other string
	// Names are those that could be set in its place.
	Names []string
}

// Error implements error.
func (e *SeatError) Error() string { return e.Text("%s") }

// Text is the error with how a seat is set, in which %s is the agent with the seat.
func (e *SeatError) Text(set string) string {
	need := fmt.Sprintf("%s is played by the seat %q", e.agent(), e.Seat)
	if e.Version != "" {
		need += " version " + e.Version
	}
	lacks := "which this program does not have"
	if e.Other != "" {
		lacks = "and this program has version " + e.Other
	}
	return fmt.Sprintf("%s, %s; set another one with "+set+"; allowed names: %s", need, lacks, e.Agent+"=NAME",
		strings.Join(e.Names, ", "))
}

func (e *SeatError) agent() string {
	if e.Agent == trace.AnyAgent {
		return "every other agent"
	}
	return e.Agent
}

// seats are those that the run may name: the program's own, and those of the configuration.
func (c *Config) seats() ([]engine.Seat, error) {
	list := OwnSeats()
	for _, s := range c.Seats {
		if err := s.Check(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(known engine.Seat) bool { return known.Name == s.Name }) {
			return nil, fmt.Errorf("seat %q: there are two of that name", s.Name)
		}
		list = append(list, s)
	}
	return list, nil
}

// named completes the entries of settings by the seats that they name: version, and whether they read.
// Entries with a version are complete already, and have to be of that version.
func named(entries []trace.AgentSeat, known []engine.Seat) ([]trace.AgentSeat, error) {
	names := []string{trace.ModelSeat}
	for _, s := range known {
		names = append(names, s.Name)
	}
	list := slices.Clone(entries)
	for i, e := range list {
		if e.Seat == trace.ModelSeat {
			continue
		}
		at := slices.IndexFunc(known, func(s engine.Seat) bool { return s.Name == e.Seat })
		missing := &SeatError{Agent: e.Agent, Seat: e.Seat, Version: e.Version, Names: names}
		if at < 0 {
			return nil, missing
		}
		is := known[at]
		if cmp.Or(e.Version, is.Version) != is.Version {
			missing.Other = is.Version
			return nil, missing
		}
		list[i].Version, list[i].ReadsTexts = is.Version, is.ReadsTexts
	}
	return list, nil
}

// seatsOf are the seats that a scenario gives to its agents, in the order of the agents.
func seatsOf(s world.Scenario) (list []trace.AgentSeat) {
	for _, agent := range slices.Sorted(maps.Keys(s.Agents.Seats)) {
		list = append(list, trace.AgentSeat{Agent: agent, Seat: s.Agents.Seats[agent]})
	}
	return list
}

// MissingSeats says which seats a scenario gives to its agents that are neither the program's own nor in a list.
func MissingSeats(of world.Scenario, others []engine.Seat) (list []*SeatError) {
	known := append(OwnSeats(), others...)
	for _, e := range seatsOf(of) {
		_, err := named([]trace.AgentSeat{e}, known)
		if missing, is := errors.AsType[*SeatError](err); is {
			list = append(list, missing)
		}
	}
	return list
}

// chooseSeats completes the seats of the settings with those that the scenario says, and with what this
// program knows of them.
func (s *Session) chooseSeats(scenario []trace.AgentSeat) (err error) {
	of := &s.config.Settings
	s.seats, err = s.config.seats()
	if err != nil {
		return err
	}
	for _, e := range of.Seats {
		if e.Agent != trace.AnyAgent && !slices.Contains(s.agents, e.Agent) {
			return &access.UnknownError{Key: "run.seats", Name: e.Agent, Names: s.agents}
		}
	}
	of.Seats, err = named(trace.Seated(scenario, of.Seats), s.seats)
	if err == nil && s.config.Recording.Path == "" && seatedAll(of.Seats, s.agents) {
		withoutModel(of)
	}
	return err
}

// withoutModel makes settings those of a run that asks no model.
func withoutModel(of *trace.Settings) {
	of.ModelSource = trace.SourceNone
	of.Model, of.BaseURL = "", ""
	of.AgentModels = nil
}

// resumeSeats are the seats of a resumed run: those that it has, and in their place what the
// caller wants. The error names one that is not there.
func (s *Session) resumeSeats(has, wanted []trace.AgentSeat) (list []trace.AgentSeat, err error) {
	s.seats, err = s.config.seats()
	if err != nil {
		return nil, err
	}
	for _, e := range wanted {
		if e.Agent != trace.AnyAgent && !slices.Contains(s.agents, e.Agent) {
			return nil, &access.UnknownError{Key: "run.seats", Name: e.Agent, Names: s.agents}
		}
	}
	return named(trace.Seated(has, wanted), s.seats)
}

// seatedAll reports whether a seat plays every agent.
func seatedAll(seats []trace.AgentSeat, agents []string) bool {
	return !slices.ContainsFunc(agents, func(id string) bool {
		_, seated := trace.SeatOf(seats, id)
		return !seated
	})
}
