package engine_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// neverDecide are the manners of models that decide nothing, by protocol: the engine does the first
// planned action for them, and ends the run after ten ticks of that.
var neverDecide = map[string][]string{
	"full": {"planner-only"},
	"lean": {"planner-only", "prose", "silent-decision"},
}

// mannered plays a scenario with a model of a manner, on the clock of a bubble.
func mannered(t *testing.T, manner, protocol, scenario string, ticks int64) (result engine.Result, r report.Report) {
	t.Helper()
	manners, err := stub.ParseManners(manner)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, scenario, ticks)
	synctest.Test(t, func(t *testing.T) {
		client := inProcess(t, stub.Options{Seed: 1, Manners: manners}, openai.Config{Steady: true})
		defer client.Close()
		o.Source = engine.Live(client)
		o.Protocol = protocol
		o.DecisionDeadlineMS = time.Minute.Milliseconds()
		result = run(t, o)
		r = fold(t, o.RunDir)
	})
	return result, r
}

// TestWhoDecidesForEveryManner plays models of every manner in both protocols and prints who decided.
// A manner costs calls and nothing else: but for models that decide nothing, every decision is the
// model's, now or by an order, or what it had drafted. At full size (AGENT_WORLD_LONG) the table is of
// 30 ticks of llm_bootstrap.
func TestWhoDecidesForEveryManner(t *testing.T) {
	slow(t)
	scenario, ticks := "minimal", int64(12)
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		scenario, ticks = "llm_bootstrap", 30
	}
	var table strings.Builder
	fmt.Fprintf(&table, "who decided in %d ticks of %s\n%-16s %-8s %6s %6s %6s %6s %6s %6s  %s\n", ticks, scenario, "manner", "protocol", "model", "order", "draft", "plan", "nobody", "calls", "ended")
	cells := map[string]string{}
	for _, manner := range append([]string{""}, stub.MannerNames()...) {
		for _, protocol := range []string{"full", "lean"} {
			result, r := mannered(t, manner, protocol, scenario, ticks)
			d := r.DecisionCounts
			name := manner
			if name == "" {
				name = "none"
			}
			fmt.Fprintf(&table, "%-16s %-8s %6d %6d %6d %6d %6d %6.2f  %s after %d\n", name, protocol, d.DecidedBy[report.DecidedByModel], d.DecidedBy[report.DecidedByOrder],
				d.FallbacksBy[string(trace.ByDraft)], d.FallbacksBy[string(trace.ByPlan)], d.DecidedBy[report.DecidedByNobody],
				float64(r.TraceCounts.CallsPerDecision.AvgMilli)/1000, result.Status, result.TicksDone)
			never := slices.Contains(neverDecide[protocol], manner)
			if protocol == "lean" && manner == "planner-only" && scenario == "minimal" {
				never = false // a world without texts has no plan in lean, so this model decides
			}
			switch {
			case never && (result.Status != trace.RunNoUsableAnswers || d.DecidedBy[report.DecidedByModel] > 0):
				t.Errorf("%s, %s: %s after %d ticks with %v, want it ended without a decision", manner, protocol, result.Status, result.TicksDone, d.DecidedBy)
			case !never && (result.Status != trace.RunCompleted || d.DecidedBy[report.DecidedByNobody] > 0):
				t.Errorf("%s, %s: %s after %d ticks with %v, want it completed, and no wait that nobody chose", manner, protocol, result.Status, result.TicksDone, d.DecidedBy)
			}
			cells[name] += mannerCell(result, r)
		}
	}
	t.Log(table.String())
	if *update && ticks == 30 {
		writeMannerCells(t, cells)
	}
}

// mannerCell is what docs/faults.md says of a run: the calls per decision, what the engine did in
// place of decisions, and where the run ended early.
func mannerCell(result engine.Result, r report.Report) string {
	cell := fmt.Sprintf(" %.2f", float64(r.TraceCounts.CallsPerDecision.AvgMilli)/1000)
	for _, by := range []trace.Basis{trace.ByDraft, trace.ByPlan} {
		if n := r.DecisionCounts.FallbacksBy[string(by)]; n > 0 {
			cell += fmt.Sprintf(", %s %d", by, n)
		}
	}
	if result.Status != trace.RunCompleted {
		cell += fmt.Sprintf(", ended after %d", result.TicksDone)
	}
	return cell + " |"
}

// writeMannerCells writes the last columns of the table of manners.
func writeMannerCells(t *testing.T, cells map[string]string) {
	t.Helper()
	const path = "../docs/faults.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, cell := range cells {
		if name != "none" {
			name = "`" + name + "`"
		}
		row := regexp.MustCompile(`(?m)^(\| ` + name + ` \| [^|\n]* \|).*$`)
		page = row.ReplaceAll(page, []byte("${1}"+cell))
	}
	if err := os.WriteFile(path, page, 0o644); err != nil {
		t.Fatal(err)
	}
}
