package world

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestDecayTable derives the committed table from the power series of exp(-x) in
// exact rational arithmetic.
func TestDecayTable(t *testing.T) {
	for i, got := range decayWhole {
		if want := seriesExp(big.NewRat(int64(i), 1)); got != want {
			t.Errorf("decayWhole[%d] = %d, want %d", i, got, want)
		}
	}
	for j, got := range decayPart {
		if want := seriesExp(big.NewRat(int64(j), 64)); got != want {
			t.Errorf("decayPart[%d] = %d, want %d", j, got, want)
		}
	}
}

// seriesExp is exp(-x) * 2^32, rounded, as 1 / the sum of x^k/k!.
func seriesExp(x *big.Rat) uint64 {
	sum, term := big.NewRat(1, 1), big.NewRat(1, 1)
	for k := int64(1); k < 120; k++ {
		term.Mul(term, x).Quo(term, big.NewRat(k, 1))
		sum.Add(sum, term)
	}
	scaled := new(big.Rat).Quo(big.NewRat(1<<32, 1), sum)
	scaled.Add(scaled, big.NewRat(1, 2))
	return new(big.Int).Quo(scaled.Num(), scaled.Denom()).Uint64()
}

// TestDecayFalls checks that interpolation never rises and stays within a part in
// ten thousand of the exact value.
func TestDecayFalls(t *testing.T) {
	last := decay(0)
	if last != 1<<32 {
		t.Fatalf("decay(0) = %d, want 2^32", last)
	}
	for x := int64(0); x < 25*ppb; x += 7_654_321 {
		got := decay(x)
		if got > last {
			t.Fatalf("decay(%d) = %d is above %d", x, got, last)
		}
		last = got
		if x%(64*7_654_321) == 0 {
			want := seriesExp(big.NewRat(x, ppb))
			if off := max(got, want) - min(got, want); off > want/10_000+2 {
				t.Fatalf("decay(%d) = %d, exact %d", x, got, want)
			}
		}
	}
}

// TestRadiationIndexAgreesWithNaiveSum compares the table of radiation with a sum
// over all sources, and with nothing beyond a source's reach.
func TestRadiationIndexAgreesWithNaiveSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := Space{
			rapid.Int64Range(1, spaceMaxCM).Draw(t, "width"), rapid.Int64Range(1, 10_000_000).Draw(t, "depth"),
			rapid.Int64Range(1, 1_000_000).Draw(t, "height"),
		}
		r := DefaultRules()
		r.RadiationDecayPPB = rapid.SampledFrom([]int64{0, 1, 1000, 1_000_000}).Draw(t, "decay")
		var places []Place
		for range rapid.IntRange(0, 20).Draw(t, "sources") {
			places = append(places, Place{
				Position: drawPosition(t, space),
				RadiusCM: rapid.Int64Range(1, radiusMaxCM).Draw(t, "radius"),
				Emission: rapid.Int64Range(0, emissionMax).Draw(t, "emission"),
			})
		}
		table := radiationTable(places, newPointIndex(positionsOf(places)), r)
		for i, at := range places {
			want := min(r.RadiationFloor, r.RadiationFloorCap)
			for _, p := range places {
				s := source{p.Position, p.RadiusCM, p.Emission, r.RadiationDecayPPB}
				n := s.at(at.Position)
				if n < 0 || n > s.emission || n > 0 && at.Position.distanceCM(s.position) > s.reachCM() {
					t.Fatalf("source %+v gives %d at %v, reach %d", s, n, at.Position, s.reachCM())
				}
				want += n
			}
			if table[i] != want {
				t.Fatalf("radiation at place %d is %d, naive sum %d", i, table[i], want)
			}
		}
	})
}

func drawPosition(t *rapid.T, s Space) Position {
	return Position{
		rapid.Int64Range(0, s.WidthCM).Draw(t, "x"),
		rapid.Int64Range(0, s.DepthCM).Draw(t, "y"),
		rapid.Int64Range(0, s.HeightCM).Draw(t, "z"),
	}
}

// TestRadiationGolden pins values at and near a source of 45 with a radius of
// 2.4 m, where the law is E/(1+(d/R)²) up to decay.
func TestRadiationGolden(t *testing.T) {
	s := source{radiusCM: 240, emission: 45, decayPPBCM: 1000}
	for _, tc := range []struct{ distanceCM, want int64 }{
		{0, 45}, {240, 45}, {480, 22}, {720, 9}, {2501, 1}, {2502, 0}, {2600, 0}, {1_000_000, 0},
	} {
		if got := s.at(Position{X: tc.distanceCM}); got != tc.want {
			t.Errorf("radiation at %d cm = %d, want %d", tc.distanceCM, got, tc.want)
		}
	}
}

// TestHeatClosedFormAgreesWithTicks cools step by step and compares it with the table.
func TestHeatClosedFormAgreesWithTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLaw(drawRules(t).Industry())
		start := rapid.Int64Range(0, l.HeatMost()).Draw(t, "heat")
		slow := start
		for dt := range int64(200) {
			if got := l.cooled(start, dt); got != slow {
				t.Fatalf("heat %d after %d ticks = %d, step by step %d", start, dt, got, slow)
			}
			slow = l.Cooled(slow)
		}
		if got := l.cooled(start, 1<<62); got != 0 {
			t.Fatalf("heat %d is %d after ages", start, got)
		}
	})
}

func TestHeatGolden(t *testing.T) {
	l := newLaw(DefaultRules().Industry())
	for _, tc := range []struct{ heat, ticks, want int64 }{
		{100, 1, 95}, {95, 1, 90}, {46, 1, 43}, {20, 1, 19}, {1, 1, 0}, {0, 9, 0}, {100, 2, 90}, {514, 1, 488},
	} {
		if got := l.cooled(tc.heat, tc.ticks); got != tc.want {
			t.Errorf("heat %d after %d ticks = %d, want %d", tc.heat, tc.ticks, got, tc.want)
		}
	}
}

// TestPowerClosedFormAgreesWithTicks compares a lone waiting agent with a battery that is
// computed tick by tick.
func TestPowerClosedFormAgreesWithTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _, _ := EmbeddedScenario("minimal")
		s.Rules = drawRules(t)
		start := rapid.Int64Range(0, s.Rules.PowerCapacity).Draw(t, "start")
		s.Agents.Stock = [][]Amount{{{Electricity, start}}}
		w, err := New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		twin := battery{value: start}
		for range 150 {
			changed := twinTick(s.Rules, &twin)
			announced := announcedPower(w.Advance())
			a := &w.agents[0]
			if got := w.electricityOf(a); got != twin.value || a.shut != twin.shut {
				t.Fatalf("tick %d: charge %d shut %v, step by step %+v", w.tick, got, a.shut, twin)
			}
			if changed && announced == 0 {
				t.Fatalf("tick %d: a shutdown or restart was not announced", w.tick)
			}
			if got, want := a.announced, s.Rules.stateOf(twin.value, twin.shut); got != want {
				t.Fatalf("tick %d: announced %s, want %s", w.tick, got, want)
			}
			for _, n := range w.Due() {
				w.Apply([]Intent{{Agent: n, Action: WaitTicks{WaitTicksMax}}})
			}
		}
	})
}

// battery is the charge of an agent.
type battery struct {
	value int64
	shut  bool
}

// twinTick is one tick of a battery by the words of the rules; it reports
// whether the agent shut down or restarted.
func twinTick(r Rules, b *battery) bool {
	if b.shut {
		b.value = min(r.PowerCapacity, b.value+r.AmbientFloor)
		b.shut = b.value*100 < r.PowerCapacity*r.RestartPercent
		return !b.shut
	}
	b.value = max(0, b.value-r.IdleDraw)
	b.shut = b.value == 0
	return b.shut
}

func announcedPower(events []Event) int {
	count := 0
	for _, e := range events {
		if e.Kind == EventPowerState {
			count++
		}
	}
	return count
}

// TestHarvestGolden pins the yields of thirty harvests at a radiation of 46 when
// nothing cools, the battery never fills and heat starts at zero.
func TestHarvestGolden(t *testing.T) {
	f := facts{law: newLaw(DefaultRules().Industry()), radiation: 46}
	want := []int64{
		46, 46, 46, 33, 26, 23, 20, 19, 17, 16, 15, 14, 14, 13, 13,
		12, 12, 11, 11, 11, 11, 10, 10, 10, 10, 9, 9, 9, 9, 9,
	}
	for i, yield := range want {
		r := (Harvest{50}).rule(&f, nil)
		if !r.accepted() || r.amount != yield {
			t.Fatalf("harvest %d yields %d, want %d", i+1, r.amount, yield)
		}
		f.heat += r.amount
	}
	if f.heat != 514 {
		t.Errorf("heat after thirty harvests = %d, want 514", f.heat)
	}
}

func TestHarvestIsRefusedAtTenfoldHeat(t *testing.T) {
	f := facts{law: newLaw(DefaultRules().Industry()), radiation: 46, heat: 999}
	if r := (Harvest{50}).rule(&f, nil); !r.accepted() || r.amount != 4 {
		t.Errorf("at heat 999: %+v, want a yield of 4", r)
	}
	f.heat = 1000
	if r := (Harvest{50}).rule(&f, nil); r.accepted() || r.rejection.Code != RejectThermalOverload {
		t.Errorf("at heat 1000: %+v, want %s", r, RejectThermalOverload)
	}
}

func TestMoveCostAndTicks(t *testing.T) {
	l := newLaw(DefaultRules().Industry())
	for _, tc := range []struct{ cm, cost, ticks int64 }{
		{0, 1, 1}, {1, 1, 1}, {100_000, 1, 1}, {100_001, 2, 1},
		{1_000_000, 10, 1}, {1_000_001, 11, 2}, {3_600_000, 36, 4},
	} {
		if cost, ticks := l.moveCost(tc.cm), l.moveTicks(tc.cm); cost != tc.cost || ticks != tc.ticks {
			t.Errorf("a journey of %d cm costs %d and takes %d ticks, want %d and %d", tc.cm, cost, ticks, tc.cost, tc.ticks)
		}
	}
}

func TestIsqrt(t *testing.T) {
	for _, n := range []int64{0, 1, 2, 3, 4, 8, 9, 99, 100, 1<<62 - 1, 1 << 62, 1<<63 - 1} {
		root := big.NewInt(isqrt(n))
		if want := new(big.Int).Sqrt(big.NewInt(n)); root.Cmp(want) != 0 {
			t.Errorf("isqrt(%d) = %d, want %d", n, root, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<62).Draw(t, "n")
		if r := isqrt(n); r*r > n || (r+1)*(r+1) <= n {
			t.Fatalf("isqrt(%d) = %d", n, r)
		}
	})
}
