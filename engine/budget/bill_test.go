package budget

import (
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// tiered is a price with cache writes and tiers.
func tiered() price.Price {
	write, long := price.Money(250), price.Money(500)
	half := price.Money(125)
	return price.Price{
		Model: "m", Currency: "USD",
		Rates: price.Rates{Input: 200, CachedInput: 20, CacheWrite: &write, CacheWriteLong: &long, Output: 1000},
		Tiers: []price.Tier{
			{Name: "flex", Rates: price.Rates{Input: 100, CachedInput: 10, CacheWrite: &half, Output: 500}},
			{Name: "priority", Rates: price.Rates{Input: 400, CachedInput: 40, Output: 2000}},
		},
	}
}

// TestReservedAtTheDearestPrice: what is set aside is what the call may be billed at most, at the tier that it
// asks for or falls back to and with all of its input written to the cache.
func TestReservedAtTheDearestPrice(t *testing.T) {
	b := New(trace.Caps{Run: trace.Limit{Cost: 1}})
	for tier, want := range map[string]int64{
		"":         1250*250 + 100*1000,
		"flex":     1250*250 + 100*1000,
		"priority": 1250*400 + 100*2000,
	} {
		if got := b.Call(1000, 100, tiered()).At(tier).amount()[Cost]; got != want {
			t.Errorf("tier %q: %d is set aside, want %d", tier, got, want)
		}
	}
}

func answered(u llmclient.Usage) llmclient.Answer {
	return llmclient.Answer{Reply: &llmclient.Reply{Usage: u, Items: []llmclient.Item{llmclient.Message("assistant", "hi")}}}
}

// TestChargedAtTheTierServed: the tier of the answer counts.
func TestChargedAtTheTierServed(t *testing.T) {
	call := New(trace.Caps{}).Call(1000, 100, tiered()).At("flex")
	for tier, want := range map[string]int64{
		"flex":     800*100 + 200*125 + 50*500,
		"default":  800*200 + 200*250 + 50*1000,
		"priority": 800*400 + 200*500 + 50*2000,
	} {
		charge := call.Charge(answered(llmclient.Usage{Input: 1000, Written: 200, Output: 50, ServiceTier: tier}))
		if int64(charge.Cost) != want {
			t.Errorf("tier %s: charged %d, want %d", tier, charge.Cost, want)
		}
	}
}

// TestOurCountWhereLittleIsReported: a count of less than half of ours counts as ours, at the price that input may
// have at most.
func TestOurCountWhereLittleIsReported(t *testing.T) {
	call := New(trace.Caps{}).Call(1000, 100, tiered()).Said(40)
	for _, c := range []struct {
		reported     llmclient.Usage
		tokens, cost int64
	}{
		{llmclient.Usage{Input: 500, Output: 20}, 520, 500*200 + 20*1000},
		{llmclient.Usage{Input: 499, Output: 20}, 1020, 1000*250 + 20*1000},
		{llmclient.Usage{Input: 900, Output: 19}, 940, 900*250 + 40*1000},
		{llmclient.Usage{Output: 20}, 1270, 1250*250 + 20*1000},
		{llmclient.Usage{Input: 900}, 1000, 900*250 + 100*1000},
		{llmclient.Usage{}, 1350, 1250*250 + 100*1000},
	} {
		charge := call.Charge(answered(c.reported))
		if charge.Tokens != c.tokens || int64(charge.Cost) != c.cost {
			t.Errorf("%+v: charged %d tokens, %d, want %d, %d", c.reported, charge.Tokens, charge.Cost, c.tokens, c.cost)
		}
	}
	lost := call.Charge(llmclient.Failed(llmclient.ErrTimeout, "x"))
	if want := int64(1250*250 + 100*1000); lost.Tokens != 1350 || int64(lost.Cost) != want {
		t.Errorf("a lost answer is charged %+v, want what was set aside, %d", lost, want)
	}
}

// TestDearerBillsAreLearned: a tier that nobody asked for, and writes that are kept for long, make later calls set
// aside as much more.
func TestDearerBillsAreLearned(t *testing.T) {
	for _, c := range []struct {
		name   string
		usage  llmclient.Usage
		factor int64 // thousandths
	}{
		{"as expected", llmclient.Usage{Input: 1000, Output: 100}, 1000},
		{"another tier", llmclient.Usage{Input: 1000, Output: 100, ServiceTier: "priority"}, 1715}, // 600,000 of 350,000
		{"long writes", llmclient.Usage{Input: 1000, Written: 1000, WrittenLong: 1000, Output: 100}, 1715},
		{"nothing", llmclient.Usage{}, 1000},
	} {
		b := New(trace.Caps{Run: trace.Limit{Cost: 1 << 60}})
		b.BeginTick()
		call := b.Call(1000, 100, tiered())
		open := b.Open([]Need{{Agent: "a", Least: call.Path(1)}})
		open[0].Charge(call, answered(c.usage))
		b.Close(open)
		want := scaled(1250*250+100*1000, c.factor)
		if got := b.Call(1000, 100, tiered()).amount()[Cost]; got != want {
			t.Errorf("%s: %d is set aside afterwards, want %d", c.name, got, want)
		}
	}
}

// TestAbsurdBillsDoNotWrap: amounts beyond all bounds stay at the largest one.
func TestAbsurdBillsDoNotWrap(t *testing.T) {
	if got := scaled(unlimited, costMilliMax); got != unlimited {
		t.Errorf("scaled to %d", got)
	}
	for _, c := range []struct{ billed, expected, want int64 }{
		{unlimited, 1, costMilliMax}, {5, 0, 0}, {4, 5, 0}, {unlimited, unlimited - 1, 1001}, {15, 10, 1500},
	} {
		if got := ratioMilli(c.billed, c.expected); got != c.want {
			t.Errorf("ratio of %d to %d is %d, want %d", c.billed, c.expected, got, c.want)
		}
	}
}
