package ahead

import (
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// TestARecordIsTheAgentsOwn: predictions that fail end the trust in that certainty of that agent, and it
// gets another chance after some ticks.
func TestARecordIsTheAgentsOwn(t *testing.T) {
	p := &Planner{records: make([]record, 2)}
	for range 5 {
		p.records[0].note(settledAsSeen, false)
	}
	if c := p.records[0].chance(sure(settledAsSeen)); c >= chanceMin {
		t.Errorf("after five failures the chance is %d", c)
	}
	for n, c := range []certainty{settledInSight, settledAsSeen} {
		if got := p.records[n].chance(sure(c)); got < chanceMin {
			t.Errorf("agent %d, certainty %d: the chance is %d though nothing of the kind failed", n, c, got)
		}
	}
	for range 40 {
		p.settle(0)
	}
	if c := p.records[0].chance(sure(settledAsSeen)); c < chanceMin {
		t.Errorf("forty ticks later the chance is still %d", c)
	}
}

// TestAStrangersTextStopsThoseWhoSeeIt: agents who see what somebody says that nobody foresaw are no longer asked
// ahead, and all others are.
func TestAStrangersTextStopsThoseWhoSeeIt(t *testing.T) {
	p := NewPlanner(Limits{Depth: 4, InFlight: 8, WastePermille: 50}, nil)
	p.records = make([]record, 4)
	for tick := int64(1); tick <= 6; tick++ {
		for n := range p.records {
			foreseen := CallID{CallKey: trace.CallKey{Tick: tick, Agent: string(rune('a' + n)), Step: 1}, Hash: "foreseen"}
			p.predict(hardlySettled, foreseen)
			p.calls[foreseen] = &call{agent: n, ahead: true, certainty: settledAsSeen}
			came := foreseen
			if n == 1 { // who sees the stranger
				came.Hash = "another"
			}
			p.Reach(came, n)
			p.Answer(foreseen, llmclient.Answer{Reply: &llmclient.Reply{}})
		}
		p.shadow.base.Cost = func(int, llmclient.Request, llmclient.Answer) price.Money { return 7 }
		p.settle(tick)
	}
	for n := range p.records {
		for _, c := range []certainty{settledAsSeen, hardlySettled} {
			o := outlook{c, 900}
			if asked := p.records[n].chance(o) >= chanceMin; asked == (n == 1) {
				t.Errorf("agent %d, certainty %d: it is asked ahead: %v", n, c, asked)
			}
		}
	}
	if got := p.Counts(); got.Used != 18 || got.Wasted != 6 || got.WastedCost != 42 {
		t.Errorf("%+v", got)
	}
	if len(p.latest)+len(p.predictions) > 0 {
		t.Errorf("%d turns and %d predictions are kept of ticks that are over", len(p.latest), len(p.predictions))
	}
}

// TestCallsThatAreCutOffCost: a call in vain counts what its answer took, and if it was cut off what was reserved for
// it, once.
func TestCallsThatAreCutOffCost(t *testing.T) {
	p := NewPlanner(Limits{Depth: 4, InFlight: 8, WastePermille: 50}, nil)
	p.records = make([]record, 1)
	p.shadow.base.Cost = func(n int, r llmclient.Request, a llmclient.Answer) price.Money {
		if a.Reply == nil {
			return 100
		}
		return 7
	}
	id := func(agent string) CallID {
		return CallID{CallKey: trace.CallKey{Tick: 1, Agent: agent, Step: 1}, Hash: "h"}
	}
	for _, agent := range []string{"answered", "cut off", "failed"} {
		p.calls[id(agent)] = &call{ahead: true}
	}
	p.Answer(id("answered"), llmclient.Answer{Reply: &llmclient.Reply{Usage: llmclient.Usage{Input: 3}}})
	p.Answer(id("failed"), llmclient.Failed(llmclient.ErrTimeout, "late"))
	p.settle(1)
	p.Answer(id("cut off"), llmclient.Failed(llmclient.ErrConnection, "the run ended"))
	p.settle(2)
	if c := p.Counts(); c.Wasted != 3 || c.WastedCost != 207 || c.WastedUsage.Input != 3 {
		t.Errorf("%+v", c)
	}
	if len(p.calls) > 0 {
		t.Errorf("%d calls are kept of a tick that is over", len(p.calls))
	}
}

// TestKeptCallsAreTheirTurns: what an earlier process asked belongs to its turn, so that a turn which asks something
// else is known to have failed.
func TestKeptCallsAreTheirTurns(t *testing.T) {
	key := trace.CallKey{Tick: 3, Agent: "agent-1", Step: 1}
	kept := &Kept{open: map[CallID]llmclient.Answer{{CallKey: key, Hash: "h"}: {Reply: &llmclient.Reply{}}}}
	p := NewPlanner(Limits{Depth: 1, InFlight: 8, WastePermille: 50}, kept)
	p.keep(func(string) (int, bool) { return 0, true })
	if c := p.latest[key]; c == nil || !p.asked(key) || !c.yieldsTo(settledInSight) || c.yieldsTo(settledAsSeen) {
		t.Fatalf("%+v", c)
	}
	p.supersede(p.latest[key])
	if p.risk != 1000 {
		t.Errorf("a failed call weighs %d", p.risk)
	}
}

// TestCallsThatNobodyWasAskedAreNotInVain: one that was cut off before it was sent is as if it had not been asked, before
// its tick is over and after it.
func TestCallsThatNobodyWasAskedAreNotInVain(t *testing.T) {
	unsent := llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrInterrupted, Unsent: true}}
	for _, late := range []bool{false, true} {
		p := NewPlanner(Limits{Depth: 4, InFlight: 8, WastePermille: 50}, nil)
		p.records = make([]record, 1)
		p.shadow.base.Cost = func(int, llmclient.Request, llmclient.Answer) price.Money { return 7 }
		id := CallID{CallKey: trace.CallKey{Tick: 2, Agent: "a", Step: 1}, Hash: "foreseen"}
		p.calls[id] = &call{ahead: true, certainty: settledAsSeen}
		p.underWay++
		p.counts.Asked++
		if late {
			p.settle(2)
		}
		p.Answer(id, unsent)
		if !late {
			p.settle(2)
		}
		if got := p.Counts(); got != (Counts{}) || p.underWay != 0 || p.risk != 0 {
			t.Errorf("late %v: %+v, %d under way, risk %d", late, got, p.underWay, p.risk)
		}
	}
}
