package suite

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/baseline"
	"example.com/agentworld/batch"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// aw1 is the suite.
func aw1(t *testing.T) scenario.Suite {
	t.Helper()
	s, ok := scenario.SuiteNamed("aw-1")
	if !ok {
		t.Fatal("there is no suite aw-1")
	}
	return s
}

// TestSuiteIsFrozen: who plays aw-1 with any version of this program that has this hash plays the same. Worlds,
// seeds, rules and fixed settings may not change below the name: what is changed is another suite.
func TestSuiteIsFrozen(t *testing.T) {
	const want = "3545e15f4baafa6f"
	got := *batch.MarkOf(aw1(t))
	if got != (batch.SuiteMark{Name: "aw-1", Hash: want}) {
		t.Errorf("%s, want the hash %s: put the new one here and on its page; once it is released, make another suite",
			got, want)
	}
	page, err := os.ReadFile("../../docs/suite.md")
	if err != nil || !strings.Contains(string(page), "`"+got.Hash+"`") {
		t.Errorf("docs/suite.md does not say the hash %s: %v", got.Hash, err)
	}
}

// TestWorldHash: what makes another world is in the hash, what does not is not.
func TestWorldHash(t *testing.T) {
	s := aw1(t).World("task_production_chips_40")
	same, other, harder := s, s, s
	same.Name = "another title"
	same.Text = "another text"
	same.Aliases = []string{"x"}
	other.VisibilityKM++
	harder.Rules.BuildHardware++
	of := batch.WorldHash(s)
	if batch.WorldHash(same) != of || batch.WorldHash(other) == of || batch.WorldHash(harder) == of {
		t.Errorf("%s: titles give %s, sight %s, rules %s", of, batch.WorldHash(same), batch.WorldHash(other),
			batch.WorldHash(harder))
	}
}

// made is an entry with made-up scores, each a share of the scale of its instance, and so many repeats.
func made(t *testing.T, name string, repeats int64, share func(task, seed int, repeat int64) float64) Entry {
	t.Helper()
	suite := aw1(t)
	e := Entry{Name: name, Suite: suite, Mark: *batch.MarkOf(suite), references: baseline.ReferencesOf(suite.Name)}
	e.Settings = trace.DefaultSettings()
	e.Settings.Model = name
	for i, task := range suite.Tasks {
		for k, seed := range suite.Seeds {
			for repeat := int64(1); repeat <= repeats; repeat++ {
				of := e.references[task][seed]
				score := float64(of.Nothing) + math.Round(share(i, k, repeat)*float64(of.Best-of.Nothing))
				c := batch.Cell{Scenario: task, Seed: seed, Repeat: repeat}
				e.Cells = append(e.Cells, c)
				e.Results = append(e.Results, batch.Result{Cell: c, Status: trace.RunCompleted, Calls: 10,
					Metrics: batch.MetricsOf(map[string]float64{"score": score})})
			}
		}
	}
	return e
}

// tableOf is the table of made-up entries, which no directory vouches for.
func tableOf(t *testing.T, entries ...Entry) Table {
	t.Helper()
	table := newTable(entries[0].Suite)
	for _, e := range entries {
		table.add(e, Verification{})
	}
	if err := table.conclude(); err != nil {
		t.Fatal(err)
	}
	return table
}

// TestTableRanks: the better half of four entries beats the other half, and no entry is told from its equal.
func TestTableRanks(t *testing.T) {
	noisy := func(middle float64, phase int) func(int, int, int64) float64 {
		return func(task, seed int, _ int64) float64 { return middle + 0.2*float64((task*7+seed*3+phase)%5-2)/2 }
	}
	table := tableOf(t, made(t, "low", 1, noisy(0.3, 0)), made(t, "high", 1, noisy(0.6, 1)), made(t, "low too", 1, noisy(0.3, 2)),
		made(t, "high too", 1, noisy(0.6, 3)))
	want := map[string][2]int{"high": {1, 2}, "high too": {1, 2}, "low": {3, 4}, "low too": {3, 4}}
	for i, row := range table.Entries {
		if [2]int{row.RankLow, row.RankHigh} != want[row.Name] || i > 0 && row.Mean > table.Entries[i-1].Mean {
			t.Errorf("place %d: %s has the ranks %d to %d and the mean %v", i+1, row.Name, row.RankLow, row.RankHigh, row.Mean)
		}
	}
	if one := tableOf(t, made(t, "alone", 1, noisy(0.3, 0))).Entries[0]; one.RankLow != 1 || one.RankHigh != 1 {
		t.Errorf("an entry alone has the ranks %d to %d", one.RankLow, one.RankHigh)
	}
}

// TestTableScale: who does nothing has 0, who plays the best known has 1 in all families, and the references too.
func TestTableScale(t *testing.T) {
	flat := func(share float64) func(int, int, int64) float64 {
		return func(int, int, int64) float64 { return share }
	}
	table := tableOf(t, made(t, "best", 2, flat(1)), made(t, "idle", 1, flat(0)))
	for i, want := range []float64{1, 0} {
		row := table.Entries[i]
		for _, got := range append(row.ByFamily, row.Mean) {
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %v, want %v", row.Name, got, want)
			}
		}
	}
	if n := table.Entries[0].Noise; n == nil || *n != 0 || table.Entries[1].Noise != nil {
		t.Errorf("the noise of equal repeats is %v, that of a single one %v", n, table.Entries[1].Noise)
	}
	if table.Entries[0].Calls != 2400 || table.Entries[1].Calls != 2400 {
		t.Errorf("one repeat took %d and %d calls, want 2400", table.Entries[0].Calls, table.Entries[1].Calls)
	}
	byName := map[string]float64{}
	for _, row := range table.References {
		byName[row.Name] = row.Mean
	}
	ordered := []string{"nothing", "random agents", "greedy agents", "scripted agents", "best play known"}
	for i, name := range ordered[1:] {
		if byName[name] <= byName[ordered[i]] {
			t.Errorf("%s has %v, %s %v", name, byName[name], ordered[i], byName[ordered[i]])
		}
	}
	if byName["nothing"] != 0 || math.Abs(byName["best play known"]-1) > 1e-9 || byName["embedded model"] == 0 {
		t.Errorf("references: %v", byName)
	}
}

// TestNoiseIsThatOfAModelAgainstItself: two entries of a noisy player differ by more than the noise that its
// repeats show in about one of twenty cases.
func TestNoiseIsThatOfAModelAgainstItself(t *testing.T) {
	draw := uint64(1)
	uniform := func() float64 {
		draw = draw*6364136223846793005 + 1442695040888963407
		return float64(draw>>40) / (1 << 24)
	}
	suite := aw1(t)
	sample := func(repeats int) map[instance][]float64 {
		shares := map[instance][]float64{}
		for _, task := range suite.Tasks {
			for _, seed := range suite.Seeds {
				for range repeats {
					at := instance{task, seed}
					shares[at] = append(shares[at], uniform())
				}
			}
		}
		return shares
	}
	table := newTable(suite)
	overall := func(shares map[instance][]float64) float64 {
		sum, _ := table.means(shares)
		return sum
	}
	noise := noiseOf(suite, sample(2))
	// The variance of a uniform number is 1/12, the quantile that of t at one degree of freedom for each instance.
	if want := 1.9699 * math.Sqrt(2.0/12/240); noise == nil || math.Abs(*noise-want) > 0.1*want {
		t.Fatalf("the noise is %v, want about %v", noise, want)
	}
	beyond := 0
	const pairs = 400
	for range pairs {
		if math.Abs(overall(sample(1))-overall(sample(1))) > *noise {
			beyond++
		}
	}
	if beyond < pairs/50 || beyond > pairs/10 {
		t.Errorf("%d of %d pairs differ by more than the noise, want about one of twenty", beyond, pairs)
	}
}

var update = flag.Bool("update", false, "rewrite the published schema")

// TestTableSchema derives the schema from the types; the published file must be exactly that, and a table must follow
// it.
func TestTableSchema(t *testing.T) {
	const path = "table.schema.json"
	schema, err := jsonschema.For[Table](nil)
	if err != nil {
		t.Fatal(err)
	}
	schema.Schema, schema.ID, schema.Title = "https://json-schema.org/draft/2020-12/schema", "urn:agentworld:suite-table:1", "Agent World table of a suite"
	want, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
		t.Errorf("%s is not what the types say, %v; run this test with -update", path, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	e := made(t, "m", 2, func(_, _ int, _ int64) float64 { return 0.5 })
	for i := range e.Results {
		e.Results[i].Answered = []string{"m-2026-10", "m-2026-09"}[i%2 : i%2+1]
	}
	table := tableOf(t, e)
	var value any
	if err := json.Unmarshal(table.Write("json", 0), &value); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("a table does not follow its schema: %v", err)
	}
	for _, format := range Formats[:2] {
		if text := string(table.Write(format, 0)); !strings.Contains(text, "m-2026-09") || strings.Index(text, "m-2026-09") > strings.Index(text, "m-2026-10") {
			t.Errorf("%s does not say in order who answered:\n%s", format, text)
		}
	}
}

// TestTableForms: every form has each row, and texts of others make no markup and no formula.
func TestTableForms(t *testing.T) {
	table := tableOf(t, made(t, "=a|b", 2, func(_, seed int, repeat int64) float64 { return float64(seed)/40 + float64(repeat)/10 }))
	var read Table
	if err := json.Unmarshal(table.Write("json", 0), &read); err != nil || len(read.Entries) != 1 || len(read.References) != 6 {
		t.Errorf("%v: %+v", err, read)
	}
	rows, err := csv.NewReader(strings.NewReader(string(table.Write("csv", 0)))).ReadAll()
	if err != nil || len(rows) != 8 || rows[1][0] != "'=a|b" {
		t.Errorf("%v: %v", err, rows)
	}
	if page := string(table.Write("markdown", 0)); strings.Contains(page, "=a|b") || strings.Count(page, "\n| ") != 9 {
		t.Errorf("markdown:\n%s", page)
	}
	text := string(table.Write("text", 80))
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 81 {
			t.Errorf("a line is wider than 80 columns: %s", line)
		}
	}
	for _, want := range []string{"aw-1", "RANK", "SCORE", "NOISE", "COOPERATION", "best play known", "nothing about models"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %q:\n%s", want, text)
		}
	}
}
