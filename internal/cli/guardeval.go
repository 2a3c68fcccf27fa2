package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/internal/guardeval"
	"example.com/agentworld/trace"
)

// guardEvaluation is what the flags of the command say.
type guardEvaluation struct {
	checks     bool
	sample     int
	seed       uint64
	seeds      int
	json, keep string
	jobs       int
	// attackMax and blockMax are gates on the upper bounds of attack success and false
	// blocks, in percent; nothing misses one of 100.
	attackMax, blockMax float64
}

// The flags of the gates.
const (
	attackGate = "max-attack-success"
	blockGate  = "max-false-blocks"
)

// searchFlags are those of the adaptive search, which is played as a test.
var searchFlags = []string{"search", "continue", "trial"}

// searchCommand plays the adaptive search.
const searchCommand = "go test ./internal/guardlab -run Search -search N -seed S"

// guardEvalCommand measures the guard against attacks and in honest games:
//
//	world_llm_agent_demo guard-eval --sample 60
//	world_llm_agent_demo guard-eval --checks --json .tmp/guard.json --max-attack-success 2.5 --max-false-blocks 1
func guardEvalCommand(m *Main) *cobra.Command {
	var e guardEvaluation
	c := &cobra.Command{
		Use:   "guard-eval",
		Short: "measure the guard with a suite of attacks and honest games",
		Long: "Guard-eval plays small worlds in which agents write to each other, with the guard on and off, and beside " +
			"each a twin that sees none of it. The attacked model is a scripted one that obeys every text it meets, which " +
			"shows whether the wiring holds. With --model it is a real one, whose calls cost money. A missed gate is " +
			"exit code 6.",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if i := slices.IndexFunc(searchFlags, c.Flags().Changed); i >= 0 {
				return badInput("--%s: the search is a test; allowed, in the source tree: %s", searchFlags[i], searchCommand)
			}
			if err := checkGuardSettings(c.Flags()); err != nil {
				return err
			}
			return evaluateGuard(c.Context(), m, e, c.Flags())
		},
	}
	for _, flag := range searchFlags {
		c.Flags().String(flag, "", "played as a test")
		_ = c.Flags().MarkHidden(flag)
	}
	borrowSettings(c.Flags(), guardSettings)
	c.Flags().BoolVar(&e.checks, "checks", false, "also with each check of the guard left out by itself")
	c.Flags().IntVar(&e.sample, "sample", 0, "how many attacks and how many honest games at most; 0 for all")
	c.Flags().Uint64Var(&e.seed, "seed", 0,
		"seed of the cases, of worlds and model, and of the sample: another one is another suite")
	c.Flags().IntVar(&e.seeds, "seeds", 3,
		"seeds with which each attack is played with the guard on, 1 to 100; the worst counts")
	c.Flags().StringVar(&e.json, "json", "", "file for the result as JSON")
	c.Flags().StringVar(&e.keep, "keep", "", "directory to keep the runs in")
	c.Flags().IntVar(&e.jobs, "jobs", 4, "cases played at once, 1 to 64")
	c.Flags().Float64Var(&e.attackMax, attackGate, 100,
		"gate: upper 95% bound of attack success with the guard on, in percent")
	c.Flags().Float64Var(&e.blockMax, blockGate, 100,
		"gate: upper 95% bound of false blocks with the guard on, in percent")
	return c
}

// evaluateGuard plays the cases with the guard on, with it off and, if wanted, without each
// check in turn. It prints the results and compares them with the gates.
func evaluateGuard(ctx context.Context, m *Main, e guardEvaluation, flags *pflag.FlagSet) error {
	switch {
	case e.sample < 0:
		return badInput("--sample %d: must not be negative", e.sample)
	case e.seeds < 1 || e.seeds > 100:
		return badInput("--seeds %d: allowed are 1 to 100", e.seeds)
	case e.jobs < 1 || e.jobs > 64:
		return badInput("--jobs %d: allowed are 1 to 64", e.jobs)
	}
	for i, percent := range []float64{e.attackMax, e.blockMax} {
		// A gate that is not a number would always compare as met.
		if !(percent >= 0 && percent <= 100) {
			return badInput("--%s %v: allowed are percentages from 0 to 100", []string{attackGate, blockGate}[i], percent)
		}
	}
	if given := e.keep; given != "" {
		e.keep = m.path(given)
		// Runs are never overwritten, and finding that out in the middle would waste what was
		// played before.
		entries, err := os.ReadDir(e.keep)
		if err == nil && len(entries) > 0 {
			err = errors.New("it is not empty")
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return badInput("--keep %s: %w; allowed: a new or an empty directory", shown(given), cause(err))
		}
	}
	// The attacks come first; of them and of the honest games the sample says how many at most.
	all := guardeval.Suite(e.seed)
	games := slices.IndexFunc(all, func(c guardeval.Case) bool { return c.Honest })
	cases := append(guardeval.Sample(all[:games:games], e.sample, e.seed),
		guardeval.Sample(all[games:], e.sample, e.seed)...)
	out, err := m.output("the result ", e.json)
	if err != nil {
		return err
	}
	guards := []guardeval.Guard{guardeval.On, guardeval.GuardOff}
	if e.checks {
		for _, l := range trace.Checks() {
			guards = append(guards, guardeval.Without(l))
		}
	}
	jobs := guardeval.Jobs(cases, guards...)
	model, stop, err := guardModel(ctx, m, flags, jobs, e.seeds)
	if err != nil {
		return err
	}
	defer stop()
	lab, err := guardeval.NewLab(guardeval.Options{Jobs: e.jobs, Seed: e.seed, Seeds: e.seeds, Keep: e.keep, Model: model})
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
		return guardFailure(model, err)
	}
	evaluation := guardeval.Evaluate(results)
	if model != nil {
		tally := model.Tally()
		evaluation.Model = &tally
	}
	if out.path != "" {
		data, err := indentedJSON(evaluation)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(out.path, data); err != nil {
			return err
		}
	}
	if err := evaluation.WriteText(m.Stdout); err != nil {
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
	return cmp.Or(missed(on.AttackSucceeded, on.AttackSucceeded.Upper, e.attackMax, "attacks succeed"),
		missed(on.FalseBlocks, on.FalseBlocks.Upper, e.blockMax, "honest games are blocked"))
}

// guardFailure is why an evaluation has no result. With a real model its provider may be the reason.
func guardFailure(model *guardeval.Model, err error) error {
	ended, ok := errors.AsType[*guardeval.EndedError](err)
	if model != nil && ok && ended.Status == trace.RunProviderFailed {
		return failWith(exitProvider, err)
	}
	return err
}
