package baseline

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/world"
)

var absurd = rapid.OneOf(
	rapid.SampledFrom([]int64{math.MinInt64, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64, 1 << 40, 1 << 33}),
	rapid.Int64Range(1, 60),
)

// trick draws an action that a cheat might try: gifts to mates, to itself and to
// strangers, of anything and of absurd amounts, overfull queues, and orders and offers that
// are placed, filled and cancelled.
func trick(t *rapid.T, v world.View) world.Action {
	o := v.Observe()
	receivers := []string{o.Self.ID, "agent-1", "agent-2", "agent-3", "agent-99"}
	for _, c := range o.Agents {
		receivers = append(receivers, c.ID, c.ID)
	}
	n := absurd.Draw(t, "n")
	side := rapid.SampledFrom([]string{world.SideBuy, world.SideSell}).Draw(t, "side")
	price := rapid.OneOf(absurd, rapid.Int64Range(1, 12)).Draw(t, "price")
	resource := rapid.SampledFrom(world.Resources())
	switch rapid.IntRange(0, 14).Draw(t, "trick") {
	case 8:
		to := rapid.SampledFrom(append(receivers, world.ToAnyone)).Draw(t, "addressee")
		o := world.Offer{
			To: to, Give: resource.Draw(t, "give"), GiveAmount: n, Want: resource.Draw(t, "want"),
			WantAmount: absurd.Draw(t, "wanted"), Ticks: rapid.Int64Range(0, 21).Draw(t, "ticks"),
		}
		clamped, _ := v.Clamp(o)
		return clamped
	case 9:
		if len(o.Here.Offers) > 0 {
			return world.AcceptOffer{OfferID: rapid.SampledFrom(o.Here.Offers).Draw(t, "offer").ID}
		}
		return world.AcceptOffer{OfferID: "offer-1-agent-1-1"}
	case 10:
		if len(o.OwnOffers) > 0 {
			return world.CancelOffer{OfferID: rapid.SampledFrom(o.OwnOffers).Draw(t, "own offer").ID}
		}
		return world.AcceptOffer{OfferID: "offer-1-" + o.Self.ID + "-1"}
	case 11:
		return world.Request{To: rapid.SampledFrom(receivers).Draw(t, "asked"), Resource: resource.Draw(t, "asked for"), Amount: n, Ticks: 20}
	case 3, 4:
		return world.PlaceOrder{Side: side, Amount: n / world.PowerLot * world.PowerLot, Price: price}
	case 5:
		return world.BuyPower{Amount: world.PowerLot, Price: price}
	case 6:
		return world.SellPower{Amount: world.PowerLot, Price: price}
	case 7:
		if m := o.Market; m != nil && len(m.Orders) > 0 {
			return world.CancelOrder{OrderID: m.Orders[0].ID}
		}
		return world.CancelOrder{OrderID: o.Self.ID + "-o1"}
	case 0:
		return world.ScheduleRecipe{FactoryID: o.Self.ID + "-f1", RecipeID: rapid.SampledFrom(world.DefaultRules().Industry().Recipes).Draw(t, "recipe").ID, Batches: n}
	case 1:
		return world.ExecuteUntil{Do: world.Harvest{MaxAmount: n}, Until: []world.Condition{{Event: world.StopActionRejected}}, MaxTicks: 3}
	case 2:
		return world.Refine{MassG: n}
	}
	gift := world.Transfer{
		To: rapid.SampledFrom(receivers).Draw(t, "to"), Kind: resource.Draw(t, "kind"), Amount: n,
	}
	if rapid.Bool().Draw(t, "clamped") {
		clamped, _ := v.Clamp(gift)
		return clamped
	}
	return gift
}

// TestNoTrickBeatsTheBound plays tasks with agents that mix work with tricks.
func TestNoTrickBeatsTheBound(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	all := tasks(t)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(all).Draw(t, "task")
		tricks := rapid.IntRange(0, 9).Draw(t, "tricks in ten")
		cheat := func(b Brief) Decider {
			decide := Scripted(b)
			return func(v world.View) world.Action {
				honest := decide(v)
				if rapid.IntRange(0, 9).Draw(t, "trick?") >= tricks {
					return honest
				}
				return trick(t, v)
			}
		}
		seed := rapid.Uint64().Draw(t, "seed")
		_, score, err := Play(s, seed, s.Task.Ticks+5, cheat)
		if err != nil {
			t.Fatal(err)
		}
		if bound := BoundOf(s.Instance(seed)).Score; score > bound {
			t.Errorf("%s, seed %d: score %d is above the bound %d", s.ID, seed, score, bound)
		}
	})
}

// loophole is a world for one trick: two agents with goods at one place.
const loophole = `id = "loophole"
terms = true
[[places]]
id = "here"
offset_pct = { x = 0, y = 0, z = 0 }
material = "ice"
emission = 30
compound_g = 50_000
[agents]
count = 2
spawn = ["here"]
stock = [{ electricity = 90, hardware = 40, data = 9, control_chip = 6 }]
[task]
family = "production"
ticks = 40
metric = "METRIC"
`

// TestTricksScoreNothing tries each loophole by itself against each metric.
func TestTricksScoreNothing(t *testing.T) {
	other := map[string]string{"agent-1": "agent-2", "agent-2": "agent-1"}
	tricks := map[string]func(o world.Observation) world.Action{
		"goods go round in a circle": func(o world.Observation) world.Action {
			return world.Transfer{To: other[o.Self.ID], Kind: world.Resources()[1+o.Tick%6], Amount: 2}
		},
		"gifts to oneself": func(o world.Observation) world.Action {
			return world.Transfer{To: o.Self.ID, Kind: world.ControlChip, Amount: 1}
		},
		"more than there is": func(o world.Observation) world.Action {
			return world.Transfer{To: other[o.Self.ID], Kind: world.Data, Amount: math.MaxInt64}
		},
		"less than nothing": func(o world.Observation) world.Action {
			return world.Transfer{To: other[o.Self.ID], Kind: world.Data, Amount: math.MinInt64}
		},
		"more batches than a queue holds": func(o world.Observation) world.Action {
			if len(o.Factories) == 0 {
				return world.BuildFactory{FactoryKind: world.AssemblerMk1}
			}
			return world.ScheduleRecipe{FactoryID: o.Factories[0].ID, RecipeID: world.DefaultRules().Industry().Recipes[0].ID, Batches: math.MaxInt64}
		},
		"trading with oneself": func(o world.Observation) world.Action {
			side := world.SideSell
			if o.Tick%2 == 0 {
				side = world.SideBuy
			}
			return world.PlaceOrder{Side: side, Amount: world.PowerLot, Price: 1}
		},
		"orders taken back": func(o world.Observation) world.Action {
			if o.Market != nil && len(o.Market.Orders) > 0 {
				return world.CancelOrder{OrderID: o.Market.Orders[0].ID}
			}
			return world.PlaceOrder{Side: world.SideBuy, Amount: world.PowerLot, Price: 3}
		},
		"offers to each other and back": func(o world.Observation) world.Action {
			if len(o.Here.Offers) > 0 {
				return world.AcceptOffer{OfferID: o.Here.Offers[0].ID}
			}
			return world.Offer{
				To: world.ToAnyone, Give: world.Resources()[2+o.Tick%3], GiveAmount: 1, Want: world.Resources()[2+(o.Tick+1)%3], WantAmount: 1, Ticks: 3,
			}
		},
		"offers taken back": func(o world.Observation) world.Action {
			if len(o.OwnOffers) > 0 {
				return world.CancelOffer{OfferID: o.OwnOffers[0].ID}
			}
			return world.Offer{To: other[o.Self.ID], Give: world.Data, GiveAmount: 9, Want: world.ControlChip, WantAmount: 1, Ticks: 20}
		},
		"the factory of another": func(o world.Observation) world.Action {
			return world.ScheduleRecipe{FactoryID: other[o.Self.ID] + "-f1", RecipeID: world.DefaultRules().Industry().Recipes[0].ID, Batches: 1}
		},
	}
	for name, trick := range tricks {
		for _, metric := range []string{"produced:control_chip", "produced:data", "produced:hardware", "held:control_chip", "held:data", "held_min:data"} {
			s := mustParse(t, loophole, metric)
			cheat := func(Brief) Decider {
				return func(v world.View) world.Action { return trick(v.Observe()) }
			}
			if idle, got := play(t, s, Nothing), play(t, s, cheat); got > idle {
				t.Errorf("%s: %s is %d, and %d without", name, metric, got, idle)
			}
		}
	}
}

// TestReportingTwiceScoresOnce feeds a stretch of a run to the scorer again.
func TestReportingTwiceScoresOnce(t *testing.T) {
	for _, s := range tasks(t) {
		w, err := world.New(s, s.Seed)
		if err != nil {
			t.Fatal(err)
		}
		once, twice, decide := world.NewScorer(s), world.NewScorer(s), Scripted(BriefOf(s))
		var past []world.Event
		for w.Tick() < s.Task.Ticks {
			events := w.Advance()
			var intents []world.Intent
			for _, n := range w.Due() {
				intents = append(intents, world.Intent{Agent: n, Action: decide(w.View(n))})
			}
			events = append(events, w.Apply(intents)...)
			if len(events) == 0 {
				continue // the stretch before is then still the latest
			}
			for _, e := range events {
				once.Observe(e)
			}
			for _, e := range slices.Concat(events, past) {
				twice.Observe(e)
			}
			past = events
		}
		if a, b := once.Score(w.Tick()), twice.Score(w.Tick()); a != b {
			t.Errorf("%s: reported twice the score is %d, once it is %d", s.ID, b, a)
		}
	}
}
