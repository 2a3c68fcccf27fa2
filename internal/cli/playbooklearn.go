package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// learnSettings are the settings of a run that learning from finished runs has too.
var learnSettings = append(settings.Caps().Keys(""),
	"llm.model", "llm.base_url", "llm.offline", "llm.scripted_mode", "llm.timeout_ms", "llm.context_window",
	"llm.max_output_tokens", "llm.reasoning_effort", "llm.service_tier", "llm.temperature", "llm.top_p",
	"llm.extra_body", "llm.price_table", "run.playbook", "run.playbook_size")

const learnHelp = `Reflection at finished runs and change a playbook by what they teach.

Each run is derived again from its trace, which calls no model; then its agents
reflect one after the other, and what they learn goes into FILE at the end, at once
or not at all. An agent of a run that FILE has learned from already is passed over,
so that no decision counts twice.

The model that reflects is the scripted stub unless --model names one. Caps hold
as in a run, where a reflection is what a tick is there; one that ends the learning
keeps what was learned before, with exit code 4.`

// playbookLearnCommand learns from finished runs.
func (m *Main) playbookLearnCommand() *cobra.Command {
	rounds := 1
	var drift engine.ReplayOptions
	c := &cobra.Command{
		Use:   "learn RUN... --playbook FILE",
		Short: "learn from finished runs",
		Long:  learnHelp,
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			config, err := m.configure(c.Flags())
			if err != nil {
				return err
			}
			return m.learn(c.Context(), config, args, rounds, drift)
		},
	}
	borrowSettings(c.Flags(), learnSettings)
	c.Flags().IntVar(&rounds, "rounds", rounds,
		fmt.Sprintf("reflections before a consolidation, 1 to %d", reflect.RoundsMax))
	c.Flags().BoolVar(&drift.AllowVersionDrift, "allow-version-drift", false,
		"also learn from a run that another version recorded")
	return m.readsUnverified(c)
}

// schooling is the state of learning from several runs.
type schooling struct {
	runtime *reflect.Runtime
	source  engine.Source
	spender *engine.Meter
	limits  playbook.Limits
	seed    *playbook.Playbook
	// seen are the bytes of the file that seed was read from, nil without one.
	seen []byte
	book *playbook.Playbook
}

// learn checks everything before it asks a model, and writes the file last.
func (m *Main) learn(ctx context.Context, c config, runs []string, rounds int, o engine.ReplayOptions) (err error) {
	book := c.Values.Find("run.playbook").Text
	switch {
	case book == "":
		return badInput("playbook learn needs --playbook FILE, which what is learned goes into")
	case len(runs) == 0:
		return badInput("playbook learn needs at least one run directory")
	case rounds < 1 || rounds > reflect.RoundsMax:
		return badInput("--rounds %d is out of range; allowed: 1 to %d", rounds, reflect.RoundsMax)
	}
	l := &schooling{limits: playbook.Limits{BulletsMax: c.PlaybookSize}}
	l.seed, l.seen, err = m.readPlaybook(book, true)
	if err != nil {
		return err
	}
	target, err := m.output("the playbook ", book)
	if err != nil {
		return err
	}
	defer target.made.discard() // as far as nothing was written
	l.book = l.seed
	batches, total := make([][]engine.Batch, len(runs)), 0
	for i, run := range runs {
		if err := m.checkRun(run); err != nil {
			return err
		}
		o.Reading = m.readings[run]
		batches[i], err = engine.Collect(ctx, m.path(run), o)
		if err != nil {
			return replayFailure(ctx, run, err)
		}
		total += len(batches[i])
	}
	c.AgentModels = nil // one model reflects for all
	if err := c.chooseModel(); err != nil {
		return err
	}
	c.Prices, err = m.choosePrices(c)
	if err != nil {
		return err
	}
	l.spender = engine.NewMeter(c.Settings)
	l.runtime = reflect.NewRuntime(behavior.Config{Settings: trace.Settings{
		Model: c.Model, ContextWindowTokens: c.ContextWindowTokens, MaxOutputTokens: c.MaxOutputTokens,
		ReasoningEffort: c.ReasoningEffort, ServiceTier: c.ServiceTier,
		Temperature: c.Temperature, TopP: c.TopP, ExtraBody: c.ExtraBody,
	}, CountTokens: tokens.Count}, rounds, l.seed.OwnSections()...)
	source, stop, err := m.openModel(ctx, plan{config: c, endpoints: newEndpoints(c)},
		stub.Options{Seed: c.ScriptedSeed, Mode: stub.Mode(c.ScriptedMode)},
		fmt.Sprintf("%d to %d (%d consolidations x 1 to %d)", total, total*l.runtime.CallsMax(), total, l.runtime.CallsMax()))
	if err != nil {
		return err
	}
	defer stop()
	l.source = source
	for i, run := range runs {
		if err := m.learnFrom(ctx, l, run, batches[i]); err != nil {
			return errors.Join(err, m.keepSchooling(book, l))
		}
	}
	return m.keepSchooling(book, l)
}

// learnFrom reflects on one run and prints the result. The error is a provider that will not
// answer again, a cap or an interruption. Lessons learned before it are kept.
func (m *Main) learnFrom(ctx context.Context, l *schooling, run string, batches []engine.Batch) error {
	known := map[string]bool{}
	for _, v := range l.book.History() {
		known[v.Note] = true
	}
	consolidations := 0
	calls := 0
	passed := 0
	applied := 0
	rejected := 0
	failed := 0
	for _, b := range batches {
		if known[b.Experience.Note()] {
			passed++
			continue
		}
		agent, turn := b.Experience.Agent(), l.runtime.Begin(b.Experience.In(l.book), l.book, b.Goals, b.Tick, 1)
		first, _ := turn.Next()
		l.spender.Begin(agent, first, reflect.CallsLeast)
		for ask, more := first, true; more; ask, more = turn.Next() {
			answer := l.spender.Respond(ask, func(r llmclient.Request) llmclient.Answer {
				return l.source.Respond(ctx, trace.CallKey{Tick: b.Tick, Agent: agent, Step: ask.Number}, r)
			})
			if ctx.Err() != nil {
				return failWith(exitInterrupted, errors.New("learning interrupted; what was learned before is kept"))
			}
			if f := answer.Failure; f != nil && f.Kind.Fatal() {
				return failWith(exitProvider, fmt.Errorf("the provider refused: %s", f.Kind))
			}
			if f := answer.Failure; f != nil && f.Kind == llmclient.ErrCap && strings.HasPrefix(f.Code, string(budget.Run)) {
				// What the caps of agents and reflections refuse costs that reflect alone.
				return failWith(exitBudget, fmt.Errorf("%s; what was learned before is kept", f.Message))
			}
			turn.Answer(answer)
		}
		result := turn.Result()
		consolidated := result.Apply(l.book, l.limits)
		l.book = consolidated.Playbook
		consolidations++
		calls += result.Calls
		applied += len(consolidated.Applied)
		rejected += len(consolidated.Rejected)
		if result.Failure != "" {
			failed++
			plaintext.Fprintf(m.Stderr, "note: %s, %s: nothing learned: %s\n", run, agent, result.Failure)
		}
	}
	plaintext.Fprintf(m.Stdout, "%s: %s in %s, %d failed; changes: %d applied, %d rejected; learned before: %d\n",
		run, plaintext.Count(consolidations, "consolidation"), plaintext.Count(calls, "call"), failed, applied, rejected,
		passed)
	return nil
}

// keepSchooling writes the file when anything changed.
func (m *Main) keepSchooling(name string, l *schooling) error {
	switch {
	case l.book == l.seed && l.seen == nil:
		plaintext.Fprintf(m.Stdout, "%s: nothing learned; no file was written\n", name)
		return nil
	case l.book == l.seed:
		plaintext.Fprintf(m.Stdout, "%s: version %d, nothing changed\n", name, l.book.Version())
		return nil
	}
	aside := name + ".learned"
	name, err := m.replacePlaybook(name, l.seen, l.book, aside, func() error {
		return engine.WritePlaybook(m.path(aside), l.book)
	})
	if err != nil {
		return err
	}
	plaintext.Fprintf(m.Stdout, "%s: version %d to %d, %s\n", name, l.seed.Version(), l.book.Version(),
		plaintext.Count(l.book.Len(), "lesson"))
	return nil
}
