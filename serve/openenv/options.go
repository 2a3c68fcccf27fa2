package openenv

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.com/agentworld/session"
)

// Version is that of the client's seat, as records have it: it grows when a step means something else.
const Version = "1"

// Protocol is the version of OpenEnv that is served.
const Protocol = "0.6.1"

// Options are what is served, and how.
type Options struct {
	// Play is what the run of an episode is made of: a scenario with a task, and who plays the agents but the
	// client's. Without a model and seats the scripted seat plays them. Each episode has its own seed and directory.
	Play session.Config
	// Agent is the client's, the scenario's first if empty.
	Agent string
	// Listen is the address, "127.0.0.1:0" if empty: a free port on loopback.
	Listen string
	// Token is what a client has to have, empty for none; see package serve.
	Token string
	// Sessions bounds the clients at a time; 0 is 64.
	Sessions int
	// Keep says which runs are kept, in Dir, which is made if need be: the newest 1,000 of this server.
	Keep Keep
	Dir  string
	// Deadline is how long the other agents may take in a step of the client, 0 for 45 seconds. The reference
	// client gives up after 60.
	Deadline time.Duration
	// Idle is how long a session may send nothing, 0 for 30 minutes. It then ends.
	Idle time.Duration
	// Ended, when set, is told of each episode that is over or was left, one at a time.
	Ended func(Outcome)
	// patience is how long a client may take to take an answer.
	patience time.Duration
	// turn is how long a client may take for a move. Then its agent waits.
	turn time.Duration
}

// Keep says which runs of episodes are kept.
type Keep string

// What can be kept. A failed episode is one that did not reach its end, or in which an answer was not awaited.
const (
	KeepNone   Keep = "none"
	KeepFailed Keep = "failed"
	KeepAll    Keep = "all"
)

// Keeps are all of them.
func Keeps() []Keep { return []Keep{KeepNone, KeepFailed, KeepAll} }

const (
	sessionsDefault = 64
	deadlineDefault = 45 * time.Second
	deadlineMax     = 55 * time.Second
	idleDefault     = 30 * time.Minute
	// idleMax is below turnMax, so that a silent client loses its session and not its turn.
	idleMax = 55 * time.Minute
	turnMax = time.Hour // what a seat may have
	// ringMax is how many outcomes are remembered, and how many runs are kept.
	ringMax = 1000
)

// complete fills in what is not given, and refuses what cannot be.
func (o *Options) complete() error {
	o.Listen = cmp.Or(o.Listen, "127.0.0.1:0")
	o.Sessions = cmp.Or(o.Sessions, sessionsDefault)
	o.Deadline = cmp.Or(o.Deadline, deadlineDefault)
	o.Idle = cmp.Or(o.Idle, idleDefault)
	o.Keep = cmp.Or(o.Keep, KeepNone)
	o.patience = cmp.Or(o.patience, writeMax)
	o.turn = cmp.Or(o.turn, turnMax)
	switch {
	case o.Sessions < 1:
		return fmt.Errorf("sessions %d; allowed: from 1", o.Sessions)
	case o.Deadline < 0 || o.Deadline > deadlineMax:
		return fmt.Errorf("deadline %s; allowed: up to %s", o.Deadline, deadlineMax)
	case o.Idle < 0 || o.Idle > idleMax:
		return fmt.Errorf("idle %s; allowed: up to %s", o.Idle, idleMax)
	case !slices.Contains(Keeps(), o.Keep):
		return fmt.Errorf("keep %q; allowed: none, failed, all", o.Keep)
	case o.Keep != KeepNone && o.Dir == "":
		return fmt.Errorf("keep %s needs a directory for the runs", o.Keep)
	}
	return nil
}
