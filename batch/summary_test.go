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
		{"within the margin", 12, func(arm string, seed int) (float64, bool) {
			if arm == "large" {
				return 10 + float64(seed%2)/10, true
			}
			return 10, true
		}, func(c *Compare, _ []Result) { c.Margin = 1 }, stats.Equivalent},
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
	pairs := match(cells, "model").pairs(results, "b", "a")
	if len(pairs) != 6 {
		t.Fatalf("%d pairs, want one for each of 3 seeds and 2 protocols", len(pairs))
	}
	for _, p := range pairs {
		if p.arm.Label("protocol") != p.base.Label("protocol") || p.arm.Seed != p.base.Seed || p.arm.Label("model") != "b" || p.base.Label("model") != "a" {
			t.Errorf("%v is paired with %v", p.arm.Name(), p.base.Name())
		}
	}
}

// TestDecided stops a batch as soon as an e-process is sure, and not before.
// TestSeveralArmsShareTheLevel: what a report asks for beyond its pairs is what a plan from the same
// results asks for in all. A comparison that is undecided always says how many.
func TestSeveralArmsShareTheLevel(t *testing.T) {
	cells, results := played(6, []string{"base", "a", "b", "c"}, func(arm string, seed int) (float64, bool) {
		return map[string]float64{"base": 0, "a": 3, "b": 3, "c": float64(seed%2) * 2}[arm], true
	})
	c := &Compare{Axis: "model", Baseline: "base", Effect: 1}
	s, err := Summarize(File{Compare: c}, cells, results)
	if err != nil {
		t.Fatal(err)
	}
	p, err := PlanOf(c, report.AllMetrics(), cells, results, Question{Power: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range s.Comparisons {
		v := one.Metrics[0]
		if want := p.Comparisons[i].Clusters - 6; v.Outcome != stats.Undecided || v.FurtherPairs != want || !strings.Contains(v.words(), fmt.Sprint(want)) {
			t.Errorf("%s: %s, want %d further pairs as the plan says", one.Arm, v.words(), want)
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
	c := &Compare{Axis: "model", Primary: "score", Range: 4, StopWhenDecided: true}
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
	if stopped < 6 || stopped > 20 {
		t.Errorf("decided after %d pairs with a difference of half the range in each", stopped)
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
	// The twelfth pair, not the first ones, is missing: what comes behind it must wait.
	late := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Seed == 2 })
	if done, err := (Options{Compare: c}).Decided(cells, late); err != nil || done {
		t.Errorf("decided %v by pairs behind one that is open, %v", done, err)
	}
	list, err := Comparisons(c, report.AllMetrics(), cells, results)
	if err != nil || list[0].Metrics[0].Outcome != stats.Better || !list[0].Metrics[0].Sequential {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := Comparisons(&Compare{Axis: "model", Primary: "score", StopWhenDecided: true}, report.AllMetrics(), cells, results); err == nil || !strings.Contains(err.Error(), "range") {
		t.Errorf("an e-process without a range: %v", err)
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
