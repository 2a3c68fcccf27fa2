package agentworld_test

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/baseline"
	"example.com/agentworld/world/scenario"
)

var update = flag.Bool("update", false, "rewrite the scores of the embedded model and the table made of them (ten minutes)")

const (
	// embeddedPath has what the embedded model scores, benchmarksPath the table made of it.
	embeddedPath, benchmarksPath = "baseline/testdata/embedded.csv", "BENCHMARKS.md"
	// samples are how many seeds of the model, and how many instances, are run of each task.
	samples = 10
)

// modelRun is one run of the embedded model under default settings.
type modelRun struct {
	task               string
	seed, scriptedSeed uint64
}

// row is its line of the table, without the score.
func (r modelRun) row() string { return fmt.Sprintf("%s,%d,%d", r.task, r.seed, r.scriptedSeed) }

// modelRuns lists the recorded runs of a task: its own instance under the default seed of the model
// and under others, then other instances, with those of suites.
func modelRuns(task string, own uint64) []modelRun {
	list := []modelRun{{task, own, own}}
	add := func(r modelRun) {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	for n := range uint64(samples) {
		add(modelRun{task, own, n})
	}
	for n := range uint64(samples) {
		add(modelRun{task, n, n})
	}
	for _, suite := range scenario.Suites() {
		if slices.Contains(suite.Tasks, task) {
			for _, seed := range suite.Seeds {
				add(modelRun{task, seed, seed})
			}
		}
	}
	return list
}

// play returns the score of a run.
func (r modelRun) play(t *testing.T) int64 {
	t.Helper()
	settings, err := agentworld.Defaults(r.task)
	if err != nil {
		t.Fatal(err)
	}
	settings.Seed, settings.ScriptedSeed, settings.FaultSeed = r.seed, r.scriptedSeed, r.scriptedSeed
	dir := filepath.Join(t.TempDir(), "run")
	result, err := agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir})
	if err != nil || !result.Report.Task.Complete {
		t.Fatalf("%s: %v, %+v", r.row(), err, result)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	return result.Report.Task.Score
}

// taskScenarios lists the names of the tasks with their seeds.
func taskScenarios() (names []string, seeds []uint64) {
	for _, name := range scenario.Names() {
		if s, _, _ := scenario.Embedded(name); s.Task != nil {
			names, seeds = append(names, name), append(seeds, s.Seed)
		}
	}
	return names, seeds
}

// readEmbedded reads the recorded scores by row.
func readEmbedded(t *testing.T) map[string]int64 {
	t.Helper()
	f, err := os.Open(embeddedPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string]int64{}
	for _, row := range rows[1:] {
		if scores[strings.Join(row[:3], ",")], err = strconv.ParseInt(row[3], 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	return scores
}

// TestEmbeddedModelScores runs the embedded model: the shortest tasks under one of their recorded
// seeds each, at full size every recorded run.
func TestEmbeddedModelScores(t *testing.T) {
	names, seeds := taskScenarios()
	if *update {
		writeEmbedded(t, names, seeds)
	}
	recorded := readEmbedded(t)
	for i, name := range names {
		runs := modelRuns(name, seeds[i])
		for n, r := range runs {
			want, ok := recorded[r.row()]
			if !ok {
				t.Errorf("%s is not in %s; see -update", r.row(), embeddedPath)
			}
			short := strings.HasSuffix(name, "_40") || strings.HasSuffix(name, "_50")
			if *update || os.Getenv("AGENT_WORLD_LONG") == "" && (!short || n != i%len(runs)) {
				continue
			}
			if got := r.play(t); got != want {
				t.Errorf("%s: the score is %d, recorded %d; see -update", r.row(), got, want)
			}
		}
	}
}

// writeEmbedded plays all runs and writes both tables. With -run TestEmbeddedModelScores/runs/TASK only the
// rows of that task are played.
func writeEmbedded(t *testing.T, names []string, seeds []uint64) {
	rows := make([]string, len(names))
	before := readEmbedded(t)
	for i, name := range names {
		for _, r := range modelRuns(name, seeds[i]) {
			if score, ok := before[r.row()]; ok {
				rows[i] += fmt.Sprintf("%s,%d\n", r.row(), score)
			}
		}
	}
	t.Run("runs", func(t *testing.T) {
		for i, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				rows[i] = ""
				for _, r := range modelRuns(name, seeds[i]) {
					rows[i] += fmt.Sprintf("%s,%d\n", r.row(), r.play(t))
				}
			})
		}
	})
	if err := os.WriteFile(embeddedPath, []byte("task,seed,scripted_seed,score\n"+strings.Join(rows, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	rest, _, _ := strings.Cut(readBenchmarks(t), noiseTitle)
	page := strings.TrimRight(rest, "\n") + "\n\n" + noiseTable(readEmbedded(t))
	if err := os.WriteFile(benchmarksPath, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}

// noiseTitle begins the table in [benchmarksPath], which ends the page.
const noiseTitle = "## Noise floor of the tasks\n"

func readBenchmarks(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(benchmarksPath)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// noiseTable shows the spread of the scores over seeds of the model and over instances.
func noiseTable(scores map[string]int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, `%s
What the embedded model scores in a task under default settings: mean, standard deviation, least and most over the seeds 0 to %d of its choices
(`+"`--scripted-seed`"+`) at the task's own instance, then over the instances of the seeds 0 to %d. A difference between two single runs that is not well above
the first deviation says nothing; between runs on different instances, the second. `+"`go test . -run TestEmbeddedModelScores -update`"+` measures again.

"Told" is how many instances it takes to tell the scripted agents from themselves with 15%% and with 30%% of their turns replaced by waits, by the
verdict's own test: a task in which %d instances do not tell 30%% is unfit to compare players. A bound that is more than half above the best known score
is left out.

| task | bound | told at 15%%, 30%% | own instance | range | ten instances | range |
|---|---|---|---|---|---|---|
`, noiseTitle, samples-1, samples-1, baseline.SensitivityInstances)
	names, seeds := taskScenarios()
	for i, name := range names {
		s, _, _ := scenario.Embedded(name)
		bound := "-"
		if !baseline.BoundIsLoose(name) {
			bound = fmt.Sprint(baseline.BoundOf(s.Instance(s.Seed)).Score)
		}
		sensitivity, _ := baseline.SensitivityOf(name)
		fmt.Fprintf(&b, "| %s | %s | %s", strings.TrimPrefix(name, "task_"), bound, sensitivity)
		var own, others []int64
		for n := range uint64(samples) {
			own = append(own, scores[modelRun{name, seeds[i], n}.row()])
			others = append(others, scores[modelRun{name, n, n}.row()])
		}
		for _, list := range [][]int64{own, others} {
			mean, deviation := spread(list)
			fmt.Fprintf(&b, " | %.1f ± %.1f | %d to %d", mean, deviation, slices.Min(list), slices.Max(list))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// spread is the mean of some scores with their standard deviation.
func spread(list []int64) (mean, deviation float64) {
	var sum int64
	for _, n := range list {
		sum += n
	}
	mean = float64(sum) / float64(len(list))
	for _, n := range list {
		deviation += (float64(n) - mean) * (float64(n) - mean) / float64(len(list)-1)
	}
	return mean, math.Sqrt(deviation)
}

// TestNoiseFloorIsPublished: the table of the page is made of the recorded scores.
func TestNoiseFloorIsPublished(t *testing.T) {
	if page, want := readBenchmarks(t), noiseTable(readEmbedded(t)); !strings.HasSuffix(page, want) {
		t.Errorf("%s does not end in this table; see -update:\n%s", benchmarksPath, want)
	}
}
