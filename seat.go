package agentworld

import (
	"context"

	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
)

// Seat is who answers for agents in place of a model: code with a name and a version, whose moves are
// recorded. A replay and every reader do without it; a resume or fork names it if it is missing.
type Seat = engine.Seat

// SeatPlayer plays one agent of one run for a [Seat].
type SeatPlayer = engine.Player

// SeatRecaller is a [SeatPlayer] that remembers: it is told of recorded turns.
type SeatRecaller = engine.Recaller

// SeatAct is a [SeatPlayer] that is one function.
type SeatAct = engine.Act

// SeatBrief is what a player may know before the run.
type SeatBrief = engine.Brief

// Observation is what a player is given in each turn: the typed value behind a prompt.
type Observation = seat.Observation

// Move is what a player answers.
type Move = seat.Move

// What a player can be asked for, in Observation.Ask. Only seats that read texts are asked for a plan.
const (
	AskMove = seat.AskMove
	AskPlan = seat.AskPlan
)

// Do is the move to do one action, given its name and its arguments in their order: ids, names and texts as
// string, amounts as int or int64. Arguments that do not fit make a move that is none, which costs the agent
// its turn.
func Do(action string, args ...any) Move { return seat.Do(action, args...) }

// NewSeat makes a seat of a function, which plays any number of agents, several of them at the same time. A seat
// that remembers has a Seat.New that makes a player for each. The name is of letters, digits, dots, dashes and
// underscores; the version says which code it is, since a run is not continued with another.
func NewSeat(name, version string, act func(context.Context, Observation) (Move, error)) Seat {
	return Seat{Name: name, Version: version, New: func(SeatBrief) SeatPlayer { return SeatAct(act) }}
}

// Seat has a function play agents, with "*" all that have no other seat. name is what records call it; each
// function has another one. For several agents the function is called at the same time.
func (o *Options) Seat(name string, act func(context.Context, Observation) (Move, error), agents ...string) {
	o.Seats = append(o.Seats, NewSeat(name, "", act))
	for _, agent := range agents {
		o.Settings.Seats = append(o.Settings.Seats, AgentSeat{Agent: agent, Seat: name})
	}
}
