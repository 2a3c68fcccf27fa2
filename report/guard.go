package report

// Guard says what mandate and trust refused, and how often the question arose. What
// the world would have refused by its own rules is in guard_rejections_by_code.
type Guard struct {
	// Actions refused by a rule of mandate or trust, by rule; each candidate and each decision counts.
	RefusalsByRule Counts `json:"refusals_by_rule"`
	// The same by the name of the action.
	RefusalsByAction Counts `json:"refusals_by_action"`
	// Decisions refused and drafts of which nothing was left, whether by the guard or by the world.
	Rounds int64 `json:"rounds"`
	// Turns and standing orders that ended in a wait because what was wanted had been refused.
	Waits int64 `json:"waits"`
	// Candidates of directly committed drafts that the world refused, so that another of the same draft was tried.
	Alternatives int64 `json:"alternatives"`
	// Turns with a source in view that is trusted less than the agent's own observations.
	TurnsWithUntrustedView int64 `json:"turns_with_untrusted_view"`
	// Layers of the guard that were left out; empty for a run that is no measurement of them.
	Off []string `json:"off"`
}

// Reasoning counts reason steps, in which a model may call nothing.
type Reasoning struct {
	// Reason steps that ended with a text.
	Steps int64 `json:"steps"`
	// Calls made in reason steps and vetoed.
	Violations int64 `json:"violations"`
	// Turns that ended in a wait because the model went on calling.
	Failed int64 `json:"failed"`
}
