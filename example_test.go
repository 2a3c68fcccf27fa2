package agentworld_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"
	"strings"

	"example.com/agentworld"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// A world of one agent, played by the embedded model.
func ExampleRun() {
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 5
	dir, remove := runDir()
	defer remove()
	run, err := agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Status, run.TicksDone)
	fmt.Println("accepted actions:", run.Report.ActionSuccess)
	// Output:
	// completed 5
	// accepted actions: 5
}

// A table of a run for other programs, and its decisions for a trainer.
func ExampleRecorded_Export() {
	settings, err := agentworld.Defaults("task_production_chips_40")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 12
	dir, remove := runDir()
	defer remove()
	if _, err := agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir}); err != nil {
		log.Fatal(err)
	}
	run, err := agentworld.Read(dir)
	if err != nil {
		log.Fatal(err)
	}
	var ticks strings.Builder
	missing, err := run.Export(&ticks, "ticks", "csv")
	if err != nil {
		log.Fatal(err)
	}
	reward := int64(0)
	for c, err := range run.Conversations() {
		if err != nil {
			log.Fatal(err)
		}
		reward += *c.Reward
	}
	fmt.Println(strings.Count(ticks.String(), "\n"), "lines, missing:", missing != "")
	report, err := run.Report()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("rewards add up to the score:", reward == report.Task.Score)
	// Output:
	// 13 lines, missing: false
	// rewards add up to the score: true
}

// A function of one's own plays an agent, in place of a model.
func ExampleOptions_Seat() {
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 5
	dir, remove := runDir()
	defer remove()
	options := agentworld.Options{Settings: settings, Dir: dir}
	options.Seat("miner", func(_ context.Context, o agentworld.Observation) (agentworld.Move, error) {
		if o.Self.Electricity < o.Self.PowerCapacity/2 {
			return agentworld.Do("harvest_radiation", 50).Because("low charge"), nil
		}
		return agentworld.Do("mine_compound", 2000), nil
	}, "agent-1")
	run, err := agentworld.Run(context.Background(), options)
	if err != nil {
		log.Fatal(err)
	}
	for _, seat := range run.Report.Seats {
		fmt.Println(seat.Seat, seat.Agents, seat.Moves)
	}
	fmt.Println(run.Status, run.TicksDone, run.Report.ModelSource)
	// Output:
	// miner [agent-1] 5
	// completed 5 none
}

// counter is a seat's player that remembers how often it moved.
type counter struct{ moves int64 }

func (c *counter) Act(_ context.Context, o agentworld.Observation) (agentworld.Move, error) {
	c.moves++
	return agentworld.Do("wait_ticks", c.moves), nil
}

func (c *counter) Recall(agentworld.Observation, agentworld.Move) { c.moves++ }

// A seat that remembers has a player for each agent. When its run is continued, it is told its earlier moves.
func ExampleSeat() {
	newCounter := func(agentworld.SeatBrief) agentworld.SeatPlayer { return &counter{} }
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 3
	settings.Seats = []agentworld.AgentSeat{{Agent: "*", Seat: "counter"}}
	dir, remove := runDir()
	defer remove()
	options := agentworld.Options{Settings: settings, Dir: dir,
		Seats: []agentworld.Seat{{Name: "counter", Version: "1", New: newCounter}}}
	first, err := agentworld.Run(context.Background(), options)
	if err != nil {
		log.Fatal(err)
	}
	options.Settings = agentworld.Settings{} // as the run has them
	whole, err := agentworld.Resume(context.Background(), options, agentworld.Continued{UntilTick: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first.Report.Seats[0].Moves, whole.Report.Seats[0].Moves)
	// Output: 2 4
}

// An interrupted run is continued where it stopped: what was answered is not asked again.
func ExampleResume() {
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 5
	dir, remove := runDir()
	defer remove()
	ctx, interrupt := context.WithCancel(context.Background())
	first, err := agentworld.Run(ctx, agentworld.Options{Settings: settings, Dir: dir,
		Progress: func(p agentworld.Progress) {
			if p.Tick == 3 {
				interrupt()
			}
		}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first.Status, first.TicksDone)
	whole, err := agentworld.Resume(context.Background(), agentworld.Options{Dir: dir}, agentworld.Continued{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(whole.Status, whole.TicksDone)
	// Output:
	// interrupted 3
	// completed 5
}

// A fork goes on from a tick of another run with other settings. Here it has more ticks.
func ExampleFork() {
	dir, remove := playedRun("minimal", 3)
	defer remove()
	settings, err := agentworld.ForkSettings(dir, 2)
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 6
	fork, err := agentworld.Fork(context.Background(), agentworld.Options{Settings: settings, Dir: dir + "-fork"},
		agentworld.Left{Parent: dir, AtTick: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fork.Status, fork.TicksDone, "left after tick", fork.Report.Fork.AtTick)
	// Output: completed 6 left after tick 2
}

// A replay derives every record of a run again, without a model.
func ExampleReplay() {
	dir, remove := playedRun("two_bases", 3)
	defer remove()
	found, err := agentworld.Replay(context.Background(), dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d ticks, equal %t\n", found.Ticks, found.Equal)
	// Output: 3 ticks, equal true
}

// Agents say why they did what they did. A question that was answered before costs nothing.
func ExampleAsk() {
	dir, remove := playedRun("minimal", 3)
	defer remove()
	question := agentworld.Question{Text: "Why did you do that?", Agents: []string{"agent-1"}}
	for range 2 {
		answers, err := agentworld.Ask(context.Background(), agentworld.Options{Dir: dir}, question)
		if err != nil {
			log.Fatal(err)
		}
		for _, a := range answers {
			fmt.Println(a.Agent, a.Err, "answered before:", a.Known, "after tick", a.Record.Tick)
		}
	}
	// Output:
	// agent-1 <nil> answered before: false after tick 3
	// agent-1 <nil> answered before: true after tick 3
}

// What agents learn from a run is a playbook for later runs.
func ExampleLearn() {
	dir, remove := playedRun("minimal", 4)
	defer remove()
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		log.Fatal(err)
	}
	settings.Playbook = "format = 2\n[[bullet]]\nid = 'nav-00001'\ncontent = 'Charge before you travel.'\n"
	playbook, learned, err := agentworld.Learn(context.Background(), agentworld.Options{Settings: settings},
		agentworld.Lessons{Runs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("consolidations:", learned[0].Consolidations, "calls:", learned[0].Calls)
	fmt.Println("older lessons stay:", strings.Contains(playbook, "Charge before you travel."))
	// Output:
	// consolidations: 1 calls: 1
	// older lessons stay: true
}

// A batch plays each seed with each arm.
func ExamplePlayBatch() {
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 3
	dir, remove := runDir()
	defer remove()
	b := agentworld.Batch{Name: "protocols", Seeds: []uint64{1, 2}, Arms: []agentworld.Arm{
		{Name: "full", Change: func(s *agentworld.Settings) { s.Protocol = "full" }},
		{Name: "lean", Change: func(s *agentworld.Settings) { s.Protocol = "lean" }},
	}}
	summary, ending, err := agentworld.PlayBatch(context.Background(),
		agentworld.Options{Settings: settings, Dir: dir}, b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ending, summary.Cells, "cells,", summary.Failed, "failed")
	for _, arm := range summary.Arms {
		fmt.Println(arm.Arm, arm.Scored)
	}
	// Output:
	// complete 4 cells, 0 failed
	// arm=full 2
	// arm=lean 2
}

// A run can be read at any time: its report, what agents did, and why.
func ExampleRead() {
	dir, remove := playedRun("minimal", 3)
	defer remove()
	run, err := agentworld.Read(dir)
	if err != nil {
		log.Fatal(err)
	}
	report, err := run.Report()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Scenario, report.RunStatus, report.Model)
	for row, err := range run.Rows("agent-1") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("tick", row.Tick, row.Agent)
	}
	decision, err := run.Decision(2, "agent-1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("calls in tick 2:", len(decision.Calls))
	// Output:
	// minimal completed scripted
	// tick 1 agent-1
	// tick 2 agent-1
	// tick 3 agent-1
	// calls in tick 2: 2
}

// Two runs are compared tick by tick.
func ExampleCompare() {
	a, removeA := playedRun("minimal", 3)
	defer removeA()
	b, removeB := playedRun("minimal", 4)
	defer removeB()
	found, err := agentworld.Compare(a, b, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d ticks compared, %d differ\n", found.TicksCompared, found.TicksDiffering)
	// Output: 3 ticks compared, 0 differ
}

// playedRun is the directory of a run of some ticks, and what removes it.
func playedRun(scenario string, ticks int64) (dir string, remove func()) {
	settings, err := agentworld.Defaults(scenario)
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = ticks
	settings.ChainSteps = 0 // ask in every tick
	dir, remove = runDir()
	_, err = agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	return dir, remove
}

// runDir is a new directory for a run, and what removes it.
func runDir() (dir string, remove func()) {
	parent, err := os.MkdirTemp("", "agentworld")
	if err != nil {
		log.Fatal(err)
	}
	return filepath.Join(parent, "run"), func() { _ = os.RemoveAll(parent) }
}

// A number of your own for each run: by a Go function, and by a jq expression.
func ExampleMetric() {
	trades := agentworld.Metric{
		Name: "trades", Version: "1", Unit: "trades", Better: agentworld.HigherIsBetter,
		Fold: func(records iter.Seq[agentworld.Record]) (value float64, counted bool) {
			for r := range records {
				if e, is := r.(trace.Event); is && e.Event.Kind == world.EventTrade {
					value++
				}
			}
			return value, true
		},
	}
	decisions, err := agentworld.ParseMetric(`decisions_made=[inputs | select(.type == "decision")] | length`)
	if err != nil {
		log.Fatal(err)
	}
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 5
	dir, remove := runDir()
	defer remove()
	run, err := agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir,
		Metrics: []agentworld.Metric{trades, decisions}})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range run.Report.OwnMetrics {
		fmt.Println(m.Name, *m.Value, m.Unit)
	}
	// Output:
	// trades 0 trades
	// decisions_made 5
}

// A Go function as a tool that agents may call. The embedded model calls none.
func ExampleNewTool() {
	type question struct {
		Resource string `json:"resource" jsonschema:"what it is about"`
	}
	prices := map[string]int{"hardware": 12}
	lookup := agentworld.NewTool("lookup", "1", "What a resource costs elsewhere.",
		func(_ context.Context, q question) (any, error) {
			price, known := prices[q.Resource]
			if !known {
				return nil, fmt.Errorf("%q is not on sale", q.Resource)
			}
			return price, nil
		})
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 2
	dir, remove := runDir()
	defer remove()
	run, err := agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir,
		Tools: []agentworld.Tool{lookup}})
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range run.Report.Tools {
		fmt.Println(tool.Name, tool.Version, "called", tool.Calls, "times")
	}
	// Output: lookup 1 called 0 times
}
