package behavior

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// forkedGame plays an agent for sixty ticks with answers drawn from a seed. In every third tick a fork of the
// agent and its world lives another life beside it: its prompts are returned too.
func forkedGame(t *testing.T, seed uint64, forks bool) (prompts, others []string) {
	g := &watched{bench: newBench(t, trace.Settings{})}
	r := randomModel{Rand: rand.New(rand.NewPCG(seed, 1)), place: g.w.View(0).Observe().Places[0].ID}
	// live plays one tick of an agent in its world, and returns what its turn was asked.
	live := func(w *world.World, m *Agent, r randomModel) string {
		var sent strings.Builder
		intents := []world.Intent{{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: fmt.Sprint(secret, " ", r.IntN(9))}}}
		var d Decision
		due := slices.Contains(w.Due(), 0)
		if due {
			if _, goesOn := w.View(0).Standing(); goesOn {
				d, _ = m.Continue(w.View(0))
			} else {
				answers := []string{r.answer(), r.answer(), r.answer(), r.answer(), r.answer()}
				d = g.plays(m.Begin(w.View(0)), answers, func(ask Ask) { fmt.Fprint(&sent, ask.Request.Hash(), " ") })
			}
			intents = append([]world.Intent{{Agent: 0, Action: d.Executed, Parents: d.Parents}}, intents...)
		}
		for _, e := range w.Apply(intents) {
			if slices.Contains(e.Concerns(), "agent-1") {
				m.Witness(e)
			}
		}
		if due {
			o, _ := w.LastOutcome(0)
			m.Learn(w.Tick(), d, o)
		}
		for _, e := range w.Advance() {
			if slices.Contains(e.Concerns(), "agent-1") {
				m.Witness(e)
			}
		}
		return sent.String()
	}
	type beside struct {
		w *world.World
		m *Agent
		r randomModel
	}
	var lives []beside
	for tick := range 60 {
		if forks && tick%3 == 0 {
			own := r
			own.Rand = rand.New(rand.NewPCG(seed, uint64(tick)))
			lives = append(lives, beside{g.w.Fork(), g.m.Fork(), own})
		}
		for _, b := range lives {
			others = append(others, live(b.w, b.m, b.r))
		}
		prompts = append(prompts, live(g.w, g.m, r))
	}
	return prompts, others
}

// TestForkedAgentsAreIndependent: what forks of an agent live through changes none of its prompts, and a fork
// that lives as its origin did is asked the same.
func TestForkedAgentsAreIndependent(t *testing.T) {
	for seed := range uint64(4) {
		want, _ := forkedGame(t, seed, false)
		got, others := forkedGame(t, seed, true)
		if i := slices.Compare(want, got); i != 0 {
			t.Fatalf("seed %d: the prompts of an agent depend on its forks", seed)
		}
		if !slices.ContainsFunc(others, func(s string) bool { return s != "" && !slices.Contains(want, s) }) {
			t.Fatalf("seed %d: the forks lived no life of their own", seed)
		}
	}
	g := &watched{bench: newBench(t, trace.Settings{})}
	r := randomModel{Rand: rand.New(rand.NewPCG(9, 1)), place: g.w.View(0).Observe().Places[0].ID}
	for range 20 {
		d := g.plays(g.m.Begin(g.w.View(0)), []string{r.answer(), r.answer(), r.answer(), r.answer(), r.answer()}, func(Ask) {})
		g.w.Apply([]world.Intent{{Agent: 0, Action: d.Executed, Parents: d.Parents}})
		o, _ := g.w.LastOutcome(0)
		g.m.Learn(g.w.Tick(), d, o)
		for g.w.Advance(); !slices.Contains(g.w.Due(), 0) || standing(g.w); g.w.Advance() {
		}
		view := g.w.View(0)
		ask, fork := g.m.Begin(view).Next().(Ask), g.m.Fork().Begin(view).Next().(Ask)
		if ask.Request.Hash() != fork.Request.Hash() {
			t.Fatalf("tick %d: a fork is asked something else than its origin", g.w.Tick())
		}
	}
}

func standing(w *world.World) bool { _, is := w.View(0).Standing(); return is }

// BenchmarkFork is the copy of an agent with a full memory.
func BenchmarkFork(b *testing.B) {
	g := &watched{bench: newBench(&testing.T{}, trace.Settings{})}
	r := randomModel{Rand: rand.New(rand.NewPCG(3, 1)), place: g.w.View(0).Observe().Places[0].ID}
	for range 200 {
		d := g.plays(g.m.Begin(g.w.View(0)), []string{r.answer(), r.answer(), r.answer(), r.answer(), r.answer()}, func(Ask) {})
		g.w.Apply([]world.Intent{{Agent: 0, Action: d.Executed, Parents: d.Parents}})
		o, _ := g.w.LastOutcome(0)
		g.m.Learn(g.w.Tick(), d, o)
		for g.w.Advance(); !slices.Contains(g.w.Due(), 0) || standing(g.w); g.w.Advance() {
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		g.m.Fork()
	}
}
