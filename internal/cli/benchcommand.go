package cli

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ahead"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// benchCommand measures what settings would change about recorded runs.
func benchCommand(m *Main) *cobra.Command {
	return group("bench", "measure what a setting would change about a recorded run", benchAheadCommand(m))
}

// latencyRecorded is the law of latencies that leaves those of the run.
const latencyRecorded = "recorded"

// aheadBench is a simulation as a user asks for it.
type aheadBench struct {
	law    string
	seeds  int
	depths []int
	waste  int64
	asJSON bool
}

func benchAheadCommand(m *Main) *cobra.Command {
	b := aheadBench{law: latencyRecorded, seeds: 1, depths: []int{1, 2, 4, 8}, waste: 5}
	c := &cobra.Command{
		Use:   "ahead RUN",
		Short: "say how long a run would take if models were asked ahead",
		Long: "Bench ahead plays a recorded run again in simulated time, in which only answers take time and any\n" +
			"number of calls may be under way: once waiting for the slowest answer of each tick, and once for\n" +
			"each depth of --ahead. It asks no model. What the run never asked has no answer, so calls that\n" +
			"would follow a wrong one are not counted.",
		Args: oneArgument("a run directory"),
		RunE: func(c *cobra.Command, args []string) error { return benchAhead(c.Context(), m, args[0], b) },
	}
	f := c.Flags()
	f.StringVar(&b.law, "latency", b.law, "how long answers take: recorded, or A, A..B or p50:A..p99:B with durations")
	f.IntVar(&b.seeds, "seeds", b.seeds, "how often latencies are drawn, 1 to 100; the times are means")
	f.IntSliceVar(&b.depths, "ahead", b.depths, "ticks to look ahead, 1 to 8, with commas between")
	f.Int64Var(&b.waste, "ahead-waste", b.waste, "calls that may be in vain, in percent of the run's, 1 to 50")
	f.BoolVar(&b.asJSON, "json", false, "as JSON")
	return m.readsUnverified(c)
}

// check refuses what cannot be simulated.
func (b aheadBench) check() error {
	switch {
	case b.seeds < 1 || b.seeds > 100:
		return badInput("--seeds %d; allowed: 1 to 100", b.seeds)
	case b.waste < 1 || b.waste > 50:
		return badInput("--ahead-waste %d; allowed: 1 to 50", b.waste)
	case len(b.depths) == 0:
		return badInput("--ahead has no depth; allowed: 1 to %d", ahead.DepthMax)
	}
	for _, d := range b.depths {
		if d < 1 || d > ahead.DepthMax {
			return badInput("--ahead %d; allowed: 1 to %d", d, ahead.DepthMax)
		}
	}
	return nil
}

// latency returns the latencies of a seed.
func (b aheadBench) latency(seed int) (func(trace.CallKey, time.Duration) time.Duration, error) {
	if b.law == latencyRecorded {
		return func(_ trace.CallKey, recorded time.Duration) time.Duration { return recorded }, nil
	}
	law, err := stub.ParseLatency(b.law)
	if err != nil {
		return nil, badInput("--%v", err)
	}
	return func(key trace.CallKey, _ time.Duration) time.Duration {
		h := fnv.New64a()
		h.Write(fmt.Append(nil, key))
		draw := rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
		return law.Draw(draw.Float64(), draw.Float64())
	}, nil
}

// aheadRow is a way to play the run: mean time in seconds, and over all seeds the calls of the run, those asked
// ahead and those in vain.
type aheadRow struct {
	Way     string  `json:"way"`
	Seconds float64 `json:"seconds"`
	Gain    float64 `json:"gain"`
	Calls   int64   `json:"calls,omitempty"`
	Asked   int64   `json:"asked_ahead,omitempty"`
	Wasted  int64   `json:"wasted,omitempty"`
}

func benchAhead(ctx context.Context, m *Main, dir string, b aheadBench) error {
	if err := b.check(); err != nil {
		return err
	}
	of, err := m.openRun(dir)
	if err != nil {
		return err
	}
	m.collectLess()
	bounds := []aheadRow{{Way: "lockstep"}, {Way: "sight"}, {Way: "oracle"}, {Way: "own answers"}}
	ways := make([]aheadRow, len(b.depths))
	for seed := range b.seeds {
		latency, err := b.latency(seed)
		if err != nil {
			return err
		}
		for i, depth := range b.depths {
			ways[i].Way = fmt.Sprintf("--ahead %d", depth)
			got, err := engine.Simulate(ctx, of, engine.SimulateOptions{
				Latency: latency, Limits: ahead.Limits{Depth: depth, InFlight: 1 << 20, WastePermille: 10 * b.waste},
			})
			switch {
			case ctx.Err() != nil:
				return failWith(exitInterrupted, errors.New("interrupted before the simulations were over"))
			case errors.Is(err, engine.ErrNotSimulated), errors.Is(err, engine.ErrVersionDrift):
				return badInput("%s: %w", shown(dir), err)
			case err != nil:
				return m.unread(dir, err)
			}
			ways[i].Seconds += got.Elapsed.Seconds() / float64(b.seeds)
			ways[i].Calls += got.Counts.Own + got.Counts.Used
			ways[i].Asked += got.Counts.Asked
			ways[i].Wasted += got.Counts.Wasted
			if i == 0 {
				for k, d := range []time.Duration{got.Lockstep, got.Sight, got.Oracle, got.Own} {
					bounds[k].Seconds += d.Seconds() / float64(b.seeds)
				}
			}
		}
	}
	rows := append(bounds, ways...)
	for i := range rows {
		if rows[i].Seconds > 0 {
			rows[i].Gain = rows[0].Seconds / rows[i].Seconds
		}
	}
	if b.asJSON {
		return m.printJSON(rows)
	}
	return m.printAheadRows(rows)
}

// printAheadRows prints the rows as a table.
func (m *Main) printAheadRows(rows []aheadRow) error {
	plaintext.Fprintf(m.Stdout, "%-12s %10s %6s %12s %8s\n", "waits as", "seconds", "gain", "asked ahead", "in vain")
	for _, r := range rows {
		calls := ""
		if r.Calls > 0 {
			percent := 100 / float64(r.Calls)
			calls = fmt.Sprintf(" %11.1f%% %7.1f%%", percent*float64(r.Asked), percent*float64(r.Wasted))
		}
		plaintext.Fprintf(m.Stdout, "%-12s %10.1f %6.2f%s\n", r.Way, r.Seconds, r.Gain, calls)
	}
	plaintext.Fprintf(m.Stdout, "\nlockstep     every tick waits for its slowest turn\n"+
		"sight        an agent waits for all that it sees\n"+
		"oracle       an agent waits for those whose decisions its next observation contains\n"+
		"own answers  the agent with the longest answers waits for nobody\n")
	return nil
}
