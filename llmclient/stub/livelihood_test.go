package stub

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// chips is the goal most agents have.
const chips = "Short term: make 2 control chips.\nLong term: keep the factory supplied."

func TestPolicyMakesChipsInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	seeds := uint64(1)
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		seeds = 4
	}
	for _, electricity := range []int64{30, 60} {
		for _, p := range []protocol{full, lean} {
			for _, goals := range []string{chips, "Short term: stay alive."} {
				for seed := range seeds {
					b := newBelt(electricity)
					g := &table{t: t, seed: seed, protocol: p, goals: goals, world: b}
					g.live(30)
					name := fmt.Sprintf("seed=%d %s electricity %d goals %q", seed, p, electricity, goals)
					if b.firstSchedule < 0 || b.firstSchedule > 15 {
						t.Errorf("%s: first job at tick %d, want 15 or earlier; %v", name, b.firstSchedule, b.applied)
					}
					if b.products["control_chip"] < 2 {
						t.Errorf("%s: %d control chips after 30 ticks, want 2; %v", name, b.products["control_chip"], b.applied)
					}
					if b.shutdowns > 0 {
						t.Errorf("%s: ran dry %d times; %v", name, b.shutdowns, b.applied)
					}
				}
			}
		}
	}
}

func TestPolicyMakesWhatTheGoalNames(t *testing.T) {
	for _, tc := range []struct {
		goals, product string
		count          int64
		ticks          int64
	}{
		{"Assemble three motors.", "motor_mk1", 3, 60},
		{"Have 1 logistics drone.", "logistics_drone", 1, 40},
		{"product:logistics_drone >= 2", "logistics_drone", 2, 70},
	} {
		for seed := range uint64(1) {
			b := newBelt(30)
			g := &table{t: t, seed: seed, protocol: full, goals: tc.goals, world: b}
			g.live(tc.ticks)
			if got := b.products[tc.product]; got < tc.count {
				t.Errorf("seed=%d %q: %d of %s after %d ticks, want %d; %v", seed, tc.goals, got, tc.product, tc.ticks, tc.count, b.applied)
			}
		}
	}
}

func TestPolicyGoesOnOnceGoalsAreMet(t *testing.T) {
	b := newBelt(40)
	g := &table{t: t, seed: 3, protocol: full, goals: chips, world: b}
	g.live(120)
	if b.products["control_chip"] < 15 || b.shutdowns > 0 {
		t.Errorf("%d control chips after 120 ticks, want 15 or more; ran dry %d times", b.products["control_chip"], b.shutdowns)
	}
}

func TestPolicyLeavesADepletedPlaceAndComesBack(t *testing.T) {
	for seed := range uint64(2) {
		b := newBelt(50)
		b.here().compound = 6_000
		g := &table{t: t, seed: seed, protocol: full, goals: chips, world: b}
		g.live(60)
		moves := 0
		for _, a := range b.applied {
			if a == "move_agent" {
				moves++
			}
		}
		if moves < 2 || b.products["control_chip"] < 2 {
			t.Errorf("seed=%d: %d journeys and %d chips, want at least 2 of each; %v", seed, moves, b.products["control_chip"], b.applied)
		}
	}
}

func TestPolicyVisitsThePlaceAGoalNames(t *testing.T) {
	b := newBelt(40)
	g := &table{t: t, seed: 1, protocol: lean, goals: "Make one control chip.\nBe at site-cedar.", world: b}
	visited := false
	for tick := int64(1); tick <= 60 && !visited; tick++ {
		g.live(tick)
		visited = b.here().id == "site-cedar"
	}
	if !visited {
		t.Errorf("never at the place the goal names; %v", b.applied)
	}
	if b.firstSchedule < 0 {
		t.Errorf("travelled before the chip was in work; %v", b.applied)
	}
}

func TestPolicyLivesOnASmallBattery(t *testing.T) {
	b := newBelt(20)
	b.capacity = 30
	b.places = b.places[:1]
	g := &table{t: t, seed: 5, protocol: full, goals: chips, world: b}
	g.live(40)
	if b.products["control_chip"] < 2 {
		t.Errorf("%d chips with a battery of 30, want 2; %v", b.products["control_chip"], b.applied)
	}
}

func TestPolicyDoesNotRepeatARejectedAction(t *testing.T) {
	b := newBelt(30)
	b.contended = true
	g := &table{t: t, seed: 2, protocol: full, goals: chips, world: b}
	g.live(8)
	for i := 1; i < len(g.history); i++ {
		before, now := action(g.history[i-1]), action(g.history[i])
		if strings.Contains(g.history[i-1], "refused") && before == now {
			t.Errorf("%q was tried again right after it was refused", now)
		}
	}
	if !slices.ContainsFunc(g.history, func(s string) bool { return strings.Contains(s, "refused") }) {
		t.Error("nothing was ever refused, so the test shows nothing")
	}
}

// action cuts the action out of a line of history.
func action(line string) string {
	_, text, _ := strings.Cut(line, ": ")
	text, _, _ = strings.Cut(text, " refused")
	return strings.TrimSuffix(text, " ok")
}

// TestPolicyBringsWhatItIsToldTo: a helper works where it is, carries hardware to the
// place that its goals name, hands it over and goes back for more.
func TestPolicyBringsWhatItIsToldTo(t *testing.T) {
	b := newBelt(60)
	b.neighbourAt = "site-birch"
	g := &table{t: t, seed: 4, protocol: full, goals: "Bring hardware to site-birch.", world: b}
	g.live(60)
	var did []string
	for _, a := range b.applied {
		if a == "move_agent" || a == "transfer_resource" {
			did = append(did, a)
		}
	}
	if b.given["hardware"] < 10 || b.given["electricity"] < 10 || slices.Compact(did)[0] != "move_agent" || b.shutdowns > 0 {
		t.Errorf("gave %v, want at least 10 hardware and 10 electricity; %v", b.given, b.applied)
	}
}

// TestPolicyReportsNowAndThen: messages are rare, and hold no name from the request.
func TestPolicyReportsNowAndThen(t *testing.T) {
	b := newBelt(40)
	b.neighbour = true
	g := &table{t: t, seed: 4, protocol: full, goals: chips, world: b}
	g.live(120)
	sent := 0
	for _, a := range b.applied {
		if a == "send_message" {
			sent++
		}
	}
	if sent == 0 || sent > len(b.applied)/5 {
		t.Errorf("%d messages in %d actions, want some and few", sent, len(b.applied))
	}
}

func TestPolicyGivesStandingOrders(t *testing.T) {
	for _, p := range []protocol{full, lean} {
		ordered := 0
		for seed := uint64(0); seed < 6 && ordered == 0; seed++ {
			b := newBelt(30)
			g := &table{t: t, seed: seed, protocol: p, goals: "Have 1 logistics drone.", world: b}
			for b.tick < 30 {
				if b.advance(); !b.due() {
					continue
				}
				action, order := g.deliberate()
				if order != nil {
					ordered++
				}
				b.apply(action)
			}
		}
		if ordered == 0 {
			t.Errorf("%s: no standing order in six lives", p)
		}
	}
}

// TestPolicyAsksNowAndThen: about every third turn has a question, and in a few
// lives no module is left out.
func TestPolicyAsksNowAndThen(t *testing.T) {
	turns, asked := 0, map[string]int{}
	for seed := range uint64(4) {
		b := newBelt(50)
		b.here().compound = 6_000
		g := &table{t: t, seed: seed, protocol: full, goals: chips, world: b}
		g.live(60)
		for _, r := range g.results {
			for _, call := range calls(r) {
				switch call.Name {
				case toolPlan:
					turns++
				case toolDraft, toolDecision:
				default:
					asked[call.Name]++
				}
			}
		}
	}
	total := 0
	for _, name := range moduleNames {
		if asked[name] == 0 {
			t.Errorf("%s was never asked in %d turns; %v", name, turns, asked)
		}
		total += asked[name]
	}
	if total*4 < turns || total*2 > turns {
		t.Errorf("%d questions in %d turns, want one in every second to fourth", total, turns)
	}
}
