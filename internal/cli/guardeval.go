package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/internal/guardeval"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// guardEvaluation is what the flags of the command say. The gates are in percent; nothing misses one of 100.
type guardEvaluation struct {
	Checks    bool    `flag:"checks" doc:"also with each check of the guard left out by itself"`
	Sample    int     `flag:"sample" doc:"how many attacks and how many honest games at most; 0 for all"`
	Seed      uint64  `flag:"seed" doc:"seed of the cases, of worlds and model, and of the sample: another one is another suite"`
	Seeds     int     `flag:"seeds" doc:"seeds with which each attack is played with the guard on, 1 to 100; the worst counts"`
	JSON      string  `flag:"json" doc:"file for the result as JSON, - for stdout"`
	Keep      string  `flag:"keep" doc:"directory to keep the runs in"`
	Jobs      int     `flag:"jobs" doc:"cases played at once, 1 to 64"`
	AttackMax float64 `flag:"max-attack-success" doc:"gate: upper 95% bound of attack success with the guard on, in percent"`
	BlockMax  float64 `flag:"max-false-blocks" doc:"gate: upper 95% bound of false blocks with the guard on, in percent"`
}

// guardEvalCommand measures the guard against attacks and in honest games:
//
//	world_llm_agent_demo guard-eval --sample 60
//	world_llm_agent_demo guard-eval --checks --json .tmp/guard.json --max-attack-success 2.5 --max-false-blocks 1
func guardEvalCommand(m *Main) *cobra.Command {
	e := guardEvaluation{Seeds: 3, Jobs: 4, AttackMax: 100, BlockMax: 100}
	c := &cobra.Command{
		Use:   "guard-eval",
		Short: "measure the guard with a suite of attacks and honest games",
		Long: "Guard-eval plays small worlds in which agents write to each other, with the guard on and off, and beside " +
			"each a twin that sees none of it. The attacked model is a scripted one that obeys every text it meets, which " +
			"shows whether the wiring holds. With --model it is a real one, whose calls cost money. A missed gate is " +
			"exit code 6.",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkGuardSettings(c.Flags()); err != nil {
				return err
			}
			return evaluateGuard(c.Context(), m, e, c.Flags())
		},
	}
	borrowSettings(c.Flags(), guardSettings)
	addOptions(c.Flags(), &e)
	return c
}

// evaluateGuard plays the cases with the guard on, with it off and, if wanted, without each
// check in turn. It prints the results and compares them with the gates.
func evaluateGuard(ctx context.Context, m *Main, e guardEvaluation, flags *pflag.FlagSet) error {
	switch {
	case e.Sample < 0:
		return badInput("--sample %d: must not be negative", e.Sample)
	case e.Seeds < 1 || e.Seeds > 100:
		return badInput("--seeds %d: allowed are 1 to 100", e.Seeds)
	case e.Jobs < 1 || e.Jobs > 64:
		return badInput("--jobs %d: allowed are 1 to 64", e.Jobs)
	}
	for _, gate := range []struct {
		flag    string
		percent float64
	}{{"max-attack-success", e.AttackMax}, {"max-false-blocks", e.BlockMax}} {
		// A gate that is not a number would always compare as met.
		if !(gate.percent >= 0 && gate.percent <= 100) {
			return badInput("--%s %v: allowed are percentages from 0 to 100", gate.flag, gate.percent)
		}
	}
	if given := e.Keep; given != "" {
		e.Keep = m.path(given)
		// Runs are never overwritten, and finding that out in the middle would waste what was
		// played before.
		entries, err := os.ReadDir(e.Keep)
		if err == nil && len(entries) > 0 {
			err = errors.New("it is not empty")
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return badInput("--keep %s: %w; allowed: a new or an empty directory", shown(given), cause(err))
		}
	}
	// The attacks come first; of them and of the honest games the sample says how many at most.
	all := guardeval.Suite(e.Seed)
	games := slices.IndexFunc(all, func(c guardeval.Case) bool { return c.Honest })
	cases := append(guardeval.Sample(all[:games:games], e.Sample, e.Seed),
		guardeval.Sample(all[games:], e.Sample, e.Seed)...)
	out, err := m.output("the result ", e.JSON)
	if err != nil {
		return err
	}
	guards := []guardeval.Guard{guardeval.On, guardeval.GuardOff}
	if e.Checks {
		for _, l := range trace.Checks() {
			guards = append(guards, guardeval.Without(l))
		}
	}
	jobs := guardeval.Jobs(cases, guards...)
	model, stop, err := guardModel(ctx, m, flags, jobs, e.Seeds)
	if err != nil {
		return err
	}
	defer stop()
	lab, err := guardeval.NewLab(guardeval.Options{Jobs: e.Jobs, Seed: e.Seed, Seeds: e.Seeds, Keep: e.Keep, Model: model})
	if err != nil {
		return err
	}
	progress := m.newProgressPrinter(false)
	results, err := lab.PlayAll(ctx, jobs, func(over int) {
		progress.Update(fmt.Sprintf("cases %d/%d", over, len(jobs)), int64(over), int64(len(jobs)))
	})
	progress.Finish()
	if closeErr := lab.Close(); err == nil {
		err = closeErr
	}
	if ctx.Err() != nil {
		return failWith(exitInterrupted, fmt.Errorf("guard evaluation interrupted; there is no result"))
	}
	capped, isCapped := errors.AsType[*guardeval.CapError](err)
	if err != nil && !isCapped {
		ended, ok := errors.AsType[*guardeval.EndedError](err)
		if model != nil && ok && ended.Status == trace.RunProviderFailed {
			return failWith(exitProvider, err)
		}
		return err
	}
	evaluation := guardeval.Evaluate(results)
	if model != nil {
		tally := model.Tally()
		evaluation.Model = &tally
	}
	if e.JSON != "" {
		data, err := indentedJSON(evaluation)
		if err == nil {
			err = m.write(out, func(w io.Writer) error { _, err := w.Write(data); return err })
		}
		if err != nil {
			return err
		}
	}
	if err := evaluation.WriteText(m.beside(out)); err != nil {
		return err
	}
	if isCapped {
		return failWith(exitBudget, fmt.Errorf("%w; the result is about the cases that were played before", capped))
	}
	on, ok := evaluation.Summary(guardeval.On)
	if !ok {
		return fmt.Errorf("guard evaluation: nothing was played with the guard on")
	}
	missed := func(share fmt.Stringer, upper, most float64, what string) error {
		if 100*upper <= most {
			return nil
		}
		return failWith(exitGate, fmt.Errorf("gate missed: up to %.2f%% of %s (%s), allowed are %.2f%%", 100*upper, what,
			share, most))
	}
	return cmp.Or(missed(on.AttackSucceeded, on.AttackSucceeded.Upper, e.AttackMax, "attacks succeed"),
		missed(on.FalseBlocks, on.FalseBlocks.Upper, e.BlockMax, "honest games are blocked"))
}

// guardSettings are the settings of a run that say how an attacked model is asked. Without the flag for
// the model none of them counts, wherever it is set: a live evaluation is always the user's choice.
var guardSettings = []string{
	"llm.model", "llm.base_url", "llm.timeout_ms", "llm.context_window", "llm.allow_store", "llm.max_output_tokens",
	"llm.reasoning_effort", "llm.service_tier", "llm.temperature", "llm.top_p", "llm.extra_body", "llm.price_table",
	"llm.cap_calls", "llm.cap_tokens", "llm.cap_cost",
}

// flagModel is the flag that makes an evaluation live.
const flagModel = "model"

// checkGuardSettings refuses settings of a model where none is named.
func checkGuardSettings(flags *pflag.FlagSet) error {
	if flags.Changed(flagModel) {
		return nil
	}
	if flags.Changed(configFlag) {
		return badInput("--%s: it says nothing about the scripted model; allowed: with --%s", configFlag, flagModel)
	}
	for _, s := range settingTable() {
		for _, key := range guardSettings {
			if s.Key == key && s.Flag != "" && flags.Changed(s.Flag) {
				return badInput("--%s: it says nothing about the scripted model; allowed: with --%s", s.Flag, flagModel)
			}
		}
	}
	return nil
}

// guardModel opens the model that flags name, and announces what playing jobs is expected to take. It
// returns nil for the scripted one. stop releases it.
func guardModel(ctx context.Context, m *Main, flags *pflag.FlagSet, jobs []guardeval.Job, seeds int) (
	model *guardeval.Model, stop func(), err error) {
	if !flags.Changed(flagModel) {
		return nil, func() {}, nil
	}
	c, err := m.configure(flags)
	if err != nil {
		return nil, nil, err
	}
	c.AgentModels = nil
	c.Sampling = nil
	c.Caps = trace.Caps{Run: c.Caps.Run}
	if err := m.readPrices(&c); err != nil {
		return nil, nil, err
	}
	reach := m.reach(c, c.Values)
	reach.Tell = (&listener{m: m, config: c}).Notice
	reached, err := access.Choose(&c.Settings, reach)
	if err != nil {
		return nil, nil, c.refused(err)
	}
	if !c.Live() {
		return nil, nil, badInput("--%s: it names no model; allowed: the name of one, and no --offline", flagModel)
	}
	c.Prices, err = access.Prices(c.Settings, c.table)
	if err != nil {
		return nil, nil, c.refused(err)
	}
	model = &guardeval.Model{Settings: c.Settings}
	expected, err := model.Expect(jobs, seeds)
	if err != nil {
		return nil, nil, badInput("%w", err)
	}
	source, endpoints, err := reached.Open(ctx, nil, stub.Options{}, "")
	if err != nil {
		return nil, nil, c.unopened(err)
	}
	calls := fmt.Sprintf("%d to %d, likely %d, of victims and their twins",
		expected.Least.Calls, expected.Most.Calls, expected.Likely.Calls)
	announce(m, m.Stderr, c, endpoints, calls, spending{config: c})
	plaintext.Fprintf(m.Stderr, "expected: %s; at least %s, at most %s\n", takes(expected.Likely), takes(expected.Least),
		takes(expected.Most))
	if currency := c.Currency(); currency != "" {
		plaintext.Fprintf(m.Stderr, "cost: likely %s %s, at least %s, at most %s\n", expected.Likely.Cost, currency,
			expected.Least.Cost, expected.Most.Cost)
	} else {
		plaintext.Fprintf(m.Stderr, "cost: unknown, there is no price of model %s; a table with one can be given "+
			"(--price-table)\n", shown(c.Model))
	}
	reached.Begin()
	model.Source = source
	return model, reached.Close, nil
}
