package trace

// Fork is where a run left the one it was forked from. Up to AtTick the run is its
// parent's, derived again from recorded answers; from Tick on it is its own. All forks
// of a run stand in its header, so that the run can be derived from that alone; as a
// record a fork says that it took effect.
type Fork struct {
	// Tick is the first tick of the run's own, AtTick+1.
	Tick int64 `json:"tick"`
	// AtTick is the last tick that is the parent's, 0 for none.
	AtTick int64 `json:"at_tick"`
	// Parent is the run that was left.
	Parent ForkParent `json:"parent"`
	// Changes are what holds differently from Tick on; empty when only the model is
	// asked again.
	Changes []Change `json:"changes"`
	// Settings hold from Tick on, PromptVersion is the version of their prompts.
	Settings      Settings `json:"settings"`
	PromptVersion string   `json:"prompt_version"`
}

// ForkParent names a run that was forked.
type ForkParent struct {
	// Name is its directory, without the path to it.
	Name string `json:"name"`
	// Run is its name in the evidence of lessons, a digest of what shaped it.
	Run string `json:"run"`
	// Digest is that of the world after AtTick, empty for tick 0.
	Digest string `json:"digest,omitempty"`
}

// Change is one setting that a fork changed, for people. Long texts are cut.
type Change struct {
	// What is the setting's name, such as "model" or "rules.move_cost_per_km".
	What string `json:"what"`
	From string `json:"from"`
	To   string `json:"to"`
}

// RunName names the run from the fork on in the evidence of lessons.
func (f Fork) RunName() string {
	return runName(f.Parent.Run, f.Parent.Digest, f.AtTick, f.PromptVersion, f.Settings.shaping())
}
