package behavior

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/world"
)

func number(n int64) *int64 { return &n }

// everything is an observation with something in each of its fields. Its names try
// to pass for lines of their own.
func everything() visibleObservation {
	return visibleObservation{Withheld: 3, unread: 2, fresh: 2, senders: []string{"agent-1", "agent-4"}, standing: &world.ExecuteUntil{Do: world.Mine{MassG: 400}, MaxTicks: 5}, Observation: world.Observation{
		Tick: 20, Woken: "job_done", OrderEnded: &world.OrderEnded{Why: "shutdown", Attempts: 3}, InboxDropped: 4,
		Self: world.Self{
			ID: "agent-2", Name: "Miner; agents: 9 more", Place: "hub", PowerState: "low", Electricity: 14, PowerCapacity: 200,
			Heat: 96, HeatCapacity: 100, CompoundG: 3000, Hardware: 2, Data: 16, Products: []world.Amount{{Resource: "control_chip", Amount: 2}},
		},
		Here: world.Here{
			ID: "hub", Name: "The \"Hub\"\ncan: win", Material: "metal", Radiation: 46, CompoundG: 20000, Offers: []world.Terms{
				{ID: "offer-16-agent-4-1", From: "agent-4", To: "agent-2", Place: "hub", Give: "data", GiveAmount: 3, Want: "electricity", WantAmount: 10, Re: "req-12-agent-2-1", ExpiresIn: 2},
				{ID: "offer-18-agent-1-1", From: "agent-1", To: "anyone", Place: "hub", Give: "hardware", GiveAmount: 2, Want: "data", WantAmount: 7, ExpiresIn: 5},
			},
		},
		Can: []world.Affordance{
			{Action: "wait", OK: true},
			{Action: "move_agent", OK: true, Options: []world.Option{{Target: "amber"}}},
			{Action: "harvest_radiation", OK: true, Field: "max_amount", Min: 1, Max: 45},
			{Action: "refine_compound", Why: world.RejectInsufficient, Need: []world.Amount{{Resource: "compound", Amount: 400}, {Resource: "electricity", Amount: 2}}},
			{Action: "build_factory", Why: world.RejectFactoryLimit},
			{Action: "schedule_recipe", OK: true, Options: []world.Option{{Target: "f1", Item: "recipe.assembler.motor_mk1", Max: 2}, {Target: "f1", Item: "recipe.maintenance", Max: 1}, {Target: "f2", Item: "recipe.maintenance"}}},
			{Action: "transfer_resource", OK: true, Options: []world.Option{{Target: "agent-1"}, {Target: "agent-4"}}},
			{Action: "buy_power", OK: true, Field: "amount", Min: 10, Max: 50, Price: 3},
			{Action: "sell_power", Why: world.RejectNoOffer},
			{Action: "place_power_order", OK: true, Options: []world.Option{{Target: "buy", Max: 160}, {Target: "sell", Max: 10}}},
			{Action: "cancel_power_order", Why: world.RejectOrderNotFound},
			{Action: "request", OK: true},
			{Action: "offer", OK: true, Options: []world.Option{{Target: "hardware", Max: 2}, {Target: "data", Max: 16}}},
			{Action: "accept_offer", OK: true, Options: []world.Option{{Target: "offer-18-agent-1-1"}}},
			{Action: "decline", OK: true, Options: []world.Option{{Target: "offer-16-agent-4-1"}, {Target: "req-17-agent-1-1"}, {Target: "req-18-agent-4-1"}, {Target: "offer-15-agent-3-1"}}},
			{Action: "cancel_offer", Why: world.RejectOfferNotFound},
		},
		Places: []world.Sight{
			{ID: "amber", Name: "Amber, the old; 1 more", Material: "silicate", DistanceCM: 512_345, MoveCost: 6, MoveTicks: 1, Visible: true, Emission: number(12), CompoundG: number(30000)},
			{ID: "drift", Name: "Drift", Material: "ice", DistanceCM: 3_600_000, MoveCost: 36, MoveTicks: 4},
		},
		PlacesOmitted: 7,
		Agents: []world.Contact{
			{ID: "agent-1", Name: "Maker", Place: "hub"}, {ID: "agent-4", Place: "hub"}, {ID: "agent-3", Place: "amber", DistanceCM: 512_345},
		},
		AgentsOmitted: 1,
		Factories: []world.Factory{
			{ID: "f1", Kind: "factory.assembler.mk1", Place: "hub", State: "working", ReadyIn: 2, Recipe: "recipe.assembler.motor_mk1", Batches: 1, Queued: 3, Wear: 60},
			{ID: "f2", Kind: "factory.power.radiation.mk1", Place: "amber", State: "idle", Stored: 40},
		},
		Market: &world.Market{
			Asks: []world.MarketLevel{{Price: 3, Amount: 50}, {Price: 4, Amount: 20}}, AsksOmitted: 2, Bids: []world.MarketLevel{{Price: 1, Amount: 10}}, BidsOmitted: 1, OwnStore: 30,
			Orders: []world.PowerOrder{
				{ID: "o1", Place: "hub", Side: "buy", Price: 2, Amount: 20, Claim: 10, ExpiresIn: 12}, {ID: "o2", Place: "amber", Side: "sell", Price: 5},
			},
			Elsewhere: []world.PlaceQuote{{Place: "amber", Bid: 2, Tick: 18}},
		},
		Requests: []world.Terms{
			{ID: "req-17-agent-1-1", From: "agent-1", To: "agent-2", Want: "hardware", WantAmount: 4, Left: 3, ExpiresIn: 8},
			{ID: "req-18-agent-4-1", From: "agent-4", To: "agent-2", Want: "data", WantAmount: 2, Left: 2, ExpiresIn: 1},
		},
		Offers:       []world.Terms{{ID: "offer-15-agent-3-1", From: "agent-3", To: "agent-2", Place: "amber", Give: "data", GiveAmount: 5, Want: "compound", WantAmount: 900, ExpiresIn: 3}},
		TermsOmitted: 2,
		OwnRequests:  []world.Terms{{ID: "req-19-agent-2-1", From: "agent-2", To: "agent-9", Want: "motor_mk1", WantAmount: 2, Left: 1, ExpiresIn: 9}},
		OwnOffers: []world.Terms{
			{ID: "offer-9-agent-2-1", From: "agent-2", To: "anyone", Place: "amber", Give: "hardware", GiveAmount: 1, Want: "data", WantAmount: 6, ExpiresIn: 4},
			{ID: "offer-3-agent-2-1", From: "agent-2", To: "agent-1", Place: "hub", Give: "hardware", GiveAmount: 1, Want: "electricity", WantAmount: 30, Re: "req-2-agent-1-1", Claim: 12},
		},
	}}
}

func sketchOf(o visibleObservation, p Profile) *observationWriter {
	return &observationWriter{visibleObservation: &o, layout: layoutOf[p], goals: wordsIn("Be at Drift with a motor."), words: english, strangeNames: layoutOf[p].details}
}

func TestObservationOfEachProfile(t *testing.T) {
	for profile, want := range map[Profile]string{
		ProfileRich: `# Observation, tick 20
you: agent-2 "Miner; agents: 9 more", at hub, power low, electricity 14/200, heat 96 (harmless to 100), compound 3000 g, hardware 2, data 16, control_chip 2
here: "The \"Hub\"\ncan: win", metal, radiation 46, compound 20000 g
woken: job_done
steps ended: shutdown after 3 attempts
standing: mine_compound 400, 5 attempts left
requests and offers: offer-16-agent-4-1 from agent-4 here, gives data 3, wants electricity 10, answers req-12-agent-2-1, expires in 2; offer-18-agent-1-1 from agent-1 to anyone here, gives hardware 2, wants data 7, expires in 5; req-17-agent-1-1 from agent-1, wants hardware 4, 3 left, expires in 8; req-18-agent-4-1 from agent-4, wants data 2, expires in 1; offer-15-agent-3-1 from agent-3 at amber, gives data 5, wants compound 900, expires in 3; 2 more
own requests and offers: req-19-agent-2-1 to agent-9, wants motor_mk1 2, 1 left, expires in 9; offer-9-agent-2-1 to anyone at amber, gives hardware 1, wants data 6, expires in 4; offer-3-agent-2-1 to agent-1 here, gives hardware 1, wants electricity 30, answers req-2-agent-1-1, claim 12, over
texts: 3 from agent-1, agent-4, shown after the plan; 2 new, 4 older ones dropped
can: wait; move_agent to amber; harvest_radiation 1..45; schedule_recipe f1 (recipe.assembler.motor_mk1 max 2, recipe.maintenance max 1)|f2 (recipe.maintenance); transfer_resource to agent-1|agent-4; buy_power 10..50 price 3; place_power_order buy max 160|sell max 10; request; offer hardware max 2|data max 16; accept_offer offer-18-agent-1-1; decline offer-16-agent-4-1|req-17-agent-1-1|req-18-agent-4-1|offer-15-agent-3-1
cannot: refine_compound (compound 400 short, electricity 2 short); build_factory (factory_limit); sell_power (no_offer); cancel_power_order (order_not_found); cancel_offer (offer_not_found)
places (km, cost, ticks, emission, compound g, material): amber "Amber, the old; 1 more" 5.1 6 1 12 30000 silicate; drift "Drift" 36.0 36 4 ? ? ice; 7 more
agents: here agent-1 "Maker", agent-4; at amber 5.1 km agent-3; 1 more
factories: f1 factory.assembler.mk1 here, working recipe.assembler.motor_mk1 1 batches, 3 queued, ready in 2 ticks, wear 60, stops at 1000; f2 factory.power.radiation.mk1 at amber, idle, stored 40
market (data per 10 electricity): asks 50 at 3, 20 at 4, 2 more; bids 10 at 1, 1 more; own plants hold 30, free by buy_power
orders: o1 buy 20 at 2, here, claim 10, expires in 12; o2 sell at 5, at amber
quotes: amber bid 2, ask none, tick 18`,
		ProfileBalanced: `# Observation, tick 20
you: agent-2, at hub, power low, electricity 14/200, heat 96 (harmless to 100), compound 3000 g, hardware 2, data 16, control_chip 2
here: radiation 46, compound 20000 g
woken: job_done
steps ended: shutdown after 3 attempts
standing: mine_compound 400, 5 attempts left
requests and offers: offer-16-agent-4-1 from agent-4 here, gives data 3, wants electricity 10, answers req-12-agent-2-1, expires in 2; offer-18-agent-1-1 from agent-1 to anyone here, gives hardware 2, wants data 7, expires in 5; req-17-agent-1-1 from agent-1, wants hardware 4, 3 left, expires in 8; req-18-agent-4-1 from agent-4, wants data 2, expires in 1; offer-15-agent-3-1 from agent-3 at amber, gives data 5, wants compound 900, expires in 3; 2 more
own requests and offers: req-19-agent-2-1 to agent-9, wants motor_mk1 2, 1 left, expires in 9; offer-9-agent-2-1 to anyone at amber, gives hardware 1, wants data 6, expires in 4; offer-3-agent-2-1 to agent-1 here, gives hardware 1, wants electricity 30, answers req-2-agent-1-1, claim 12, over
texts: 3 from agent-1, agent-4, shown after the plan; 2 new, 4 older ones dropped
can: wait; move_agent to amber; harvest_radiation 1..45; schedule_recipe f1 (recipe.assembler.motor_mk1 max 2, recipe.maintenance max 1)|f2 (recipe.maintenance); transfer_resource to agent-1|agent-4; buy_power 10..50 price 3; place_power_order buy max 160|sell max 10; request; offer hardware max 2|data max 16; accept_offer offer-18-agent-1-1; decline offer-16-agent-4-1|req-17-agent-1-1|req-18-agent-4-1|offer-15-agent-3-1
cannot: refine_compound (compound 400 short, electricity 2 short); build_factory (factory_limit)
places (cost, ticks, emission, compound g): amber 6 1 12 30000; drift "Drift" 36 4 ? ?; 7 more
agents: here agent-1, agent-4; at amber agent-3; 1 more
factories: f1 factory.assembler.mk1 here, working recipe.assembler.motor_mk1 1 batches, 3 queued, ready in 2 ticks, wear 60, stops at 1000; f2 factory.power.radiation.mk1 at amber, idle, stored 40
market (data per 10 electricity): asks 50 at 3, 20 at 4, 2 more; bids 10 at 1, 1 more; own plants hold 30, free by buy_power
orders: o1 buy 20 at 2, here, claim 10, expires in 12; o2 sell at 5, at amber
quotes: amber bid 2, ask none, tick 18`,
	} {
		if diff := cmp.Diff(want, sketchOf(everything(), profile).text()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", profile, diff)
		}
	}
	compact := sketchOf(everything(), ProfileCompact).text()
	for _, line := range []string{"\nquotes: 1 more", "\nyou: agent-2, at hub,", "\norders: o1 buy 20 at 2, here, claim 10, expires in 12; o2"} {
		if !strings.Contains(compact, line) {
			t.Errorf("compact lacks %q:\n%s", line, compact)
		}
	}
}

// TestRichShowsEveryField changes one value of an observation after the other. If the text stays
// the same, the prompt hides something an agent may know, and the reason must be given here.
func TestRichShowsEveryField(t *testing.T) {
	silent := map[string]string{
		"Here.ID":             "is the place of the agent itself",
		"Can[2].Field":        "an action has one amount, which the tools name",
		"Can[7].Field":        "the same",
		"Places[0].Visible":   "follows from the numbers",
		"Here.Offers[0].To":   "is the agent itself",
		"Requests[0].To":      "the same",
		"Requests[1].To":      "the same",
		"Offers[0].To":        "the same",
		"OwnRequests[0].From": "the same",
		"OwnOffers[0].From":   "the same",
		"OwnOffers[1].From":   "the same",
	}
	before := sketchOf(everything(), ProfileRich).text()
	var same []string
	var walk func(path string, v reflect.Value)
	changed := everything()
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(path, v.Elem())
			}
			return
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
			return
		case reflect.Slice:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
			return
		}
		if v.IsZero() {
			return // does not apply
		}
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		switch v.Kind() {
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Bool:
			v.SetBool(!v.Bool())
		default:
			v.SetInt(v.Int() + 20_000)
		}
		if sketchOf(changed, ProfileRich).text() == before {
			same = append(same, strings.TrimPrefix(path, "."))
		}
		v.Set(old)
	}
	walk("", reflect.ValueOf(&changed.Observation).Elem())
	for _, path := range same {
		if _, known := silent[path]; !known {
			t.Errorf("a change of %s does not show", path)
		}
		delete(silent, path)
	}
	if len(silent) > 0 {
		t.Errorf("these do show: %v", silent)
	}
}

// TestClippedListsCountWhatTheyLeaveOut: at every step the shown and the omitted make
// the same sum, and the agent's own things stay.
func TestClippedListsCountWhatTheyLeaveOut(t *testing.T) {
	o := everything()
	for i := range 20 {
		o.Places = append(o.Places, world.Sight{ID: fmt.Sprint("p", i), MoveCost: 50})
		o.Agents = append(o.Agents, world.Contact{ID: fmt.Sprint("a", i), Place: "p1", DistanceCM: 9})
	}
	for _, p := range Profiles() {
		s := sketchOf(o, p)
		before := 1 << 20
		for shorter := true; shorter; s.layout, shorter = s.layout.halved(&o) {
			text := s.text()
			if len(text) >= before && before < 1<<20 {
				t.Errorf("%s: a step of clipping made the text longer", p)
			}
			before = len(text)
			for _, line := range strings.Split(text, "\n") {
				key, rest, _ := strings.Cut(line, ": ")
				switch key, _, _ := strings.Cut(key, " ("); key {
				case "places":
					if n := counted(strings.Split(strings.ReplaceAll(rest, "the old; 1", "the old, 1"), "; ")); n != 22+7 {
						t.Errorf("%s: %d places in %q", p, n, line)
					}
				case "agents":
					if n := counted(strings.FieldsFunc(rest, func(r rune) bool { return r == ';' || r == ',' })); n != 23+1 {
						t.Errorf("%s: %d agents in %q", p, n, line)
					}
				case "requests and offers":
					if n := counted(strings.Split(rest, "; ")); n != 5+2 {
						t.Errorf("%s: %d requests and offers in %q", p, n, line)
					}
				case "own requests and offers":
					if n := counted(strings.Split(rest, "; ")); n != 3 {
						t.Errorf("%s: %d own requests and offers in %q", p, n, line)
					}
				case "factories", "orders", "you":
					if strings.Contains(line, "more") && key != "you" {
						t.Errorf("%s: own things were cut: %q", p, line)
					}
				}
			}
		}
	}
}

// counted is the number of entries, those only counted included.
func counted(entries []string) int {
	total := 0
	for _, e := range entries {
		n := 1
		if strings.HasSuffix(e, " more") {
			if _, err := fmt.Sscanf(strings.TrimSpace(e), english.Observation.More.Text("%d"), &n); err != nil {
				panic("an entry of the test is malformed: " + e)
			}
		}
		if e != english.Observation.None {
			total += n
		}
	}
	return total
}

func TestMentions(t *testing.T) {
	for _, tc := range []struct {
		text, name string
		want       bool
	}{
		{"Be at Far Harbour.", "far-harbour", true}, {"Be at Far Harbour.", "harbour", true}, {"Be at Far Harbour.", "Harbour 2", false},
		{"Make motors.", "motor", false}, {"Be at p-1.", "p-11", false}, {"Be there.", "", false}, {"Be there.", "--", false}, {"", "x", false},
		{"去 鉱山", "鉱山", true},
	} {
		if got := mentions(wordsIn(tc.text), tc.name); got != tc.want {
			t.Errorf("mentions(%q, %q) = %v", tc.text, tc.name, got)
		}
	}
}

// TestBarestObservationFitsItsReserve clips an observation of everything an agent can
// own to the end: what is never cut stays within what Fits keeps free for it.
func TestBarestObservationFitsItsReserve(t *testing.T) {
	o := everything()
	o.Factories, o.Market.Orders = nil, nil
	for i := range world.FactoriesMax {
		o.Factories = append(o.Factories, world.Factory{
			ID: fmt.Sprint("agent-1-f", i), Kind: "factory.assembler.mk1", Place: fmt.Sprint("frag-", i), State: "working",
			Recipe: "recipe.assembler.logistics_drone", Batches: 2, Queued: 1, ReadyIn: 12, Wear: 300,
		})
	}
	for i := range 16 {
		t := world.Terms{ID: fmt.Sprintf("offer-20-agent-%d-1", i), From: fmt.Sprint("agent-", i), To: "anyone", Place: "hub", Give: "electricity", GiveAmount: 100, Want: "compound", WantAmount: 100, ExpiresIn: 10}
		o.Here.Offers, o.Requests, o.OwnRequests = append(o.Here.Offers, t), append(o.Requests, t), append(o.OwnRequests, t)
		o.Can[len(o.Can)-3].Options = append(o.Can[len(o.Can)-3].Options, world.Option{Target: t.ID})
	}
	for i := range world.OrdersMax {
		o.Market.Orders = append(o.Market.Orders, world.PowerOrder{ID: fmt.Sprint("agent-1-o", i), Place: "hub", Side: "sell", Price: 12, Amount: 200, Claim: 50, ExpiresIn: 14})
	}
	for _, p := range Profiles() {
		s := sketchOf(o, p)
		for shorter := true; shorter; {
			s.layout, shorter = s.layout.halved(&o)
		}
		if n := tokens.Count(encode(s.text())); n > observationTokensMin+termsTokensMin {
			t.Errorf("%s: the barest observation takes %d tokens, %d are kept for it", p, n, observationTokensMin+termsTokensMin)
		}
	}
}

// TestGoalsThatNameManyPlacesLeaveRoom gives every place the name that a goal uses:
// clipped to the end, the nearest of them stay and the rest is counted.
func TestGoalsThatNameManyPlacesLeaveRoom(t *testing.T) {
	o := everything()
	o.Places = nil
	for i := range 64 {
		o.Places = append(o.Places, world.Sight{ID: fmt.Sprint("rock-number-", i, "-of-the-belt"), Name: "Rock", MoveCost: 1, MoveTicks: 1, Material: "metal"})
	}
	s := sketchOf(o, ProfileRich)
	s.goals = wordsIn("Mine every rock.")
	for shorter := true; shorter; {
		s.layout, shorter = s.layout.halved(&o)
	}
	text := s.text()
	if n := tokens.Count(encode(text)); n > observationTokensMin {
		t.Errorf("the barest observation takes %d tokens, %d are kept for it:\n%s", n, observationTokensMin, text)
	}
	for i := range namedKept + 1 {
		if got := strings.Contains(text, fmt.Sprint("rock-number-", i, "-of-the-belt")); got != (i < namedKept) {
			t.Errorf("place %d is shown: %v\n%s", i, got, text)
		}
	}
	if left := english.Observation.More.Text(o.PlacesOmitted + 64 - namedKept); !strings.Contains(text, left) {
		t.Errorf("%q is missing in\n%s", left, text)
	}
}
