package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// foreignCells returns a player of cells whose settings came from elsewhere; see [agentworld.Program].
func (m *Main) foreignCells(ctx context.Context, flags *pflag.FlagSet, jobs int) (play batch.Player,
	calls context.Context, done func(), err error) {
	c, err := m.configure(flags)
	if err != nil {
		return nil, nil, nil, err
	}
	note := func(text string) { plaintext.Fprintf(m.Stderr, "note: %s\n", plaintext.Line(text)) }
	shared := &limiters{jobs: jobs}
	more := m.collectLess()
	calls, drained := m.drained(ctx, shared.traffic, m.newProgressPrinter(false).Note)
	play = func(ctx context.Context, a batch.Attempt) (r batch.Result, err error) {
		err = m.shielded(func() error {
			p, err := m.planJob(c, a.Settings)
			if err == nil {
				r, err = m.playCell(ctx, a, p, shared, note)
			}
			return err
		})
		return r, err
	}
	return play, calls, func() { drained(); more() }, nil
}

// goTo makes an endpoint the one that is asked. If this machine names it too, it is as named here:
// with a query, which no trace and no cell has, since it may hold a key.
func (c *config) goTo(url openai.BaseURL) {
	if own, err := openai.ParseBaseURL(c.endpoint()); err == nil && own.String() == url.String() {
		return
	}
	c.Values = slices.Clone(c.Values)
	for i, v := range c.Values {
		if v.Setting.Key == "llm.base_url" {
			c.Values[i].Text = url.String()
		}
	}
}

// planJob plans the run of a cell that came over the network: its settings are another's,
// keys are ours.
func (m *Main) planJob(c config, s trace.Settings) (p plan, err error) {
	if s.Recording != nil {
		return p, badInput("the cell plays recorded answers, which only its own machine has")
	}
	c.Settings = s
	p = plan{config: c, endpoints: newEndpoints(c)}
	p.faults, err = stub.ParseFaults(p.Faults)
	if err != nil {
		return p, err
	}
	p.manners, err = stub.ParseManners(p.StubManner)
	if err != nil {
		return p, err
	}
	_, p.agentIDs, err = recordedScenario(p.Settings)
	if err != nil {
		return p, err
	}
	p.trusts = m.trusted(p.Values)
	if p.Live() {
		url, err := openai.ParseBaseURL(p.BaseURL)
		if err != nil {
			return p, fmt.Errorf("the endpoint of the cell: %w", err)
		}
		p.goTo(url)
		if !p.APIKey.Empty() && !p.trusts(url, "") {
			p.withheld = withheld(p.Values.Find("llm.api_key").Origin.String(), url,
				"set "+settings.EnvPrefix+"BASE_URL to it on this machine")
			p.APIKey = openai.Secret{}
			plaintext.Fprintf(m.Stderr, "note: %s\n", plaintext.Line(p.withheld))
		}
	}
	p.own, err = m.chooseAgents(p.config, "agent-model", p.agentIDs)
	return p, err
}
