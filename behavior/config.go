package behavior

import (
	"fmt"
	"slices"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
)

// Protocol is the shape of a turn.
type Protocol string

// The protocols.
const (
	// ProtocolFull asks for the plan, each round of module calls, the draft and
	// the decision in calls of their own.
	ProtocolFull Protocol = "full"
	// ProtocolLean asks for plan, draft and decision in one strict call.
	ProtocolLean Protocol = "lean"
)

// Config bounds how agents decide. The zero value of every field means its
// default, so Config{} is usable.
type Config struct {
	// Protocol is full (the default) or lean. Lean costs a third to a half of the
	// calls; full shows more of why an agent acted.
	Protocol Protocol
	// Profile is how much the opening prompt tells; default balanced.
	Profile Profile
	// Language is that of everything the engine itself says to the model; default
	// English.
	Language modules.Language
	// Model is the provider's model name, sent with every request.
	Model string
	// ContextWindow is the model's window in tokens, at least ContextWindowMin;
	// default 128,000. It bounds the prompt.
	ContextWindow int
	// OutputTokensMax bounds one answer and is reserved in the window; default
	// 1,024, and never more than a quarter of the window. Raise it for models
	// that spend output tokens on reasoning.
	OutputTokensMax int
	// ModuleCallsMax bounds module calls in a turn; default 3.
	ModuleCallsMax int
	// ReasonStepsMax bounds reason steps in a turn; default 1.
	ReasonStepsMax int
	// ViolationsMax bounds the answers in which a model calls tools in a reason
	// step before the turn gives up and waits; default 2 retries.
	ViolationsMax int
	// GuardRoundsMax bounds how often refused actions go back; default 3.
	GuardRoundsMax int
	// RepairsMax bounds the further calls spent on answers that could not be
	// used; default 1.
	RepairsMax int
	// ResultCharsMax caps a module result when it is made; default 1,200.
	ResultCharsMax int
	// RepeatAdviceAfter is how many equal decisions in a row the prompt remarks on,
	// at least 2; cycles of two and of three actions count from one full round less.
	// Default 4; RepeatAdviceOff for never.
	RepeatAdviceAfter int
	// PlaybookBullets bounds the bullets of an agent's playbook in a prompt, at most
	// PlaybookBulletsMax; 0, the default, shows none.
	PlaybookBullets int
	// Commit is how a decision of the full protocol comes about: guidance (the
	// default) or direct. The lean protocol decides in the call that drafts.
	Commit trace.Commit
	// GuardOff are the layers of the guard that are switched off, none by default.
	// Nothing but measuring what a layer is worth is a reason to name one: without
	// memory, remembered words of others count as the agent's own and stand before
	// the plan; without order, words of others stand in the opening; without
	// envelope they are put into the prompt as they are, so that whoever writes
	// "From agent-9:" into a message is believed to be agent-9; without lessons they
	// are shown to a look back, whose proposals are not held against them.
	GuardOff []policy.Layer
	// SystemPrompt replaces the opening paragraph of the instructions; empty
	// keeps the built-in one. Rules and protocol text always follow.
	SystemPrompt string
	// CountTokens counts the tokens of a text. Nil counts bytes, an upper bound
	// that clips earlier than necessary. It must be a pure function.
	CountTokens func(string) int
}

// PlaybookBulletsMax bounds [Config.PlaybookBullets]: more lessons than that are no
// choice of lessons.
const PlaybookBulletsMax = 50

// ContextWindowMin is the smallest context window supported, in tokens.
const ContextWindowMin = 4000

// Validate reports the first field out of range, naming it and what is allowed.
func (c Config) Validate() error {
	if c.Protocol != "" && c.Protocol != ProtocolFull && c.Protocol != ProtocolLean {
		return fmt.Errorf("protocol %q: allowed are full and lean", c.Protocol)
	}
	if c.Profile != "" && !slices.Contains(Profiles(), c.Profile) {
		return fmt.Errorf("prompt profile %q: allowed are compact, balanced and rich", c.Profile)
	}
	if c.Language != "" && !slices.Contains(modules.Languages(), c.Language) {
		return fmt.Errorf("prompt language %q: allowed are en and zh", c.Language)
	}
	if c.Commit != "" && c.Commit != trace.CommitGuidance && c.Commit != trace.CommitDirect {
		return fmt.Errorf("commit mode %q: allowed are guidance and direct", c.Commit)
	}
	if _, err := policy.ParseLayers(layerNames(c.GuardOff)); err != nil {
		return fmt.Errorf("guard layers to leave out: %w", err)
	}
	if c.ContextWindow != 0 && c.ContextWindow < ContextWindowMin {
		return fmt.Errorf("context window %d: at least %d tokens are needed", c.ContextWindow, ContextWindowMin)
	}
	for _, limit := range []struct {
		name  string
		value int
	}{
		{"output tokens", c.OutputTokensMax}, {"module calls", c.ModuleCallsMax}, {"reason steps", c.ReasonStepsMax},
		{"violations", c.ViolationsMax}, {"guard rounds", c.GuardRoundsMax}, {"repairs", c.RepairsMax}, {"result chars", c.ResultCharsMax},
	} {
		if limit.value < 0 {
			return fmt.Errorf("%s %d: must not be negative", limit.name, limit.value)
		}
	}
	if c.RepeatAdviceAfter < RepeatAdviceOff {
		return fmt.Errorf("repeat advice after %d: must not be negative", c.RepeatAdviceAfter)
	}
	if c.PlaybookBullets < 0 || c.PlaybookBullets > PlaybookBulletsMax {
		return fmt.Errorf("playbook bullets %d: allowed are 0 to %d", c.PlaybookBullets, PlaybookBulletsMax)
	}
	return nil
}

// WithDefaults returns c with every zero field replaced by its default.
func (c Config) WithDefaults() Config {
	if c.Protocol == "" {
		c.Protocol = ProtocolFull
	}
	if c.Profile == "" {
		c.Profile = ProfileBalanced
	}
	if c.Language == "" {
		c.Language = modules.English
	}
	if c.Commit == "" {
		c.Commit = trace.CommitGuidance
	}
	setDefault(&c.ContextWindow, 128_000)
	setDefault(&c.OutputTokensMax, 1024)
	c.OutputTokensMax = min(c.OutputTokensMax, c.ContextWindow/4)
	setDefault(&c.ModuleCallsMax, 3)
	setDefault(&c.ReasonStepsMax, 1)
	setDefault(&c.ViolationsMax, 2)
	setDefault(&c.GuardRoundsMax, 3)
	setDefault(&c.RepairsMax, 1)
	setDefault(&c.ResultCharsMax, 1200)
	setDefault(&c.RepeatAdviceAfter, 4)
	if c.CountTokens == nil {
		c.CountTokens = func(s string) int { return len(s) }
	}
	return c
}

// off reports whether a layer of the guard is left out.
func (c Config) off(l policy.Layer) bool { return slices.Contains(c.GuardOff, l) }

func layerNames(layers []policy.Layer) []string {
	names := make([]string, len(layers))
	for i, l := range layers {
		names[i] = string(l)
	}
	return names
}

func setDefault(field *int, value int) {
	if *field == 0 {
		*field = value
	}
}

// CallsMax is the most model calls one turn can make under c: the longest path
// through plan, module rounds, reason step with its retries, draft, decision,
// guard rounds and repairs.
func (c Config) CallsMax() int {
	c = c.WithDefaults()
	return 1 + c.ModuleCallsMax + c.ReasonStepsMax*(1+c.ViolationsMax) + 1 + 1 + c.GuardRoundsMax + c.RepairsMax
}
