package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"example.com/agentworld/engine/guardeval/search"
	"example.com/agentworld/internal/atomicfile"
)

// guardSearch is what the flags of the adaptive search say; the other flags of the command
// that it uses are given to it.
type guardSearch struct {
	trials     int
	resume     string
	tape       string
	seed       uint64
	json       string
	jobs       int
	seedChosen bool
}

// flags adds the search to the command.
//
//	world_llm_agent_demo guard-eval --search 1000 --seed 7 --json .tmp/search.json
//	world_llm_agent_demo guard-eval --search 100000 --continue .tmp/search.json --json .tmp/search.json
//	world_llm_agent_demo guard-eval --trial 70=7,78=157
func (g *guardSearch) flags(c *cobra.Command) {
	c.Flags().IntVar(&g.trials, "search", 0, "play so many random trials that come nearer to harm, in place of the suite")
	c.Flags().StringVar(&g.resume, "continue", "", "JSON result of an earlier search to go on from")
	c.Flags().StringVar(&g.tape, "trial", "", "play one trial again, by the numbers that a search prints")
}

// wanted says that the command is to search.
func (g *guardSearch) wanted() bool { return g.trials != 0 || g.tape != "" }

// searchGuard plays trials of the adaptive search, or one again. Harm is exit code 6.
func (m *Main) searchGuard(ctx context.Context, g guardSearch) error {
	if g.tape != "" {
		return m.playTrial(g.tape)
	}
	s := &search.Search{Seed: g.seed, Finds: []search.Find{}, Pool: []search.Near{}}
	if g.trials < 0 {
		return badInput("--search %d: must not be negative", g.trials)
	}
	if g.resume != "" {
		data, err := os.ReadFile(m.path(g.resume))
		if err == nil {
			err = json.Unmarshal(data, s)
		}
		if err != nil {
			return badInput("--continue %s: %w", shown(g.resume), cause(err))
		}
		if g.seedChosen && s.Seed != g.seed {
			return badInput("--continue %s: that search has the seed %d", shown(g.resume), s.Seed)
		}
	}
	out, err := m.output("the result ", g.json)
	if err != nil {
		return err
	}
	// Trials leave much garbage and hold little.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	progress := &progressPrinter{w: m.Stderr, terminal: m.Terminal}
	err = s.Run(ctx, search.Options{Trials: g.trials, Jobs: g.jobs, Progress: func(done int) {
		progress.update(fmt.Sprintf("trials %d/%d, %d harmful", done, g.trials, s.Harmful), int64(done), int64(g.trials))
	}})
	progress.finish()
	if err != nil && ctx.Err() == nil {
		return err
	}
	if ctx.Err() == nil {
		if err := s.Shrink(); err != nil {
			return err
		}
	}
	if out.path != "" {
		data, err := indentedJSON(s)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(out.path, data); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return failWith(exitInterrupted, fmt.Errorf("guard search interrupted after %d trials; --continue goes on", s.Next))
	}
	fmt.Fprintf(m.Stdout, "%d trials of seed %d: %d did harm\n", s.Next, s.Seed, s.Harmful)
	for _, f := range s.Finds {
		fmt.Fprintf(m.Stdout, "trial %d: %s: %s\n  play it again: guard-eval --trial %s\n", f.Trial, f.Harm.Kind, f.Harm.Detail, f.Tape)
	}
	nearest := ""
	for _, n := range s.Pool {
		if n.Kind != nearest {
			nearest = n.Kind
			fmt.Fprintf(m.Stdout, "nearest to %s: %.0f%% of what is allowed\n", n.Kind, 100*n.Share)
		}
	}
	if s.Harmful > 0 {
		return failWith(exitGate, fmt.Errorf("gate missed: %d of %d trials did harm", s.Harmful, s.Next))
	}
	return nil
}

// playTrial tells what one trial does.
func (m *Main) playTrial(text string) error {
	tape, err := search.ParseTape(text)
	if err != nil {
		return badInput("--trial: %w", err)
	}
	harms, lines, err := search.Tell(tape)
	if err != nil {
		return err
	}
	for _, line := range lines {
		fmt.Fprintln(m.Stdout, line)
	}
	for _, h := range harms {
		fmt.Fprintf(m.Stdout, "harm: %s: %s\n", h.Kind, h.Detail)
	}
	if len(harms) > 0 {
		return failWith(exitGate, fmt.Errorf("the trial does harm"))
	}
	return nil
}
