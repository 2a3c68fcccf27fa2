package modules

import (
	"slices"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/memory"
	"example.com/agentworld/trace"
)

// How many memories one call returns.
const (
	recallDefault = 5
	recallMax     = 32
)

// noMemory is the failure of a memory module for an agent without a memory.
const noMemory failure = "memory_unavailable"

type recentArgs struct {
	// Limit is 1 to recallMax, nil for recallDefault; other values are moved into
	// the range, since a model that asks for 100 memories wants as many as it can
	// get.
	Limit *int64 `json:"limit"`
}

// recentModule gives the newest short-term memories, newest first, so that a cut
// result keeps the newest.
func recentModule() module {
	spec := Spec{Module: moduleRecent, Tool: "memory_short_term_recent"}
	return newModule(spec, nil, func(env Env, args recentArgs) (lookup, failure) {
		if env.Memory == nil {
			return lookup{}, noMemory
		}
		recent := env.Memory.Recent(recallLimit(args.Limit), env.View.Tick())
		slices.Reverse(recent)
		return remembered(env.words(), recent, false), ""
	})
}

type searchArgs struct {
	// Query is words to look for; without any, the weightiest memories come.
	Query string `json:"query"`
	// Limit is as in recentArgs.
	Limit *int64 `json:"limit"`
}

// searchModule searches everything the agent remembers, best match first; what
// only the short-term ring holds is found too, since the model cannot know which
// store a fact has reached.
func searchModule() module {
	spec := Spec{Module: moduleSearch, Tool: "memory_long_term_search"}
	return newModule(spec, nil, func(env Env, args searchArgs) (lookup, failure) {
		if env.Memory == nil {
			return lookup{}, noMemory
		}
		found := env.Memory.Search(args.Query, recallLimit(args.Limit), env.View.Tick())
		return remembered(env.words(), found, true), ""
	})
}

// recallLimit brings a limit into its range.
func recallLimit(limit *int64) int {
	if limit == nil {
		return recallDefault
	}
	return int(min(max(*limit, 1), recallMax))
}

// remembered shows memories as a prompt shows them, one line each with its id. Where they are
// scored the score follows: it lets a model tell a good match from a poor one. The sources have it
// in any case.
func remembered(w *words.Language, found []memory.Scored, scored bool) lookup {
	shown := MemoryWords(w)
	a := lookup{sources: []trace.Source{}}
	lines := []string{}
	for _, s := range found {
		source := s.Source(shown)
		if scored {
			source.Text += w.Memory.Score.Text(s.Score)
		}
		source.Chars = len([]rune(source.Text))
		lines = append(lines, source.Text)
		a.sources = append(a.sources, source)
	}
	a.body = lines
	return a
}
