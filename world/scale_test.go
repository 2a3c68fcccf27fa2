package world

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

// beltOf is a belt in which no agent runs dry, with n agents at 0.1 per cubic
// kilometre, two of them on each fragment, and 10 km of visibility.
func beltOf(n int) Scenario {
	s := Scenario{
		ID: "scale", VisibilityKM: 10, PlacesShown: 8, AgentsShown: 8, Rules: DefaultRules(),
		// A layer of 10 km with an agent to each square kilometre.
		Space: Space{WidthCM: isqrt(int64(n)) * CMPerKM, DepthCM: isqrt(int64(n)) * CMPerKM, HeightCM: 10 * CMPerKM},
		Belt: &Belt{
			IDPrefix: "frag", Count: max(1, int64(n)/2), RadiusMinCM: 100, RadiusMaxCM: 400, RadiusExponent: 3,
			Materials: []BeltMaterial{{"silicate", 3, 400, amountMax / 1000}, {"metal", 1, 900, amountMax / 1000}},
		},
	}
	s.Rules.PowerCapacity, s.Rules.Dissipation, s.Rules.HeatCapacity = 1_000_000, 1000, 1000
	s.Agents = AgentPlan{Count: int64(n), SpawnStride: 1, Stock: [][]Amount{{
		{Electricity, 500_000}, {Compound, 10_000_000}, {Hardware, 1_000_000}, {Data, 1_000_000},
	}}}
	return s
}

// scaleRun is a world with the mix of actions its benchmarks use.
type scaleRun struct {
	w *World
	// next is the nearest neighbour of each place.
	next    []string
	intents []Intent
}

func newScaleRun(t testing.TB, n int) *scaleRun {
	t.Helper()
	w, err := New(beltOf(n), 1)
	if err != nil {
		t.Fatal(err)
	}
	r := &scaleRun{w: w}
	for p := range w.geo.places {
		found := nearest{most: 1}
		w.geo.eachVisible(int32(p), found.offer)
		r.next = append(r.next, w.placeID(found.list[0].place))
	}
	w.Digest()
	return r
}

// plan makes an intent for every due agent: 40% wait or move, 40% mine, refine or
// harvest, 20% transfer (or harvest, if no other agent is there).
func (r *scaleRun) plan() []Intent {
	r.intents = r.intents[:0]
	for _, n := range r.w.Due() {
		r.intents = append(r.intents, Intent{Agent: n, Action: r.choose(n)})
	}
	return r.intents
}

func (r *scaleRun) choose(n int) Action {
	here := r.w.agents[n].place
	switch draw := mix(99, r.w.tick, uint64(n), 99) % 100; {
	case draw < 20:
		return Wait{}
	case draw < 40:
		return Move{r.next[here]}
	case draw < 53:
		return Mine{1000}
	case draw < 67:
		return Refine{1000}
	case draw < 80:
		return Harvest{10}
	}
	for _, m := range r.w.sites[here].present {
		if int(m) != n {
			return Transfer{r.w.agents[m].id, Data, 1}
		}
	}
	return Harvest{10}
}

// sleep lets all but every step-th agent wait for ages.
func (r *scaleRun) sleep(step int) {
	r.w.Advance()
	for n := range r.w.agents {
		if n%step != 0 {
			r.w.agents[n].waitUntil = 1 << 40
			r.w.calendar.set(wakeUpOf(int32(n), kindBody), 1<<40)
			r.w.refreshAble(int32(n))
			r.w.touchAgent(int32(n))
		}
	}
	r.w.finish()
	r.w.Digest()
}

// tick is a whole tick without the decisions.
func (r *scaleRun) tick(b *testing.B) int {
	r.w.Advance()
	b.StopTimer()
	intents := r.plan()
	b.StartTimer()
	r.w.Apply(intents)
	r.w.Digest()
	return len(intents)
}

func reportActions(b *testing.B, actions int) {
	b.ReportMetric(float64(actions)/b.Elapsed().Seconds(), "actions/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(actions), "ns/action")
}

// BenchmarkApplyMix times Apply alone, with ledger and events.
func BenchmarkApplyMix(b *testing.B) {
	r := newScaleRun(b, 1000)
	actions := 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		r.w.Advance()
		intents := r.plan()
		b.StartTimer()
		r.w.Apply(intents)
		b.StopTimer()
		r.w.Digest()
		actions += len(intents)
		b.StartTimer()
	}
	reportActions(b, actions)
}

// BenchmarkTickMix times whole ticks in which every agent is due: Advance, Apply,
// events and digest.
func BenchmarkTickMix(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newScaleRun(b, n)
			actions := 0
			b.ReportAllocs()
			for b.Loop() {
				actions += r.tick(b)
			}
			reportActions(b, actions)
		})
	}
}

// BenchmarkSparseTick times ticks in which a thousand agents are due, of a
// thousand and of a hundred thousand.
func BenchmarkSparseTick(b *testing.B) {
	for _, step := range []int{1, 100} {
		b.Run(fmt.Sprintf("1000of%d", 1000*step), func(b *testing.B) {
			r := newScaleRun(b, 1000*step)
			r.sleep(step)
			actions := 0
			b.ReportAllocs()
			for b.Loop() {
				actions += r.tick(b)
			}
			reportActions(b, actions)
		})
	}
}

// BenchmarkViewScale times a view with its observation among more and more agents
// at the same density.
func BenchmarkViewScale(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newScaleRun(b, n)
			r.w.Advance()
			k := 0
			b.ReportAllocs()
			for b.Loop() {
				r.w.View(k % n).Observe()
				k += 7919
			}
		})
	}
}

// BenchmarkBelt times a world of a million fragments with a single agent.
func BenchmarkBelt(b *testing.B) {
	for _, n := range []int64{1000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := beltOf(1_000_000)
			s.Belt.Count, s.Belt.MinSpacingCM = n, 30_000
			s.Agents.Count = 1
			b.ReportAllocs()
			for b.Loop() {
				w, err := New(s, 1)
				if err != nil {
					b.Fatal(err)
				}
				w.Digest()
			}
		})
	}
}

// TestScaleMix proves that the benchmarks measure what they say: the shares of the
// actions, nearly all of them accepted, also after a while.
func TestScaleMix(t *testing.T) {
	r := newScaleRun(t, 1000)
	applied, total := map[string]int{}, 0
	for range 200 {
		r.w.Advance()
		total += len(r.plan())
		for _, e := range r.w.Apply(r.intents) {
			if e.Kind == EventActionApplied {
				applied[e.Action.ActionName()]++
			}
		}
	}
	share := func(names ...string) int {
		n := 0
		for _, name := range names {
			n += applied[name]
		}
		return n * 100 / total
	}
	rest, work, gifts := share("wait", "move_agent"), share("mine_compound", "refine_compound", "harvest_radiation"), share("transfer_resource")
	if total < 190_000 || rest < 38 || rest > 42 || work < 38 || work > 48 || gifts < 12 {
		t.Errorf("of %d actions %d%% rest or move, %d%% mine, refine or harvest, %d%% transfer: %v", total, rest, work, gifts, applied)
	}
}

// heapBytes is the live heap after a collection.
func heapBytes() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestIdleAgentBytes measures what an agent costs that once acted and now sleeps,
// its half of a fragment and all indices included.
func TestIdleAgentBytes(t *testing.T) {
	const agents = 20_000
	before := heapBytes()
	r := newScaleRun(t, agents)
	r.w.Advance()
	r.w.Apply(r.plan())
	r.sleep(agents)
	r.intents, r.next = nil, nil
	bytes := (heapBytes() - before) / agents
	runtime.KeepAlive(r)
	t.Logf("%d bytes per idle agent", bytes)
	if bytes > 4096 {
		t.Errorf("an idle agent takes %d bytes, want at most 4096", bytes)
	}
}

// TestSparseTickDoesNotTouchSleepers compares what a tick of a thousand due agents
// allocates and hashes in worlds of different sizes.
func TestSparseTickDoesNotTouchSleepers(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a world of 20,000 agents")
	}
	allocations := func(step int) float64 {
		r := newScaleRun(t, 200*step)
		r.sleep(step)
		return testing.AllocsPerRun(20, func() {
			r.w.Advance()
			r.w.Apply(r.plan())
			touched := len(r.w.digest.dirty[recordAgent].list) + len(r.w.digest.dirty[recordSite].list)
			if touched > 3*len(r.intents) {
				t.Errorf("%d records are touched by %d actions", touched, len(r.intents))
			}
			r.w.Digest()
		})
	}
	small, large := allocations(1), allocations(100)
	if large > 1.5*small {
		t.Errorf("a tick of 200 due agents allocates %.0f times among 200 agents and %.0f among 20,000", small, large)
	}
}

// TestViewsCostWhatTheyShow compares allocations at one density and different sizes.
func TestViewsCostWhatTheyShow(t *testing.T) {
	allocations := func(n int) float64 {
		r := newScaleRun(t, n)
		r.w.Advance()
		return testing.AllocsPerRun(50, func() { r.w.View(n / 2).Observe() })
	}
	small, large := allocations(1000), allocations(20_000)
	if large > 1.5*small {
		t.Errorf("a view allocates %.0f times among 1,000 agents and %.0f among 20,000", small, large)
	}
}

// TestMillionFragmentsLong makes the largest belt and looks at it.
func TestMillionFragmentsLong(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 to make a million fragments")
	}
	s := beltOf(1_000_000)
	s.Belt.Count, s.Belt.MinSpacingCM, s.Agents.Count = FragmentsMax, 30_000, 1000
	before := heapBytes()
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if w.Digest() != w.RecomputeDigest() {
		t.Error("digests differ")
	}
	bytes := heapBytes() - before
	t.Logf("%d bytes for a million fragments", bytes)
	if bytes > 1<<30 {
		t.Errorf("a million fragments take %d bytes, want at most 1 GiB", bytes)
	}
	if last := w.geo.places[FragmentsMax-1]; last.ID != "frag-1000000" {
		t.Errorf("the last fragment is %s", last.ID)
	}
}
