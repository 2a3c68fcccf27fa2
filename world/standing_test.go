package world

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// orderTwin judges orders and chains a second time, from events and present numbers
// alone: it keeps what happened to each agent since its present step began and says at
// the start of a tick which order has to end and why.
type orderTwin struct {
	w *World
	// seats are the agents by number.
	seats []orderSeat
	log   *sightLog
	// steps counts the steps that followed another.
	steps int
	// reasons counts why orders ended, by reason and the action repeated.
	reasons map[string]map[string]int
}

// orderSeat is what the twin knows of one agent.
type orderSeat struct {
	// at is where it is, "" on a journey, by the events.
	at    string
	power powerState
	// filledNow says that an own order was filled, or an own offer taken, here in this tick.
	filledNow bool
	// asleep says that it waits, strangers when messages last disturbed it. In these worlds
	// no rule names an agent.
	asleep    bool
	strangers int64
	// order is the present step with those that follow; step counts it, from 1.
	order    *ExecuteUntil
	step     int
	attempts int64
	// alarm is the last worse power state that the agent was told of, in the tick alarmAt.
	alarm   powerState
	alarmAt int64
	// seen are the names of what was visible when the order began.
	seen []string
	// news are the stop events that happened since then.
	news map[string]bool
	last Outcome
}

func newOrderTwin(w *World) *orderTwin {
	twin := &orderTwin{w: w, log: newSightLog(w), seats: make([]orderSeat, len(w.agents)), reasons: map[string]map[string]int{}}
	for n := range w.agents {
		a := &w.agents[n]
		twin.seats[n] = orderSeat{at: w.placeID(a.place), power: a.announced}
	}
	return twin
}

// visible lists what agent n can see, by looking at everything there is.
func (twin *orderTwin) visible(n int) []string {
	var names []string
	w, here := twin.w, twin.w.agents[n].place
	near := func(p int32) bool {
		return p == here || w.geo.places[here].Position.distanceCM(w.geo.places[p].Position) <= w.scenario.VisibilityKM*CMPerKM
	}
	for p := range w.geo.places {
		if near(int32(p)) {
			names = append(names, "place "+w.geo.places[p].ID)
		}
	}
	for m := range w.agents {
		if p := twin.log.at(n, m); m != n && p != noPlace && near(p) {
			names = append(names, "agent "+w.agents[m].id)
		}
	}
	return names
}

// begin notes what agents with a new order see before any agent acts.
func (twin *orderTwin) begin(intents []Intent) {
	for _, in := range intents {
		if _, ok := in.Action.(ExecuteUntil); ok {
			twin.seats[in.Agent].seen = twin.visible(in.Agent)
		}
	}
}

// hear takes in one event, in the order in which they happened.
func (twin *orderTwin) hear(e Event) {
	n, ok := twin.w.AgentNumber(e.Agent)
	if !ok {
		return
	}
	s := &twin.seats[n]
	switch e.Kind {
	case EventArrived:
		s.at = e.Place
		s.note(StopArriveTarget)
	case EventJobDone, EventFactoryBuilt:
		s.note(StopJobDone)
		if k := slices.IndexFunc(twin.w.factories, func(f factory) bool { return f.id == e.Subject }); twin.w.factories[k].queued() == 0 {
			s.note(StopQueueEmpty)
		}
		s.asleep = s.asleep && s.ignores(StopJobDone)
	case EventWaitOver:
		s.asleep = false
	case EventMessageDelivered:
		s.message(e.Tick)
	case EventPowerState:
		twin.powerState(s, e)
	case EventTrade:
		twin.trade(e)
	case EventOfferAccepted:
		owner := strings.TrimSuffix(e.Subject[strings.Index(e.Subject, "agent-"):], "-1")
		if n, ok := twin.w.AgentNumber(owner); ok && twin.seats[n].at == e.Place {
			twin.seats[n].filled()
		}
	case EventOfferExpired:
		s.asleep = s.asleep && s.at != e.Place
	case EventActionApplied, EventActionRejected:
		twin.acted(n, e)
	}
}

func (s *orderSeat) ignores(event string) bool {
	return s.order != nil && slices.Contains(s.order.Ignore, event)
}

func (s *orderSeat) note(event string) {
	if s.order != nil {
		s.news[event] = true
	}
}

// message takes in a message: it disturbs an agent that waits or has an order and heeds
// messages, at most once in ten ticks.
func (s *orderSeat) message(tick int64) {
	ordered := s.order != nil && s.power != powerShutdown
	ignored := ordered && slices.Contains(s.order.Ignore, StopMessageReceived)
	named := ordered && slices.ContainsFunc(s.order.Until, func(c Condition) bool { return c.Event == StopMessageReceived })
	disturbs := ordered && !ignored || named || s.asleep && !ignored
	if again := tick - s.strangers; !disturbs || s.strangers > 0 && again > 0 && again < 10 {
		return
	}
	s.strangers = tick
	s.note(StopMessageReceived)
	s.asleep = s.asleep && ignored
}

// filled notes a fill here.
func (s *orderSeat) filled() {
	s.filledNow = true
	s.asleep = s.asleep && s.ignores(StopOrderFilled)
	s.note(StopOrderFilled)
}

func (twin *orderTwin) powerState(s *orderSeat, e Event) {
	state := powerState(slices.Index(powerStateNames[:], e.Detail))
	worse, told := state > s.power, true
	if worse {
		told = state != s.alarm || s.alarmAt == 0 || e.Tick-s.alarmAt >= 10
	}
	if worse && told {
		s.note(StopPowerLow)
		s.alarm, s.alarmAt = state, e.Tick
	}
	s.power = state
	s.asleep = s.asleep && state != powerShutdown && (!told || s.ignores(StopPowerLow))
}

// trade finds whose waiting order was traded and whether the owner is there.
func (twin *orderTwin) trade(e Event) {
	owner, _, isOrder := strings.Cut(e.Subject, "-o")
	if n, ok := twin.w.AgentNumber(owner); ok && isOrder && twin.seats[n].at == e.Place {
		twin.seats[n].filled()
	}
}

// acted counts an attempt, takes up an order and follows a departure.
func (twin *orderTwin) acted(n int, e Event) {
	s := &twin.seats[n]
	do := e.Action
	if order, ok := do.(ExecuteUntil); ok {
		do = order.Do
		if order.problem() == nil && order.MaxTicks >= 1 && order.MaxTicks <= StandingTicksMax {
			s.order, s.step, s.attempts, s.news = &order, 1, 0, map[string]bool{StopOrderFilled: s.filledNow}
		}
	}
	if s.order != nil {
		s.attempts++
	}
	if _, wait := do.(WaitTicks); wait && e.Kind == EventActionApplied {
		s.asleep = !s.filledNow || s.ignores(StopOrderFilled)
	}
	s.last, _ = twin.w.LastOutcome(n)
	s.last.Action, s.last.Accepted = do, e.Kind == EventActionApplied
	if _, moved := do.(Move); moved && s.last.Accepted {
		s.at = ""
	}
}

// reason is why the chain of agent n has to end now, "" if it continues. able says
// that the agent can act in this tick, next that the following step begins.
func (twin *orderTwin) reason(n int, able bool) (why string, next bool) {
	s := &twin.seats[n]
	if s.power == powerShutdown {
		return StopShutdown, false
	}
	if !able {
		return "", false
	}
	if !s.last.Accepted {
		return StopActionRejected, false
	}
	over := ""
	for _, c := range slices.Backward(s.order.Until) {
		if twin.met(n, c) {
			over = c.Event
		}
	}
	more := len(s.order.Then) > 0
	if over != "" && !more {
		return over, false
	}
	for _, event := range []string{"message_received", "power_low"} {
		if s.news[event] && !s.ignores(event) {
			return event, false
		}
	}
	switch {
	case over == "" && s.attempts < s.order.MaxTicks:
		return "", false
	case more:
		return "", true
	}
	return StopMaxTicks, false
}

// met decides one condition from the agent's present state as anybody can ask for.
func (twin *orderTwin) met(n int, c Condition) bool {
	s, self := &twin.seats[n], twin.w.Self(n)
	isNew := func(kind string) bool {
		return slices.ContainsFunc(twin.visible(n), func(name string) bool {
			return strings.HasPrefix(name, kind) && !slices.Contains(s.seen, name)
		})
	}
	switch c.Event {
	case "new_visible_agent":
		return isNew("agent ")
	case "new_visible_location":
		return isNew("place ")
	case "insufficient_electricity":
		return self.Electricity < ceilDiv(self.PowerCapacity, 5)
	case "thermal_overload":
		return self.Heat >= self.HeatCapacity
	case "harvest_yield_below":
		_, harvest := s.last.Action.(Harvest)
		return harvest && s.last.Changes[0].Amount <= *c.Value
	case "harvest_available_below":
		return twin.w.View(n).Observe().Here.Radiation <= *c.Value
	case "electricity_below":
		return self.Electricity <= *c.Value
	case "electricity_above":
		return self.Electricity >= *c.Value
	case "heat_below":
		return self.Heat <= *c.Value
	case "heat_above":
		return self.Heat >= *c.Value
	case "plant_store_above":
		return slices.ContainsFunc(twin.w.View(n).Observe().Factories, func(f Factory) bool {
			return f.Kind == RadiationPlantMk1 && f.Place == s.at && f.State != "building" && f.Stored >= *c.Value
		})
	case "place_compound_below":
		return twin.w.View(n).Observe().Here.CompoundG <= *c.Value
	case "compound_above":
		return self.CompoundG >= *c.Value
	case "hardware_above":
		return self.Hardware >= *c.Value
	}
	return s.news[c.Event]
}

// compare checks the start of a tick: the orders that the world ended are those
// that had to end, for the same reason and after as many attempts.
func (twin *orderTwin) compare(t *rapid.T, events []Event) {
	ended := map[int]string{}
	for _, e := range events {
		twin.hear(e)
		if n, ok := twin.w.AgentNumber(e.Agent); ok && e.Kind == EventStandingEnded {
			ended[n] = e.Detail
		}
	}
	for n := range twin.seats {
		s := &twin.seats[n]
		s.filledNow = false
		if s.order == nil {
			if ended[n] != "" {
				t.Fatalf("tick %d: agent %d had no order, yet one ended: %s", twin.w.tick, n, ended[n])
			}
			continue
		}
		want, next := twin.reason(n, slices.Contains(twin.w.Due(), n) || slices.Contains(twin.w.Continuing(), n))
		if ended[n] != want {
			t.Fatalf("tick %d: the order %s of agent %d ended with %q, want %q", twin.w.tick, EncodeAction(*s.order), n, ended[n], want)
		}
		if next {
			step := s.order.Then[0]
			step.Then = s.order.Then[1:]
			s.order, s.step, s.attempts, s.news, s.seen = &step, s.step+1, 0, map[string]bool{}, twin.visible(n)
			twin.steps++
		}
		if want == "" {
			continue
		}
		told := twin.w.View(n).Observe().OrderEnded
		as := OrderEnded{Why: want, Attempts: s.attempts}
		if steps := s.step + len(s.order.Then); steps > 1 {
			as.Step, as.Steps = s.step, steps
		}
		if told == nil || *told != as {
			t.Fatalf("tick %d: agent %d is told %+v, want %s after %d attempts", twin.w.tick, n, told, want, s.attempts)
		}
		kind := s.order.Do.ActionName()
		if twin.reasons[want] == nil {
			twin.reasons[want] = map[string]int{}
		}
		twin.reasons[want][kind]++
		s.order = nil
	}
}

// orderIntents lets due agents do what they are offered, mostly as an order, and
// lets orders go on.
func orderIntents(t *rapid.T, w *World) []Intent {
	var list []Intent
	for _, n := range w.Due() {
		offers := append(offersOf(w.View(n)), Wait{}, WaitTicks{rapid.Int64Range(1, 5).Draw(t, "sleep")})
		if rapid.IntRange(0, 5).Draw(t, "talk?") == 0 {
			offers = []Action{SendMessage{fmt.Sprintf("agent-%d", rapid.IntRange(1, 6).Draw(t, "to")), "hello"}}
		}
		do := rapid.SampledFrom(offers).Draw(t, "do")
		if rapid.IntRange(0, 3).Draw(t, "once?") > 0 {
			order := drawOrder(t, do)
			for range rapid.IntRange(-4, ThenMax).Draw(t, "then") {
				order.Then = append(order.Then, drawOrder(t, rapid.SampledFrom(append(offers, Harvest{5}, WaitTicks{2})).Draw(t, "next")))
			}
			do = order
		}
		list = append(list, Intent{Agent: n, Action: do})
	}
	for _, n := range w.Continuing() {
		order, _ := w.Standing(n)
		do, _ := w.View(n).Clamp(order.Do)
		list = append(list, Intent{Agent: n, Action: do})
	}
	return list
}

// drawOrder draws a sound order around an action.
func drawOrder(t *rapid.T, do Action) ExecuteUntil {
	o := ExecuteUntil{Do: do, MaxTicks: rapid.Int64Range(1, 9).Draw(t, "max")}
	for range rapid.IntRange(1, 3).Draw(t, "conditions") {
		event := rapid.SampledFrom(StopEvents()).Draw(t, "event")
		c := Condition{Event: event.Name}
		if event.TakesValue {
			c.Value = number(rapid.OneOf(rapid.Int64Range(0, 60), rapid.Int64Range(0, 6000)).Draw(t, "value"))
		}
		o.Until = append(o.Until, c)
	}
	for _, event := range Ignorable() {
		if rapid.Bool().Draw(t, "ignored") {
			o.Ignore = append(o.Ignore, event)
		}
	}
	return o
}

// orderRun plays random worlds full of standing orders and compares them with the twin.
func orderRun(t *rapid.T) *orderTwin {
	w := newHostileWorld(t)
	twin := newOrderTwin(w)
	for range rapid.IntRange(10, 60).Draw(t, "ticks") {
		events := w.Advance()
		twin.log.look()
		twin.compare(t, events)
		intents := orderIntents(t, w)
		twin.begin(intents)
		for _, e := range w.Apply(intents) {
			twin.hear(e)
		}
	}
	return twin
}

// TestOrdersAgreeWithNaiveTwin compares when and why orders end with a second
// opinion that keeps no record of the kernel's, among crowds that come and go, on
// journeys and through shutdowns.
func TestOrdersAgreeWithNaiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { orderRun(t) })
}

// TestNewAgentIsNoticedThoughAnotherLeft has one agent leave and another arrive
// between two looks, so that their number stays the same.
func TestNewAgentIsNoticedThoughAnotherLeft(t *testing.T) {
	s := mustScenario(t, "two_bases")
	s.Agents.Count, s.Agents.Spawn = 3, []string{"base-a", "base-a", "base-b"}
	s.Agents.Stock = [][]Amount{{{Electricity, 100}}}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	watch := ExecuteUntil{Do: Wait{}, Until: []Condition{{Event: StopNewVisibleAgent}}, MaxTicks: 9}
	act(w, map[int]Action{0: watch, 2: Move{"base-a"}})
	for w.Tick() < 3 {
		act(w, nil)
	}
	act(w, map[int]Action{1: Move{"base-b"}})
	if _, ok := w.Standing(0); !ok {
		t.Fatal("the order ended before anybody came")
	}
	w.Advance()
	o := w.View(0).Observe()
	if o.OrderEnded == nil || *o.OrderEnded != (OrderEnded{Why: StopNewVisibleAgent, Attempts: 4}) || len(o.Agents) != 1 || o.Agents[0].ID != "agent-3" {
		t.Errorf("in tick %d the order is %+v, in view are %+v", w.Tick(), o.OrderEnded, o.Agents)
	}
	act(w, map[int]Action{0: Wait{}})
	if o := w.View(0).Observe(); o.OrderEnded != nil {
		t.Errorf("the end is still told after the next decision: %+v", o.OrderEnded)
	}
}

// TestOrdersEndForEveryReason makes sure, on a fixed sample, that the comparison
// above meets each reason, and each on more than one action where that can be.
func TestOrdersEndForEveryReason(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many worlds")
	}
	reasons, steps := map[string]map[string]int{}, 0
	run := rapid.Custom(func(t *rapid.T) int {
		twin := orderRun(t)
		steps += twin.steps
		for why, actions := range twin.reasons {
			if reasons[why] == nil {
				reasons[why] = map[string]int{}
			}
			for kind, n := range actions {
				reasons[why][kind] += n
			}
		}
		return 0
	})
	for seed := range 1500 {
		run.Example(seed)
	}
	// Only an order to move ends by arriving or by seeing another place, and fills are rare.
	single := map[string]bool{StopHarvestYieldBelow: true, StopArriveTarget: true, StopNewVisibleLocation: true,
		StopOrderFilled: true}
	for _, why := range append([]string{StopMaxTicks, StopShutdown}, stopNames()...) {
		if kinds := len(reasons[why]); kinds == 0 || kinds == 1 && !single[why] {
			t.Errorf("%s ended orders of %v; the generator is too narrow", why, reasons[why])
		}
	}
	if steps < 500 {
		t.Errorf("%d steps followed another; the generator is too narrow", steps)
	}
	t.Log(steps, reasons)
}

func stopNames() []string {
	var names []string
	for _, e := range StopEvents() {
		names = append(names, e.Name)
	}
	return names
}

// TestDigestCoversStandingOrders changes each thing an agent keeps about an order by
// itself and expects another digest.
func TestDigestCoversStandingOrders(t *testing.T) {
	w := mustWorld(t, "minimal", 1)
	a := &w.agents[0]
	a.standing = &standing{order: ExecuteUntil{Do: Wait{}, Until: []Condition{{Event: StopJobDone}}, MaxTicks: 9}, left: 9}
	seen := map[Digest]int{w.RecomputeDigest(): -1}
	for i, change := range []func(){
		func() { a.standing.left-- },
		func() { a.standing.step++ },
		func() { a.standing.idled = true },
		func() { a.standing.order.Then = []ExecuteUntil{Once(Wait{})} },
		func() { a.alarmAt = 3 },
		func() { a.alarm = powerLow },
		func() { a.mail.endedAt = 3 },
		func() { a.ended.Step = 1 },
		func() { a.ended.Steps = 2 },
		func() { a.standing.agents = []int32{1} },
		func() { a.standing.places = []int32{1} },
		func() { a.standing.parents = []string{"agent-2"} },
		func() { a.standing.arrived = true },
		func() { a.standing.jobDone = true },
		func() { a.standing.powerFell = true },
		func() { a.standing.messaged = true },
		func() { a.standing.filled = true },
		func() { a.standing.order.Ignore = []string{StopPowerLow} },
		func() { a.standing.order.Until[0].Event = StopOrderFilled },
		func() { a.ended.Why = StopMaxTicks },
		func() { a.ended.Attempts = 2 },
	} {
		change()
		d := w.RecomputeDigest()
		if before, ok := seen[d]; ok {
			t.Errorf("change %d leaves the digest of change %d", i, before)
		}
		seen[d] = i
	}
}
