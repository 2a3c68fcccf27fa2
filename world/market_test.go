package world

import (
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/internal/draws"
)

// openOrders counts the orders of agent n that are in a book.
func openOrders(w *World, n int) int {
	count := 0
	for _, k := range w.agents[n].orders {
		if w.orders[k].open() {
			count++
		}
	}
	return count
}

// checkMarkets verifies every book: priorities, escrow, and that nothing that
// could trade stands side by side.
func checkMarkets(t *rapid.T, w *World) {
	inBooks := 0
	for p := range w.sites {
		s := &w.sites[p]
		inBooks += checkSide(t, w, int32(p), s.asks, false) + checkSide(t, w, int32(p), s.bids, true)
		for _, a := range s.asks {
			for _, b := range s.bids {
				if ask, bid := &w.orders[a], &w.orders[b]; ask.owner != bid.owner && ask.price <= bid.price {
					t.Fatalf("tick %d: %s at %d and %s at %d did not trade", w.tick, ask.id, ask.price, bid.id, bid.price)
				}
			}
		}
		if len(s.quotes) > int(w.geo.quoteDelayMax)+1 {
			t.Fatalf("%d quotes are kept, the longest delay is %d", len(s.quotes), w.geo.quoteDelayMax)
		}
	}
	open := 0
	for n := range w.agents {
		open += openOrders(w, n)
		if len(w.agents[n].orders) > OrdersMax {
			t.Fatalf("%s has %d records of orders", w.agents[n].id, len(w.agents[n].orders))
		}
	}
	if inBooks != open {
		t.Fatalf("%d orders are open, %d in books", open, inBooks)
	}
	for k := range w.orders {
		checkEscrow(t, w, &w.orders[k])
	}
	for k := range w.factories {
		checkFactory(t, w, &w.factories[k])
	}
}

func checkSide(t *rapid.T, w *World, p int32, side []int32, bid bool) int {
	for i, k := range side {
		o := &w.orders[k]
		if !o.open() || o.bid != bid || o.place != p || o.expiresAt <= w.tick {
			t.Fatalf("tick %d: %+v is filed wrongly", w.tick, *o)
		}
		if i == 0 {
			continue
		}
		if before := w.orders[side[i-1]].price; bid && o.price > before || !bid && o.price < before {
			t.Fatalf("tick %d: %s is after a worse price", w.tick, o.id)
		}
	}
	return len(side)
}

func checkEscrow(t *rapid.T, w *World, o *restingOrder) {
	wantData := int64(0)
	if o.bid {
		wantData = o.remaining / PowerLot * o.price
	}
	// What is held beyond the escrow came in while the owner was elsewhere.
	got, there := w.ledger.of(o.account, data), w.at(o.owner, o.place)
	if got < wantData || there && got > wantData {
		t.Fatalf("tick %d: %s holds %d data, want %d (owner there: %v)", w.tick, o.id, got, wantData, there)
	}
	if w.claim(o) < 0 || o.remaining%PowerLot != 0 || o.remaining < 0 {
		t.Fatalf("tick %d: %+v has a claim of %d", w.tick, *o, w.claim(o))
	}
}

func checkFactory(t *rapid.T, w *World, f *factory) {
	now := w.outputOf(f)
	if now.wear < 0 || now.wear > WearMax || now.stored < 0 || now.stored > w.law.PlantCap {
		t.Fatalf("%s is %+v", f.id, now)
	}
}

// TestPlantClosedFormAgreesWithTicks runs a plant tick by tick and compares it with the
// closed form.
func TestPlantClosedFormAgreesWithTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(0, 40).Draw(t, "rate")
		capacity := rapid.Int64Range(10, 300).Draw(t, "capacity")
		start := output{
			rapid.Int64Range(0, capacity).Draw(t, "stored"),
			rapid.OneOf(rapid.Int64Range(0, WearMax), rapid.Int64Range(WearMax-9, WearMax)).Draw(t, "wear"),
		}
		slow := start
		for dt := range int64(60) {
			if got := start.after(dt, rate, capacity); got != slow {
				t.Fatalf("after %d ticks %+v, step by step %+v", dt, got, slow)
			}
			if made := min(rate, capacity-slow.stored); made > 0 && slow.wear < WearMax {
				slow.stored += made
				slow.wear++
			}
		}
	})
}

func TestPlantQuoteRisesWithScarcity(t *testing.T) {
	r := DefaultRules()
	for _, tc := range []struct{ stored, want int64 }{{200, 1}, {178, 1}, {177, 2}, {100, 5}, {10, 9}, {0, 10}} {
		if got := r.plantQuote(tc.stored); got != tc.want {
			t.Errorf("a plant with %d asks %d, want %d", tc.stored, got, tc.want)
		}
	}
}

// twinOrder and twinPlant are the market as the rules word it, in plain lists.
type twinOrder struct {
	id, owner string
	bid       bool
	price     int64
	left      int64
}

type twinPlant struct {
	id, owner string
	stored    int64
}

// twinMarket matches by looking through everything again for every single lot.
type twinMarket struct {
	orders []*twinOrder
	plants []*twinPlant
	trades []Trade
	rules  Rules
}

// lot trades one lot for agent at the limit or better and says whether it could.
func (m *twinMarket) lot(agent string, buys bool, limit int64) bool {
	var best *twinOrder
	for _, o := range m.orders {
		if o.owner == agent || o.bid == buys || o.left == 0 || buys && o.price > limit || !buys && o.price < limit {
			continue
		}
		if best == nil || buys && o.price < best.price || !buys && o.price > best.price {
			best = o
		}
	}
	var plant *twinPlant
	for _, p := range m.plants {
		if price := m.quote(p); !buys || p.owner == agent || p.stored < 10 || price > limit ||
			best != nil && price >= best.price || plant != nil && price >= m.quote(plant) {
			continue
		}
		plant = p
	}
	switch {
	case plant != nil:
		m.note(agent, plant.owner, m.quote(plant))
		plant.stored -= 10
	case best == nil:
		return false
	case buys:
		best.left -= 10
		m.note(agent, best.owner, best.price)
	default:
		best.left -= 10
		m.note(best.owner, agent, best.price)
	}
	return true
}

func (m *twinMarket) quote(p *twinPlant) int64 {
	return 1 + m.rules.PlantQuoteSpan*(m.rules.PlantCap-p.stored)/m.rules.PlantCap
}

func (m *twinMarket) note(buyer, seller string, price int64) {
	m.trades = append(m.trades, Trade{buyer, seller, price, 10})
}

// apply does what an accepted action does.
func (m *twinMarket) apply(agent string, a Action, created string) {
	switch a := a.(type) {
	case BuyPower:
		left := a.Amount
		for _, p := range m.plants {
			for ; p.owner == agent && left > 0 && p.stored >= 10; left -= 10 {
				p.stored -= 10
			}
		}
		for ; left > 0 && m.lot(agent, true, a.Price); left -= 10 {
		}
	case SellPower:
		for left := a.Amount; left > 0 && m.lot(agent, false, a.Price); left -= 10 {
		}
	case PlaceOrder:
		left := a.Amount
		for ; left > 0 && m.lot(agent, a.Side == SideBuy, a.Price); left -= 10 {
		}
		if left > 0 {
			m.orders = append(m.orders, &twinOrder{created, agent, a.Side == SideBuy, a.Price, left})
		}
	case CancelOrder:
		for _, o := range m.orders {
			if o.id == a.OrderID {
				o.left = 0
			}
		}
	}
}

// TestMatchingAgreesWithPlainLoops runs random trades, one agent after the other, in the
// world and in the twin. It compares every lot traded and every order left.
func TestMatchingAgreesWithPlainLoops(t *testing.T) {
	traded := 0
	play := func(t *rapid.T) {
		s := richOf(t, rapid.IntRange(2, 4).Draw(t, "agents"))
		w, err := New(s, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		twin := &twinMarket{rules: s.Rules}
		plants := rapid.IntRange(0, 2).Draw(t, "plants")
		for tick := range rapid.IntRange(5, 40).Draw(t, "ticks") {
			twin.generate(w, w.Advance())
			n := tick % w.Agents()
			a := Action(BuildFactory{RadiationPlantMk1})
			if tick >= plants {
				a = drawTrade(t, w, n)
			}
			events := w.Apply([]Intent{{Agent: n, Action: a}})
			if got, _ := w.LastOutcome(n); got.Accepted {
				twin.apply(w.AgentID(n), a, got.Created)
			}
			traded += twin.compare(t, w, events)
		}
	}
	rapid.Check(t, play)
	draws.Until(func() bool { return traded >= 100 }, play)
}

func richOf(t *rapid.T, agents int) Scenario {
	s, _, _ := EmbeddedScenario("minimal")
	s = s.WithAgents(agents)
	s.Goals = nil
	s.Rules.PowerCapacity, s.Rules.PlantTicks, s.Rules.OrderTicks = 1_000_000, 1, 1000
	s.Rules.PlantQuoteSpan = rapid.Int64Range(0, 9).Draw(t, "span")
	s.Agents.Stock = [][]Amount{{{Electricity, 500_000}, {Data, 1_000_000}, {Hardware, 100}}}
	return s
}

// generate lets a tick pass for plants and takes in those that have just opened.
func (m *twinMarket) generate(w *World, events []Event) {
	for _, p := range m.plants {
		p.stored = min(m.rules.PlantCap, p.stored+m.rules.PlantRate)
	}
	for _, e := range events {
		if e.Kind == EventFactoryBuilt {
			m.plants = append(m.plants, &twinPlant{id: e.Subject, owner: e.Agent})
		}
	}
}

func drawTrade(t *rapid.T, w *World, n int) Action {
	amount, price := rapid.Int64Range(1, 12).Draw(t, "lots")*PowerLot, rapid.Int64Range(1, 9).Draw(t, "price")
	switch rapid.IntRange(0, 6).Draw(t, "trade") {
	case 0:
		return BuyPower{amount, price}
	case 1:
		return SellPower{amount, price}
	case 2:
		if orders := w.View(n).facts.orders; len(orders) > 0 {
			return CancelOrder{rapid.SampledFrom(orders).Draw(t, "cancel").ID}
		}
	case 3, 4:
		return PlaceOrder{SideSell, amount, price}
	}
	return PlaceOrder{SideBuy, amount, price}
}

// compare looks at the trades of one Apply lot by lot, and at what is left.
func (m *twinMarket) compare(t *rapid.T, w *World, events []Event) int {
	var got []Trade
	for _, e := range events {
		if e.Kind != EventTrade {
			continue
		}
		for range e.Trade.Amount / PowerLot {
			got = append(got, Trade{e.Trade.Buyer, e.Trade.Seller, e.Trade.Price, PowerLot})
		}
	}
	if a, b := mustJSON(got), mustJSON(m.trades); a != b {
		t.Fatalf("tick %d: traded %s\ntwin %s", w.tick, a, b)
	}
	m.trades = nil
	left := map[string]int64{}
	for _, o := range m.orders {
		if o.left > 0 {
			left[o.id] = o.left
		}
	}
	for _, o := range w.orders {
		if o.open() && left[o.id] != o.remaining {
			t.Fatalf("tick %d: %s has %d left, twin %d", w.tick, o.id, o.remaining, left[o.id])
		}
		delete(left, o.id)
	}
	if len(left) > 0 {
		t.Fatalf("tick %d: the twin still has %v", w.tick, left)
	}
	return len(got)
}
