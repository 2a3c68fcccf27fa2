package batch

// File is a batch file. Settings are texts by the keys of a configuration file, such as
// llm.model; what they may be is for the command line to say.
type File struct {
	// Name is the name of the batch, for people.
	Name string
	// Scenarios are names of scenarios, or paths relative to the file.
	Scenarios []string
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
	// Compare says what is compared; nil without axes.
	Compare *Compare
	// Gates are what must hold at the end.
	Gates []Gate
}

// Setting is one setting of a run with its place in the file.
type Setting struct {
	Key, Text string
	Line      int
}

// Axis is one way in which cells differ.
type Axis struct {
	Name   string
	Values []AxisValue
}

// AxisValue is a value of an axis: a name and what it sets.
type AxisValue struct {
	Name     string
	Settings []Setting
}

// Budget bounds what all cells of a batch take together; 0 is no bound.
type Budget struct {
	Calls, Tokens int64
	// Cost is an amount in the currency of the prices.
	Cost string
}

// Compare says which cells are compared and on what. Cells are paired that are equal in
// everything but one axis.
type Compare struct {
	// Axis is the axis whose values are compared; default the only one.
	Axis string
	// Baseline is the value that the others are compared with; default the first.
	Baseline string
	// Primary is the metric that decides; default score, or score_share if there are several
	// scenarios.
	Primary string
	// Metrics are judged beside it, adjusted by Holm.
	Metrics []string
	// Margin is the difference of the primary metric that does not matter; 0 for none.
	Margin float64
	// Effect is the difference of the primary metric that is worth finding; 0 for the observed one.
	Effect float64
	// Alpha is the level of the tests; 0 is 0.05.
	Alpha float64
	// Range is how much the primary metric of two runs can differ at most; 0 for what the metric
	// says. StopWhenDecided needs one.
	Range float64
	// PassAt is the value of the primary metric from which on a run passes, for pass^k; nil for
	// none.
	PassAt *float64
	// StopWhenDecided ends the batch once the primary metric is decided, by an e-process.
	StopWhenDecided bool
}

// Gate is a condition on the results.
type Gate struct {
	// Arm restricts a threshold to cells with this value of the compared axis; empty means all.
	Arm string
	// Metric is what is bounded or compared.
	Metric string
	// AtLeast and AtMost bound the mean of the metric.
	AtLeast, AtMost *float64
	// Verdict lists the verdicts that pass, such as better and equivalent.
	Verdict []string
	// Undecided says what an undecided verdict is: "undecided" (exit code 7, the default), "pass"
	// or "fail".
	Undecided string
	Line      int
}
