package batch

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
)

var update = flag.Bool("update", false, "rewrite golden files")

// played makes the cells and results of two arms over seeds from 1: score gives the score of a
// cell, or false for one that failed.
func played(seeds int, arms []string, score func(arm string, seed int) (float64, bool)) (cells []Cell, results []Result) {
	for seed := 1; seed <= seeds; seed++ {
		for _, arm := range arms {
			c := Cell{ID: ID(fmt.Sprintf("%s-%d", arm, seed)), Scenario: "chips", Seed: uint64(seed), Repeat: 1, Labels: []Label{{"model", arm}}}
			r := Result{Cell: c, Attempt: 1, Status: trace.RunCompleted, ModelSource: trace.SourceLive, Calls: 10, Tokens: 1000,
				Versions: Versions{Engine: "4", Rules: "9"}}
			if v, ok := score(arm, seed); ok {
				r.Metrics = MetricsOf(map[string]float64{"score": v, "calls": 10 + float64(seed%3)})
			} else {
				r.Status, r.Reason = trace.RunProviderFailed, "503"
			}
			cells, results = append(cells, c), append(results, r)
		}
	}
	return cells, results
}

// better has every score of large two above that of small.
func better(arm string, seed int) (float64, bool) {
	if arm == "large" {
		return float64(seed) + 2 + float64(seed%2)/10, true
	}
	return float64(seed), true
}

func TestVerdicts(t *testing.T) {
	arms := []string{"small", "large"}
	primary := func(c Comparison) MetricVerdict { return c.Metrics[0] }
	for _, of := range []struct {
		name   string
		seeds  int
		score  func(string, int) (float64, bool)
		change func(*Compare, []Result)
		want   stats.Outcome
	}{
		{"higher in every pair", 8, better, nil, stats.Better},
		{"lower is better", 8, better, func(c *Compare, r []Result) {
			c.Primary = "calls"
			for i := range r {
				score, _ := r[i].Metrics.Get("score")
				r[i].Metrics = MetricsOf(map[string]float64{"score": score, "calls": score})
			}
		}, stats.Worse},
		{"five pairs", 5, better, nil, stats.TooFew},
		{"as often up as down", 8, func(arm string, seed int) (float64, bool) {
			if arm == "large" {
				return float64(2 * (seed % 2)), true
			}
			return 1, true
		}, nil, stats.Undecided},
		{"within the margin", 45, func(arm string, seed int) (float64, bool) {
			if arm == "large" {
				return 10 + float64(seed%2)/10, true
			}
			return 10, true
		}, func(c *Compare, _ []Result) { c.Margin = 1; c.Range = 10 }, stats.Equivalent},
		{"within the margin of scores with a bound", 45, func(arm string, seed int) (float64, bool) {
			return float64(10 + seed%2), true
		}, func(c *Compare, r []Result) {
			c.Margin = 2
			for i := range r {
				r[i].ScoreBound = 20
			}
		}, stats.Equivalent},
		{"not worse", 40, func(arm string, seed int) (float64, bool) {
			if arm == "large" {
				return float64(10 + 9*(seed%2) - 6*((seed+1)%2)), true
			}
			return 10, true
		}, func(c *Compare, _ []Result) { c.Margin = 4; c.Range = 10 }, stats.NotWorse},
		{"worlds of the same bytes", 3, func(string, int) (float64, bool) { return 10, true }, func(_ *Compare, r []Result) {
			for i := range r {
				r[i].Digest = fmt.Sprint(r[i].Seed)
			}
		}, Identical},
		{"one world that differs", 3, func(string, int) (float64, bool) { return 10, true }, func(_ *Compare, r []Result) {
			for i := range r {
				r[i].Digest = fmt.Sprint(r[i].Seed + uint64(i/5))
			}
		}, stats.TooFew},
		{"one arm fails", 16, func(arm string, seed int) (float64, bool) {
			v, _ := better(arm, seed)
			return v, arm == "small" || seed > 7
		}, nil, NoVerdict},
		{"another version", 8, better, func(_ *Compare, r []Result) { r[3].Versions.Rules = "8" }, NoVerdict},
	} {
		t.Run(of.name, func(t *testing.T) {
			cells, results := played(of.seeds, arms, of.score)
			c := &Compare{Axis: "model", Baseline: "small"}
			if of.change != nil {
				of.change(c, results)
			}
			list, err := Comparisons(c, report.AllMetrics(), cells, results)
			if err != nil {
				t.Fatal(err)
			}
			if got := primary(list[0]); got.Outcome != of.want {
				t.Errorf("got %s, p %v, why %q; want %s", got.Outcome, got.P, list[0].Why, of.want)
			}
		})
	}
}

// TestPairsAreEqualInAllButTheAxis has a second axis, whose values must not be mixed.
func TestPairsAreEqualInAllButTheAxis(t *testing.T) {
	var cells []Cell
	results := map[ID]*Result{}
	for seed := range uint64(3) {
		for _, model := range []string{"a", "b"} {
			for _, protocol := range []string{"full", "lean"} {
				id := ID(fmt.Sprint(seed, model, protocol))
				c := Cell{ID: id, Scenario: "s", Seed: seed, Repeat: 1, Labels: []Label{{"model", model}, {"protocol", protocol}}}
				cells, results[id] = append(cells, c), &Result{Cell: c}
			}
		}
	}
	pairs := (&Compare{Axis: "model"}).match(cells).pairs(results, "b", "a")
	if len(pairs) != 6 {
		t.Fatalf("%d pairs, want one for each of 3 seeds and 2 protocols", len(pairs))
	}
	for _, p := range pairs {
		if p.arm.Label("protocol") != p.base.Label("protocol") || p.arm.Seed != p.base.Seed || p.arm.Label("model") != "b" || p.base.Label("model") != "a" {
			t.Errorf("%v is paired with %v", p.arm.Name(), p.base.Name())
		}
	}
}

// TestSeveralArmsShareTheLevel: what a report asks for beyond its pairs is what a plan from the same
// results asks for in all, with all pairs of arms and with the baseline alone.
func TestSeveralArmsShareTheLevel(t *testing.T) {
	cells, results := played(6, []string{"base", "a", "b", "c"}, func(arm string, seed int) (float64, bool) {
		return map[string]float64{"base": 0, "a": 3, "b": 3, "c": float64(seed%2) * 2}[arm], true
	})
	for pairs, contests := range map[string]int{"": 6, pairsBaseline: 3} {
		c := &Compare{Axis: "model", Baseline: "base", Effect: 1, Pairs: pairs}
		list, err := Comparisons(c, report.AllMetrics(), cells, results)
		if err != nil {
			t.Fatal(err)
		}
		p, err := PlanOf(c, report.AllMetrics(), cells, results, Question{Power: 0.8})
		if err != nil || len(list) != contests || len(p.Comparisons) != contests {
			t.Fatalf("%d comparisons, %d planned, %v, want %d", len(list), len(p.Comparisons), err, contests)
		}
		for i, one := range list {
			v := one.Metrics[0]
			if want := p.Comparisons[i].Clusters - 6; v.Outcome != stats.Undecided || v.FurtherPairs != want || !strings.Contains(v.words(), fmt.Sprint(want)) {
				t.Errorf("%s against %s: %s, want %d further pairs as the plan says", one.Arm, one.Baseline, v.words(), want)
			}
		}
	}
}

// TestPlaces: of five arms in a known order, two of them nearly alike, each has its place, and a
// table in that order says which were not told apart. Lower may be better.
func TestPlaces(t *testing.T) {
	scores := map[string]float64{"third": 10, "first": 16, "fourth": 7, "second": 15.9, "fifth": 2}
	for _, lower := range []bool{false, true} {
		cells, results := played(16, []string{"third", "first", "fourth", "second", "fifth"}, func(arm string, seed int) (float64, bool) {
			v := scores[arm] + math.Sin(float64(seed*len(arm)))
			if lower {
				v = 40 - v
			}
			return v, true
		})
		c := &Compare{Axis: "model"}
		if lower {
			c.Primary = "calls"
			for i := range results {
				results[i].Metrics = results[i].Metrics.With("calls", scoreOf(results[i]))
			}
		}
		s, err := Summarize(File{Compare: c}, cells, results)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range s.Ranks {
			got = append(got, fmt.Sprintf("%s %d-%d %v", r.Arm, r.Low, r.High, r.Groups))
		}
		want := []string{"first 1-2 [1]", "second 1-2 [1]", "third 3-3 [2]", "fourth 4-4 [3]", "fifth 5-5 [4]"}
		if !slices.Equal(got, want) || len(s.Comparisons) != 10 {
			t.Errorf("%d comparisons, places %q, want 10, %q", len(s.Comparisons), got, want)
		}
		if one := s.Comparisons[0]; one.Baseline != "third" || one.Arm != "first" || one.Metrics[0].Outcome != stats.Better {
			t.Errorf("the table begins with %s against %s: %s", one.Arm, one.Baseline, one.Metrics[0].Outcome)
		}
		for line := range strings.Lines(s.Text(80)) {
			line = strings.TrimSuffix(line, "\n")
			if n := len([]rune(line)); n > 80 && !strings.HasPrefix(line, "methods") {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		widest := s.Comparisons[4].Metrics[0].Interval
		ends := number(widest.Low) + " to " + number(widest.High) // an interval is never cut
		for _, word := range []string{"PLACE", "1 to 2", "group 1", "VERDICT", "<0.001", "INTERVAL", ends} {
			if text := s.Text(80); !strings.Contains(text, word) {
				t.Errorf("a table of 80 columns without %q:\n%s", word, text)
			}
		}
	}
}

// TestFewTasks: three tasks are asked about themselves, by instances that count alike by task, unless
// the file asks about tasks like these; plan and batch say what that takes.
func TestFewTasks(t *testing.T) {
	var cells []Cell
	var results []Result
	for task, instances := range map[string]int{"a": 4, "b": 4, "c": 1} {
		for seed := range instances {
			for _, arm := range []string{"small", "large"} {
				c := Cell{ID: ID(fmt.Sprint(task, seed, arm)), Scenario: task, Seed: uint64(seed), Repeat: 1, Labels: []Label{{"model", arm}}}
				score := map[string]float64{"a": 0.1, "b": 0.2, "c": 0.6}[task]
				if arm == "small" {
					score = 0
				}
				cells = append(cells, c)
				results = append(results, Result{Cell: c, Status: trace.RunCompleted, Metrics: MetricsOf(map[string]float64{"score_share": score})})
			}
		}
	}
	for tasks, want := range map[string]struct {
		outcome  stats.Outcome
		clusters int
		note     string
	}{
		"":             {stats.Better, 9, "about tasks like these it takes 3 tasks more"},
		tasksLikeThese: {stats.TooFew, 3, "it takes 3 tasks more"},
	} {
		c := &Compare{Axis: "model", Baseline: "small", Tasks: tasks, Effect: 0.1}
		list, err := Comparisons(c, report.AllMetrics(), cells, results)
		if err != nil {
			t.Fatal(err)
		}
		v := list[0].Metrics[0]
		if v.Outcome != want.outcome || v.Clusters != want.clusters || math.Abs(v.Difference-0.3) > 1e-9 || math.Abs(v.ArmMean-0.3) > 1e-9 {
			t.Errorf("tasks %q: %s of %d clusters, difference %v, want %s of %d, 0.3", tasks, v.Outcome, v.Clusters, v.Difference, want.outcome, want.clusters)
		}
		if notes := Remarks(c, report.AllMetrics(), cells); len(notes) != 1 || !strings.Contains(notes[0], want.note) {
			t.Errorf("tasks %q: before the batch %q", tasks, notes)
		}
		if p, err := PlanOf(c, report.AllMetrics(), cells, results, Question{Power: 0.8}); tasks == "" && (err != nil || p.Cluster != "instance" || !strings.Contains(p.Text(), want.note)) {
			t.Errorf("plan: %+v, %v", p, err)
		}
	}
}

// TestWatchedMeansCountBySeed: bets on a mean over tasks are looked at after all tasks of a seed, and signs
// after every instance.
func TestWatchedMeansCountBySeed(t *testing.T) {
	var cells []Cell
	var results []Result
	for seed := range 20 {
		for task := range 3 {
			for _, arm := range []string{"small", "large"} {
				c := Cell{ID: ID(fmt.Sprint(task, seed, arm)), Scenario: fmt.Sprint(task), Seed: uint64(seed), Repeat: 1, Labels: []Label{{"model", arm}}}
				cells = append(cells, c)
				score := 0.5
				if arm == "large" {
					score += 0.2 * float64(task-1) // higher in one task, lower in another
				}
				results = append(results, Result{Cell: c, Status: trace.RunCompleted, Metrics: MetricsOf(map[string]float64{"score_share": score})})
			}
		}
	}
	late := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Seed == 19 && r.Scenario != "0" })
	for _, tc := range []struct {
		compare  Compare
		results  []Result
		clusters int
	}{
		{Compare{Claim: claimMean}, results, 20},
		{Compare{Claim: claimMean}, late, 19},
		{Compare{Margin: 0.1}, late, 19},
		{Compare{}, late, 58},
	} {
		tc.compare.Baseline = "small"
		tc.compare.StopWhenDecided = true
		list, err := Comparisons(&tc.compare, report.AllMetrics(), cells, tc.results)
		if err != nil || list[0].Metrics[0].Clusters != tc.clusters || list[0].Metrics[0].Outcome.Differs() {
			t.Errorf("%+v, %v, want %d clusters, undecided", list, err, tc.clusters)
		}
	}
}

// TestUnknownRange: without one the table says that some verdicts are not offered, and a claim about
// the mean has none.
func TestUnknownRange(t *testing.T) {
	cells, results := played(8, []string{"small", "large"}, better)
	list, err := Comparisons(&Compare{Margin: 1}, report.AllMetrics(), cells, results)
	if err != nil || list[0].Metrics[0].Outcome != stats.Better || !strings.Contains(strings.Join(list[0].Notes, "\n"), "nothing bounds score") {
		t.Errorf("%+v, %v", list, err)
	}
	list, err = Comparisons(&Compare{Claim: claimMean}, report.AllMetrics(), cells, results)
	if err != nil || list[0].Metrics[0].Outcome != NoVerdict || !strings.Contains(list[0].Why, "range") {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := Comparisons(&Compare{Claim: claimMean, Primary: "calls"}, report.AllMetrics(), cells, results); err == nil || !strings.Contains(err.Error(), "range") {
		t.Errorf("calls have no range: %v", err)
	}
	for i := range results {
		results[i].ScoreBound = 11
	}
	list, err = Comparisons(&Compare{Claim: claimMean}, report.AllMetrics(), cells, results)
	if err != nil || list[0].Metrics[0].Outcome != stats.Undecided || list[0].Metrics[0].Interval == nil {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestWhatWasInVain: what became of calls that were asked ahead is summed beside those of the runs, and changes no verdict.
func TestWhatWasInVain(t *testing.T) {
	cells, results := played(6, []string{"small", "large"}, better)
	want, err := Summarize(File{}, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	results[0].InVain = &InVain{Calls: 3, Used: 5, Open: 2, Tokens: 60, CostMicros: 2_000_000}
	results[1].InVain = &InVain{Calls: 1, Used: 4, Tokens: 10, CostMicros: 500_000}
	got, err := Summarize(File{}, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	if got.InVain != (InVain{Calls: 4, Used: 9, Open: 2, Tokens: 70, CostMicros: 2_500_000}) || got.Calls != want.Calls || !cmp.Equal(got.Comparisons, want.Comparisons) {
		t.Errorf("%+v, %d calls, want %d", got.InVain, got.Calls, want.Calls)
	}
	for name, text := range map[string]string{"text": got.Text(0), "markdown": got.Markdown()} {
		if !strings.Contains(text, "9 used, and beside those above 4 in vain") {
			t.Errorf("%s does not say it:\n%s", name, text)
		}
	}
}

// TestCutShort: runs with fewer ticks than their task say so wherever a score is missing.
func TestCutShort(t *testing.T) {
	cells, results := played(6, []string{"small", "large"}, better)
	for i := range results {
		results[i].Metrics = MetricsOf(map[string]float64{"calls": 10})
		results[i].CutShort, results[i].Reason = true, "cut short: 5 of the 40 ticks of its task"
	}
	s, err := Summarize(File{}, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{"json": `"cut_short": 12`, "csv": ",true,", "text": "12 scored (12 cut short)", "markdown": "cut short"} {
		if !strings.Contains(string(s.Write(format)), want) {
			t.Errorf("%s does not say %q:\n%s", format, want, s.Write(format))
		}
	}
	if text := s.Text(0); !strings.Contains(text, "6 of 6 pairs without a score: the runs of 6 were cut short") || !strings.Contains(text, "too few; at least 6 pairs more") {
		t.Error(text)
	}
}

// TestALackingScoreHasItsReason: where pairs count and have no score, the table says of which scenarios, and why.
func TestALackingScoreHasItsReason(t *testing.T) {
	cells, results := played(8, []string{"small", "large"}, better)
	for i := range results {
		switch seed := cells[i].Seed; {
		case seed < 4:
			cells[i].Scenario = "taskless"
			results[i].Metrics = MetricsOf(map[string]float64{"calls": 10})
		case seed == 4:
			cells[i].Scenario = "boundless"
			results[i].Metrics = MetricsOf(map[string]float64{"score": 1})
		}
		results[i].Cell = cells[i]
	}
	s, err := Summarize(File{Compare: &Compare{Primary: "score_share"}}, cells, results)
	want := "without a score_share: there is no task in taskless; nothing bounds the score of boundless"
	if err != nil || !strings.Contains(s.Text(0), want) {
		t.Errorf("%v, no %q in\n%s", err, want, s.Text(0))
	}
}

// TestMeansAreThoseOfTheDifference: with one instance of many repeats and two of one, the means over
// instances differ by what the verdict says; a longer arm is noted.
func TestMeansAreThoseOfTheDifference(t *testing.T) {
	var cells []Cell
	var results []Result
	for i, seed := range []uint64{1, 1, 1, 1, 2, 3} {
		for _, arm := range []string{"small", "large"} {
			c := Cell{ID: ID(fmt.Sprint(arm, i)), Scenario: "s", Seed: seed, Repeat: int64(i + 1), Labels: []Label{{"model", arm}}}
			r := Result{Cell: c, Status: trace.RunCompleted, Ticks: 20, Metrics: MetricsOf(map[string]float64{"score": 10})}
			if arm == "large" {
				r.Ticks, r.Metrics = 30, MetricsOf(map[string]float64{"score": map[bool]float64{true: 20, false: 4}[seed == 1]})
			}
			cells, results = append(cells, c), append(results, r)
		}
	}
	list, err := Comparisons(&Compare{Axis: "model", Primary: "score"}, report.AllMetrics(), cells, results)
	if err != nil {
		t.Fatal(err)
	}
	if v := list[0].Metrics[0]; math.Abs(v.ArmMean-28./3) > 1e-9 || math.Abs(v.ArmMean-v.BaselineMean-v.Difference) > 1e-9 {
		t.Errorf("means %v and %v, difference %v", v.ArmMean, v.BaselineMean, v.Difference)
	}
	if !slices.Contains(list[0].Notes, "the runs are not equally long: 30 and 20 ticks") {
		t.Errorf("%q", list[0].Notes)
	}
}

func TestDecided(t *testing.T) {
	arms := []string{"small", "large"}
	c := &Compare{Axis: "model", Primary: "score", StopWhenDecided: true}
	cells, results := played(40, arms, better)
	stopped := 0
	for n := 2; n <= len(results) && stopped == 0; n += 2 {
		done, err := Options{Compare: c}.Decided(cells, results[:n])
		if err != nil {
			t.Fatal(err)
		}
		if done {
			stopped = n / 2
		}
	}
	if stopped != 7 {
		t.Errorf("decided after %d pairs of nearly equal differences, want 7", stopped)
	}
	s, err := Summarize(File{Compare: c, Gates: []Gate{{Metric: "score", Verdict: []string{"better"}}}}, cells, results[:2*stopped])
	if err != nil || s.Verdict != Passed {
		t.Errorf("a batch that ended when it was decided: %s, %v", s.Verdict, err)
	}
	// A difference outside of the range is no failure of the batch: it was paid for.
	narrow := *c
	narrow.Range = 1
	if list, err := Comparisons(&narrow, report.AllMetrics(), cells, results); err != nil || list[0].Metrics[0].Outcome != NoVerdict || !strings.Contains(list[0].Why, "range") {
		t.Errorf("a range that is too small: %+v, %v", list, err)
	}
	// The second pair is missing: what comes after it must wait, in whatever order cells are listed.
	late := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Seed == 2 })
	backwards := slices.Clone(cells)
	slices.Reverse(backwards)
	for _, order := range [][]Cell{cells, backwards} {
		if done, err := (Options{Compare: c}).Decided(order, late); err != nil || done {
			t.Errorf("decided %v by pairs after one that is open, %v", done, err)
		}
	}
	if list, err := Comparisons(c, report.AllMetrics(), cells, late); err != nil || !strings.Contains(list[0].words(list[0].Metrics[0]), "undecided so far") {
		t.Errorf("%+v, %v", list, err)
	}
	list, err := Comparisons(c, report.AllMetrics(), cells, results)
	if err != nil || list[0].Metrics[0].Outcome != stats.Better || !list[0].Metrics[0].Sequential {
		t.Errorf("%+v %v", list, err)
	}
	equal := &Compare{Axis: "model", Margin: 1, Range: 10, StopWhenDecided: true}
	cells, results = played(50, arms, func(_ string, seed int) (float64, bool) { return float64(seed % 3), true })
	if done, err := (Options{Compare: equal}).Decided(cells, results); err != nil || !done {
		t.Errorf("fifty equal pairs are not found equivalent: %v, %v", done, err)
	}
}

func TestPasses(t *testing.T) {
	var cells []Cell
	var results []Result
	for seed := range uint64(2) {
		for repeat := range int64(3) {
			for _, arm := range []string{"a", "b"} {
				c := Cell{ID: ID(fmt.Sprint(arm, seed, repeat)), Scenario: "s", Seed: seed, Repeat: repeat + 1, Labels: []Label{{"model", arm}}}
				score := float64(repeat) // seed 0 passes in 2 of 3, seed 1 in all
				if seed == 1 {
					score = 5
				}
				cells = append(cells, c)
				results = append(results, Result{Cell: c, Status: trace.RunCompleted, Metrics: MetricsOf(map[string]float64{"score": score})})
			}
		}
	}
	at := 1.0
	list, err := Comparisons(&Compare{PassAt: &at}, report.AllMetrics(), cells, results)
	if err != nil {
		t.Fatal(err)
	}
	got := list[0].Metrics[0].ArmPass
	if got.Passed != 5 || got.Runs != 6 || got.K != 3 || got.PassK != 0.5 {
		t.Errorf("%+v, want 5 of 6, and all 3 repeats in half of the instances", got)
	}
}

func TestGates(t *testing.T) {
	num := func(v float64) *float64 { return &v }
	arms := []string{"small", "large"}
	cells, results := played(8, arms, better)
	open := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Seed == 8 })
	for _, of := range []struct {
		gate    Gate
		results []Result
		want    Verdict
	}{
		{Gate{Metric: "score", AtLeast: num(4)}, results, Passed},
		{Gate{Metric: "score", AtLeast: num(6)}, results, GateFailed},
		{Gate{Metric: "score", AtLeast: num(6), Arm: "large"}, results, Passed},
		{Gate{Metric: "score", AtMost: num(3), Arm: "large"}, results, GateFailed},
		{Gate{Metric: "score", AtLeast: num(1)}, open, Undecided},
		{Gate{Metric: "cost", AtMost: num(1)}, results, Undecided},
		{Gate{Metric: "accepted.mine_compound", AtMost: num(0)}, results, Passed},
		{Gate{Metric: "score", Arm: "large", Verdict: []string{"better", "equivalent"}}, results, Passed},
		{Gate{Metric: "score", Arm: "large", Verdict: []string{"equivalent"}}, results, GateFailed},
		{Gate{Metric: "score", Arm: "large", Verdict: []string{"not_worse"}}, results, Passed},
		{Gate{Metric: "score", Arm: "large", Verdict: []string{"better"}}, results[:10], Undecided},
		{Gate{Metric: "decisions", Verdict: []string{"better"}}, results, Undecided},
		{Gate{Metric: "decisions", Verdict: []string{"better"}, Undecided: "fail"}, results, GateFailed},
		{Gate{Metric: "cost", AtMost: num(1), Undecided: "fail"}, results, GateFailed},
		{Gate{Metric: "score", AtLeast: num(1), Undecided: "pass"}, open, Undecided},
		{Gate{Metric: "score", Arm: "large", Verdict: []string{"better"}, Undecided: "pass"}, results[:10], Undecided},
		{Gate{Metric: "score", Arm: "large", Verdict: []string{"better"}}, results[:14], Undecided},
		{Gate{Metric: "decisions", Verdict: []string{"better"}, Undecided: "pass"}, results, Passed},
	} {
		s, err := Summarize(File{Gates: []Gate{of.gate}}, cells, of.results)
		if err != nil {
			t.Fatal(err)
		}
		if s.Verdict != of.want || s.Gates[0].Verdict != of.want || s.Gates[0].Why == "" {
			t.Errorf("%s over %d results: %+v, want %s", of.gate.Text(), len(of.results), s.Gates[0], of.want)
		}
	}
	for _, wrong := range []Gate{{Metric: "scores", AtLeast: num(1)}, {Metric: "score", Arm: "medium", AtLeast: num(1)}} {
		if _, err := Summarize(File{Gates: []Gate{wrong}}, cells, results); err == nil {
			t.Errorf("no error for %s", wrong.Text())
		}
	}
}

// hostile is a batch whose names and reasons are markup, formulas, escapes and line breaks.
func hostile(t *testing.T) Summary {
	arms := []string{`=HYPERLINK("http://x","y")`, "<script>alert(1)</script>|**b**\x1b[31m"}
	cells, results := played(8, arms, func(arm string, seed int) (float64, bool) { return float64(len(arm) + seed%2), seed != 5 })
	for i := range results {
		if !results[i].Scored() {
			results[i].Reason = "@SUM(1)\n::error::[x](http://x)"
		}
	}
	num := 1.0
	s, err := Summarize(File{Name: "a \"b\" <c>\u202e", Gates: []Gate{{Metric: "score", AtLeast: &num}, {Metric: "score", Arm: arms[1], Verdict: []string{"better"}}}}, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOutputsOfHostileTexts(t *testing.T) {
	s := hostile(t)
	for _, format := range Formats {
		text := string(s.Write(format))
		if format == "json" {
			var back Summary
			if err := json.Unmarshal([]byte(text), &back); err != nil || back.Arms[1].Arm != s.Arms[1].Arm {
				t.Errorf("JSON does not read back: %v", err)
			}
			continue
		}
		if strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%s has control characters", format)
		}
		switch format {
		case "html", "junit":
			if strings.Contains(text, "<script") || strings.Contains(text, "<c>") {
				t.Errorf("%s has markup of a name", format)
			}
		case "markdown":
			for line := range strings.Lines(text) {
				if strings.Contains(line, "**b**") || strings.Contains(line, "](") || strings.HasPrefix(line, "::") {
					t.Errorf("markup of a name: %s", line)
				}
				if cells := strings.Count(line, "|"); strings.HasPrefix(line, "| &#61;HYPER") && cells < 4 {
					t.Errorf("a row is broken: %s", line)
				}
			}
		case "csv":
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows[1:] {
				for _, cell := range row {
					if cell != "" && strings.ContainsRune("=@+", rune(cell[0])) {
						t.Errorf("a cell begins like a formula: %s", cell)
					}
				}
			}
		}
	}
	var suite junitSuite
	if err := xml.Unmarshal(s.JUnit(), &suite); err != nil {
		t.Fatal(err)
	}
	if suite.Errors != 2 || suite.Failures != 0 || suite.Skipped < 1 || suite.Tests != len(suite.Cases) {
		t.Errorf("%d tests, %d errors, %d failures, %d skipped", suite.Tests, suite.Errors, suite.Failures, suite.Skipped)
	}
}

// TestOutputs compares each format with a golden file.
func TestOutputs(t *testing.T) {
	num := 4.5
	cells, results := played(8, []string{"small", "large"}, better)
	s, err := Summarize(File{Name: "models", Compare: &Compare{Metrics: []string{"calls"}}, Gates: []Gate{{Metric: "score", AtLeast: &num}}}, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range Formats {
		path := filepath.Join("testdata", "summary."+format)
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, s.Write(format), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(s.Write(format))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
}

func TestMarkdownIsBounded(t *testing.T) {
	arms := make([]string, 1200)
	for i := range arms {
		arms[i] = fmt.Sprintf("%d %s", i, strings.Repeat("#", 280))
	}
	cells, results := played(1, arms, better)
	s, err := Summarize(File{}, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	if text := s.Markdown(); len(text) > 1024<<10 || !strings.Contains(text, "rows more") {
		t.Errorf("%d bytes", len(text))
	}
}

// TestMethods: the line below a table says what was tested at which level, on what, and who answered.
func TestMethods(t *testing.T) {
	cells, results := played(9, []string{"one", "two", "three"}, better)
	for i := range results {
		results[i].Answered = []string{"m-2026-01-02", "m-\x1b[31mother"}
		results[i].Date = fmt.Sprintf("2026-02-0%d", 1+i%3)
		results[i].ScoreBound = 40
	}
	for i := range cells {
		cells[i].Seed += cells[i].Seed / 9 * 4 // 13 in place of 9
		results[i].Seed = cells[i].Seed
	}
	s, err := Summarize(File{Compare: &Compare{Margin: 2, Metrics: []string{"calls"}}}, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"* the primary metric", "sign-flip test by instance", "margin 2", "level 5%",
		"Holm over 3 comparisons on score and over the other metrics", "engine 4, rules 9", "seeds 1-8, 13", "2026-02-01 to 2026-02-03",
		"answered by m-2026-01-02, m-"} {
		if !strings.Contains(s.Methods, part) {
			t.Errorf("%q is not in %q", part, s.Methods)
		}
	}
	if strings.Contains(s.Methods, "\x1b") {
		t.Error("a name of a model has an escape")
	}
	s, _ = Summarize(File{Compare: &Compare{StopWhenDecided: true, Claim: claimMean, Range: 40}}, cells, results)
	if !strings.Contains(s.Methods, "e-process of bets on the mean") || len(s.Comparisons) != 2 || len(s.Ranks) != 0 {
		t.Errorf("%d comparisons, %q", len(s.Comparisons), s.Methods)
	}
}

// TestStoppingBatchesPlayBySeed, since they look after each.
func TestStoppingBatchesPlayBySeed(t *testing.T) {
	f := File{Scenarios: []string{"a", "b"}, Seeds: []uint64{7, 3}, Repeats: 2, Compare: &Compare{StopWhenDecided: true},
		Axes: []Axis{{Name: "arm", Values: []AxisValue{{Name: "x"}, {Name: "y"}}}}}
	var seeds, scenarios []string
	for c := range f.Combinations() {
		seeds = append(seeds, fmt.Sprint(c.Cell.Seed))
		scenarios = append(scenarios, c.Cell.Scenario)
	}
	if got, want := strings.Join(seeds, ""), "3333333377777777"; got != want {
		t.Errorf("seeds %s, want %s", got, want)
	}
	if got, want := strings.Join(scenarios, ""), "aaaabbbbaaaabbbb"; got != want {
		t.Errorf("scenarios %s, want %s", got, want)
	}
}
