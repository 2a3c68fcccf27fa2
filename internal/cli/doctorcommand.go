package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"example.com/agentworld/engine"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/doctor"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// doctorSettings are the settings of a run that say which endpoint it would use.
var doctorSettings = []string{
	"llm.model", "llm.base_url", settings.AgentsTable, "llm.offline", "llm.timeout_ms", "llm.context_window",
	"llm.allow_store",
	"llm.max_output_tokens", "llm.reasoning_effort", "llm.service_tier", "llm.temperature", "llm.top_p",
	"llm.extra_body", "llm.sampling_json",
}

const doctorHelp = `Check in some ten calls each whether the endpoints of a run will do, and say what to
change where they will not. The last calls are those of a turn of a run.

Endpoints, models and keys are those that a run would use with the same settings, sampling
included, also those of single agents; --agent checks one agent's alone. Without a model
the embedded scripted server is checked, which costs nothing.

Exit codes: 0 nothing failed, 2 bad input, 3 a check failed. Warnings do not count: a
run copes with them.`

// doctorCommand examines an endpoint.
func doctorCommand(m *Main) *cobra.Command {
	var agent string
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor [--model MODEL] [--base-url URL]",
		Short: "check an endpoint in some ten calls and say what to change",
		Long:  doctorHelp,
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := m.configure(c.Flags())
			if err != nil {
				return err
			}
			return examineEndpoints(c.Context(), m, config, agent, asJSON)
		},
	}
	borrowSettings(c.Flags(), doctorSettings)
	c.Flags().StringVar(&agent, "agent", "",
		"check the endpoint of this agent, which --agent-model or the configuration file names")
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return c
}

// examineEndpoints finds the endpoints that a run would use, examines them at the same time and
// prints what was found: of each a table of the checks, then what to change. A check that
// failed is an error of the provider.
func examineEndpoints(ctx context.Context, m *Main, c config, agent string, asJSON bool) error {
	patients, stop, err := patientsOf(ctx, m, c, agent)
	if err != nil {
		return err
	}
	defer stop()
	for i := range patients {
		patients[i].Turn, err = rehearsed(m, c)
		if err != nil {
			return err
		}
	}
	reports := make([]doctor.Report, len(patients))
	var group errgroup.Group
	for i, o := range patients {
		group.Go(func() (err error) {
			reports[i], err = doctor.Examine(ctx, o.Options)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return badInput("%w", err)
	}
	if ctx.Err() != nil {
		return failWith(exitInterrupted, fmt.Errorf("interrupted"))
	}
	var failed []string
	var text strings.Builder
	for i, r := range reports {
		who := ""
		w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		if len(patients) > 1 {
			who = " (" + patients[i].who() + ")"
			if i > 0 {
				plaintext.Fprintf(w, "\n")
			}
			plaintext.Fprintf(w, "for\t%s\n", patients[i].who())
		}
		var advice strings.Builder
		plaintext.Fprintf(w, "endpoint\t%s\nmodel\t%s\ncalls\t%d\n\n", r.Endpoint, r.Model, r.Calls)
		for i := range r.Results {
			f := &r.Results[i]
			f.Advice = withFlags(f.Advice)
			plaintext.Fprintf(w, "%s\t%s\t%s\n", f.Check, f.Status, f.Detail)
			if f.Advice != "" {
				plaintext.Fprintf(&advice, "\n%s: %s\n", f.Check, f.Advice)
			}
			if f.Status == doctor.Fail {
				failed = append(failed, f.Check+who)
			}
		}
		_ = w.Flush() // into memory
		text.WriteString(advice.String())
	}
	switch {
	case asJSON && len(reports) == 1:
		err = m.printJSON(reports[0])
	case asJSON:
		err = m.printJSON(reports)
	default:
		err = m.print(text.String())
	}
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		return failWith(exitProvider, fmt.Errorf("the endpoint will not do as it is: %s", strings.Join(failed, ", ")))
	}
	return nil
}

// rehearsed is a turn as a run with these settings would play it in its first tick.
func rehearsed(m *Main, c config) (doctor.Turn, error) {
	name, text, _, err := chooseScenario(m, c.Values.Find("run.scenario"), nil)
	if err != nil {
		return nil, err
	}
	s := c.Settings
	s.Scenario = name
	s.ScenarioTOML = string(text)
	s.AgentModels = nil // whose turn it is changes nothing
	p, err := engine.Prepare(s)
	if err != nil {
		return nil, wrongSettings(err)
	}
	if turn := p.Rehearse(); turn != nil {
		return turn, nil
	}
	return nil, nil
}

// withFlags puts flags in the place of the keys of settings that an advice names, or
// variables where a setting has no flag.
func withFlags(advice string) string {
	var names []string
	for _, s := range settingTable() {
		if s.Flag != "" {
			names = append(names, "{"+s.Key+"}", "--"+s.Flag)
		} else if len(s.Env) > 0 {
			names = append(names, "{"+s.Key+"}", s.Env[0])
		}
	}
	return strings.NewReplacer(names...).Replace(advice)
}

// patient is an endpoint to examine, with the agents that ask it so; none is the run.
type patient struct {
	doctor.Options
	agents []string
}

func (p patient) who() string { return cmp.Or(strings.Join(p.agents, ", "), "the run") }

// patientsOf are what to examine: what the run asks, and what agents ask in another way, or
// for one agent alone. stop ends the embedded server, when that is it.
func patientsOf(ctx context.Context, m *Main, c config, agent string) (all []patient, stop func(), err error) {
	reach := m.reach(c, c.Values)
	if err := m.loadSampling(&c, nil); err != nil {
		return nil, nil, err
	}
	a, err := access.Choose(&c.Settings, reach)
	if err == nil {
		err = access.CheckSampling(c.Settings, nil)
	}
	if err != nil {
		return nil, nil, c.refused(err)
	}
	own := patient{Options: doctor.Options{Model: c.Model, Sampling: c.SamplingOf(""), CountTokens: tokens.Count}}
	own.Config.WindowTokens, own.Config.AllowStore = c.ContextWindowTokens, c.AllowStore
	if c.Values.Find("llm.timeout_ms").Origin.Rank != settings.FromDefault {
		own.Config.Timeout = settings.Millis(c.TimeoutMS)
	}
	var named []string // without a scenario every agent that has a model is taken to exist
	for _, a := range c.AgentModels {
		named = append(named, a.Agent)
	}
	if !c.Live() && agent == "" {
		if v := c.Values.Find("llm.base_url"); (v.Origin.Rank == settings.FromArgument ||
			v.Origin.Rank == settings.FromFlag) && !c.Offline {
			// Findings about another endpoint than the named one would pass for it.
			return nil, nil, badInput(
				"%s names an endpoint, and no model is named to ask it for; set --model as well, or leave it out for the "+
					"embedded scripted server", v.Where())
		}
		server, err := stub.Start(context.WithoutCancel(ctx), stub.DefaultAddr, stub.Options{})
		if err != nil {
			return nil, nil, fmt.Errorf("start the embedded scripted server: %w", err)
		}
		own.Config.BaseURL = server.URL()
		c.announceScripted(m.Stderr, server.URL())
		return []patient{own}, func() { _ = server.Close() }, nil
	}
	if err := a.ChooseAgents(&c.Settings, settings.AgentsTable, named); err != nil {
		return nil, nil, c.refused(err)
	}
	own.Config.BaseURL, own.Config.APIKey = a.Request("")
	chosen := slices.Clone(c.AgentModels)
	for _, f := range c.Sampling {
		if f.Agent != "" && !slices.Contains(named, f.Agent) && c.Live() { // it asks the run's model in its own way
			chosen = append(chosen, trace.AgentModel{Agent: f.Agent})
		}
	}
	if agent == "" {
		all = []patient{own}
	}
	for _, of := range chosen {
		if agent != "" && of.Agent != agent {
			continue
		}
		p := own
		p.agents = []string{of.Agent}
		p.Model, p.Sampling = cmp.Or(of.Model, c.Model), c.SamplingOf(of.Agent)
		p.Config.BaseURL, p.Config.APIKey = a.Request(of.Agent)
		at := slices.IndexFunc(all, func(q patient) bool {
			return q.Model == p.Model && q.Config.BaseURL == p.Config.BaseURL &&
				q.Config.APIKey.Reveal() == p.Config.APIKey.Reveal() &&
				string(llmclient.Marshal(q.Sampling)) == string(llmclient.Marshal(p.Sampling))
		})
		if at < 0 {
			all = append(all, p)
		} else if len(all[at].agents) > 0 {
			all[at].agents = append(all[at].agents, of.Agent)
		}
	}
	if len(all) == 0 {
		return nil, nil, badInput("--agent %s has no model or endpoint of its own; with one: %s", shown(agent),
			cmp.Or(plaintext.Listed(named), "none"))
	}
	return all, func() {}, nil
}
