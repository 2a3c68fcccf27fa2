package engine_test

import (
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// TestEstimateIsNearWhatRunsTake: the scripted model bills a token for four bytes, which
// is near enough to a vocabulary to compare with.
func TestEstimateIsNearWhatRunsTake(t *testing.T) {
	slow(t)
	cases := []struct {
		scenario, protocol, commit string
		ticks, learnEvery          int64
	}{
		{"llm_bootstrap", "lean", "two-step", 20, 0}, {"isolated_five", "full", "two-step", 15, 5}, {"minimal", "full", "two-step", 20, 0},
		{"minimal", "full", "one-step", 20, 0}, {"minimal", "lean", "two-step", 20, 0}, {"two_bases", "full", "one-step", 20, 0},
		{"llm_bootstrap", "full", "two-step", 20, 0}, {"llm_bootstrap", "full", "one-step", 20, 0}, {"isolated_five", "full", "two-step", 15, 0},
		{"isolated_five", "full", "one-step", 15, 0}, {"isolated_five", "lean", "one-step", 15, 0},
	}
	for _, c := range cases[:ticksUpTo(6, int64(len(cases)))] {
		o := options(t, c.scenario, ticksUpTo(10, c.ticks))
		o.Protocol, o.Commit, o.LearnEvery, o.Prices = c.protocol, c.commit, c.learnEvery, simulated()
		e, err := expected(o.Settings)
		if err != nil {
			t.Fatal(err)
		}
		o.Estimate = &e
		run(t, o)
		got := fold(t, o.RunDir).Cost
		actual := figuresOf(got)
		for name, figure := range map[string]func(report.CostFigures) int64{
			"calls":        func(f report.CostFigures) int64 { return f.Calls },
			"input tokens": func(f report.CostFigures) int64 { return f.InputTokens },
			"output":       func(f report.CostFigures) int64 { return f.OutputTokens },
			"cost":         func(f report.CostFigures) int64 { return f.Micros },
		} {
			least, likely, most, is := figure(got.Estimate.Least), figure(got.Estimate.Likely), figure(got.Estimate.Most), figure(actual)
			if is < least || is > most || is*10 < likely*6 || is*10 > likely*15 {
				t.Errorf("%s, %s, %s: %s are %d, expected %d to %d, likely %d", c.scenario, c.protocol, c.commit, name, is, least, most, likely)
			}
		}
		if !got.Priced || got.Currency != "USD" {
			t.Errorf("%s has no price", c.scenario)
		}
	}
}

// TestEstimateHoldsWhereAgentsRest: some agents of these are shut down for most of the
// time, all of them in the first tick of the first.
func TestEstimateHoldsWhereAgentsRest(t *testing.T) {
	for _, scenario := range []string{"task_survival_blackout_100", "task_survival_recovery_80", "task_survival_low_start_60"} {
		for _, commit := range []string{"two-step", "one-step"} {
			o := options(t, scenario, 12)
			o.Commit, o.Prices = commit, simulated()
			e, err := expected(o.Settings)
			if err != nil {
				t.Fatal(err)
			}
			run(t, o)
			took := figuresOf(fold(t, o.RunDir).Cost)
			if took.Calls < e.Least.Calls || took.Calls > e.Most.Calls || took.InputTokens < e.Least.InputTokens || took.InputTokens > e.Most.InputTokens ||
				took.OutputTokens < e.Least.OutputTokens || took.OutputTokens > e.Most.OutputTokens || e.Likely.Calls == 0 {
				t.Errorf("%s, %s: it took %+v, expected %+v", scenario, commit, took, e)
			}
		}
	}
}

func figuresOf(c report.Cost) report.CostFigures {
	f := report.CostFigures{Micros: c.TotalMicros}
	for _, m := range c.ByModel {
		f.Calls += m.Calls
		f.InputTokens += m.Tokens.Input
		f.OutputTokens += m.Tokens.Output
	}
	return f
}

func TestEstimateGrowsWithTheRun(t *testing.T) {
	o := options(t, "llm_bootstrap", 10)
	o.Prices = simulated()
	small, err := expected(o.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if small.Least.Calls >= small.Likely.Calls || small.Likely.Calls >= small.Most.Calls || small.Least.Cost >= small.Likely.Cost || small.Likely.Cost >= small.Most.Cost {
		t.Errorf("the figures are not in order: %+v", small)
	}
	for name, change := range map[string]func(){"ticks": func() { o.Ticks = 20 }, "agents": func() { o.AgentsOverride = 40 }, "learning": func() { o.LearnEvery = 2 }} {
		before, err := expected(o.Settings)
		if err != nil {
			t.Fatal(err)
		}
		change()
		after, err := expected(o.Settings)
		if err != nil {
			t.Fatal(err)
		}
		if after.Likely.Calls <= before.Likely.Calls || after.Most.Cost <= before.Most.Cost {
			t.Errorf("more %s cost no more: %+v, then %+v", name, before, after)
		}
	}
	o = options(t, "minimal", 0)
	if e, err := expected(o.Settings); err == nil || e != (trace.Estimate{}) {
		t.Errorf("a run of no tick is expected to take %+v", e)
	}
}

// expected is what a run of s will take.
func expected(s trace.Settings) (trace.Estimate, error) {
	p, err := engine.Prepare(s)
	if err != nil {
		return trace.Estimate{}, err
	}
	return p.Expect(s.Ticks), nil
}
