package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// runsDirDefault is where runs are made that name no directory.
const runsDirDefault = ".tmp/runs"

// lookAtRun is a run directory as lists show it.
type keptRun struct {
	Dir       string          `json:"dir"`
	Scenario  string          `json:"scenario"`
	Seed      uint64          `json:"seed"`
	Model     string          `json:"model"`
	StartedAt string          `json:"started_at"`
	Status    trace.RunStatus `json:"status"`
	Ticks     int64           `json:"ticks"`
	// Score is that of the task, null without one or if it was cut short.
	Score      *int64 `json:"score"`
	Calls      int64  `json:"calls"`
	CostMicros int64  `json:"cost_micros"`
	Currency   string `json:"currency"`
	Bytes      int64  `json:"bytes"`
	// Holder is the process that works on it now.
	Holder string `json:"holder"`
	// name is directory and name of the run, parents are those of the runs it was forked from.
	name    string
	parents []string
	started time.Time
}

// pruneFlags choose the runs to remove.
type pruneFlags struct {
	OlderThan string `flag:"older-than" doc:"only runs that began longer ago, such as 14d or 36h"`
	Keep      int    `flag:"keep" doc:"keep so many of the newest"`
	Status    string `flag:"status" doc:"only runs that ended so, such as interrupted or unfinished, with commas between"`
	Yes       bool   `flag:"yes" doc:"remove them"`
	// keepGiven says that Keep is the user's.
	keepGiven bool
}

// runsCommand lists run directories and removes old ones.
func runsCommand(m *Main) *cobra.Command {
	var asJSON bool
	list := &cobra.Command{
		Use: "list [DIR]", Short: "list the runs in a directory with what they did, cost and take on disk",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := runsIn(m, firstOr(args, runsDirDefault))
			if err != nil {
				return err
			}
			if dir := firstOr(args, runsDirDefault); batch.Dir(m.path(dir)).Thinned() {
				plaintext.Fprintf(m.Stderr, "note: %s was thinned: runs were removed, batch report has their results\n", shown(dir))
			}
			if asJSON {
				return m.printJSON(runs)
			}
			return printRuns(m, runs)
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print one JSON list")
	var f pruneFlags
	prune := &cobra.Command{
		Use: "prune [DIR]", Short: "remove old runs; says which, and removes them only with --yes",
		Long: `Remove runs from a directory: those that are older, that have a status, or all but the
newest. Conditions add up. Without --yes nothing is removed, and what would be is listed.

A run that a process works on stays, and so does one that another run was forked from, unless
that one goes, too. Only directories that hold a run are touched, and in them only its files.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return pruneRuns(m, firstOr(args, runsDirDefault), f) },
	}
	addOptions(prune.Flags(), &f)
	prune.PreRun = func(c *cobra.Command, _ []string) { f.keepGiven = c.Flags().Changed("keep") }
	return group("runs", "list runs and remove old ones", list, prune)
}

// firstOr is the first argument, or a default.
func firstOr(args []string, fallback string) string {
	if len(args) > 0 {
		return args[0]
	}
	return fallback
}

// runsIn are the runs in a directory, or in the cells of a batch, the newest first. Links are not
// followed.
func runsIn(m *Main, name string) ([]keptRun, error) {
	m.collectMore()
	var dirs []string
	_, cells, noBatch := batch.Dir(m.path(name)).Cells()
	if noBatch == nil {
		ids := make([]batch.ID, 0, len(cells))
		for _, c := range cells {
			ids = append(ids, c.ID)
		}
		dirs, _ = batch.Dir(m.path(name)).Runs(ids...) // what cannot be read holds no run to list
	} else {
		entries, err := os.ReadDir(m.path(name))
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && name == runsDirDefault) {
			return nil, badInput("%s cannot be read: %w; allowed: a directory of runs", shown(name), cause(err))
		}
		for _, e := range entries {
			if e.IsDir() {
				dirs = append(dirs, e.Name())
			}
		}
	}
	runs := []keptRun{}
	for _, dir := range dirs {
		if r, ok := lookAtRun(m, filepath.Join(name, dir)); ok {
			runs = append(runs, r)
		}
	}
	slices.SortStableFunc(runs, func(a, b keptRun) int { return b.started.Compare(a.started) })
	return runs, nil
}

// lookAtRun looks at a run directory; false if it holds no run.
func lookAtRun(m *Main, dir string) (keptRun, bool) {
	path := m.path(dir)
	h, err := run.Dir(path).Header()
	if err != nil {
		return keptRun{}, false
	}
	s := h.Latest()
	r := keptRun{Dir: dir, Scenario: s.Scenario, Seed: s.Seed, Model: s.Model,
		Holder: run.Dir(path).Holder(), name: filepath.Base(dir) + " " + h.RunName()}
	for _, f := range h.Forks {
		r.parents = append(r.parents, f.Parent.Name+" "+f.Parent.Run)
	}
	if h.Timing != nil {
		r.StartedAt = h.Timing.StartedAt
		r.started, _ = time.Parse(time.RFC3339, h.Timing.StartedAt) // else it is the oldest
	}
	r.Ticks, r.Status = run.Dir(path).Ending()
	// The report is what its run said at its end; a list need not read the trace again.
	var told report.Report
	if data, err := readBounded(filepath.Join(path, run.ReportFile), 64<<20); err == nil &&
		json.Unmarshal(data, &told) == nil && r.Holder == "" {
		all := told.Metrics()
		r.Status = told.RunStatus
		r.Ticks = told.WorldTime
		r.Calls = int64(all["calls"])
		r.CostMicros = told.Cost.TotalMicros
		r.Currency = told.Cost.Currency
		if told.Task != nil && told.Task.Complete {
			r.Score = &told.Task.Score
		}
	}
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				r.Bytes += info.Size()
			}
		}
		return nil // what cannot be read is not counted
	})
	return r, true
}

// printRuns prints a table of runs and what they take in all.
func printRuns(m *Main, runs []keptRun) error {
	t := plaintext.Table{
		Header: []string{"RUN", "STARTED", "SCENARIO", "SEED", "MODEL", "STATUS", "TICKS", "SCORE", "CALLS", "COST", "SIZE"},
		Least:  []string{"STARTED", "SIZE", "CALLS", "SEED", "TICKS", "MODEL", "COST"},
	}
	size, cost := int64(0), map[string]int64{}
	for _, r := range runs {
		score := "-"
		money := "-"
		status := string(r.Status)
		if r.Score != nil {
			score = fmt.Sprint(*r.Score)
		}
		if r.Currency != "" {
			money = price.FromMicros(r.CostMicros).String() + " " + r.Currency
			cost[r.Currency] += r.CostMicros
		}
		if r.Holder != "" {
			status = "running (process " + r.Holder + ")"
		}
		row := []string{r.Dir, cmp.Or(r.StartedAt, "-"), r.Scenario, fmt.Sprint(r.Seed), r.Model, status, fmt.Sprint(r.Ticks),
			score, fmt.Sprint(r.Calls), money, sizeText(r.Bytes)}
		for i, cell := range row {
			var line strings.Builder // a cell of others stays on its line
			plaintext.Fprintf(&line, "%s", cell)
			row[i] = line.String()
		}
		t.Rows = append(t.Rows, row)
		size += r.Bytes
	}
	_ = m.print(t.Text(m.outputColumns()))
	total := fmt.Sprintf("%s, %s", plaintext.Count(len(runs), "run"), sizeText(size))
	for _, currency := range slices.Sorted(maps.Keys(cost)) {
		total += fmt.Sprintf(", %s %s", price.FromMicros(cost[currency]), currency)
	}
	plaintext.Fprintf(m.Stdout, "%s\n", total)
	return nil
}

// sizeText is a number of bytes for people.
func sizeText(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// parseAge reads a span such as 14d or 36h.
func parseAge(text string) (time.Duration, error) {
	var days int64
	if n, err := fmt.Sscanf(text, "%dd", &days); err == nil && n == 1 && text == fmt.Sprintf("%dd", days) && days >= 0 &&
		days < 100_000 {
		return time.Duration(days) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, badInput("--older-than %s: not understood; allowed: days such as 14d, or hours such as 36h", shown(text))
	}
	return d, nil
}

// runStatuses are what lists show of a run.
var runStatuses = []string{
	string(trace.RunCompleted), string(trace.RunInterrupted), string(trace.RunProviderFailed),
	string(trace.RunNoUsableAnswers), string(trace.RunBudgetReached),
	string(trace.RunReplayDiffers), string(trace.RunRecordingDamaged), string(trace.RunInternalError),
	string(trace.RunUnfinished),
}

// pruneRuns removes the runs that the flags choose, or says which it would.
func pruneRuns(m *Main, name string, f pruneFlags) error {
	if f.keepGiven && f.Keep < 1 {
		return badInput("--keep %d is out of range; allowed: a number from 1", f.Keep)
	}
	if f.OlderThan == "" && f.Status == "" && f.Keep == 0 {
		return badInput("prune needs to know which runs; allowed: --older-than, --status, --keep")
	}
	for _, word := range strings.Split(f.Status, ",") {
		if f.Status != "" && !slices.Contains(runStatuses, word) {
			return badInput("--status %s is no status of a run; %s", shown(word), offered(word, runStatuses))
		}
	}
	age := time.Duration(0)
	if f.OlderThan != "" {
		var err error
		age, err = parseAge(f.OlderThan)
		if err != nil {
			return err
		}
	}
	if _, _, err := batch.Dir(m.path(name)).Cells(); err == nil {
		return badInput("%s is a batch, whose results are those of its runs; allowed: remove the whole directory, or name "+
			"a directory of runs", shown(name))
	}
	runs, err := runsIn(m, name)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for i, r := range runs {
		old := f.OlderThan == "" || m.Now().Sub(r.started) > age
		status := f.Status == "" || slices.Contains(strings.Split(f.Status, ","), string(r.Status))
		if i >= f.Keep && old && status {
			gone[r.Dir] = true
		}
	}
	var left []string
	for changed := true; changed; { // what is left may need others
		changed = false
		for _, r := range runs {
			if !gone[r.Dir] {
				continue
			}
			why := ""
			if r.Holder != "" {
				why = "process " + r.Holder + " works on it"
			}
			for _, other := range runs {
				if !gone[other.Dir] && slices.Contains(other.parents, r.name) {
					why = other.Dir + " was forked from it"
				}
			}
			if why != "" {
				left, changed = append(left, r.Dir+" stays: "+why), true
				delete(gone, r.Dir)
			}
		}
	}
	size, verb := int64(0), "would remove"
	if f.Yes {
		verb = "removed"
	}
	removed := 0
	for _, r := range runs {
		if !gone[r.Dir] {
			continue
		}
		if f.Yes {
			unlock, err := run.Dir(m.path(r.Dir)).Lock() // no process may begin to work on it now
			if err != nil {
				left = append(left, r.Dir+" stays: "+errorText(err))
				continue
			}
			if err := errors.Join(run.Dir(m.path(r.Dir)).Clear(), unlock()); err != nil {
				return fmt.Errorf("remove %s: %w", r.Dir, cause(err))
			}
			if err := run.Dir(m.path(r.Dir)).RemoveEmpty(); err != nil {
				left = append(left, r.Dir+" stays without its run: it holds files of somebody else")
			}
		}
		removed++
		size += r.Bytes
		plaintext.Fprintf(m.Stdout, "%s %s, %s\n", verb, r.Dir, sizeText(r.Bytes))
	}
	for _, line := range left {
		plaintext.Fprintf(m.Stderr, "note: %s\n", line)
	}
	total := fmt.Sprintf("%s %d of %d runs, %s", verb, removed, len(runs), sizeText(size))
	if !f.Yes && removed > 0 {
		total += "; --yes removes them"
	}
	plaintext.Fprintf(m.Stdout, "%s\n", total)
	return nil
}
