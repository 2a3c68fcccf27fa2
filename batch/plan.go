package batch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/baseline"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// Plan says how large a batch has to be to find a difference, and what it takes.
type Plan struct {
	// Metric is the primary metric, Effect the difference to find, in its unit, and Power the
	// probability of finding it.
	Metric string  `json:"metric"`
	Unit   string  `json:"unit"`
	Effect float64 `json:"effect"`
	Power  float64 `json:"power"`
	Alpha  float64 `json:"alpha"`
	// Margin is the difference within which equal arms are to be found equivalent, 0 for none. Sequential says
	// that the batch stops when it is decided.
	Margin     float64 `json:"margin"`
	Sequential bool    `json:"sequential"`
	// Comparisons are the sizes, one for each two values that are compared.
	Comparisons []PlannedComparison `json:"comparisons"`
	// Clusters is the largest of them. Cluster is what counts as one: an instance, a scenario if the question is
	// about tasks like these, or a seed if a mean over several tasks is watched.
	Clusters int    `json:"clusters"`
	Cluster  string `json:"cluster"`
	// Calls, Tokens and CostMicros are what all cells of that many clusters take, by the mean of the
	// pilot's cells; without a pilot, by what is expected of one cell of each arm.
	Calls      int64  `json:"calls"`
	Tokens     int64  `json:"tokens"`
	CostMicros int64  `json:"cost_micros"`
	Currency   string `json:"currency"`
	Cells      int    `json:"cells"`
	// Notes name the tasks that are unfit to compare players.
	Notes []string `json:"notes"`
}

// PlannedComparison is how many clusters a comparison needs.
type PlannedComparison struct {
	Arm      string `json:"arm"`
	Baseline string `json:"baseline"`
	// PilotClusters are those that the standard deviation SD of the difference is from; 0 if it is
	// from the recorded scores of the embedded model.
	PilotClusters int     `json:"pilot_clusters"`
	SD            float64 `json:"sd"`
	// Clusters is the number needed; [stats.ClustersMax] if not even that many suffice.
	Clusters int `json:"clusters"`
	// EquivalenceClusters is the number at which arms without a difference are found equivalent with the same
	// power; 0 without a margin or a range.
	EquivalenceClusters int `json:"equivalence_clusters"`
}

// pilotLeast is how many clusters a pilot has at least: with fewer the spread is a guess.
const pilotLeast = 4

// Question is what a plan answers.
type Question struct {
	// Effect is the difference to find, 0 for that of the file, Power the probability of finding it.
	Effect, Power float64
	// Pilot says that the results are those of a pilot that was named: nothing is assumed in its place.
	Pilot bool
	// Takes is what one cell is expected to take, its cost in Currency; asked where no pilot says it.
	Takes    func(Cell) (trace.Usage, error)
	Currency string
}

// PlanOf says how large a batch has to be, by the results of a pilot: cells of the same axis in
// which every arm played at least four clusters. Without a pilot, the scores of a built-in task are
// taken to vary as those of the embedded model do, see [baseline.ScoreSpread]. The error says what
// is missing.
func PlanOf(c *Compare, known report.MetricList, cells []Cell, results []Result, q Question) (Plan, error) {
	c, err := c.completed(cells, known)
	if err != nil {
		return Plan{}, err
	}
	if c == nil || len(valuesOf(cells, c.Axis)) < 2 {
		return Plan{}, fmt.Errorf("nothing is compared; allowed: an axis with a baseline and another value")
	}
	effect := cmp.Or(q.Effect, c.Effect)
	if effect <= 0 {
		return Plan{}, fmt.Errorf(
			"no difference to find; allowed: effect under compare or --effect, a difference of %s that is worth finding",
			c.Primary)
	}
	primary, _ := known.Named(c.Primary)
	p := Plan{Metric: c.Primary, Unit: primary.Unit, Effect: effect, Power: q.Power, Alpha: c.Alpha, Cluster: "instance",
		Margin: c.Margin, Sequential: c.StopWhenDecided, Notes: append(c.taskNotes(cells), unfitNotes(cells)...)}
	switch {
	case !several(cells):
	case c.Tasks == tasksLikeThese:
		p.Cluster = "scenario"
	case c.watchesMeans():
		p.Cluster = "seed"
	}
	contests := c.contests(valuesOf(cells, c.Axis))
	byID, byKey := indexed(results), c.match(cells)
	for _, of := range contests {
		one := PlannedComparison{Arm: of.armName, Baseline: of.baseName}
		pairs := byKey.pairs(byID, of.arm, of.baseline)
		sample, err := stats.NewSample(c.values(pairs, c.Primary))
		if err != nil {
			return p, fmt.Errorf("plan: %w", err)
		}
		o := c.options(primary)
		if o.Range == 0 && c.Primary == "score" {
			o.Range = cmp.Or(scoreRange(pairs), builtInRange(cells))
		}
		if o.Range == 0 && c.Margin > 0 && len(p.Comparisons) == 0 {
			p.Notes = append(p.Notes, notOffered(c.Primary))
		}
		// The level is shared by all, as Holm does for the hardest of them.
		o.Alpha = c.Alpha / float64(len(contests))
		r := stats.Rehearsal{Options: o, Effect: effect, Residuals: sample.Residuals(), SD: sample.SD()}
		one.PilotClusters = sample.Clusters()
		if one.PilotClusters < pilotLeast {
			spread, ok := baseline.ScoreSpread(cells[0].Scenario)
			has := fmt.Sprintf("the pilot has %s in which both %s and %s have the metric %s",
				plaintext.Count(one.PilotClusters, p.Cluster), of.arm, of.baseline, c.Primary)
			if q.Pilot {
				return p, fmt.Errorf("%s; allowed: a pilot with at least %d", has, pilotLeast)
			}
			if !ok || c.Primary != "score" || several(cells) {
				return p, fmt.Errorf(
					"%s; allowed: at least %d, or the score of one built-in task; a pilot is played by batch run, with a few seeds",
					has, pilotLeast)
			}
			// The difference of two independent scores; pairs on the same instance differ less.
			one.PilotClusters = 0
			r.Residuals = nil
			r.SD = spread * math.Sqrt2
		}
		one.SD = r.SD
		if err := one.size(r, q.Power); err != nil {
			return p, fmt.Errorf("plan: %w", err)
		}
		p.Comparisons = append(p.Comparisons, one)
		p.Clusters = max(p.Clusters, one.Clusters, one.EquivalenceClusters)
	}
	return p, p.price(c, cells, results, q)
}

// size finds how many clusters a comparison needs, for the effect and, with a margin and a known range, for
// equivalence.
func (one *PlannedComparison) size(r stats.Rehearsal, power float64) (err error) {
	o := r.Options
	switch {
	case o.Claim == stats.ClaimMean && o.Range == 0:
		return fmt.Errorf("claim = \"mean\" needs a range; allowed: range under compare, or a pilot of scores with a bound")
	case o.Claim == stats.ClaimMean, o.Sequential:
		one.Clusters, err = r.Clusters(power)
	default:
		one.Clusters, err = stats.Design{Effect: r.Effect, SD: r.SD, Alpha: o.Alpha}.Clusters(power)
	}
	if err != nil || o.Margin == 0 || o.Range == 0 {
		return err
	}
	r.Effect = 0
	one.EquivalenceClusters, err = r.Clusters(power)
	return err
}

// builtInRange is how much scores of a built-in task can differ at most, by the bounds of the instances of
// some cells; 0 for other scenarios.
func builtInRange(cells []Cell) float64 {
	worlds := map[string]world.Scenario{}
	for _, cell := range cells {
		if _, known := worlds[cell.Scenario]; known {
			continue
		}
		s, _, ok := scenario.Embedded(cell.Scenario)
		if !ok || s.Task == nil {
			return 0
		}
		worlds[cell.Scenario] = s
	}
	most := int64(0)
	seen := map[string]bool{}
	for _, cell := range cells {
		if len(seen) == boundsMost {
			break
		}
		if !seen[cell.instance()] {
			seen[cell.instance()] = true
			most = max(most, baseline.BoundOf(worlds[cell.Scenario].Instance(cell.Seed)).Score)
		}
	}
	return float64(most)
}

// boundsMost is of how many instances a plan computes the bound; it is nearly the same of others.
const boundsMost = 20

// several says that cells are of several scenarios.
func several(cells []Cell) bool {
	return slices.ContainsFunc(cells, func(c Cell) bool { return c.Scenario != cells[0].Scenario })
}

// taskNotes say what a comparison of a few tasks is about, and what the other question would take.
func (c *Compare) taskNotes(cells []Cell) []string {
	scenarios := map[string]bool{}
	for _, cell := range cells {
		scenarios[cell.Scenario] = true
	}
	n := len(scenarios)
	more := plaintext.Count(tasksLeast-n, "task") + " more"
	switch {
	case n >= tasksLeast || n < 2:
		return []string{}
	case c.Tasks == tasksLikeThese:
		return []string{fmt.Sprintf("about tasks like these %d no verdict is possible: it takes %s; allowed: "+
			"tasks = \"these\", which asks about these alone", n, more)}
	}
	return []string{fmt.Sprintf("the verdicts are about these %d tasks; about tasks like these it takes %s", n, more)}
}

// Remarks are what is to be known about a comparison before anything is paid: what it is about, and what it
// cannot say. The cells are those of the batch. It is empty if nothing is compared, or something that cannot be.
func Remarks(c *Compare, known report.MetricList, cells []Cell) []string {
	c, err := c.completed(cells, known)
	if err != nil || c == nil {
		return nil
	}
	notes := c.taskNotes(cells)
	if c.Margin > 0 && c.Range == 0 && c.Primary != "score" {
		notes = append(notes, notOffered(c.Primary))
	}
	return notes
}

// notOffered says that a metric without a range has no verdict of equivalence.
func notOffered(metric string) string {
	return fmt.Sprintf("equivalent and not worse are not offered: nothing bounds %s; allowed: range under compare, or a "+
		"metric that is a share", metric)
}

// price says what that many clusters take, by the mean of the pilot's cells of each arm, or what a
// cell of each is expected to take.
func (p *Plan) price(c *Compare, cells []Cell, results []Result, q Question) error {
	clusters := map[string]bool{}
	for _, cell := range cells {
		clusters[map[string]string{"instance": cell.instance(), "scenario": cell.Scenario,
			"seed": strconv.FormatUint(cell.Seed, 10)}[p.Cluster]] = true
	}
	perCluster := float64(len(cells)) / float64(len(clusters))
	p.Cells = int(perCluster * float64(p.Clusters))
	n := 0
	calls := int64(0)
	tokens := int64(0)
	cost := int64(0)
	for _, r := range results {
		if r.Scored() && slices.Contains(valuesOf(cells, c.Axis), r.Label(c.Axis)) {
			n += 1
			calls += r.Calls
			tokens += r.Tokens
			cost += r.CostMicros
			p.Currency = cmp.Or(r.Currency, p.Currency)
		}
	}
	if n == 0 && q.Takes != nil {
		p.Currency = q.Currency
		for _, arm := range valuesOf(cells, c.Axis) {
			i := slices.IndexFunc(cells, func(cell Cell) bool { return cell.Label(c.Axis) == arm })
			u, err := q.Takes(cells[i])
			if err != nil {
				return fmt.Errorf("plan: what %s takes: %w", cells[i].Name(), err)
			}
			n += 1
			calls += u.Calls
			tokens = tokens + u.InputTokens + u.OutputTokens
			cost += u.Cost.Micros()
		}
	}
	if n > 0 {
		scale := float64(p.Cells) / float64(n)
		p.Calls = int64(float64(calls) * scale)
		p.Tokens = int64(float64(tokens) * scale)
		p.CostMicros = int64(float64(cost) * scale)
	}
	return nil
}

// needs is a number of clusters for people.
func (p Plan) needs(clusters int) string {
	if clusters >= stats.ClustersMax {
		return "too many " + p.Cluster + "s to plan for"
	}
	return plaintext.Count(clusters, p.Cluster)
}

// Text is the plan for people.
func (p Plan) Text() string {
	var b strings.Builder
	unit := ""
	if p.Unit != "" && p.Unit != p.Metric {
		unit = " " + p.Unit
	}
	fmt.Fprintf(&b, "to find a difference of %s%s in %s with a probability of %.0f%%, at level %g:\n", number(p.Effect),
		unit, p.Metric, 100*p.Power, p.Alpha)
	for _, one := range p.Comparisons {
		needs := p.needs(one.Clusters)
		if p.Sequential {
			needs = "decided after " + needs
		}
		if one.EquivalenceClusters > 0 {
			needs += fmt.Sprintf(", and %s to find equal arms equivalent within %s", p.needs(one.EquivalenceClusters),
				number(p.Margin))
		}
		of := fmt.Sprintf("the differences of %s in the pilot have a standard deviation of %s",
			plaintext.Count(one.PilotClusters, p.Cluster), number(one.SD))
		if one.PilotClusters > 0 && one.SD == 0 {
			of = fmt.Sprintf("the differences of %s in the pilot are all equal, so this is only the least that the test takes",
				plaintext.Count(one.PilotClusters, p.Cluster))
		}
		if one.PilotClusters == 0 {
			of = fmt.Sprintf("without a pilot: scores of the embedded model have differences with a standard deviation of "+
				"%s, pairs less", number(one.SD))
		}
		fmt.Fprintf(&b, "  %s against %s: %s; %s\n", one.Arm, one.Baseline, needs, of)
	}
	if p.Clusters >= stats.ClustersMax {
		return b.String() + "in all: " + p.needs(p.Clusters) + "\n"
	}
	fmt.Fprintf(&b, "in all: %s, %s, about %s, %s", plaintext.Count(p.Clusters, p.Cluster),
		plaintext.Count(p.Cells, "cell"), plaintext.Count(p.Calls, "call"), plaintext.Count(p.Tokens, "token"))
	if p.Currency != "" {
		fmt.Fprintf(&b, ", %s %s", price.FromMicros(p.CostMicros), p.Currency)
	}
	b.WriteString("\n")
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}
