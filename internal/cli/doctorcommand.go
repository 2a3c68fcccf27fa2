package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/agentworld/llmclient/doctor"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// doctorSettings are the settings of a run that say which endpoint it would use.
var doctorSettings = []string{"llm.model", "llm.base_url", agentsTable, "llm.offline", "llm.timeout_ms",
	"llm.max_output_tokens", "llm.reasoning_effort", "llm.temperature", "llm.top_p", "llm.extra_body", "llm.sampling_json"}

const doctorHelp = `Check in at most five calls whether an endpoint will do for a run, and say what to
change where it will not. The endpoint, the model and the key are those a run would
use with the same settings, sampling included; --agent checks those of one agent. Without a model it
checks the embedded scripted server, which costs nothing.

Exit codes: 0 nothing failed, 2 bad input, 3 a check failed. Warnings do not count: a
run copes with what they tell of.`

// doctorCommand examines an endpoint.
func (m *Main) doctorCommand() *cobra.Command {
	var agent string
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor [--model MODEL] [--base-url URL]",
		Short: "check an endpoint in five calls and say what to change",
		Long:  doctorHelp,
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := m.configure(c.Flags())
			if err != nil {
				return err
			}
			return m.examine(c.Context(), config, agent, asJSON)
		},
	}
	borrowSettings(c.Flags(), doctorSettings)
	c.Flags().StringVar(&agent, "agent", "", "check the endpoint of this agent, which --agent-model or the configuration file names")
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return c
}

// examine finds the endpoint that a run would use, examines it and prints what was
// found: a table of the checks, then what to change. A check that failed is an error of the
// provider.
func (m *Main) examine(ctx context.Context, c config, agent string, asJSON bool) error {
	o, stop, err := m.patient(ctx, c, agent)
	if err != nil {
		return err
	}
	defer stop()
	r, err := doctor.Examine(ctx, o)
	if err != nil {
		return badInput("%w", err)
	}
	if ctx.Err() != nil {
		return failWith(exitInterrupted, fmt.Errorf("interrupted"))
	}
	var failed []string
	var table, advice strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "endpoint\t%s\nmodel\t%s\ncalls\t%d\n\n", oneLine(r.Endpoint), oneLine(r.Model), r.Calls)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Advice = withFlags(f.Advice)
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Check, f.Status, oneLine(f.Detail))
		if f.Advice != "" {
			fmt.Fprintf(&advice, "\n%s: %s\n", f.Check, oneLine(f.Advice))
		}
		if f.Status == doctor.Fail {
			failed = append(failed, f.Check)
		}
	}
	if asJSON {
		err = m.printJSON(r)
	} else if err = w.Flush(); err == nil {
		_, err = io.WriteString(m.Stdout, table.String()+advice.String())
	}
	if err != nil {
		return fmt.Errorf("print the findings: %w", err)
	}
	if len(failed) > 0 {
		return failWith(exitProvider, fmt.Errorf("the endpoint will not do as it is: %s", strings.Join(failed, ", ")))
	}
	return nil
}

// withFlags puts flags in the place of the keys of settings that an advice names, or
// variables where a setting has no flag.
func withFlags(advice string) string {
	var names []string
	for _, s := range settingTable() {
		if s.flag != "" {
			names = append(names, "{"+s.key+"}", "--"+s.flag)
		} else if len(s.env) > 0 {
			names = append(names, "{"+s.key+"}", s.env[0])
		}
	}
	return strings.NewReplacer(names...).Replace(advice)
}

// patient is what to examine. stop ends the embedded server, when that is it.
func (m *Main) patient(ctx context.Context, c config, agent string) (o doctor.Options, stop func(), err error) {
	if err := c.chooseModel(); err != nil {
		return o, nil, err
	}
	if err := m.loadSampling(&c, nil, nil); err != nil {
		return o, nil, err
	}
	o.Model, o.Sampling = c.Model, c.SamplingOf(agent)
	if c.Live() {
		o.Config = openai.Config{BaseURL: c.endpoint(), APIKey: c.APIKey}
	}
	if find(c.values, "llm.timeout_ms").origin.rank != fromDefault {
		o.Config.Timeout = millis(c.TimeoutMS)
	}
	if agent != "" {
		// Without a scenario every agent that has a model is taken to exist.
		var named []string
		for _, a := range c.AgentModels {
			named = append(named, a.Agent)
		}
		chosen, err := m.chooseAgents(c, find(c.values, agentsTable).where(), named)
		if err != nil {
			return o, nil, err
		}
		at := slices.IndexFunc(chosen, func(a agentAccess) bool { return a.Agent == agent })
		if at < 0 && slices.ContainsFunc(c.Sampling, func(f trace.SamplingFor) bool { return f.Agent == agent }) && c.Live() {
			return o, func() {}, nil // it asks the run's model in its own way
		}
		if at < 0 {
			return o, nil, badInput("--agent %s has no model or endpoint of its own; with one: %s", shown(agent), cmp.Or(listed(named), "none"))
		}
		a := chosen[at]
		o.Model, o.Config.BaseURL, o.Config.APIKey = cmp.Or(a.Model, c.Model), cmp.Or(a.BaseURL, c.endpoint()), a.key
		return o, func() {}, nil
	}
	if c.Live() {
		return o, func() {}, nil
	}
	if v := find(c.values, "llm.base_url"); (v.origin.rank == fromArgument || v.origin.rank == fromFlag) && !c.Offline {
		// Findings about another endpoint than the named one would pass for it.
		return o, nil, badInput("%s names an endpoint, and no model is named to ask it for; set --model as well, or leave it out for the embedded scripted server", v.where())
	}
	server, err := stub.Start(context.WithoutCancel(ctx), loopbackAddr, stub.Options{})
	if err != nil {
		return o, nil, fmt.Errorf("start the embedded scripted server: %w", err)
	}
	o.Config.BaseURL = server.URL()
	c.announceScripted(m.Stderr, server.URL())
	return o, func() { _ = server.Close() }, nil
}
