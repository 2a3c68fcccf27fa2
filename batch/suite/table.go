package suite

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"example.com/agentworld/baseline"
	"example.com/agentworld/batch"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// TableVersion is the version of [Table]'s JSON. It grows when a field changes its meaning or goes away.
// table.schema.json is the JSON Schema (draft 2020-12) of it.
const TableVersion = 1

// Table is a suite with its entries, the best first, and with the players that need no model.
type Table struct {
	// TableVersion is the version of this format.
	TableVersion int `json:"table_version"`
	// Suite is the suite of all entries.
	Suite batch.SuiteMark `json:"suite"`
	// Scale is the hash of both ends of the scales of all instances: 8 hexadecimal digits. Scores on another scale,
	// as after a longer search for best plays, are other numbers.
	Scale string `json:"scale"`
	// Families are the families of tasks, in the order of the suite.
	Families []string `json:"families"`
	// Instances counts the instances.
	Instances int `json:"instances"`
	// Alpha is the level over all pairs of entries.
	Alpha float64 `json:"alpha"`
	// Scripted says that some entry is of the embedded model: evidence about the wiring, none about a model.
	Scripted bool `json:"scripted"`
	// Entries are those of the table by their means. References are the players that are not ranked.
	Entries    []Row `json:"entries"`
	References []Row `json:"references"`

	suite scenario.Suite
	// family is the family of each task of the suite, by its number.
	family []int
	// shares are those of the entries before they are sorted.
	shares []map[instance][]float64
}

// Row is an entry of a table.
type Row struct {
	// Name is that of the entry, Player who played and Prompts which prompts it had.
	Name    string `json:"name"`
	Player  string `json:"player"`
	Prompts string `json:"prompts"`
	// Answered are the models that answered, as providers named them: a name that a player asks for may stand for
	// one model today and another one tomorrow. It is empty for references.
	Answered []string `json:"answered"`
	// Rank is between which places the entry is, from 1 for the best: 1 + the entries that beat it, to all less those
	// that it beats. It is 0 for a reference.
	RankLow  int `json:"rank_low"`
	RankHigh int `json:"rank_high"`
	// Mean is the mean of the scores over tasks, each on the scale of its instance: 0 is doing nothing, 1 the best
	// play known. ByFamily are the means of the families.
	Mean     float64   `json:"mean"`
	ByFamily []float64 `json:"by_family"`
	// Noise is the difference of the means that two entries of one repeat by this player pass in one of twenty
	// cases; null without repeats.
	Noise *float64 `json:"noise"`
	// Repeats is how often each instance was played. Calls, Tokens and CostMicros, in millionths of the currency,
	// are what one repeat took.
	Repeats    int64  `json:"repeats"`
	Calls      int64  `json:"calls"`
	Tokens     int64  `json:"tokens"`
	CostMicros int64  `json:"cost_micros"`
	Currency   string `json:"currency"`
	// Fallbacks and Failures are those of [Verification].
	Fallbacks float64 `json:"fallbacks"`
	Failures  float64 `json:"failures"`
}

// alpha is the level over all pairs of a table.
const alpha = 0.05

// InvalidError says that an entry is not valid, and why.
type InvalidError struct{ Verification Verification }

// Error implements error.
func (e *InvalidError) Error() string {
	v := e.Verification
	return fmt.Sprintf("%s is no valid entry of %s: %s", v.Entry, v.Suite.Name, v.Findings[0].Text)
}

// TableOf ranks entries of one suite. Two of them are told apart by the sign-flip test over instances, adjusted by
// Holm for all pairs. The error is an [*InvalidError], found by [Entry.Check], or says that entries are of several
// suites.
func TableOf(entries []Entry) (Table, error) {
	if len(entries) == 0 {
		panic("suite: a table of no entries")
	}
	t := newTable(entries[0].Suite)
	for _, e := range entries {
		if e.Suite.Name != t.suite.Name {
			return t, fmt.Errorf("%s is of the suite %s, %s of %s", entries[0].Name, t.suite.Name, e.Name, e.Suite.Name)
		}
		v := e.Check()
		if !v.Valid() {
			return t, &InvalidError{v}
		}
		t.add(e, v)
	}
	return t, t.conclude()
}

// newTable is a table without entries.
func newTable(suite scenario.Suite) Table {
	t := Table{TableVersion: TableVersion, Suite: *batch.MarkOf(suite), Instances: len(suite.Tasks) * len(suite.Seeds),
		Alpha: alpha, Entries: []Row{}, suite: suite}
	for _, task := range suite.Tasks {
		family := suite.World(task).Task.Family
		if !slices.Contains(t.Families, family) {
			t.Families = append(t.Families, family)
		}
		t.family = append(t.family, slices.Index(t.Families, family))
	}
	t.Scale = scaleOf(suite)
	t.References = t.referenceRows()
	return t
}

// scaleOf is [Table.Scale].
func scaleOf(suite scenario.Suite) string {
	references := baseline.ReferencesOf(suite.Name)
	ends := sha256.New()
	for _, task := range suite.Tasks {
		for _, seed := range suite.Seeds {
			r := references[task][seed]
			fmt.Fprintf(ends, "%s %d %d %d\n", task, seed, r.Nothing, r.Best)
		}
	}
	return hex.EncodeToString(ends.Sum(nil)[:4])
}

// add adds an entry for which a verification holds.
func (t *Table) add(e Entry, v Verification) {
	row := e.row(v)
	of := e.shares()
	row.Mean, row.ByFamily = t.means(of)
	row.Noise = noiseOf(t.suite, of)
	t.Scripted = t.Scripted || e.Settings.ModelSource == trace.SourceScripted
	t.Entries = append(t.Entries, row)
	t.shares = append(t.shares, of)
}

// conclude ranks the entries, and sorts them.
func (t *Table) conclude() error {
	if err := t.rank(); err != nil {
		return err
	}
	slices.SortStableFunc(t.Entries, func(a, b Row) int { return cmp.Compare(b.Mean, a.Mean) })
	return nil
}

// row is what an entry takes.
func (e Entry) row(v Verification) Row {
	row := Row{Name: e.Name, Player: e.Player(), Prompts: e.Prompts(), Answered: []string{}, Repeats: e.repeats(),
		Fallbacks: v.Fallbacks, Failures: v.Failures}
	for _, r := range e.Results {
		for _, model := range r.Answered {
			if !slices.Contains(row.Answered, model) {
				row.Answered = append(row.Answered, model)
			}
		}
		row.Calls += r.Calls
		row.Tokens += r.Tokens
		row.CostMicros += r.CostMicros
		row.Currency = cmp.Or(r.Currency, row.Currency)
	}
	slices.Sort(row.Answered)
	row.Calls /= row.Repeats
	row.Tokens /= row.Repeats
	row.CostMicros /= row.Repeats
	return row
}

// means are the mean over the tasks of the suite and those over its families. Each task is the mean of its
// instances.
func (t *Table) means(shares map[instance][]float64) (all float64, by []float64) {
	by = make([]float64, len(t.Families))
	tasks := make([]float64, len(t.Families))
	for i, task := range t.suite.Tasks {
		sum := 0.0
		for _, seed := range t.suite.Seeds {
			sum += mean(shares[instance{task, seed}])
		}
		of := sum / float64(len(t.suite.Seeds))
		by[t.family[i]] += of
		tasks[t.family[i]]++
		all += of / float64(len(t.suite.Tasks))
	}
	for i := range by {
		by[i] /= tasks[i]
	}
	return all, by
}

// mean is the mean of some numbers, 0 of none.
func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v / float64(len(list))
	}
	return sum
}

// noiseOf is [Row.Noise], by the repeats of each instance. It is nil unless every instance was played more than once.
func noiseOf(suite scenario.Suite, shares map[instance][]float64) *float64 {
	var groups [][]float64
	for _, task := range suite.Tasks {
		for _, seed := range suite.Seeds {
			repeats := shares[instance{task, seed}]
			if len(repeats) < 2 {
				return nil
			}
			groups = append(groups, repeats)
		}
	}
	noise, known := stats.Noise(groups, alpha)
	if !known {
		return nil
	}
	noise /= math.Sqrt(float64(len(groups))) // of means over all instances
	return &noise
}

// rank compares all pairs of entries.
func (t *Table) rank() error {
	var metrics []stats.Metric
	var places [][2]int
	for i := range t.shares {
		for j := range i {
			var pairs []stats.Pair
			for at, a := range t.shares[i] {
				cluster := fmt.Sprintf("%s %d", at.task, at.seed)
				pairs = append(pairs, stats.Pair{Cluster: cluster, A: mean(a), B: mean(t.shares[j][at])})
			}
			metrics = append(metrics, stats.Metric{Pairs: pairs, Options: stats.Options{Alpha: alpha}})
			places = append(places, [2]int{i, j})
		}
	}
	verdicts, err := stats.CompareAll(metrics)
	if err != nil {
		return fmt.Errorf("compare entries: %w", err)
	}
	beaten := map[[2]int]bool{}
	for n, v := range verdicts {
		i, j := places[n][0], places[n][1]
		beaten[[2]int{i, j}] = v.Outcome == stats.Better
		beaten[[2]int{j, i}] = v.Outcome == stats.Worse
	}
	for i, rank := range stats.Ranks(len(t.Entries), func(i, j int) bool { return beaten[[2]int{i, j}] }) {
		t.Entries[i].RankLow = rank.Low
		t.Entries[i].RankHigh = rank.High
	}
	return nil
}

// referenceRows are the players that need no model, and the best play known, as far as they are recorded.
func (t *Table) referenceRows() (rows []Row) {
	references := baseline.ReferencesOf(t.suite.Name)
	for _, player := range []struct {
		name  string
		score func(baseline.Reference) int64
	}{
		{"best play known", func(r baseline.Reference) int64 { return r.Best }},
		{"scripted agents", func(r baseline.Reference) int64 { return r.Scripted }},
		{"embedded model", func(r baseline.Reference) int64 { return r.Embedded }},
		{"greedy agents", func(r baseline.Reference) int64 { return r.Greedy }},
		{"random agents", func(r baseline.Reference) int64 { return r.Random }},
		{"nothing", func(r baseline.Reference) int64 { return r.Nothing }},
	} {
		shares := map[instance][]float64{}
		for task, seeds := range references {
			for seed, r := range seeds {
				shares[instance{task, seed}] = []float64{r.Share(player.score(r))}
			}
		}
		row := Row{Name: player.name, Player: player.name, Prompts: "-", Answered: []string{}}
		row.Mean, row.ByFamily = t.means(shares)
		rows = append(rows, row)
	}
	return rows
}
