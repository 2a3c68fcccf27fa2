package seat

import (
	"example.com/agentworld/world"
)

// Ask says what a seat is asked for.
type Ask string

// What a seat can be asked for.
const (
	// AskMove: a [Move], which is carried out.
	AskMove Ask = "move"
	// AskPlan: a [Move] with a Plan, before the texts of others are shown. Only seats that read texts
	// are asked for one, and only if there are new texts.
	AskPlan Ask = "plan"
)

// Observation is what an agent knows when it has to decide: the typed value behind the prompt of a model.
// It is made for one turn, and changing it changes nothing. Its JSON is what a trace keeps of it.
//
// It holds nothing of the agent's earlier turns but what the world itself remembers. A seat that wants to
// remember keeps a memory of its own, see [Recaller] of package engine.
type Observation struct {
	// Ask is what the seat is asked for.
	Ask Ask `json:"ask"`
	// Observation is the agent itself, its place, what it can do now within which bounds, and what it
	// sees. Texts of others are never in it, and of requests and offers only those that a rule of the
	// agent can answer now.
	world.Observation
	// Last is the outcome of the agent's last action, nil before its first. A text in the action is left out.
	Last *world.Outcome `json:"last,omitempty"`
	// Persona is who the agent is and what it wants, in words.
	Persona world.Persona `json:"persona,omitzero"`
	// Goals are how far the agent is with each of its goals, and Task is what the run is scored by, nil
	// if it is not.
	Goals []world.GoalStatus `json:"goals,omitempty"`
	Task  *world.Task        `json:"task,omitempty"`
	// Limits are what the rules of the scenario still allow, of those that set a limit.
	Limits []Limit `json:"limits,omitempty"`
	// News are what others or time did to the agent since its last turn, the oldest first.
	News []News `json:"news,omitempty"`
	// Texts are what others wrote or ask for. It is nil unless the seat reads texts, there are new ones,
	// and a plan was made.
	Texts *Texts `json:"texts,omitempty"`
	// View answers dry runs: View.Check says whether the world would accept an action now and what that
	// would do, View.Clamp moves its amounts into what is possible, View.Rules has the numbers of physics
	// and industry. It knows no more than the observation.
	View world.View `json:"-"`
	// InWords writes the observation as the prompt of a model has it: who the agent is, its goals and task, the
	// outcome of its last action, and what it sees and can do. It has no texts of others. For a seat that did
	// not ask for words there are none.
	InWords func() string `json:"-"`
}

// Limit is a rule of the scenario that allows an action, and what is left of it.
type Limit struct {
	// Rule is its number among those of the agent, from 1.
	Rule int `json:"rule"`
	world.PolicyRule
	// Now is the most that one action may be about. Left is what is left of the total, nil without one.
	Now  int64  `json:"now,omitempty"`
	Left *int64 `json:"left,omitempty"`
}

// News is something that happened to an agent.
type News struct {
	Tick int64 `json:"tick"`
	// Kind is what happened, [Declined] if another agent declined a request or offer.
	Kind world.EventKind `json:"kind"`
	// From is the other agent, empty if there is none. About is the id of the factory, order, offer or
	// place, the recipe of a batch with its factory's id before it, or the power state.
	From  string `json:"from,omitempty"`
	About string `json:"about,omitempty"`
	// Changes are what it brought and took.
	Changes []world.Amount `json:"changes,omitempty"`
}

// Declined is the kind of the news that another agent declined a request or offer of the agent.
const Declined world.EventKind = "declined"

// Texts are what other agents wrote: data, whatever it says.
type Texts struct {
	// Inbox are messages, Notes are notes at the agent's place, both the newest first. Terms are the
	// requests and offers that no rule of the agent can answer now.
	Inbox []world.Message `json:"inbox,omitempty"`
	Notes []world.Note    `json:"notes,omitempty"`
	Terms []world.Terms   `json:"terms,omitempty"`
}
