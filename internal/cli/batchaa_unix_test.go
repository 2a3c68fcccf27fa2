//go:build !windows

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"example.com/agentworld/batch"
	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
)

// TestArmsThatAreTheSame compares the embedded model with itself under other seeds of its choices,
// many times, through the whole program. Nothing differs, so that a verdict of better or worse is a
// false alarm; and a handicap, 15% of the answers spoilt, is to be found.
func TestArmsThatAreTheSame(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("plays thousands of runs; set AGENT_WORLD_LONG=1")
	}
	const comparisons, pairs = 200, 10
	dir := os.Getenv("AGENT_WORLD_BATCH_DIR") // an hour of runs is worth keeping
	if dir == "" {
		dir = t.TempDir()
	}
	text := fmt.Sprintf("name = \"aa\"\nscenarios = [\"task_production_hardware_50\"]\nseeds = \"1-%d\"\n[axes.arm.one.llm]\nscripted_seed = 1\n[axes.arm.other.llm]\nscripted_seed = 1000001\n[axes.arm.spoilt.llm]\nscripted_seed = 1\nfaults = \"unusable=15%%\"\n", comparisons*pairs)
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, out := batchProcess(t, dir, "--dir", "d", "--jobs", "4", "--quiet")
	if code := ended(t, c, out); code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	byArm := map[string][]batch.Result{}
	for _, r := range batchResults(t, filepath.Join(dir, "d", batch.ResultsFile)) {
		byArm[fmt.Sprint(r.Seed%comparisons)] = append(byArm[fmt.Sprint(r.Seed%comparisons)], r)
	}
	alarms, found := map[string]int{}, 0
	for _, results := range byArm {
		var cells []batch.Cell
		for _, r := range results {
			cells = append(cells, r.Cell)
		}
		for _, metric := range []string{"score", "calls"} {
			list, err := batch.Comparisons(&batch.Compare{Axis: "arm", Baseline: "one", Pairs: "baseline", Primary: metric}, report.AllMetrics(), cells, results)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range list {
				v := one.Metrics[0]
				if one.Pairs != pairs || v.Pairs != pairs {
					t.Fatalf("%d pairs, of which %d have a %s; want %d", one.Pairs, v.Pairs, metric, pairs)
				}
				switch decided := v.P <= 0.05; {
				case one.Arm == "other" && decided:
					alarms[metric]++
				case one.Arm == "spoilt" && metric == "calls" && v.Outcome == stats.Worse:
					found++
				}
			}
		}
	}
	t.Logf("%d comparisons of %d pairs: %d alarms on score, %d on calls; the handicap found in %d", comparisons, pairs, alarms["score"], alarms["calls"], found)
	for metric, n := range alarms {
		if n > 18 { // a binomial of 200 and 5% is above it in 1% of cases
			t.Errorf("%d of %d comparisons of equal arms are decided by %s", n, comparisons, metric)
		}
	}
	if found < comparisons*8/10 {
		t.Errorf("the handicap is found in %d of %d comparisons", found, comparisons)
	}
}
