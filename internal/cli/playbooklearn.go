package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session"
)

// learnSettings are the settings of a run that learning from finished runs has too.
var learnSettings = append(settings.Caps().Keys(""),
	"llm.model", "llm.base_url", "llm.offline", "llm.scripted_mode", "llm.timeout_ms", "llm.context_window",
	"llm.max_output_tokens", "llm.reasoning_effort", "llm.service_tier", "llm.temperature", "llm.top_p",
	"llm.extra_body", "llm.price_table", "run.playbook", "run.playbook_size")

const learnHelp = `Reflect on finished runs and change a playbook by what they teach.

Each run is derived again from its trace, which calls no model; then its agents
reflect one after the other, and what they learn goes into FILE at the end, at once
or not at all. An agent of a run that FILE has learned from already is passed over,
so that no decision counts twice.

The model that reflects is the scripted stub unless --model names one. Caps hold
as in a run, where a reflection is what a tick is there; one that ends the learning
keeps what was learned before, with exit code 4.`

// playbookLearnCommand learns from finished runs.
func playbookLearnCommand(m *Main) *cobra.Command {
	rounds := 1
	drift := false
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
			return learnLessons(c.Context(), m, config, args, rounds, drift)
		},
	}
	borrowSettings(c.Flags(), learnSettings)
	c.Flags().IntVar(&rounds, "rounds", rounds,
		fmt.Sprintf("reflections before a consolidation, 1 to %d", reflect.RoundsMax))
	c.Flags().BoolVar(&drift, "allow-version-drift", false,
		"also learn from a run that another version recorded")
	return m.readsUnverified(c)
}

// learnLessons checks everything before it asks a model, and writes the file last.
func learnLessons(ctx context.Context, m *Main, c config, runs []string, rounds int, drift bool) (err error) {
	book := c.Values.Find("run.playbook").Text
	switch {
	case book == "":
		return badInput("playbook learn needs --playbook FILE, which what is learned goes into")
	case len(runs) == 0:
		return badInput("playbook learn needs at least one run directory")
	case rounds < 1 || rounds > reflect.RoundsMax:
		return badInput("--rounds %d is out of range; allowed: 1 to %d", rounds, reflect.RoundsMax)
	}
	seed, seen, err := m.readPlaybook(book, true)
	if err != nil {
		return err
	}
	target, err := m.outputPlaybook(book)
	if err != nil {
		return err
	}
	defer target.made.discard() // as far as nothing was written
	named := map[string]string{}
	lessons := session.Lessons{Rounds: rounds, AllowVersionDrift: drift, Book: seed}
	for _, run := range runs {
		if err := m.checkRun(run); err != nil {
			return err
		}
		lessons.Runs = append(lessons.Runs, m.path(run))
		named[m.path(run)] = run
	}
	if err := m.readPrices(&c); err != nil {
		return err
	}
	school, err := session.Learn(ctx, m.sessionOf(c, m.reach(c, c.Values)), lessons)
	if of, ok := errors.AsType[*session.RunError](err); ok {
		return replayFailure(ctx, named[of.Dir], of.Err)
	}
	if err != nil {
		return c.refused(err)
	}
	defer school.Close()
	endpoints, err := school.Reach(ctx)
	if err != nil {
		return c.unopened(err)
	}
	c.Settings = school.Settings()
	total, most := school.Consolidations()
	calls := fmt.Sprintf("%d to %d (%d consolidations x 1 to %d)", total, total*most, total, most)
	announce(m, m.Stderr, c, endpoints, calls, spending{config: c})
	learned, failed := school.Run(ctx, func(l session.Learned) {
		run := named[l.Dir]
		for _, why := range l.Failures {
			plaintext.Fprintf(m.Stderr, "note: %s, %s\n", run, why)
		}
		plaintext.Fprintf(m.Stdout, "%s: %s in %s, %d failed; changes: %d applied, %d rejected; learned before: %d\n",
			run, plaintext.Count(l.Consolidations, "consolidation"), plaintext.Count(l.Calls, "call"), l.Failed, l.Applied,
			l.Rejected, l.Known)
	})
	return errors.Join(learningFailure(failed), keepLearned(m, book, seed, seen, learned))
}

// learningFailure is why learning ended early: a provider that will not answer again, a cap or an
// interruption. Lessons learned before it are kept.
func learningFailure(err error) error {
	if refused, ok := errors.AsType[*session.RefusedError](err); ok {
		return failWith(exitProvider, refused)
	}
	if of, ok := errors.AsType[*session.CapError](err); ok {
		return failWith(exitBudget, fmt.Errorf("%w; what was learned before is kept", of))
	}
	if errors.Is(err, session.ErrInterrupted) {
		return failWith(exitInterrupted, errors.New("learning interrupted; what was learned before is kept"))
	}
	return err
}

// keepLearned writes the file, which held the bytes seen, when anything was learned beyond the seed.
func keepLearned(m *Main, name string, seed *playbook.Playbook, seen []byte, book *playbook.Playbook) error {
	switch {
	case book == seed && seen == nil:
		plaintext.Fprintf(m.Stdout, "%s: nothing learned; no file was written\n", name)
		return nil
	case book == seed:
		plaintext.Fprintf(m.Stdout, "%s: version %d, nothing changed\n", name, book.Version())
		return nil
	}
	replaced, err := engine.ReplacePlaybook(m.path(name), seen, book)
	if err == nil && !replaced {
		aside := name + ".learned"
		plaintext.Fprintf(m.Stderr,
			"note: the playbook %s changed meanwhile and is left as it is; what was learned is in %s\n", name, aside)
		name, err = aside, engine.WritePlaybook(m.path(aside), book)
	}
	if err != nil {
		return err
	}
	plaintext.Fprintf(m.Stdout, "%s: version %d to %d, %s\n", name, seed.Version(), book.Version(),
		plaintext.Count(book.Len(), "lesson"))
	return nil
}
