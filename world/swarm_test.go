package world

import (
	"fmt"
	"os"
	"testing"
)

// swarmRun drives a world by counter-based draws, so that a seed says everything.
type swarmRun struct {
	w    *World
	seed uint64
}

// draw is a number below n for an agent in this tick.
func (r *swarmRun) draw(agent int, p purpose, n int64) int64 {
	return below(mix(r.seed, r.w.tick, uint64(agent), 1000+p), n)
}

// intents has each due agent do one of the things it is offered, sometimes for
// many ticks, now and then something absurd; orders go on.
func (r *swarmRun) intents() []Intent {
	var list []Intent
	for _, n := range r.w.Due() {
		parents := []string{agentID(int(r.draw(n, 17, 3))), agentID(int(r.draw(n, 18, 3)))}
		list = append(list, Intent{Agent: n, Action: r.choose(n), Parents: parents[:r.draw(n, 19, 3)]})
	}
	for _, n := range r.w.Continuing() {
		order, _ := r.w.Standing(n)
		do, _ := r.w.View(n).Clamp(order.Do)
		list = append(list, Intent{Agent: n, Action: do})
	}
	return list
}

func (r *swarmRun) choose(n int) Action {
	v := r.w.View(n)
	offers := append(offersOf(v), Wait{})
	if o := v.Observe(); len(o.Agents) > 0 {
		offers = append(offers, SendMessage{To: o.Agents[0].ID, Text: fmt.Sprint("tick ", r.w.tick)}, PostNote{Text: "seen"})
		offers = append(offers, Transfer{o.Agents[0].ID, Resources()[r.draw(n, 1, builtinResources)], 1 + r.draw(n, 2, 9)})
	}
	a := offers[r.draw(n, 3, int64(len(offers)))]
	if v.facts.typed && r.draw(n, 8, 3) == 0 {
		return r.deal(n, v.Observe())
	}
	switch r.draw(n, 4, 12) {
	case 0:
		return ExecuteUntil{Do: a, Until: []Condition{{Event: StopPowerLow}, {Event: StopJobDone}}, MaxTicks: 1 + r.draw(n, 5, 8)}
	case 1:
		return Mine{r.draw(n, 6, 1<<40) - 1<<39}
	case 2:
		return Move{fmt.Sprintf("frag-%d", r.draw(n, 7, 99))}
	}
	return a
}

// deal does something about terms: takes, declines, answers, asks, or offers, sometimes what
// an attacker would try.
func (r *swarmRun) deal(n int, o Observation) Action {
	pick := func(p purpose, list []Terms) Terms { return list[r.draw(n, p, int64(len(list)))] }
	dealt := []string{Electricity, Compound, Hardware, Data}
	give, want := r.draw(n, 9, 4), r.draw(n, 10, 4)
	to := ToAnyone
	if len(o.Agents) > 0 {
		to = o.Agents[0].ID
	}
	switch kind := r.draw(n, 11, 12); {
	case len(o.Here.Offers) > 0 && kind < 6:
		return AcceptOffer{pick(12, o.Here.Offers).ID}
	case len(o.Requests) > 0 && kind < 3:
		asked := pick(13, o.Requests)
		return Offer{asked.From, asked.Want, 1 + r.draw(n, 14, 9), dealt[want], 1 + r.draw(n, 15, 9), 1 + r.draw(n, 16, 20), asked.ID}
	case len(o.Requests) > 0 && kind < 5:
		asked := pick(13, o.Requests)
		return Transfer{asked.From, asked.Want, 1 + r.draw(n, 14, 9)}
	case len(o.Requests) > 0 && kind == 5:
		return Decline{pick(13, o.Requests).ID}
	case len(o.OwnOffers) > 0 && kind == 6:
		return CancelOffer{pick(17, o.OwnOffers).ID}
	case len(o.OwnOffers) > 0 && kind == 7:
		return AcceptOffer{pick(17, o.OwnOffers).ID}
	case kind == 8:
		return Offer{to, dealt[give], r.draw(n, 18, 1<<40) - 1<<39, dealt[want], r.draw(n, 19, 1<<40) - 1<<39, 30, ""}
	case kind == 9:
		return Request{to, dealt[want], 1 + r.draw(n, 20, 30), 1 + r.draw(n, 21, 25)}
	case kind == 10:
		to = ToAnyone
	}
	return Offer{to, dealt[give], 1 + r.draw(n, 22, 9), dealt[want], 1 + r.draw(n, 23, 9), 1 + r.draw(n, 24, 20), ""}
}

// swarmScenario draws the number, the belt and the rules of a world.
func swarmScenario(t *testing.T, seed uint64) Scenario {
	draw := func(p purpose, n int64) int64 { return below(mix(seed, 0, 0, 2000+p), n) }
	s := mustScenario(t, []string{"fragments", "llm_bootstrap", "two_bases", "minimal"}[draw(1, 4)])
	if s.Belt != nil {
		belt := *s.Belt
		belt.Count, belt.Charted = 1+draw(2, 90), draw(3, 2) == 0
		belt.RegenPPM, belt.RadiusExponent = draw(4, 400_000), 2+draw(5, 7)
		s.Belt, s.Agents.SpawnStride = &belt, 1+draw(6, 40)
	}
	s.VisibilityKM, s.PlacesShown, s.AgentsShown = draw(7, 60), 1+draw(8, 12), 1+draw(9, 12)
	s.Rules.IdleDraw, s.Rules.AmbientFloor = 1+draw(10, 4), 1+draw(11, 4)
	s.Rules.BuildTicks, s.Rules.MoveRangeKM = 1+draw(12, 6), 1+draw(13, 20)
	s.Terms = draw(15, 3) > 0
	return s.WithAgents(int(1 + draw(14, 40)))
}

// TestSwarmLong runs random worlds, each twice. It checks conservation and the digest
// in every tick, that both runs agree, and that every agent that cannot act has a wake-up.
func TestSwarmLong(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many worlds")
	}
	worlds := uint64(30)
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		worlds = 500
	}
	for seed := range worlds {
		if problem := swarm(t, seed); problem != "" {
			t.Fatalf("seed=%d %s", seed, problem)
		}
	}
}

// swarm runs one world and says what went wrong.
func swarm(t *testing.T, seed uint64) string {
	s := swarmScenario(t, seed)
	one, err := New(s, seed)
	if err != nil {
		return err.Error()
	}
	two, _ := New(s, seed)
	for range 60 {
		one.Advance()
		two.Advance()
		intents := (&swarmRun{one, seed}).intents()
		one.Apply(intents)
		two.Apply(reversed(intents))
		for k := range one.offers {
			if o := &one.offers[k]; o.open && one.ledger.stock(o.account) != o.escrow() {
				return fmt.Sprintf("tick %d: %s holds %v", one.Tick(), o.id, one.ledger.stock(o.account))
			}
		}
		for r, n := range sumsOf(one) {
			if n != 0 {
				return fmt.Sprintf("tick %d: %s sums to %d", one.Tick(), r, n)
			}
		}
		if d := one.Digest(); d != one.RecomputeDigest() || d != two.Digest() {
			return fmt.Sprintf("tick %d: digest %s, recomputed %s, second run %s", one.Tick(), d, one.RecomputeDigest(), two.Digest())
		}
	}
	for n := range one.agents {
		if a := &one.agents[n]; !a.able() && one.calendar.where[wakeUpOf(int32(n), kindPower)] == 0 {
			return fmt.Sprintf("%s cannot act and nothing will wake it", a.id)
		}
	}
	return ""
}

// sumsOf adds up all balances by resource.
func sumsOf(w *World) map[string]int64 {
	sums := map[string]int64{}
	for _, b := range w.Balances() {
		sums[b.Resource] += b.Amount
	}
	return sums
}
