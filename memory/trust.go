package memory

// Trust says how far a piece of text may influence a decision. The levels form a
// chain from least to most trusted, so the trust of something made from several
// sources is their minimum.
//
// Invariants:
//  1. The zero value is the least trusted level: forgetting to set it is safe.
//  2. Nothing derived from a source is trusted more than that source, see
//     [Derive]; copying, summarising and remembering are derivations.
type Trust int8

// The trust levels, lowest first.
const (
	// ToolError is the text of a failed call.
	ToolError Trust = iota
	// OtherAgent is text that another agent chose: messages, notes, names.
	// Free text found in the world has the same level.
	OtherAgent
	// Derived is text a model wrote from sources that are not known.
	Derived
	// SelfObservation is an agent's own typed state and outcomes.
	SelfObservation
	// Rules is the rules of the world, the goal and the mandate.
	Rules
)

var trustNames = [...]string{"tool_error", "other_agent", "derived", "self_observation", "rules"}

// String returns the level's stable name, as used in traces and reports.
func (t Trust) String() string {
	if t < ToolError || t > Rules {
		return "unknown"
	}
	return trustNames[t]
}

// MarshalText encodes t by name. It never fails; a value outside the lattice
// becomes "unknown".
func (t Trust) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a level's name. Any other text, "unknown" included, reads
// as the least trusted level: damaged input must not gain influence.
func (t *Trust) UnmarshalText(text []byte) error {
	*t = ToolError
	for level, name := range trustNames {
		if name == string(text) {
			*t = Trust(level)
		}
	}
	return nil
}

// Min returns the lower of a and b.
func Min(a, b Trust) Trust {
	return min(a, b)
}

// Derive returns the trust of something an agent concluded from sources with the
// given levels: their minimum, and never more than [SelfObservation],
// because a conclusion is not a rule. Without parents the origin is unknown and
// the result is [Derived].
func Derive(parents ...Trust) Trust {
	if len(parents) == 0 {
		return Derived
	}
	level := SelfObservation
	for _, p := range parents {
		level = Min(level, p)
	}
	return level
}
