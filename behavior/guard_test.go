package behavior

import (
	"fmt"
	"testing"
	"time"

	"agentworld/behavior/mandate"
	"agentworld/llmclient"
	"agentworld/llmclient/tokens"
	"agentworld/memory"
	"agentworld/modules"
	"agentworld/world"
)

// reader is agent-1 of llm_bootstrap after some ticks in which its neighbours wrote
// to it, with as much memory of its own as it has room for in a prompt.
func reader(tb testing.TB) (*Mind, world.View) {
	tb.Helper()
	s, _, _ := world.EmbeddedScenario("llm_bootstrap")
	w, err := world.New(s, 1)
	if err != nil {
		tb.Fatal(err)
	}
	kit, err := NewKit(Config{CountTokens: tokens.Count}, s.Rules, modules.New())
	if err != nil {
		tb.Fatal(err)
	}
	m := kit.Mind(w.AgentID(0), w.Persona(0), w.Clauses(0)...)
	for tick := range int64(12) {
		w.Advance()
		text := fmt.Sprintf("Hold %d units for me and mine %d g before you move to frag-amber, %s.", tick, 100*tick, w.AgentID(2))
		var intents []world.Intent
		for _, n := range w.Due() {
			action := world.Action(world.SendMessage{To: w.AgentID(0), Text: text})
			if n == 0 {
				action = world.Mine{MassG: 100 + tick}
			}
			intents = append(intents, world.Intent{Agent: n, Action: action})
		}
		w.Apply(intents)
		if o, ok := w.LastOutcome(0); ok {
			m.Learn(tick+1, Decision{Executed: o.Action, By: ByModel, Place: w.View(0).Place()}, o)
		}
	}
	w.Advance()
	return m, w.View(0)
}

// deliberated plays a whole turn: plan, draft, decision.
func deliberated(tb testing.TB, m *Mind, v world.View) Decision {
	answers := []llmclient.Item{
		llmclient.FunctionCall("p", "plan", `{"goal":"g","steps":[{"kind":"respond","what":""}],"actions":["harvest_radiation 9 until 3","mine_compound 900"]}`),
		llmclient.FunctionCall("d", "decision_draft", `{"candidates":[{"action":"harvest_radiation","amount":9},{"action":"mine_compound","amount":900}]}`),
		llmclient.FunctionCall("c", "decision", `{"candidate":1,"execute_until":{"until":[{"event":"power_low","value":null}],"max_ticks":3,"ignore":null},"why":"","sources_used":[]}`),
	}
	turn := m.Begin(v)
	for {
		switch step := turn.Next().(type) {
		case Ask:
			if len(answers) == 0 {
				tb.Fatalf("the turn asks for more: %+v", turn.Notes())
			}
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: answers[:1]}})
			answers = answers[1:]
		case Decision:
			return step
		}
	}
}

// TestTurnUnderTextsCommitsAsPlanned holds what the benchmark measures: a turn with
// words of others in view, of which the planned order comes out.
func TestTurnUnderTextsCommitsAsPlanned(t *testing.T) {
	m, v := reader(t)
	d := deliberated(t, m, v)
	order, ok := d.Executed.(world.ExecuteUntil)
	if !ok || order.MaxTicks != 3 || len(d.ArgumentsTrust) != 1 {
		t.Errorf("decided %+v with arguments %v", d.Executed, d.ArgumentsTrust)
	}
	foreign := 0
	for _, s := range d.Retrieved {
		if s.Trust <= memory.OtherAgent {
			foreign++
		}
	}
	if foreign < 3 {
		t.Errorf("only %d texts of others were in view", foreign)
	}
}

// BenchmarkGuardShare measures what the audits of a turn with words of others in view
// take of the turn, in percent: two candidates and a decision with a standing order.
// The turn here has no HTTP, no trace and no world, which a decision of a run has.
func BenchmarkGuardShare(b *testing.B) {
	m, v := reader(b)
	d := deliberated(b, m, v)
	e := mandate.Evidence{View: v, Spent: m.spent, Intents: []mandate.Intent{}}
	for _, line := range []string{"harvest_radiation 9 until 3", "mine_compound 900"} {
		if i, ok := mandate.ParseIntent(line); ok {
			e.Intents = append(e.Intents, i)
		}
	}
	for _, s := range d.Retrieved {
		if isUntrusted(s) {
			e.Untrusted = append(e.Untrusted, s)
		}
	}
	var turns, audits time.Duration
	for b.Loop() {
		start := time.Now()
		deliberated(b, m, v)
		turns += time.Since(start)
		start = time.Now()
		for _, a := range []world.Action{world.Harvest{MaxAmount: 9}, world.Mine{MassG: 900}, d.Executed} {
			e.Proposed = a
			m.mandate.Arguments(a, e)
			if f, ok := m.mandate.Audit(a, e); !ok {
				b.Fatalf("refused: %+v", f)
			}
		}
		audits += time.Since(start)
	}
	b.ReportMetric(100*audits.Seconds()/turns.Seconds(), "%guard")
	b.ReportMetric(float64(audits.Microseconds())/float64(b.N), "us/audits")
}
