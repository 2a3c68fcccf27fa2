package behavior

import (
	"slices"

	"example.com/agentworld/memory/documents"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Protocol is the shape of a turn.
type Protocol = string

// The protocols.
const (
	// ProtocolFull asks for the plan, each round of module calls, the draft and
	// the decision in calls of their own.
	ProtocolFull Protocol = "full"
	// ProtocolLean asks for plan, draft and decision in one strict call.
	ProtocolLean Protocol = "lean"
)

// Config is how agents decide. A zero setting means its default, see
// [trace.Settings.WithDefaults], so Config{} is usable: it gives no advice on repetition
// and shows no lessons.
//
// GuardOff names checks of the guard to leave out. Use it only to measure what a check is worth:
//
//   - Without memory, remembered text of other agents counts as the agent's own, before the plan.
//   - Without order, text of other agents is in the opening.
//   - Without envelope, texts are put into the prompt as they are. A message that holds
//     "From agent-9:" is then believed to be from agent-9.
//   - Without lessons, texts are shown to a reflection, and its proposals are not checked
//     against them.
type Config struct {
	trace.Settings
	// CountTokens counts the tokens of a text. Nil counts bytes, an upper bound
	// that clips earlier than necessary. It must be a pure function.
	CountTokens func(string) int
	// Documents are what agents can look things up in, nil for none.
	Documents *documents.Library
	// Agents are the ids of the world's agents in its order, by which cache keys are numbered. It may
	// be nil: then all agents have one key.
	Agents []string
	// Places is how many places the world has, 0 if that is not known: then an opening may leave some out.
	Places int
	// Needless are the actions, kinds of factory, recipes and stop events that can matter to no agent in
	// the world, see [world.World.Needless]. No tool and no line of a prompt names them.
	Needless []string
	// NoTexts says that there is nobody and nothing whose texts an agent could read: no other agent, no
	// document, no lesson from elsewhere. Nothing is said about such texts then. The lean protocol has no
	// plan, and so texts that come nevertheless are never shown. The full protocol still shows them.
	NoTexts bool
}

const (
	// violationsMax bounds the answers in which a model calls tools in one reason step
	// before the turn gives up.
	violationsMax = 2
	// resultCharsMax caps a module result when it is made.
	resultCharsMax = 1200
)

// ContextWindowMin is the smallest context window supported, in tokens.
const ContextWindowMin = 4000

// commonRulesWindow is the smallest context window, in tokens, with which the common item holds the
// rules that are known unasked. The common item is never clipped. In a smaller window those rules
// are a section of the opening, the first to be clipped.
const commonRulesWindow = 2 * ContextWindowMin

// wholeWindow is the smallest context window, in tokens, in which no opening of a small world is cut.
const wholeWindow = 8 * ContextWindowMin

// WithDefaults returns c with the default of every setting that was not made.
func (c Config) WithDefaults() Config {
	c.Settings = c.Settings.WithDefaults()
	if c.CountTokens == nil {
		c.CountTokens = func(s string) int { return len(s) }
	}
	return c
}

// In returns c for agents of a world under rules: what there is, and what can matter to nobody.
func (c Config) In(w *world.World, rules world.Rules) Config {
	var forbidden []string
	if c.Guards(trace.CheckRules) {
		forbidden = w.Forbidden()
	}
	c.Needless = w.Needless(rules, forbidden...)
	c.Agents = make([]string, w.Agents())
	for n := range c.Agents {
		c.Agents[n] = w.AgentID(n)
	}
	c.Places = 0
	for range w.Places() {
		c.Places++
	}
	return c
}

// Guards reports whether a check of the guard is on. All are, unless GuardOff names
// them.
func (c *Config) Guards(check trace.Check) bool { return !slices.Contains(c.GuardOff, check) }

// readsTexts reports whether a turn can ever be shown texts of others.
func (c *Config) readsTexts() bool { return c.Protocol != ProtocolLean || !c.NoTexts }

// CallsMax is the most model calls one turn can make under c: the longest path
// through plan, module rounds, reason steps with their retries, draft, decision, guard
// rounds, rounds that did not lead on, repairs, and an answer that was cut.
func (c Config) CallsMax() int {
	c = c.WithDefaults()
	tools := 0
	if len(c.Tools) > 0 {
		tools = trace.ToolCallsMax
	}
	return 1 + tools + c.ModuleCallsMax + c.ReasonStepsMax*(1+violationsMax) + 1 + 1 + c.GuardRoundsMax + orderRoundsMax +
		repairsOfTurn*c.RepairsMax + 1
}
