package agentworld

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"example.com/agentworld/batch"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
)

// Batch is a matrix of runs: every seed with every arm, each as often as Repeats says. All that shapes
// them begins with the Settings of [Options].
type Batch struct {
	// Name is the name of the batch, of letters, digits, points, hyphens and underscores.
	Name string
	// Seeds are the instances; empty is that of the Settings.
	Seeds []uint64
	// Arms are what is compared. There is one at least.
	Arms []Arm
	// Repeats is how often each instance is played; 0 is 1. A repeat is another seed of the embedded
	// model, and another question to a live one.
	Repeats int64
	// Compare says more of how arms are compared than the score and the first arm as the baseline. Its
	// Axis is empty.
	Compare *BatchCompare
	// Gates are what must hold at the end.
	Gates []BatchGate
	// Budget bounds all cells together.
	Budget Limit
	// Jobs is how many runs are played at once; 0 is 1. Retries is how often a run is tried again after
	// a failure of its endpoint or the machine.
	Jobs, Retries int
	// Progress, when set, is called when something has changed, one call at a time.
	Progress func(BatchProgress)
}

// Arm is one of the sides that are compared: a change of the settings. Another program is no arm here but of
// "batch run --engine": it is started with the flags of that command, which a caller's own program need not have.
type Arm struct {
	// Name is of what the name of a batch is. Each arm has another one.
	Name string
	// Change makes the arm's settings of those of an instance; nil changes nothing.
	Change func(*Settings)
}

// BatchCompare says how arms are compared.
type BatchCompare = batch.Compare

// BatchGate is a condition on the results.
type BatchGate = batch.Gate

// BatchProgress is how far a batch is.
type BatchProgress = batch.Progress

// BatchEnding is why a batch stopped: complete, interrupted, or at its budget.
type BatchEnding = batch.Ending

// BatchSummary is a batch in numbers, with verdicts on its arms and gates.
type BatchSummary = batch.Summary

// armAxis is the axis of the arms.
const armAxis = "arm"

// PlayBatch plays the runs of a batch that have no result in its directory yet, which is that of the
// Options, and sums up all of them. The same call continues a batch that was interrupted. Cancelling ctx
// breaks calls off. PlaybookFile and Progress of the Options are for single runs and do nothing here. The
// error says which settings cannot work, before anything is played, or what failed outside.
func PlayBatch(ctx context.Context, o Options, b Batch) (BatchSummary, BatchEnding, error) {
	file, planned, err := b.plan(o)
	if err != nil {
		return BatchSummary{}, "", err
	}
	dir := batch.Dir(o.Dir)
	if err := dir.Create(b.Name, planned.Cells); err != nil {
		return BatchSummary{}, "", err
	}
	shared := access.NewLimiters(b.Jobs)
	how := batch.Options{
		Dir: dir, Cells: planned.Cells, Settings: planned.Settings,
		Jobs: b.Jobs, Retries: b.Retries, Compare: file.Compare, Metrics: file.Metrics,
		Progress: b.Progress,
		Counts:   b.Budget.Tokens > 0 || b.Budget.Cost > 0,
		Play: func(ctx context.Context, a batch.Attempt) (batch.Result, error) {
			c := o.config()
			c.Access.Limiters = shared
			c.PlaybookFile = "" // no run of a batch teaches another
			return a.Play(ctx, batch.Caller{Config: c, Notice: o.Notice})
		},
	}
	ending, err := playWithin(ctx, how, b.Budget)
	if err != nil {
		return BatchSummary{}, ending, err
	}
	results, err := dir.Results(planned.Cells)
	if err == nil {
		err = dir.Measure(ctx, file.Metrics, results, b.Jobs)
	}
	if err != nil {
		return BatchSummary{}, ending, err
	}
	summary, err := batch.Summarize(file, planned.Cells, results)
	return summary, ending, err
}

// playWithin plays a batch within a budget.
func playWithin(ctx context.Context, how batch.Options, budget Limit) (batch.Ending, error) {
	if budget == (Limit{}) {
		return batch.Play(ctx, how)
	}
	ledger, err := batch.OpenLedger(how.Dir.Store(), budget, how.Shard, "")
	if err != nil {
		return "", err
	}
	how.Spender = ledger
	ending, err := batch.Play(ctx, how)
	return ending, errors.Join(err, ledger.Close())
}

// apart returns settings of their own for one cell: what an arm changes in a list is not another's.
func apart(s Settings) Settings {
	s.GuardOff = slices.Clone(s.GuardOff)
	s.AgentModels = slices.Clone(s.AgentModels)
	s.Seats = slices.Clone(s.Seats)
	s.Sampling = slices.Clone(s.Sampling)
	s.ExtraBody = slices.Clone(s.ExtraBody)
	s.Prices = slices.Clone(s.Prices)
	s.PromptSwitches = slices.Clone(s.PromptSwitches)
	s.Documents = slices.Clone(s.Documents)
	s.Goals = slices.Clone(s.Goals)
	if s.Rules != nil {
		rules := *s.Rules
		s.Rules = &rules
	}
	return s
}

// armTemplate is what the settings of an arm, without seeds, were completed to for its latest instance: those of the
// next one are mostly the same.
type armTemplate struct {
	given    Settings
	template *batch.Template
}

// plan plans and checks the runs.
func (b Batch) plan(o Options) (f batch.File, planned batch.Planned, err error) {
	f = batch.File{Name: b.Name, Scenarios: []string{o.Settings.Scenario}, Seeds: b.Seeds, Repeats: max(1, b.Repeats),
		Compare: b.Compare, Gates: b.Gates, Metrics: o.Metrics}
	if err := f.Metrics.Check(); err != nil {
		return f, planned, err
	}
	axis := batch.Axis{Name: armAxis}
	changes := map[string]func(*Settings){}
	for _, arm := range b.Arms {
		axis.Values = append(axis.Values, batch.AxisValue{Name: arm.Name})
		changes[arm.Name] = arm.Change
	}
	f.Axes = []batch.Axis{axis}
	if err := f.Check(); err != nil {
		return f, planned, err
	}
	arms := map[string]armTemplate{}
	currency := ""
	for one := range f.Combinations() {
		c := o.config()
		if !one.OwnSeed {
			c.Seed = one.Cell.Seed
			c.ScriptedSeed = c.Seed
			c.FaultSeed = c.Seed
		}
		if change := changes[one.Cell.Label(armAxis)]; change != nil {
			c.Settings = apart(c.Settings)
			change(&c.Settings)
		}
		arm := arms[one.Cell.Label(armAxis)]
		given := c.Settings
		given.Seed = 0
		given.ScriptedSeed = 0
		given.FaultSeed = 0
		if arm.template == nil || !reflect.DeepEqual(given, arm.given) {
			s, err := session.New(c)
			if err == nil {
				currency, err = batch.Payable(currency, s.Settings(), b.Budget)
			}
			if err != nil {
				return f, planned, fmt.Errorf("%s: %w", one.Cell.Name(), err)
			}
			arm = armTemplate{given, batch.TemplateOf(s.Settings(), b.Budget)}
			arms[one.Cell.Label(armAxis)] = arm
		}
		if same, added := planned.Add(one.Cell, arm.template, batch.SeedsOf(c.Settings)); !added {
			return f, planned, fmt.Errorf("%s and %s are the same run", same.Name(), one.Cell.Name())
		}
	}
	return f, planned, nil
}
