package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/batch"
	"example.com/agentworld/explain/export"
	"example.com/agentworld/report"
)

// exportedRows are the rows of a table as CSV, by column.
func exportedRows(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// readTables reads the files of an export.
func readTables(t *testing.T, dir string) map[string][]map[string]string {
	t.Helper()
	tables := map[string][]map[string]string{}
	for _, name := range export.TableNames() {
		text, err := os.ReadFile(filepath.Join(dir, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		tables[name] = exportedRows(t, string(text))
	}
	return tables
}

// agree holds every table of an export of one run against the report of the run.
func agree(t *testing.T, tables map[string][]map[string]string, r report.Report) {
	t.Helper()
	all := func(map[string]string) bool { return true }
	is := func(column string, values ...string) func(map[string]string) bool {
		return func(row map[string]string) bool { return slices.Contains(values, row[column]) }
	}
	sum := func(table, column string, of func(map[string]string) bool) (total int64) {
		for _, row := range tables[table] {
			if !of(row) {
				continue
			}
			n, err := strconv.ParseInt(row[column], 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			total += n
		}
		return total
	}
	count := func(table string, of func(map[string]string) bool) (n int64) {
		for _, row := range tables[table] {
			if of(row) {
				n++
			}
		}
		return n
	}
	by := func(table, column string, of func(map[string]string) bool) report.Counts {
		counts := report.Counts{}
		for _, row := range tables[table] {
			if of(row) && row[column] != "" {
				counts[row[column]]++
			}
		}
		return counts
	}
	learning := is("stage", "reflect", "consolidate")
	deciding := func(row map[string]string) bool { return !learning(row) && row["stage"] != "seat" }
	micros := func(pico int64) int64 { return (pico + 999_999) / 1_000_000 }
	acts := func(row map[string]string) bool {
		return row["accepted"] != "" && row["action"] != "wait" && row["action"] != "wait_ticks"
	}
	took := func(row map[string]string) bool { return row["decided_by"] != "standing" }
	untrusted := is("trust", "tool_error", "other_agent", "derived")
	for what, pair := range map[string][2]int64{
		"decisions":              {count("decisions", all), r.TraceCounts.Traces},
		"decisions of models":    {count("decisions", is("decided_by", "model", "seat")), r.TotalDecisions},
		"continued":              {count("decisions", is("decided_by", "standing")), r.ContinuedDecisions},
		"calls of decisions":     {sum("decisions", "calls", all), r.TraceCounts.ModelCalls},
		"input of decisions":     {sum("decisions", "input_tokens", all), r.Tokens.Input},
		"output of decisions":    {sum("decisions", "output_tokens", all), r.Tokens.Output},
		"accepted":               {count("decisions", func(row map[string]string) bool { return acts(row) && row["accepted"] == "true" }), r.ActionSuccess},
		"alternatives":           {sum("decisions", "refused_before", all), r.Guard.Alternatives},
		"deviation":              {sum("decisions", "deviation", took), r.Guard.DeviationTicks},
		"untrusted in view":      {count("decisions", untrusted), r.Guard.TurnsWithUntrustedView},
		"sources in view":        {sum("decisions", "sources_in_view", all), r.Provenance.SourcesRetrieved},
		"chain ticks":            {count("decisions", func(row map[string]string) bool { return row["chain_step"] != "0" }), r.Actions.ChainTicks},
		"calls":                  {count("calls", deciding), r.TraceCounts.ModelCalls},
		"calls that learn":       {count("calls", learning), r.Learning.Calls},
		"failures":               {count("calls", func(row map[string]string) bool { return deciding(row) && row["failure"] != "" }), r.TraceCounts.LLMErrors},
		"input":                  {sum("calls", "input_tokens", all), r.Tokens.Input + r.Learning.Tokens.Input},
		"cached":                 {sum("calls", "cached_tokens", all), r.Tokens.Cached + r.Learning.Tokens.Cached},
		"output":                 {sum("calls", "output_tokens", all), r.Tokens.Output + r.Learning.Tokens.Output},
		"reasoning":              {sum("calls", "reasoning_tokens", all), r.Tokens.Reasoning + r.Learning.Tokens.Reasoning},
		"cost":                   {micros(sum("calls", "cost_pico", all)), r.Cost.TotalMicros},
		"characters":             {sum("calls", "input_chars", deciding), r.TraceCounts.LLMInputCharsTotal},
		"clips":                  {sum("calls", "clipped", deciding), r.TraceCounts.PromptSectionClipped},
		"refusals":               {count("refusals", deciding), r.TraceCounts.CallsRefused},
		"steps":                  {count("steps", all), r.TraceCounts.StepEntries},
		"reason steps":           {count("steps", is("kind", "reason")), r.Reasoning.Steps},
		"events":                 {count("events", all), r.JournalEvents},
		"messages":               {count("messages", all), r.JournalEventCounts["message_sent"] + r.JournalEventCounts["message_delivered"] + r.JournalEventCounts["note_posted"]},
		"trades":                 {count("trades", all), r.JournalEventCounts["trade"] + r.JournalEventCounts["offer_accepted"]},
		"goals":                  {count("goals", func(row map[string]string) bool { return row["met_at"] != "" }), r.GoalsMet},
		"ticks":                  {count("ticks", all), r.WorldTime},
		"states":                 {count("states", all), r.WorldTime * r.Agents},
		"states of a shutdown":   {count("states", func(row map[string]string) bool { return row["tick"] == fmt.Sprint(r.WorldTime) }), r.Agents},
		"tool calls without any": {count("tool_calls", all) * int64(1-min(1, len(r.Tools))), 0},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %d in the tables, %d in the report", what, pair[0], pair[1])
		}
	}
	for what, pair := range map[string][2]report.Counts{
		"actions":      {by("decisions", "action", acts), r.ActionKindCounts},
		"rejections":   {by("decisions", "code", acts), r.ActionRejectReasonCounts},
		"waits":        {by("decisions", "wait_reason", is("action", "wait")), r.DecisionCounts.WaitDegradedByReason},
		"authority":    {by("decisions", "authority_by", took), r.Guard.DecisionsByAuthority},
		"errors":       {by("calls", "failure", deciding), r.TraceCounts.LLMErrorsByKind},
		"answers":      {by("calls", "kind", deciding), r.TraceCounts.AnswersByKind},
		"kinds":        {by("steps", "kind", all), r.TraceCounts.StepTypeCounts},
		"guard":        {by("steps", "code", func(row map[string]string) bool { return row["kind"] == "guard" && row["status"] != "ok" }), r.TraceCounts.GuardRejectionsByCode},
		"parse errors": {by("steps", "code", is("kind", "parse_error")), r.TraceCounts.ParseErrorsByKind},
		"modules":      {by("steps", "name", is("kind", "module_call")), r.TraceCounts.ModuleCallsByName},
		"event kinds":  {by("events", "kind", all), r.JournalEventCounts},
	} {
		if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
			t.Errorf("%s (-report +tables):\n%s", what, diff)
		}
	}
	for _, tool := range r.Tools {
		if n := count("tool_calls", is("tool", tool.Name)); n != tool.Calls {
			t.Errorf("%d calls of %s, %d in the report", n, tool.Name, tool.Calls)
		}
		if n := sum("tool_calls", "bytes_full", is("tool", tool.Name)); n != tool.Bytes {
			t.Errorf("%d bytes of %s, %d in the report", n, tool.Name, tool.Bytes)
		}
	}
	if r.Task != nil {
		ticks := tables["ticks"]
		last, total := ticks[len(ticks)-1]["score"], scoreBefore(t, ticks, "1")+sum("ticks", "reward", all)
		if last != fmt.Sprint(r.Task.Score) || tables["runs"][0]["score"] != last || total != r.Task.Score {
			t.Errorf("the score is %s, of the run %s, by rewards %d, reported %d", last, tables["runs"][0]["score"], total, r.Task.Score)
		}
	}
	for _, a := range r.PerAgent {
		of := is("agent", a.AgentID)
		rows := slices.DeleteFunc(slices.Clone(tables["states"]), func(row map[string]string) bool { return !of(row) })
		last := rows[len(rows)-1]
		want := map[string]string{"place": a.Place, "power_state": a.PowerState, "heat": fmt.Sprint(a.Heat), "electricity": fmt.Sprint(a.Electricity)}
		for _, s := range a.Stock {
			want["stock_"+s.Resource] = fmt.Sprint(s.Amount)
		}
		for name, value := range want {
			if last[name] != value {
				t.Errorf("%s of %s ends as %q, reported %q", name, a.AgentID, last[name], value)
			}
		}
		if tokens := sum("decisions", "input_tokens", of); tokens != a.Tokens.Input {
			t.Errorf("%s took %d tokens, reported %d", a.AgentID, tokens, a.Tokens.Input)
		}
	}
}

// scoreBefore is the score before a tick.
func scoreBefore(t *testing.T, ticks []map[string]string, tick string) int64 {
	t.Helper()
	for _, row := range ticks {
		if row["tick"] == tick {
			score, wrong := strconv.ParseInt(row["score"], 10, 64)
			reward, err := strconv.ParseInt(row["reward"], 10, 64)
			if wrong != nil || err != nil {
				t.Fatal(wrong, err)
			}
			return score - reward
		}
	}
	t.Fatalf("there is no tick %s", tick)
	return 0
}

// pricedByTest is a table of prices for the embedded model.
const pricedByTest = "currency = 'USD'\nas_of = '2026-01-01'\nsource = 'a test'\n[[price]]\nmodels = ['scripted']\ninput = '1.5'\ncached_input = '0.3'\noutput = '7'\n"

// TestExportedTablesAgreeWithTheReport: sums over every table are the figures of the report, for runs with faults,
// refusals of the guard, trades, messages, chains, learning, caps and a fork.
func TestExportedTablesAgreeWithTheReport(t *testing.T) {
	slow(t)
	p := newProcess(t, nil)
	if err := os.WriteFile(p.path("prices.toml"), []byte(pricedByTest), 0o600); err != nil {
		t.Fatal(err)
	}
	p.played(t, "task_cooperation_stores_80", "--ticks", "30", "--run-dir", "runs/trades", "--learn-every", "10",
		"--chain-steps", "3", "--quiet", "--price-table", "prices.toml")
	p.played(t, "llm_bootstrap", "--agents", "3", "--ticks", "12", "--faults", "unusable=25%,http_400=15%", "--run-dir", "runs/faults",
		"--price-table", "prices.toml", "--quiet")
	p.played(t, "fork", "runs/trades", "--at-tick", "20", "--set", "rules.idle_draw=3", "--run-dir", "runs/fork", "--quiet")
	q := newProcess(t, nil, "task_cooperation_camp_160", "--ticks", "30", "--cap-calls", "40", "--run-dir", "runs/capped", "--quiet")
	q.Getwd = func() (string, error) { return p.dir, nil }
	if code := q.run(t); code != exitBudget {
		t.Fatalf("exit code %d:\n%s", code, q.output())
	}
	p.played(t, "export", "runs", "--out", "all")
	whole := readTables(t, p.path("all"))
	rows := map[string]int{}
	reached := map[string]int64{}
	for _, name := range []string{"trades", "faults", "fork", "capped"} {
		p.played(t, "export", "runs/"+name, "--out", name)
		tables := readTables(t, p.path(name))
		text, err := os.ReadFile(p.path("runs/" + name + "/report.json"))
		if err != nil {
			t.Fatal(err)
		}
		var r report.Report
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { agree(t, tables, r) })
		reached["refusals of the guard"] += int64(len(r.TraceCounts.GuardRejectionsByCode))
		reached["ticks of chains"] += r.Actions.ChainTicks
		reached["failures"] += r.TraceCounts.LLMErrors
		reached["unusable answers"] += r.TraceCounts.ParseErrors
		reached["calls that learn"] += r.Learning.Calls
		reached["cost"] += r.Cost.TotalMicros
		reached["refusals of caps"] += r.TraceCounts.CallsRefused
		reached["messages of others in view"] += r.Guard.TurnsWithUntrustedView
		for table, list := range tables {
			rows[table] += len(list)
			for _, row := range list {
				if row["run"] != name || row["scenario"] != r.Scenario || row["seed"] != fmt.Sprint(r.Seed) {
					t.Fatalf("a row of %s begins with %v", table, row)
				}
			}
		}
	}
	for what, n := range reached {
		if n == 0 {
			t.Errorf("no run has %s", what)
		}
	}
	for _, name := range export.TableNames() {
		if len(whole[name]) != rows[name] || name != "tool_calls" && rows[name] == 0 {
			t.Errorf("table %s: %d rows of all runs, %d of each", name, len(whole[name]), rows[name])
		}
	}
	t.Run("conversations", func(t *testing.T) { conversationsAgree(t, p) })
	t.Run("schema", func(t *testing.T) {
		for _, name := range []string{"trades", "faults", "fork", "capped"} {
			fitsTraceSchema(t, p.path("runs/"+name))
		}
	})
	t.Run("python", func(t *testing.T) { pythonReads(t, p) })
	svg := p.played(t, "export", "runs", "--plot", "score")
	if !strings.Contains(svg, "task_cooperation_stores_80") || !strings.Contains(svg, ">fork<") || strings.Count(svg, "<polyline") != 3 {
		t.Errorf("the score of three runs of two tasks is drawn as\n%s", svg)
	}
}

// TestExportOfABatch: the rows of a batch say of which cell, arm and repeat they are, a cell is exported alone, and cells
// without a run are counted.
func TestExportOfABatch(t *testing.T) {
	p := newProcess(t, nil)
	file := "name = \"b\"\nscenarios = [\"minimal\"]\nseeds = \"1\"\nrepeats = 2\n[axes.protocol.full.run]\nticks = 2\n[axes.protocol.lean.run]\nprotocol = \"lean\"\nticks = 1\n"
	if err := os.WriteFile(p.path("b.toml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	p.played(t, "batch", "run", "b.toml", "--dir", "B")
	_, cells, err := batch.Dir(p.path("B")).Cells()
	if err != nil || len(cells) != 4 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	rows := exportedRows(t, p.played(t, "export", "B", "--table", "runs"))
	for i, c := range cells {
		want := map[string]string{"run": string(c.ID), "scenario": "minimal", "seed": "1", "arm": c.Arm(), "repeat": fmt.Sprint(c.Repeat), "ticks": map[string]string{"full": "2", "lean": "1"}[c.Label("protocol")]}
		for name, value := range want {
			if len(rows) != len(cells) || rows[i][name] != value {
				t.Fatalf("row %d of %d: %s is %q, want %q", i, len(rows), name, rows[i][name], value)
			}
		}
	}
	alone := exportedRows(t, p.played(t, "export", filepath.Join("B", "cells", string(cells[1].ID)), "--table", "runs"))
	if diff := cmp.Diff(rows[1:2], alone); diff != "" {
		t.Errorf("the row of one cell (-of all +alone):\n%s", diff)
	}
	if err := os.RemoveAll(p.path(filepath.Join("B", "cells", string(cells[0].ID), "attempt-1", "run"))); err != nil {
		t.Fatal(err)
	}
	q := newProcess(t, nil, "export", "B", "--table", "runs")
	q.Getwd = func() (string, error) { return p.dir, nil }
	if code := q.run(t); code != 0 || !strings.Contains(q.stderr.String(), "1 of 4 cells of the batch have no run to export") || strings.Count(q.stdout.String(), "\n") != 4 {
		t.Errorf("exit code %d:\n%s", code, q.output())
	}
}

// readingInPython holds each table as CSV against the same as JSON lines, after the loop of docs/data.md.
const readingInPython = `
import json, os
found = {}
for name in sorted(os.listdir("data")):
    with open(os.path.join("data", name), newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    with open(os.path.join("lines", name.replace(".csv", ".jsonl")), encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    for a, b in zip(rows, lines):
        assert list(a)[:4] == list(b)[:4] == ["run", "scenario", "seed", "arm"], name
        for column, value in b.items():
            if isinstance(value, bool):
                assert a[column] == str(value).lower(), (name, column)
            elif value is None:
                assert a[column] == "", (name, column)
            elif isinstance(value, int):
                assert int(a[column]) == value, (name, column)
            elif isinstance(value, (dict, list)) and column != "stock":
                assert json.loads(a[column]) == value, (name, column)
    found[name[:-4]] = {"csv": len(rows), "jsonl": len(lines)}
with open("turns.jsonl", encoding="utf-8") as f:
    found["turns"] = sum(len(json.loads(line)["messages"]) > 1 for line in f)
print(json.dumps(found))
`
