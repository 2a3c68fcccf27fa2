package baseline

import (
	"strings"
	"testing"

	"example.com/agentworld/world"
)

// TestBoundByHand checks bounds that can be worked out on paper. The works have
// two agents with 90 electricity, 40 hardware, 9 data and 6 chips each, and
// 50,000 g of compound; the run has 40 ticks.
func TestBoundByHand(t *testing.T) {
	for _, tc := range []struct {
		name, metric string
		change       func(*world.Scenario)
		want         int64
		why          string
	}{
		// 130 hardware in all: 2 per chip and 5 per factory. Each of the factories
		// delivers at most (40-6)/2+1 = 18, so that 55 chips need 4: 110 + 20.
		{"matter", "produced:control_chip", func(*world.Scenario) {}, 55, "would take 112 hardware and 4 factories"},
		// The same chips, 12 held at the start, shared by two.
		{"the least held", "held_min:control_chip", func(*world.Scenario) {}, (12 + 55) / 2, "2 agents share: The start has 12"},
		// 80 hardware at the start and 50 kg to refine.
		{"hardware", "held:hardware", func(*world.Scenario) {}, 130, "51000 g to dig"},
		{"compound", "held:compound", func(*world.Scenario) {}, 50_000, "50001 g to dig"},
		// Ready in tick 4, then 36 ticks of work: seven drones of 5 ticks yield 28, and
		// one tick is left. Sixteen factories would yield 448, so matter decides: 57 data
		// take 114 hardware and three factories 15 of 130.
		{"mixed recipes", "produced:data", func(*world.Scenario) {}, 57, "28 delivered each at most"},
		// With matter in plenty two agents own 16 factories.
		{"throughput", "produced:control_chip", func(s *world.Scenario) {
			s.Agents.Stock = [][]world.Amount{{{Resource: world.Hardware, Amount: 100_000}}}
			s.Rules.HeatFactor, s.Rules.BuildElectricity = 0, 0
			s.Rules.PowerCapacity, s.Places[0].Emission = 1_000_000, 50
			s.Agents.Stock[0] = append(s.Agents.Stock[0], world.Amount{Resource: world.Electricity, Amount: 1_000_000})
		}, 16 * 18, "2 agents with 8 factories each make at most 288"},
		// In the dark 180 electricity, 1 a tick asleep and 10 in ticks of restarts are all there
		// is: 270, less 2 for each action. 36 chips take 216, two factories 20, and two of their 82
		// hardware 6 to dig and refine, in 7 actions. 37 take 279, in 9.
		{"energy", "produced:control_chip", func(s *world.Scenario) {
			s.Places[0].Emission, s.Rules.RadiationFloor = 0, 0
		}, 36, "2 agents at radiation 0 gain at most"},
		// Nothing can be delivered when the window ends before a factory stands.
		{"too late", "produced:logistics_drone", func(s *world.Scenario) { s.Rules.BuildTicks = 40 }, 0, "A factory stands in tick 41"},
	} {
		s := mustParse(t, loophole, tc.metric)
		tc.change(&s)
		got := BoundOf(s)
		if got.Score != tc.want || !strings.Contains(got.Why, tc.why) {
			t.Errorf("%s: the bound is %d, want %d; %q lacks %q", tc.name, got.Score, tc.want, got.Why, tc.why)
		}
	}
}

// TestBoundAllowsForPlants compares a dim world in which plants can be built with
// one in which none is ever ready.
func TestBoundAllowsForPlants(t *testing.T) {
	s := mustParse(t, loophole, "produced:control_chip")
	s.Places[0].Emission, s.Places[0].CompoundG = 4, 500_000
	with := BoundOf(s)
	// The agents start with hardware for ten plants. Of the first four, two are built in tick 1 and
	// two in tick 2; from tick 4 and 5 on each generates 5 a tick.
	e := newEstimate(s, "produced", world.ControlChip)
	if got := e.generation(4); got != 2*36*5+2*35*5 {
		t.Errorf("four plants generate %d, want 710", got)
	}
	// For the eleventh 8 hardware are dug by two actions and refined by one.
	if got := e.generation(11) - e.generation(10); got != (40-7-3)*5 {
		t.Errorf("the eleventh generates %d, want 150", got)
	}
	s.Rules.PlantTicks = 1000
	if without := BoundOf(s); without.Score >= with.Score {
		t.Errorf("the bound is %d with plants and %d without", with.Score, without.Score)
	}
}

func TestUptimeBound(t *testing.T) {
	for _, tc := range []struct {
		name  string
		stock [][]world.Amount
		from  int64
		want  int64
	}{
		{"all start charged", [][]world.Amount{{{Resource: world.Electricity, Amount: 20}}}, 1, 1000},
		// Ten ticks of 40 each, by the ambient floor.
		{"all start empty", nil, 1, 750},
		// The other can give at once; one of 80 agent-ticks is lost.
		{"one starts empty", [][]world.Amount{{{Resource: world.Electricity, Amount: 20}}, nil}, 1, 987},
		{"the blackout is before the window", nil, 11, 1000},
		{"the blackout reaches into the window", nil, 6, 1000 * (70 - 10) / 70},
	} {
		s := mustParse(t, loophole, "uptime")
		s.Agents.Stock, s.Task.From = tc.stock, tc.from
		if got := BoundOf(s); got.Score != tc.want {
			t.Errorf("%s: the bound is %d, want %d (%s)", tc.name, got.Score, tc.want, got.Why)
		}
	}
}
