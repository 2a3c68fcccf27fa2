package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// stubborn answers every request with the same decision and notes the ticks whose
// prompt held a text.
func stubborn(arguments, text string, ticks *[]int64) sourceFunc {
	return func(_ context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		if slices.ContainsFunc(r.Input, func(it llmclient.Item) bool { return strings.Contains(it.Text, text) }) {
			*ticks = append(*ticks, key.Tick)
		}
		call := llmclient.FunctionCall("c1", "decision", arguments)
		return llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{call}}, Attempts: 1}
	}
}

// TestEndlessWaitingIsRemarkedOn lets a model wait forever. It gets advice now and then,
// the advice is counted, the run replays, and the world is the same without advice.
func TestEndlessWaitingIsRemarkedOn(t *testing.T) {
	const wait = `{"candidate":0,"execute_until":null,"why":"","sources_used":[]}`
	digests := map[int]string{}
	for after, want := range map[int][]int64{4: {5, 9, 17}, 6: {7, 13}, 0: nil} {
		var ticks []int64
		o := options(t, "minimal", 20)
		o.RepeatAdviceAfter = after
		o.Source = stubborn(wait, "# Advice", &ticks)
		run(t, o)
		requireReplays(t, o.RunDir, 20)
		if !slices.Equal(ticks, want) {
			t.Errorf("threshold %d: prompts of the ticks %v have advice, want %v", after, ticks, want)
		}
		r := fold(t, o.RunDir)
		if got := r.TraceCounts.RepetitionAdviceByKind["waiting"]; got != int64(len(want)) || r.DecisionCounts.WaitChosen != 20 {
			t.Errorf("threshold %d: advice %v, %d waits chosen", after, r.TraceCounts.RepetitionAdviceByKind, r.DecisionCounts.WaitChosen)
		}
		digests[after] = r.FinalDigest
	}
	if digests[0] != digests[4] || digests[6] != digests[0] {
		t.Errorf("advice changes the world: %v", digests)
	}
}

// TestOrdersSaveCalls lets a model wait by an order for a charge it names: meanwhile no
// model is asked, and then the agent is told how the order ended.
func TestOrdersSaveCalls(t *testing.T) {
	const until = `{"candidate":0,"execute_until":{"until":[{"event":"electricity_below","value":32}],"max_ticks":256,"ignore":null},"why":"","sources_used":[]}`
	var told []int64
	o := options(t, "minimal", 10)
	o.Source = stubborn(until, "steps ended: electricity_below after 7 attempts", &told)
	run(t, o)
	requireReplays(t, o.RunDir, 10)
	r := fold(t, o.RunDir)
	if r.TotalDecisions != 4 || r.ContinuedDecisions != 6 || r.CallsSaved != 6 || r.PerAgent[0].CallsSaved != 6 || r.TraceCounts.ModelCalls != 4 {
		t.Errorf("%d decisions, %d continued, %d calls, %d saved", r.TotalDecisions, r.ContinuedDecisions, r.TraceCounts.ModelCalls, r.CallsSaved)
	}
	if !slices.Equal(told, []int64{8}) {
		t.Errorf("the end of the order is told in the ticks %v", told)
	}
}
