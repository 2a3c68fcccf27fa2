package openenv

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
	"example.com/agentworld/serve"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// episode is a run in which the client plays one agent. One goroutine plays the run, and the owner of the
// episode steps through it: begin first, then step until it is over, then close.
type episode struct {
	id string
	instance
	agent string
	// clock bounds what others take in a step, most is that bound, and turn the one of the client for its move.
	clock clock
	most  time.Duration
	turn  time.Duration

	// turns are those of the client's agent, moves the client's answers.
	turns chan turn
	moves chan seat.Move
	// cancel breaks the run off. ended is closed when it is over, with result and err.
	cancel context.CancelFunc
	ended  chan struct{}
	result session.Result
	err    error

	fold fold
	// now is the turn that waits for the client, nil once the run is over.
	now *turn
	// steps counts the client's moves, malformed those in a row that could not be read.
	steps, malformed int64
	// paid is the score that rewards were paid for.
	paid int64
}

// turn is a turn of the client's agent.
type turn struct {
	seat.Observation
	text string
}

// begun is what an episode begins with.
type begun struct {
	id string
	instance
	// dir is where its run goes.
	dir string
	// most is how long others may take in a step, turn how long the client may take for its move.
	most, turn time.Duration
}

// begin starts an episode and awaits the first turn. The error says why no world can be played; ctx ends the
// run, also later.
func (t *task) begin(ctx context.Context, b begun) (*episode, error) {
	of, err := t.world(b.instance)
	if err != nil {
		return nil, err
	}
	e := &episode{id: b.id, instance: b.instance, agent: t.agent, most: b.most, turn: b.turn, turns: make(chan turn),
		moves: make(chan seat.Move), ended: make(chan struct{}), fold: newFold(of, t.agent)}
	e.paid = e.fold.score
	s, err := session.New(e.config(t.play, b.dir))
	if err != nil {
		return nil, err
	}
	playing, cancel := context.WithCancel(ctx)
	e.cancel = cancel
	e.clock.begin(e.most)
	go func() {
		defer close(e.ended)
		result, err := s.Run(playing)
		e.result = result
		e.err = errors.Join(err, s.Close())
	}()
	e.await()
	if e.now == nil && e.err != nil {
		e.cancel()
		return nil, e.err
	}
	return e, nil
}

// config is the session of the episode.
func (e *episode) config(c session.Config, dir string) session.Config {
	seed := e.seed()
	c.Seed = seed
	c.ScriptedSeed = seed
	c.FaultSeed = seed
	c.Dir = dir
	c.Settings.Seats = trace.Seated(c.Settings.Seats, []trace.AgentSeat{{Agent: e.agent, Seat: seatName}})
	// Only the client's seat may take that long: the others have a clock.
	c.SeatTimeoutMS = e.turn.Milliseconds()
	c.Seats = slices.Clone(c.Seats)
	for i, s := range c.Seats {
		c.Seats[i] = clocked(s, &e.clock)
	}
	c.Seats = append(c.Seats, engine.Seat{Name: seatName, Version: Version, Words: true,
		New: func(engine.Brief) engine.Player { return engine.Act(e.act) }})
	c.Ahead = session.Ahead{} // the clock is that of the turns that are played
	c.Around = func(models engine.Source) engine.Source { return clockedSource{models, &e.clock} }
	c.Record = e.fold.add
	return c
}

// act is the seat of the client.
func (e *episode) act(ctx context.Context, o seat.Observation) (seat.Move, error) {
	select {
	case e.turns <- turn{o, o.InWords()}:
	case <-ctx.Done():
		return seat.Move{}, ctx.Err()
	}
	select {
	case m := <-e.moves:
		return m, nil
	case <-ctx.Done():
		return seat.Move{}, ctx.Err()
	}
}

// await waits for the client's next turn, or for the end of the run.
func (e *episode) await() {
	e.now = nil
	select {
	case t := <-e.turns:
		e.now = &t
	case <-e.ended:
	}
}

// malformedMax is how many moves in a row may be unreadable before the turn is lost.
const malformedMax = 3

// step makes a move, and returns its outcome. A move that cannot be read is refused in the same turn; the
// last of [malformedMax] in a row costs the turn, so that an episode ends whatever a client sends.
func (e *episode) step(move []byte) Step {
	if e.now == nil {
		return e.seen(&Result{Code: "episode_over", Text: "the episode is over; reset begins another one"})
	}
	e.steps++
	o := &e.now.Observation.Observation
	action, why, fault := answer.ReadMove(string(move), answer.NamesIn(o, e.now.View.Industry()), world.ThenMax)
	var unread *Result
	if fault != nil {
		e.malformed++
		unread = &Result{Tick: o.Tick, Code: "malformed", Text: clip(fault.Error())}
		if e.malformed < malformedMax {
			return e.seen(unread)
		}
		action = world.Wait{}
		unread.Text += fmt.Sprintf("; that was the move %d in a row that cannot be read: the agent waits", malformedMax)
	}
	e.malformed = 0
	e.fold.begin()
	e.clock.begin(e.most)
	select {
	case e.moves <- seat.Move{Action: action, Why: why}:
		e.await()
	case t := <-e.turns: // the client slept on its turn, which is lost; no one waits for this move
		e.now = &t
		late := trace.WaitSeatPrefix + seat.Late
		return e.seen(&Result{Tick: o.Tick, Code: late, Text: "not carried out (" + late + "): the agent waited"})
	case <-e.ended:
		e.now = nil
	}
	if unread != nil {
		return e.seen(unread)
	}
	return e.seen(e.fold.last())
}

// seen is the present observation, with the reward since the last one.
func (e *episode) seen(result *Result) Step {
	tick, score := e.fold.reached()
	if e.now == nil && e.result.Report.Advanced != nil {
		score = e.result.Report.Advanced.Score // a cap ended the run: nobody acted on
	}
	s := Step{Done: e.now == nil}
	if e.steps > 0 || s.Done { // what time brought before the first step is paid with it
		s.Reward = score - e.paid
		e.paid = score
	}
	o := Observation{Result: result, Tick: tick, Ticks: e.fold.ticks, Score: score}
	if e.now != nil {
		o.Text = e.now.text
		o.Seat = &e.now.Observation
		o.Tick = e.now.Tick
	} else {
		o.Text = fmt.Sprintf("The episode is over after tick %d. Score: %d.", tick, score)
	}
	s.Observation = o
	return s
}

// broke says why an episode that is over is not at its end, "" if it is: it completed, or a cap ended it. What a
// server of a model said is for the operator alone.
func (e *episode) broke() string {
	tick, _ := e.fold.reached()
	switch {
	case e.now != nil:
		return ""
	case e.err != nil:
		return serve.Pathless(e.err.Error())
	case e.result.Status == trace.RunCompleted, e.result.Status == trace.RunBudgetReached, tick >= e.fold.ticks:
		return ""
	}
	return string(e.result.Status)
}

// state says where the episode is.
func (e *episode) state() State {
	_, score := e.fold.reached()
	seed := e.seed()
	s := State{EpisodeID: &e.id, StepCount: e.steps, Split: e.Split, Index: e.Index, Seed: &seed, Agent: e.agent,
		Ticks: e.fold.ticks, Score: score, Done: e.now == nil, Deadlines: e.clock.missed.Load()}
	s.Tick, _ = e.fold.reached()
	return s
}

// close ends the episode, wherever it is, and says how it came out.
func (e *episode) close() Outcome {
	over := e.now == nil
	e.cancel()
	<-e.ended
	tick, score := e.fold.reached()
	o := Outcome{EpisodeID: e.id, Split: e.Split, Index: e.Index, Seed: e.seed(), Status: string(e.result.Status),
		Tick: tick, Score: score, Steps: e.steps, Deadlines: e.clock.missed.Load(), Reason: clip(e.result.Reason)}
	if over && e.result.Report.Advanced != nil {
		o.Score = e.result.Report.Advanced.Score
	}
	if !over {
		o.Status, o.Reason = statusAbandoned, ""
	}
	if e.err != nil && over {
		o.Status = string(trace.RunInternalError)
		o.Reason = clip(e.err.Error())
	}
	return o
}

// statusAbandoned is the status of an episode that its client left.
const statusAbandoned = "abandoned"
