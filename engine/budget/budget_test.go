package budget

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// reply is an answer that bills so much.
func reply(input, output int64) llmclient.Answer {
	return llmclient.Answer{Reply: &llmclient.Reply{Items: make([]llmclient.Item, 1), Usage: llmclient.Usage{Input: input, Output: output}}}
}

func TestSharesAreWithinEveryCap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := func(name string) trace.Limit {
			n := rapid.Int64Range(0, 60)
			return trace.Limit{Calls: n.Draw(t, name+" calls"), Tokens: n.Draw(t, name+" tokens") * 100, Cost: price.Money(n.Draw(t, name+" cost") * 1000)}
		}
		caps := trace.Caps{Run: limit("run"), Agent: limit("agent"), Tick: limit("tick")}
		b := New(caps)
		p := price.Price{Rates: price.Rates{Input: 2, CachedInput: 1, Output: 7}}
		agents := rapid.IntRange(1, 5).Draw(t, "agents")
		run, byAgent := Amount{}, make([]Amount, agents)
		for range rapid.IntRange(1, 6).Draw(t, "ticks") {
			b.BeginTick()
			tick := Amount{}
			for range rapid.IntRange(1, 2).Draw(t, "stages") {
				needs := make([]Need, agents)
				for i := range needs {
					needs[i] = Need{fmt.Sprint(i), b.Call(rapid.Int64Range(0, 300).Draw(t, "opening"), 50, p).Path(rapid.IntRange(0, 3).Draw(t, "least"))}
				}
				reservations := b.Open(needs)
				for i, reservation := range reservations {
					for range rapid.IntRange(0, 9).Draw(t, "calls") {
						input := rapid.Int64Range(1, 300).Draw(t, "input")
						call := b.Call(input, 50, p)
						if reservation.Reserve(call) != nil {
							break
						}
						a := reply(rapid.Int64Range(0, input*reserveMilli/1000).Draw(t, "billed"), rapid.Int64Range(0, 50).Draw(t, "output"))
						if rapid.Bool().Draw(t, "lost") {
							a = llmclient.Failed(llmclient.ErrTimeout, "")
						}
						charge := reservation.Charge(call, a)
						spent := Amount{1, charge.Tokens, int64(charge.Cost)}
						run, tick, byAgent[i] = run.Plus(spent), tick.Plus(spent), byAgent[i].Plus(spent)
					}
				}
				b.Close(reservations)
			}
			for _, at := range []struct {
				name  string
				spent Amount
				limit trace.Limit
			}{{"run", run, caps.Run}, {"tick", tick, caps.Tick}, {"agent", byAgent[0], caps.Agent}} {
				for u, most := range AmountOf(at.limit) {
					if most > 0 && at.spent[u] > most {
						t.Fatalf("the %s spent %d %s of %d", at.name, at.spent[u], Unit(u), most)
					}
				}
			}
		}
		if b.Spent() != run {
			t.Fatalf("spent %v, counted %v", b.Spent(), run)
		}
	})
}

func need(agent string, calls int64) Need { return Need{agent, Amount{calls, 0, 0}} }

func callsLeft(reservations []*Reservation) (left []int64) {
	for _, p := range reservations {
		n := int64(-1)
		if p.refusal == nil {
			n = p.share[Calls]
		}
		left = append(left, n)
	}
	return left
}

func TestSharesInAgentOrder(t *testing.T) {
	three := []Need{need("a", 3), need("b", 3), need("c", 3)}
	for _, c := range []struct {
		name  string
		caps  trace.Caps
		spent map[string]Amount
		needs []Need
		want  string
	}{
		{"equal parts", trace.Caps{Run: trace.Limit{Calls: 21}}, nil, three, "[7 7 7]"},
		{"the remainder goes to later turns", trace.Caps{Run: trace.Limit{Calls: 20}}, nil, three, "[6 7 7]"},
		{"the last is refused", trace.Caps{Tick: trace.Limit{Calls: 8}}, nil, three, "[4 4 -1]"},
		{"a smaller turn still fits", trace.Caps{Tick: trace.Limit{Calls: 5}}, nil, []Need{need("a", 3), need("b", 3), need("c", 2)}, "[3 -1 2]"},
		{"the agent's own", trace.Caps{Run: trace.Limit{Calls: 100}, Agent: trace.Limit{Calls: 10}}, map[string]Amount{"b": {8, 0, 0}, "c": {6, 0, 0}}, three, "[10 -1 4]"},
		{"what one may not take goes to the others", trace.Caps{Run: trace.Limit{Calls: 30}, Agent: trace.Limit{Calls: 6}}, map[string]Amount{"a": {3, 0, 0}}, three, "[3 6 6]"},
		{"none", trace.Caps{Run: trace.Limit{Calls: 2}}, nil, three, "[-1 -1 -1]"},
	} {
		b := New(c.caps)
		for agent, spent := range c.spent {
			b.agents[agent] = spent
		}
		if got := fmt.Sprint(callsLeft(b.Open(c.needs))); got != c.want {
			t.Errorf("%s: shares %s, want %s", c.name, got, c.want)
		}
	}
}

func TestRefusalsNameTheCap(t *testing.T) {
	b := New(trace.Caps{Run: trace.Limit{Tokens: 10_000}, Agent: trace.Limit{Calls: 4}, Tick: trace.Limit{Cost: 5_000_000_000_000}})
	call := b.Call(1000, 100, price.Price{Rates: price.Rates{Input: 3_000_000_000, Output: 3_000_000_000}})
	reservations := b.Open([]Need{{"a", call.Path(1)}, {"b", call.Path(2)}})
	if got, want := reservations[1].refusal.String(), "cap on cost of the tick, 5.00: 0.95 left, a turn needs 9.636"; got != want {
		t.Errorf("refusal %q, want %q", got, want)
	}
	if refused := reservations[0].Reserve(call); refused != nil {
		t.Fatal(refused)
	}
	charge := reservations[0].Charge(call, reply(900, 50))
	if want := (trace.Charge{ReservedTokens: 1350, Tokens: 950, Cost: 2_850_000_000_000}); charge != want {
		t.Errorf("charge %+v, want %+v", charge, want)
	}
	refused := reservations[0].Reserve(call)
	if refused == nil || refused.Code() != "tick_cost" || refused.String() != "cap on cost of the tick, 5.00: this turn's share has 2.15 left, the call may take 4.05" {
		t.Errorf("refusal %v", refused)
	}
	if f := refused.Answer().Failure; f == nil || f.Kind != llmclient.ErrCap || f.Code != "tick_cost" {
		t.Errorf("answer %+v", f)
	}
}

func TestWhatCounts(t *testing.T) {
	b := New(trace.Caps{Run: trace.Limit{Tokens: 1}})
	call := b.Call(1000, 100, price.Price{})
	for _, c := range []struct {
		name   string
		answer llmclient.Answer
		want   int64
	}{
		{"what was billed", reply(800, 60), 860},
		{"more than was reserved", reply(5000, 600), 5600},
		{"no usage told", reply(0, 0), 1350},
		{"no input told", reply(0, 7), 1257},
		{"nothing written", llmclient.Answer{Reply: &llmclient.Reply{Usage: llmclient.Usage{Input: 900}}}, 900},
		{"a lost answer", llmclient.Failed(llmclient.ErrTimeout, ""), 1350},
		{"a connection that ended", llmclient.Failed(llmclient.ErrConnection, ""), 1350},
		{"a connection that never was", llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrConnection, Unsent: true}}, 0},
		{"an answer cut short", llmclient.Failed(llmclient.ErrMalformed, ""), 1350},
		{"too many requests", llmclient.Failed(llmclient.ErrRateLimited, ""), 0},
		{"a refused request", llmclient.Failed(llmclient.ErrBadRequest, ""), 0},
	} {
		if got := call.Charge(c.answer).Tokens; got != c.want {
			t.Errorf("%s counts %d tokens, want %d", c.name, got, c.want)
		}
	}
}

func TestWhatAProviderBillsIsSetAsideNext(t *testing.T) {
	b := New(trace.Caps{Run: trace.Limit{Tokens: 1_000_000}})
	call := b.Call(1000, 100, price.Price{})
	reservations := b.Open([]Need{{"a", call.Path(1)}, {"b", call.Path(1)}})
	reservations[0].Charge(call, reply(1100, 300))
	reservations[1].Charge(call, reply(2000, 90))
	if got := b.Call(1000, 100, price.Price{}).amount()[Tokens]; got != 1350 {
		t.Errorf("%d tokens reserved before the tick ended, want 1350: the amount would depend on the order of turns", got)
	}
	b.Close(reservations)
	if got := b.Call(1000, 100, price.Price{}).amount()[Tokens]; got != 2300 {
		t.Errorf("%d tokens reserved, want 2000 and 300", got)
	}
}

func TestExhausted(t *testing.T) {
	refusedBy := func(scopes ...Scope) (reservations []*Reservation) {
		for _, s := range scopes {
			p := &Reservation{}
			if s != "" {
				p.refusal = &Refusal{Scope: s}
			}
			reservations = append(reservations, p)
		}
		return reservations
	}
	for _, c := range []struct {
		reservations []*Reservation
		agents       int
		want         Scope
	}{
		{refusedBy(), 2, ""}, {refusedBy("", Run), 2, ""}, {refusedBy(Run, Run), 2, Run}, {refusedBy(Run), 2, Run}, {refusedBy(Tick), 2, Tick},
		{refusedBy(Agent), 2, ""}, {refusedBy(Agent, Agent), 2, Agent}, {refusedBy(Agent, Run), 3, Run}, {refusedBy(Agent, Agent, ""), 3, ""},
	} {
		got := Scope("")
		if why := Exhausted(c.reservations, c.agents); why != nil {
			got = why.Scope
		}
		if got != c.want {
			t.Errorf("%d turns of %d agents: exhausted by %q, want %q", len(c.reservations), c.agents, got, c.want)
		}
	}
}

func TestAffords(t *testing.T) {
	for _, c := range []struct {
		limit trace.Limit
		want  int
	}{
		{trace.Limit{Calls: 5}, 5},
		{trace.Limit{Tokens: 1350}, 1},
		{trace.Limit{Tokens: 1350 + 1350 + growthTokens}, 2},
		{trace.Limit{Tokens: 1350 + 1350 + growthTokens - 1}, 1},
		{trace.Limit{Calls: 2, Tokens: 1_000_000}, 2},
		{trace.Limit{Cost: 1}, affordsMax}, // without a price nothing costs anything
	} {
		b := New(trace.Caps{Run: c.limit})
		call := b.Call(1000, 100, price.Price{})
		reservation := b.Open([]Need{{"a", call.Path(1)}})[0]
		if got := reservation.Affords(call); got != c.want {
			t.Errorf("%+v affords %d calls, want %d", c.limit, got, c.want)
		}
	}
	if got := New(trace.Caps{Run: trace.Limit{Calls: 1}}).Open([]Need{need("a", 2)})[0].Affords(Call{}); got != 0 {
		t.Errorf("a refused turn affords %d calls", got)
	}
}

// TestCachedInputCanBeDearer: the reserved amount is enough for any cached part of the
// input and any price table.
func TestCachedInputCanBeDearer(t *testing.T) {
	p := price.Price{Model: "m", Currency: "USD", Rates: price.Rates{Input: 400, CachedInput: 4000, Output: 1600}}
	b := New(trace.Caps{Run: trace.Limit{Cost: 20_000_000}})
	reservation := b.Open([]Need{{Agent: "a", Least: Amount{1, 0, 0}}})[0]
	for calls := 0; ; calls++ {
		call := b.Call(1000, 100, p)
		if reservation.Reserve(call) != nil {
			if calls == 0 {
				t.Fatal("no call fits; the test shows nothing")
			}
			return
		}
		reservation.Charge(call, llmclient.Answer{Reply: &llmclient.Reply{Usage: llmclient.Usage{Input: 1000, Cached: 1000, Output: 100}}})
		if spent := int64(p.Cost(llmclient.Usage{Input: 1000, Cached: 1000, Output: 100})) * int64(calls+1); spent > 20_000_000 {
			t.Fatalf("%d calls cost %d of 20000000", calls+1, spent)
		}
	}
}
