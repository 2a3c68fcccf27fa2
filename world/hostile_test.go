package world

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/plaintext"
)

// drawRules draws rules over their whole ranges, small numbers more often, so
// that batteries run dry and heat builds up within a test.
func drawRules(t *rapid.T) Rules {
	r := DefaultRules()
	r.PowerCapacity = rapid.OneOf(rapid.Int64Range(1, 120), rapid.Int64Range(80, 300)).Draw(t, "capacity")
	r.IdleDraw = rapid.OneOf(rapid.Just(int64(1)), rapid.Int64Range(1, 7)).Draw(t, "idle")
	r.AmbientFloor = rapid.Int64Range(1, 5).Draw(t, "ambient")
	r.LowPercent = rapid.Int64Range(1, 99).Draw(t, "low")
	r.CriticalPercent = rapid.Int64Range(0, r.LowPercent).Draw(t, "critical")
	r.RestartPercent = rapid.Int64Range(1, 100).Draw(t, "restart")
	r.HeatCapacity = rapid.Int64Range(10, 60).Draw(t, "heatcap")
	r.Dissipation = rapid.Int64Range(1, 20).Draw(t, "dissipation")
	r.MoveRangeKM = rapid.Int64Range(1, 20).Draw(t, "range")
	r.MineCostPerKG = rapid.Int64Range(0, 2).Draw(t, "mine")
	r.RefineCostPerKG = rapid.Int64Range(0, 2).Draw(t, "refine")
	r.BuildElectricity = rapid.Int64Range(0, 10).Draw(t, "buildE")
	r.BuildHardware = rapid.Int64Range(0, 3).Draw(t, "buildH")
	r.MessageKMPerTick = rapid.Int64Range(1, 20).Draw(t, "message range")
	r.SightAgeTicks = rapid.Int64Range(0, 4).Draw(t, "sight age")
	r.InboxMax = rapid.Int64Range(1, 3).Draw(t, "inbox")
	r.NotesMax = rapid.Int64Range(1, 3).Draw(t, "notes")
	r.BuildTicks = rapid.Int64Range(1, 4).Draw(t, "buildT")
	r.PlantElectricity = rapid.Int64Range(0, 10).Draw(t, "plantE")
	r.PlantHardware = rapid.Int64Range(0, 3).Draw(t, "plantH")
	r.PlantTicks = rapid.Int64Range(1, 2).Draw(t, "plantT")
	r.PlantRate = rapid.Int64Range(1, 30).Draw(t, "plant rate")
	r.PlantCap = rapid.OneOf(rapid.Just(int64(200)), rapid.Int64Range(10, 60)).Draw(t, "plant cap")
	r.PlantQuoteSpan = rapid.Int64Range(0, 12).Draw(t, "span")
	r.OrderTicks = rapid.Int64Range(1, 12).Draw(t, "order ticks")
	return r
}

// drawScenario draws a small crowded scenario in which everything happens soon.
func drawScenario(t *rapid.T) Scenario {
	s := Scenario{
		ID: "hostile", Space: Space{3_000_000, 3_000_000, 500_000}, Rules: drawRules(t),
		VisibilityKM: rapid.Int64Range(0, 30).Draw(t, "visibility"),
		PlacesShown:  rapid.Int64Range(1, 4).Draw(t, "places shown"),
		AgentsShown:  rapid.Int64Range(1, 4).Draw(t, "agents shown"),
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "places") {
		s.Places = append(s.Places, Place{
			ID: "p" + string(rune('a'+i)), Material: "ice", RadiusCM: rapid.Int64Range(1, 500_000).Draw(t, "radius"),
			Position: Position{
				rapid.Int64Range(0, s.Space.WidthCM).Draw(t, "x"),
				rapid.Int64Range(0, s.Space.DepthCM).Draw(t, "y"),
				rapid.Int64Range(0, s.Space.HeightCM).Draw(t, "z"),
			},
			Emission:  rapid.Int64Range(0, 60).Draw(t, "emission"),
			CompoundG: rapid.Int64Range(0, 12_000).Draw(t, "compound"),
			RegenG:    rapid.SampledFrom([]int64{0, 0, 1, 70, 100_000}).Draw(t, "regen"),
			Charted:   rapid.Bool().Draw(t, "charted"),
		})
	}
	if rapid.IntRange(0, 3).Draw(t, "belt?") == 0 {
		s.Belt = drawBelt(t, s.Space)
	}
	s.Terms = rapid.IntRange(0, 3).Draw(t, "terms") > 0
	s.Agents.Count = rapid.Int64Range(1, 6).Draw(t, "agents")
	for range rapid.IntRange(1, 3).Draw(t, "spawns") {
		p := rapid.SampledFrom(s.Places).Draw(t, "spawn")
		s.Agents.Spawn = append(s.Agents.Spawn, p.ID)
	}
	if s.Belt != nil && rapid.Bool().Draw(t, "stride?") {
		s.Agents.Spawn, s.Agents.SpawnStride = nil, rapid.Int64Range(1, 70).Draw(t, "stride")
	}
	s.Agents.Stock = [][]Amount{{
		{Electricity, rapid.Int64Range(0, s.Rules.PowerCapacity).Draw(t, "electricity")},
		{Compound, rapid.Int64Range(0, 3000).Draw(t, "stock compound")},
		{Hardware, rapid.Int64Range(0, 20).Draw(t, "hardware")},
		{Data, rapid.Int64Range(0, 90).Draw(t, "data")},
	}}
	s.Goals = []Goal{
		{ID: "g", Agent: "*", Metric: "stock:hardware", AtLeast: 10},
		{ID: "h", Agent: "agent-1", Metric: "factory:" + AssemblerMk1, AtLeast: 1},
		{ID: "i", Agent: "*", Metric: "place:pa", AtLeast: 1},
	}
	return s
}

var hostileAmounts = rapid.OneOf(
	rapid.Int64Range(-3, 60),
	rapid.Int64Range(900, 12_000),
	rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, -1, 0, math.MaxInt64 - 1, math.MaxInt64}),
	rapid.Int64(),
)

var hostileNames = rapid.SampledFrom([]string{
	"pa", "pb", "pc", "pd", "frag-1", "frag-2", "frag-99", "nowhere", "", "agent-1", "agent-2", "agent-3", "agent-9", "agent-1-f1",
	"agent-2-f1", "agent-1-f2", "agent-1-o1", "agent-2-o1", "agent-1-o2", "\x00<&>\"", "électrique",
})

var hostileTexts = rapid.OneOf(
	rapid.SampledFrom([]string{
		"hello", "", " \n\t", "a\x00b\u202ec\u2028# Observation", strings.Repeat("é", TextMax+3), "<&>\"\\", "\ufffd",
	}),
	rapid.String(),
)

// drawAction draws any action, sensible or absurd, orders included.
func drawAction(t *rapid.T) Action {
	if rapid.IntRange(0, 5).Draw(t, "order?") > 0 {
		return drawPlainAction(t)
	}
	o := ExecuteUntil{Do: drawPlainAction(t), MaxTicks: rapid.OneOf(rapid.Int64Range(1, 9), hostileAmounts).Draw(t, "max")}
	for range rapid.IntRange(0, 3).Draw(t, "conditions") {
		event := rapid.SampledFrom(append(StopEvents(), StopEvent{Name: "no_such"})).Draw(t, "event")
		c := Condition{Event: event.Name}
		if event.TakesValue != (rapid.IntRange(0, 9).Draw(t, "wrong") == 0) {
			c.Value = number(hostileAmounts.Draw(t, "value"))
		}
		o.Until = append(o.Until, c)
	}
	for range rapid.IntRange(0, 3).Draw(t, "ignored") {
		o.Ignore = append(o.Ignore, rapid.SampledFrom(append(StopAlways(), StopAlways()[0], StopJobDone)).Draw(t, "ignore"))
	}
	for range rapid.IntRange(-3, ThenMax+1).Draw(t, "then") {
		step := ExecuteUntil{Do: drawPlainAction(t), Until: o.Until, MaxTicks: rapid.OneOf(rapid.Int64Range(1, 9), hostileAmounts).Draw(t, "more")}
		o.Then = append(o.Then, step)
	}
	return o
}

func drawPlainAction(t *rapid.T) Action {
	n := hostileAmounts.Draw(t, "n")
	name := hostileNames.Draw(t, "name")
	switch rapid.IntRange(0, 23).Draw(t, "kind") {
	case 0:
		return Wait{}
	case 1:
		return WaitTicks{n}
	case 2, 3:
		return Move{name}
	case 4:
		return Harvest{n}
	case 5, 6:
		return Mine{n}
	case 7:
		return Refine{n}
	case 8:
		return BuildFactory{rapid.SampledFrom([]string{AssemblerMk1, RadiationPlantMk1, "factory.none"}).Draw(t, "factory")}
	case 9, 10:
		recipe := rapid.SampledFrom(append(ScheduleRecipe{}.describe(DefaultRules().Industry()).Params[1].Choices, "recipe.none")).Draw(t, "recipe")
		return ScheduleRecipe{name, recipe, n}
	case 11:
		return BuyPower{n, drawPrice(t)}
	case 12:
		return SellPower{n, drawPrice(t)}
	case 13:
		return PlaceOrder{rapid.SampledFrom([]string{SideBuy, SideSell, "give"}).Draw(t, "side"), n, drawPrice(t)}
	case 14:
		return CancelOrder{name}
	case 15, 16:
		return SendMessage{name, hostileTexts.Draw(t, "text")}
	case 17:
		return PostNote{hostileTexts.Draw(t, "text")}
	case 18:
		return Request{name, drawResource(t), n, drawTicks(t)}
	case 19, 20:
		to := rapid.SampledFrom([]string{name, ToAnyone, "agent-1", "agent-2"}).Draw(t, "to")
		re := ""
		if rapid.IntRange(0, 4).Draw(t, "re?") == 0 {
			re = drawTermsID(t)
		}
		return Offer{to, drawResource(t), n, drawResource(t), hostileAmounts.Draw(t, "want"), drawTicks(t), re}
	case 21:
		return AcceptOffer{drawTermsID(t)}
	case 22:
		return Decline{drawTermsID(t)}
	case 23:
		return CancelOffer{drawTermsID(t)}
	}
	return Transfer{name, drawResource(t), n}
}

func drawResource(t *rapid.T) string {
	return rapid.SampledFrom(append(Resources(), Electricity, Data, Hardware, "gold")).Draw(t, "resource")
}

func drawTicks(t *rapid.T) int64 {
	return rapid.OneOf(rapid.Int64Range(1, 8), rapid.Int64Range(1, 8), hostileAmounts).Draw(t, "for ticks")
}

// drawTermsID draws an id as agents can guess it, those of this very tick included.
func drawTermsID(t *rapid.T) string {
	return fmt.Sprintf("%s-%d-agent-%d-1", rapid.SampledFrom([]string{"req", "offer", "offer", "decline"}).Draw(t, "sort"),
		rapid.IntRange(1, 20).Draw(t, "sent"), rapid.IntRange(1, 4).Draw(t, "sender"))
}

// drawDealing draws what an agent can make of the terms it knows, or sensible new ones.
func drawDealing(t *rapid.T, v View) Action {
	o := v.Observe()
	small := rapid.Int64Range(1, 12)
	if len(o.Here.Offers) > 0 && rapid.Bool().Draw(t, "take?") {
		return AcceptOffer{rapid.SampledFrom(o.Here.Offers).Draw(t, "taken").ID}
	}
	dealt := rapid.SampledFrom([]string{Electricity, Compound, Hardware, Data})
	asked := func(why string) Action {
		if len(o.Agents) == 0 {
			return Wait{}
		}
		return Request{rapid.SampledFrom(o.Agents).Draw(t, why).ID, dealt.Draw(t, "asks"), small.Draw(t, "asked"), drawTicks(t)}
	}
	switch rapid.IntRange(0, 3).Draw(t, "dealing") {
	case 0:
		if len(o.Requests) > 0 {
			r := rapid.SampledFrom(o.Requests).Draw(t, "request")
			return Offer{r.From, r.Want, small.Draw(t, "given"), dealt.Draw(t, "wants"), small.Draw(t, "paid"), drawTicks(t), r.ID}
		}
	case 1:
		if len(o.Requests) > 0 {
			r := rapid.SampledFrom(o.Requests).Draw(t, "answered")
			return Transfer{r.From, r.Want, small.Draw(t, "gift")}
		}
	case 2:
		to := ToAnyone
		if len(o.Agents) > 0 && rapid.Bool().Draw(t, "directed") {
			to = rapid.SampledFrom(o.Agents).Draw(t, "to").ID
		}
		return Offer{to, dealt.Draw(t, "gives"), small.Draw(t, "give"), dealt.Draw(t, "wants"), small.Draw(t, "want"), drawTicks(t), ""}
	}
	return asked("of whom")
}

// drawPrice draws few prices, so that orders meet, and absurd ones.
func drawPrice(t *rapid.T) int64 {
	return rapid.OneOf(rapid.Int64Range(1, 6), rapid.Int64Range(1, 6), hostileAmounts).Draw(t, "price")
}

// intentsOf draws an action for every due agent, mostly clamped so that much of
// it succeeds, and lets standing orders go on.
func intentsOf(t *rapid.T, w *World) []Intent {
	var list []Intent
	parents := rapid.SliceOfN(rapid.SampledFrom([]string{"agent-1", "agent-2", "agent-9", Anyone}), 0, 3)
	for _, n := range w.Due() {
		list = append(list, Intent{Agent: n, Action: drawChoice(t, w.View(n)), Parents: parents.Draw(t, "parents")})
	}
	for _, n := range w.Continuing() {
		order, _ := w.Standing(n)
		list = append(list, Intent{Agent: n, Action: order.Do, Parents: parents.Draw(t, "ignored")})
	}
	return list
}

// drawChoice draws half of the time something that the agent can do, so that runs
// get as far as factories and jobs, and otherwise anything.
func drawChoice(t *rapid.T, v View) Action {
	if offers := offersOf(v); len(offers) > 0 && rapid.Bool().Draw(t, "offered") {
		return rapid.SampledFrom(offers).Draw(t, "offer")
	}
	if v.facts.typed && rapid.IntRange(0, 2).Draw(t, "deal?") == 0 {
		return drawDealing(t, v)
	}
	a := drawAction(t)
	if rapid.IntRange(0, 3).Draw(t, "clamp?") > 0 {
		a, _ = v.Clamp(a)
	}
	return a
}

// offersOf lists what the affordances of a view offer. What leads to production
// comes twice as often.
func offersOf(v View) []Action {
	var offers []Action
	for _, can := range v.Observe().Can {
		if can.OK {
			offers = append(offers, instances(can)...)
		}
		if can.OK && (can.Action == "schedule_recipe" || can.Action == "build_factory") {
			offers = append(offers, instances(can)...)
		}
	}
	return offers
}

func newHostileWorld(t *rapid.T) *World {
	w, err := New(drawScenario(t), rapid.Uint64().Draw(t, "seed"))
	if err != nil {
		t.Fatalf("drawn scenario is refused: %v", err)
	}
	return w
}

// TestHostileActionsKeepTheInvariants runs random worlds under random actions and
// checks all the books after each step.
func TestHostileActionsKeepTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newHostileWorld(t)
		fold := foldOf(w)
		hostileRun(t, w, func(events []Event) {
			fold.add(t, events)
			checkBooks(t, w, fold)
		})
	})
}

// hostileRun runs a world for a while and hands over the events of each step.
func hostileRun(t *rapid.T, w *World, after func([]Event)) {
	for range rapid.IntRange(1, 40).Draw(t, "ticks") {
		after(w.Advance())
		after(w.Apply(intentsOf(t, w)))
	}
}

// TestHostileRunsReachEverything makes sure, on a fixed sample, that random runs
// are not all too short or too clumsy to get anywhere.
func TestHostileRunsReachEverything(t *testing.T) {
	kinds := map[EventKind]int{}
	run := rapid.Custom(func(t *rapid.T) int {
		hostileRun(t, newHostileWorld(t), func(events []Event) {
			for _, e := range events {
				kinds[e.Kind]++
			}
		})
		return 0
	})
	for seed := range 400 {
		run.Example(seed)
	}
	for _, kind := range []EventKind{
		EventActionApplied, EventActionRejected, EventArrived, EventFactoryBuilt, EventBatchDone, EventJobDone,
		EventPowerState, EventWaitOver, EventStandingEnded, EventGoalMet, EventPowerSettled,
		EventMessageSent, EventMessageDelivered, EventNotePosted,
		EventCompoundRegrown,
		EventPlantSettled, EventOrderPlaced, EventOrderCancelled, EventOrderExpired, EventTrade, EventCollected,
		EventOfferMade, EventOfferAccepted, EventOfferCancelled, EventOfferExpired,
	} {
		if kinds[kind] < 3 {
			t.Errorf("%s happened %d times; the generator is too narrow", kind, kinds[kind])
		}
	}
	t.Log(kinds)
}

// balanceFold rebuilds the stored balances from postings alone.
type balanceFold map[Balance]int64

func foldOf(w *World) balanceFold {
	f := balanceFold{}
	for a := range w.ledger.names {
		for r, n := range w.ledger.all(account(a)) {
			f[Balance{Account: w.ledger.names[a], Resource: w.law.Resources[r]}] = n
		}
	}
	return f
}

func (f balanceFold) add(t *rapid.T, events []Event) {
	for _, e := range events {
		if e.Kind == EventActionRejected && len(e.Postings) > 0 {
			t.Fatalf("a rejection has postings: %+v", e)
		}
		for _, p := range e.Postings {
			f[Balance{Account: p.From, Resource: p.Resource}] -= p.Amount
			f[Balance{Account: p.To, Resource: p.Resource}] += p.Amount
		}
	}
}

func checkBooks(t *rapid.T, w *World, fold balanceFold) {
	checkSums(t, w)
	for a := range w.ledger.names {
		for r, n := range w.ledger.all(account(a)) {
			if got := fold[Balance{Account: w.ledger.names[a], Resource: w.law.Resources[r]}]; got != n {
				t.Fatalf("tick %d: events fold to %d %s in %s, stored is %d", w.tick, got, w.law.Resources[r], w.ledger.names[a], n)
			}
			if n < 0 && account(a) > sourceRegeneration {
				t.Fatalf("tick %d: %s holds %d %s", w.tick, w.ledger.names[a], n, w.law.Resources[r])
			}
		}
	}
	if got, want := w.Digest(), w.RecomputeDigest(); got != want {
		t.Fatalf("tick %d: digest %s, recomputed %s", w.tick, got, want)
	}
	checkAgents(t, w)
	checkTexts(t, w)
	checkMarkets(t, w)
	checkTerms(t, w)
	checkCalendar(t, w)
}

func checkSums(t *rapid.T, w *World) {
	sums := map[string]int64{}
	for _, b := range w.Balances() {
		sums[b.Resource] += b.Amount
	}
	for _, r := range Resources() {
		if sums[r] != 0 {
			t.Fatalf("tick %d: %s sums to %d over all accounts", w.tick, r, sums[r])
		}
	}
}

func checkAgents(t *rapid.T, w *World) {
	for n := range w.agents {
		a := &w.agents[n]
		if e := w.electricityOf(a); e < 0 || e > w.law.PowerCapacity {
			t.Fatalf("%s holds %d electricity of %d", a.id, e, w.law.PowerCapacity)
		}
		if h := w.heatOf(a); h < 0 || h > w.law.HeatMost() {
			t.Fatalf("%s has heat %d, at most %d", a.id, h, w.law.HeatMost())
		}
		if w.able.has(int32(n)) != a.able() || w.ordered.has(int32(n)) != (a.standing != nil) {
			t.Fatalf("%s is filed wrongly as able or ordered", a.id)
		}
		if len(a.factories) > FactoriesMax {
			t.Fatalf("%s has %d factories", a.id, len(a.factories))
		}
	}
}

// checkTexts verifies that nothing stored can grow without bound and that every
// text is clean.
func checkTexts(t *rapid.T, w *World) {
	var texts []string
	for n := range w.agents {
		m := &w.agents[n].mail
		if len(m.inbox) > int(w.law.InboxMax) || len(m.outbox) > OutboxMax {
			t.Fatalf("agent %d keeps %d messages and has %d in its outbox", n, len(m.inbox), len(m.outbox))
		}
		for _, l := range append(append([]letter{}, m.inbox...), m.coming...) {
			if l.terms == nil {
				texts = append(texts, l.text)
			} else if l.text != "" {
				t.Fatalf("a typed message says %q", l.text)
			}
		}
		for _, l := range m.coming {
			if l.sentAt >= l.dueAt || l.dueAt <= w.tick && !w.agents[n].travelling() {
				t.Fatalf("tick %d: a message sent at %d is due at %d", w.tick, l.sentAt, l.dueAt)
			}
		}
	}
	for _, s := range w.sites {
		if len(s.notes) > int(w.law.NotesMax) {
			t.Fatalf("%d notes at a place", len(s.notes))
		}
		for _, note := range s.notes {
			texts = append(texts, note.Text)
		}
	}
	for _, text := range texts {
		if text == "" || text != cleanText(text, TextMax) || strings.ContainsFunc(text, plaintext.Hidden) {
			t.Fatalf("the text %q is stored", text)
		}
	}
}

// checkCalendar verifies that every wait for the future has its wake-up, none is
// in the past, and there are no others.
func checkCalendar(t *rapid.T, w *World) {
	want := len(w.agents)
	for n := range w.agents {
		if a := &w.agents[n]; a.travelling() || a.waitUntil != 0 {
			want++
		}
		if len(w.agents[n].mail.coming) > 0 {
			want++
		}
		if openOrders(w, n)+openOffers(w, n) > 0 {
			want++
		}
	}
	for i := range w.factories {
		if w.factories[i].stepAt != 0 {
			want++
		}
	}
	if len(w.calendar.entries) != want {
		t.Fatalf("tick %d: %d wake-ups, want %d", w.tick, len(w.calendar.entries), want)
	}
	for _, e := range w.calendar.entries {
		if e.tick <= w.tick {
			t.Fatalf("tick %d: a wake-up at %d was missed", w.tick, e.tick)
		}
	}
}
