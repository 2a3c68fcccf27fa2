package baseline

import (
	"fmt"

	"example.com/agentworld/world"
)

// Decider chooses an agent's action from its view. It may remember the views it
// was shown; it is called for one agent after the other, by number.
type Decider func(world.View) world.Action

// Policy makes the decider of one run.
type Policy func(Brief) Decider

// RandomPlayer is the name of the only one of [Players] that draws: all others play an instance in one way.
const RandomPlayer = "random"

// Players are the policies that need no model, by their names as seats.
func Players() map[string]Policy {
	return map[string]Policy{"wait": Nothing, RandomPlayer: Random, "greedy": Greedy, "scripted": Scripted}
}

// Nothing is the policy of agents that wait.
func Nothing(Brief) Decider {
	return func(world.View) world.Action { return world.Wait{} }
}

// Play runs a scenario for the given number of ticks and returns the world at
// its end with the score of its task, 0 if it has none. The error is about the
// scenario, as [world.New] reports it.
func Play(s world.Scenario, seed uint64, ticks int64, p Policy) (*world.World, int64, error) {
	return playWatched(s, seed, ticks, p, func(int64) {})
}

// playWatched plays as [Play] does, and tells the score after every tick.
func playWatched(s world.Scenario, seed uint64, ticks int64, p Policy, watch func(score int64)) (*world.World, int64,
	error) {
	w, err := world.New(s, seed)
	if err != nil {
		return nil, 0, fmt.Errorf("play: %w", err)
	}
	decide, scorer := p(BriefOf(s)), world.NewScorer(s)
	for w.Tick() < ticks {
		events := w.Advance()
		var intents []world.Intent
		for _, n := range w.Due() {
			intents = append(intents, world.Intent{Agent: n, Action: decide(w.View(n))})
		}
		for _, n := range w.Continuing() {
			order, _ := w.Standing(n)
			action, _ := w.View(n).Clamp(order.Do)
			intents = append(intents, world.Intent{Agent: n, Action: action})
		}
		for _, e := range append(events, w.Apply(intents)...) {
			if scorer != nil {
				scorer.Observe(e)
			}
		}
		if scorer != nil {
			watch(scorer.Score(w.Tick()))
		}
	}
	if scorer == nil {
		return w, 0, nil
	}
	return w, scorer.Score(w.Tick()), nil
}
