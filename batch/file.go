package batch

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/metric"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/world/scenario"
)

// File is a batch file: a matrix of runs, what is compared and what must hold. Settings are texts
// by the keys of a configuration file, such as llm.model; what they may be is for the command
// line to say.
type File struct {
	// Name is the name of the batch, for people.
	Name string
	// Scenarios are names of scenarios, or paths relative to the file, with the line of the list.
	Scenarios     []string
	ScenariosLine int
	// Suite is the suite whose tasks and seeds these are; nil if the file names its own.
	Suite *SuiteMark
	// Seeds are the instances; empty takes each scenario's own.
	Seeds []uint64
	// Repeats is how often each instance is played, at least 1. A repeat is another seed of the
	// embedded model, and another question to a live one.
	Repeats int64
	// Settings hold for all cells.
	Settings []Setting
	// Axes are what differs between cells; every combination of their values is played.
	Axes []Axis
	// Budget bounds all cells together.
	Budget Budget
	// Compare says what is compared; nil if the file does not say it.
	Compare *Compare
	// Gates are what must hold at the end.
	Gates []Gate
	// Metrics are those of the user's own that the results have or get.
	Metrics metric.List

	lines fileLines
}

// Line is the line of a key, such as budget and cost, or of the first one below it; 0 if the file
// has none.
func (f File) Line(key ...string) int { return f.lines.of(key...) }

// known are all metrics that can be compared and gated.
func (f File) known() report.MetricList { return report.AllMetrics(f.Metrics.Own()...) }

// names says that a comparison or a gate of the file is about a metric, or that it describes one.
func (f File) names(metric string) bool {
	ofGate := func(g Gate) bool { return g.Metric == metric }
	return f.Line("metrics", metric) > 0 || slices.ContainsFunc(f.Gates, ofGate) ||
		f.Compare != nil && (f.Compare.Primary == metric || slices.Contains(f.Compare.Metrics, metric))
}

// Setting is one setting of a run with its place in the file.
type Setting struct {
	Key, Text string
	Line      int
}

// Budget bounds what all cells of a batch take together; 0 is no bound.
type Budget struct {
	// Calls and Tokens bound the calls of models and the tokens of all answers.
	Calls  int64 `toml:"calls"`
	Tokens int64 `toml:"tokens"`
	// Cost is an amount such as "20.00", in the currency of the prices; empty is no bound.
	Cost string `toml:"cost"`
}

// Compare says which cells are compared and on what. Cells are paired that are equal in
// everything but one axis.
type Compare struct {
	// Axis is the axis whose values are compared; default the only one.
	Axis string `toml:"axis"`
	// Baseline is the value that the others are compared with; default the first.
	Baseline string `toml:"baseline"`
	// Pairs says which values are compared on the primary metric: "all" with each other (the default of
	// three to thirty values), or each with the "baseline" alone, which needs fewer pairs of runs.
	Pairs string `toml:"pairs"`
	// Claim is what better and worse say: that the "arms" are not the same (the default), or that the "mean"
	// differs, which needs a range and more pairs.
	Claim string `toml:"claim"`
	// Tasks is whether the question is about "these" scenarios (the default of fewer than six), or about tasks
	// "like_these", of which each then counts once.
	Tasks string `toml:"tasks"`
	// Seats are two agents that share a world, each with the metric of its own score: the players in their seats
	// are compared over both seatings. Two values of the axis set who plays them, one the other way round.
	Seats map[string]string `toml:"seats"`
	// Primary is the metric that decides; default score, or score_share if there are several
	// scenarios.
	Primary string `toml:"primary"`
	// Metrics are judged beside it, adjusted by Holm.
	Metrics []string `toml:"metrics"`
	// Margin is the difference of the primary metric that does not matter; 0 for none.
	Margin float64 `toml:"margin"`
	// Effect is the difference of the primary metric that is worth finding; 0 for none.
	Effect float64 `toml:"effect"`
	// Alpha is the level of the tests; 0 is 0.05.
	Alpha float64 `toml:"alpha"`
	// Range is how much the primary metric of two runs can differ at most; 0 for what the metric
	// says, and for a score its bound. Verdicts of equivalent and not worse need one.
	Range float64 `toml:"range"`
	// PassAt is the value of the primary metric from which on a run passes, for pass^k, or up to
	// which if lower is better; nil for none. No metric is below 0, and no share above 1.
	PassAt *float64 `toml:"pass_at"`
	// StopWhenDecided ends the batch once the primary metric is decided, by an e-process. Values are then
	// compared with the baseline alone.
	StopWhenDecided bool `toml:"stop_when_decided"`

	// seatings say for each value of the axis who sits in the Seats.
	seatings map[string]seating
	// declared is what is compared of sides that no batch file describes, see [CompareSides]; nil for a batch,
	// where it is all that the axis changes.
	declared []string
}

// Metric is a metric of the user's own, by its name.
type Metric struct {
	// JQ is a jq expression over the canonical records of a run, which returns a number or null.
	JQ string `toml:"jq"`
	// Better is higher or lower; empty if neither is better.
	Better string `toml:"better"`
	// Unit is what it counts.
	Unit string `toml:"unit"`
	// Range is how much two runs can differ at most; 0 if that is not known.
	Range float64 `toml:"range"`
}

// What a gate can name: verdicts, and what an undecided one is.
var (
	gateVerdicts = []string{"better", "worse", "higher", "lower", "equivalent", "not_worse", "identical", "undecided",
		"too_few", "no_verdict"}
	gateUndecided = []string{"undecided", "pass", "fail"}
)

// fileTOML is the file as it is written.
type fileTOML struct {
	Name      string                                     `toml:"name"`
	Suite     string                                     `toml:"suite"`
	Scenarios []string                                   `toml:"scenarios"`
	Seeds     any                                        `toml:"seeds"`
	Repeats   *int64                                     `toml:"repeats"`
	Settings  map[string]map[string]any                  `toml:"settings"`
	Axes      map[string]map[string]map[string]axisEntry `toml:"axes"`
	Budget    Budget                                     `toml:"budget"`
	Compare   *Compare                                   `toml:"compare"`
	Gates     []Gate                                     `toml:"gates"`
	Metrics   map[string]Metric                          `toml:"metrics"`
}

// The bounds of a batch file and of what it describes.
const (
	fileBytesMost  = 1 << 20
	fileValuesMost = 20_000
	// SeedsMost and CellsMost bound the instances and cells of a batch.
	SeedsMost = 100_000
	CellsMost = 100_000
	// repeatsMost bounds the runs of an instance, nameMost the characters of a name.
	repeatsMost = 10_000
	nameMost    = 64
)

// Parse reads a batch file, which may name metrics of a list beside its own. The error joins everything that
// is wrong with it, see [Problems].
func Parse(data []byte, others metric.List) (File, error) {
	var t fileTOML
	var problems []error
	err := document.DecodeTOML(data, document.Limits{Bytes: fileBytesMost, Values: fileValuesMost}, &t)
	bad, _ := errors.AsType[*document.Error](err)
	if err != nil && bad == nil {
		return File{}, &Problem{0, err.Error()}
	}
	mistyped, whole := mistypedIn(bad)
	for _, one := range mistyped {
		problems = append(problems, &Problem{one.Line, one.Text()})
	}
	if !whole {
		return File{}, errors.Join(problems...)
	}
	lines := fileLines(document.Keys(data))
	wrong := func(line int, format string, args ...any) {
		// A value of a wrong type is read as none, and what follows from that would only add to the list.
		if !slices.ContainsFunc(mistyped, func(one *document.Error) bool { return one.Line == line }) {
			problems = append(problems, &Problem{line, fmt.Sprintf(format, args...)})
		}
	}
	conclusive := !lines.unknown(wrong)
	for _, one := range mistyped {
		conclusive = conclusive && !decisive(one.Key)
	}
	f := File{Name: strings.TrimSpace(t.Name), Scenarios: t.Scenarios, ScenariosLine: lines.of("scenarios"), Repeats: 1,
		Budget: t.Budget, Compare: t.Compare, Gates: t.Gates, lines: lines}
	switch {
	case f.Name == "":
		wrong(lines.of("name"), "name is missing; allowed: %s", nameAllowed)
	case !named(f.Name) || strings.ContainsRune("._-", rune(f.Name[0])): // a directory is named after it
		wrong(lines.of("name"), "name %s; allowed: %s, a letter or digit first", quoted(f.Name), nameAllowed)
	case plaintext.FileName(f.Name) != nil:
		wrong(lines.of("name"), "name %s: %v", quoted(f.Name), plaintext.FileName(f.Name))
	}
	f.Seeds, err = seedsOf(t.Seeds)
	if err != nil {
		wrong(lines.of("seeds"), "seeds: %s", err)
	}
	if t.Suite != "" {
		f.takeSuite(t.Suite, wrong)
	} else if len(f.Scenarios) == 0 {
		wrong(f.ScenariosLine, "scenarios is missing; allowed: a list of names of scenarios, or of paths relative to this "+
			"file")
	}
	for i, name := range f.Scenarios {
		if strings.TrimSpace(name) == "" || slices.Contains(f.Scenarios[:i], name) {
			wrong(f.ScenariosLine, "scenarios: %s is empty or given twice; allowed: each scenario once", quoted(name))
		}
	}
	if t.Repeats != nil {
		f.Repeats = *t.Repeats
		if f.Repeats < 1 || f.Repeats > repeatsMost {
			wrong(lines.of("repeats"), "repeats: %d is out of range; allowed: 1 to %d", f.Repeats, repeatsMost)
			f.Repeats = 1
		}
	}
	f.Settings = lines.settings([]string{"settings"}, t.Settings, wrong)
	before := len(problems)
	f.Axes = lines.axes(t, wrong)
	f.Metrics = lines.metrics(t, others, wrong)
	// So would what follows from an unknown key or a wrong axis.
	conclusive = conclusive && len(problems) == before && f.Size() <= CellsMost
	contradictions(f.Axes, wrong)
	for _, bound := range []struct {
		key  string
		most int64
	}{{"calls", f.Budget.Calls}, {"tokens", f.Budget.Tokens}} {
		if line := lines.of("budget", bound.key); line > 0 && bound.most < 1 {
			wrong(line, "budget.%s: %d is out of range; allowed: numbers from 1, or leave it out", bound.key, bound.most)
		}
	}
	if n := f.Size(); n > CellsMost {
		line := 0
		for _, key := range []string{"seeds", "repeats", "axes", "scenarios"} {
			line = cmp.Or(line, lines.of(key))
		}
		wrong(line, "the file describes %d cells; allowed: up to %d", n, CellsMost)
	}
	if f.Compare != nil && f.Compare.Seats != nil {
		f.Compare.seatings = f.seatingsOf(f.Compare)
	}
	f.Compare.checkNumbers(lines, wrong)
	if conclusive {
		f.checkConclusions(lines, wrong)
	}
	return f, errors.Join(problems...)
}

// takeSuite takes tasks and seeds of a suite.
func (f *File) takeSuite(name string, wrong func(int, string, ...any)) {
	suite, ok := scenario.SuiteNamed(name)
	if !ok {
		var names []string
		for _, s := range scenario.Suites() {
			names = append(names, s.Name)
		}
		wrong(f.Line("suite"), "suite %s: unknown; allowed: %s", quoted(name), strings.Join(names, ", "))
		return
	}
	for _, key := range []string{"scenarios", "seeds"} {
		if line := f.Line(key); line > 0 {
			wrong(line, "%s: the suite %s has its own; allowed: one of both", key, name)
		}
	}
	f.Suite = MarkOf(suite)
	f.Scenarios = suite.Tasks
	f.ScenariosLine = f.Line("suite")
	f.Seeds = suite.Seeds
}

// metrics are those of the file after others. One that others know only from records is the file's.
func (l fileLines) metrics(t fileTOML, others metric.List, wrong func(int, string, ...any)) metric.List {
	all := slices.Clone(others)
	for _, name := range l.below("metrics") {
		of := t.Metrics[name]
		m := metric.Metric{Name: name, JQ: of.JQ, Better: report.Direction(of.Better), Unit: of.Unit, Range: of.Range}
		if err := m.Check(); err != nil {
			wrong(l.of("metrics", name), "%v", err)
			continue
		}
		i := slices.IndexFunc(all, func(other metric.Metric) bool { return other.Name == name })
		switch {
		case i < 0:
			all = append(all, m)
		case all[i].Computes():
			wrong(l.of("metrics", name), "metric %s is given elsewhere, too; allowed: another name", name)
		default:
			all[i] = m
		}
	}
	return all
}

// keysOf are the keys of a table if key is none of them, and nil otherwise, or if any key may be
// there.
func keysOf(table reflect.Type, key []string) (allowed []string) {
	if table == nil {
		return nil
	}
	for _, f := range reflect.VisibleFields(table) {
		if f.Tag.Get("toml") == key[0] {
			return nil
		}
		if !f.IsExported() {
			continue
		}
		allowed = append(allowed, f.Tag.Get("toml"))
	}
	return allowed
}

// finite says that a value of a file is a number that can be compared.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// nameAllowed says what [named] takes.
var nameAllowed = fmt.Sprintf("1 to %d letters, digits, points, hyphens and underscores", nameMost)

// quoted is a text of the file in an error: escapes are those of JSON, as everywhere on a screen.
func quoted(text string) string { return plaintext.Escape(string(llmclient.Marshal(text))) }

// named says that a text can name a batch, an axis or a value.
func named(text string) bool {
	return text != "" && len(text) <= nameMost &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}
