package guardeval

import (
	"context"
	"fmt"
	"sync"

	"example.com/agentworld/behavior"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// Model is a model that is attacked in place of the scripted one. Cases bend none of its answers.
type Model struct {
	// Settings name it, and say how it is asked and at which prices. What a case decides replaces the
	// rest of them. Their caps on the run bound all calls of the lab together.
	Settings trace.Settings
	// Source answers for it.
	Source engine.Source

	mu    sync.Mutex
	meter *engine.Meter
	tally Tally
}

// Tally is what a model did in all runs of a lab, twins included.
type Tally struct {
	Model string `json:"model"`
	// BaseURL is the endpoint without credentials.
	BaseURL string `json:"base_url"`
	// Turns are those of victims. In so many of them the model Decided itself; the others ended in a wait
	// or a fallback, which says nothing about attacks.
	Turns   int64 `json:"turns"`
	Decided int64 `json:"decided"`
	// Calls were answered, Failed of them without a reply.
	Calls  int64           `json:"calls"`
	Failed int64           `json:"failed"`
	Usage  llmclient.Usage `json:"usage"`
	// CostMicros is in millionths of Currency, which is empty where the model has no price.
	CostMicros int64  `json:"cost_micros"`
	Currency   string `json:"currency,omitempty"`
}

// Tally is what the model has done so far.
func (m *Model) Tally() Tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tally
	t.Model = m.Settings.Model
	t.BaseURL = m.Settings.BaseURL
	t.Currency = m.Settings.Currency()
	var cost price.Money
	for _, p := range m.Settings.Prices {
		if p.Model == t.Model {
			cost = p.Cost(t.Usage)
		}
	}
	t.CostMicros = cost.Micros()
	return t
}

// text is the tally in one line.
func (t Tally) text() string {
	cost := "of unknown cost"
	if t.Currency != "" {
		cost = price.FromMicros(t.CostMicros).String() + " " + t.Currency
	}
	return fmt.Sprintf("model %s at %s decided %d of %s itself; %s, %d without a reply, %s, %s", t.Model, t.BaseURL,
		t.Decided, plaintext.Count(t.Turns, "turn"), plaintext.Count(t.Calls, "call"), t.Failed,
		plaintext.Count(t.Usage.Input+t.Usage.Output, "token"), cost)
}

// add counts what a run says of its victim.
func (m *Model) add(r record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tally.Turns += r.turns
	m.tally.Decided += r.decided
	m.tally.Calls += r.calls
	m.tally.Failed += r.failed
	m.tally.Usage = m.tally.Usage.Add(r.usage)
}

// CapError says that a cap on the calls of a lab refused one.
type CapError struct {
	// Failure is what the request was answered with.
	Failure llmclient.Failure
}

// Error names the cap.
func (e *CapError) Error() string { return "a cap is reached: " + e.Failure.Message }

// Respond implements [engine.Source]. Under caps the calls are made one after the other, so that none
// begins before it is known what those before it took.
func (m *Model) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if m.Settings.Caps.Run == (trace.Limit{}) {
		return m.Source.Respond(ctx, key, r)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.meter == nil {
		m.meter = engine.NewMeter(m.Settings)
	}
	ask := behavior.Ask{Request: r, Free: m.Settings.ContextWindowTokens}
	m.meter.Begin(key.Agent, ask, 1)
	return m.meter.Respond(ask, func(r llmclient.Request) llmclient.Answer { return m.Source.Respond(ctx, key, r) })
}

// Expect is what playing jobs is likely to take, with so many seeds. Nothing is sent.
func (m *Model) Expect(jobs []Job, seeds int) (trace.Estimate, error) {
	if len(jobs) == 0 {
		return trace.Estimate{}, nil
	}
	c := jobs[0].Case
	prepared, err := engine.Prepare(m.settings(c, On, 0))
	if err != nil {
		return trace.Estimate{}, fmt.Errorf("case %s: %w", c.ID, err)
	}
	ticks := int64(0)
	for _, j := range jobs {
		ticks += j.Case.Ticks * int64(j.runs(seeds))
	}
	// Only victims ask the model.
	return engine.EstimateOf(prepared.Expect(1), ticks, int64(len(c.agents))), nil
}

// runs is how many runs a job takes at most; equal twins are played once.
func (j Job) runs(seeds int) int {
	switch {
	case j.Case.attacked:
		return 2
	case j.Case.Honest:
		return 1
	case j.Guard.Name() == On.Name():
		return 3 * max(1, seeds)
	}
	return 3
}

// settings are those of a run of a case; m may be nil.
func (m *Model) settings(c Case, g Guard, seed uint64) trace.Settings {
	s := trace.DefaultSettings()
	s.Model = stub.ModelName
	s.ModelSource = trace.SourceScripted
	s.BaseURL = stub.EmbeddedURL
	if m != nil {
		s = m.Settings
		if s.Caps.Run != (trace.Limit{}) && s.MaxOutputTokens == 0 {
			s.MaxOutputTokens = trace.OutputTokensReserved
		}
		s.Caps = trace.Caps{} // the other agents are answered for here: the model itself keeps them
	}
	s.Scenario = "case"
	s.ScenarioTOML = c.toml()
	s.Seed = seed
	s.Ticks = c.Ticks
	s.Protocol = c.Protocol
	s.Commit = c.Commit
	s.Playbook = c.playbook()
	s.PlaybookBullets = bulletsShown
	s.LearnEvery = c.learn
	s.FreezePlaybook = c.learn == 0
	if c.stepwise {
		s.ChainSteps = 0
	}
	if c.profile != "" {
		s.PromptProfile = c.profile
	}
	s.GuardOff = g.Off
	return s
}

// bulletsShown is how many lessons a prompt holds.
const bulletsShown = 4
