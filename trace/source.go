package trace

// Source is one piece of text from outside the rules that entered a prompt. A decision
// records the sources it was shown and the ones it used; trust is computed over them.
type Source struct {
	// ID names the source in the prompt, in square brackets, and
	// is what a model cites. It is unique within a turn.
	ID   string     `json:"id"`
	Kind SourceKind `json:"kind"`
	// Title says what it is part of, such as a document, a module or a section of the playbook;
	// it is empty if the kind and the author say so. Preview is how it begins, in a decision in at
	// most [PreviewMax] characters. Both are for people. Texts of others are data there, too.
	Title   string `json:"title,omitempty"`
	Preview string `json:"preview,omitempty"`
	// Score is the retrieval score in thousandths, 0 when the source was not chosen by
	// score.
	Score int64 `json:"score"`
	// Chars is its length in the prompt, in characters.
	Chars int `json:"chars"`
	// OriginAgent is the agent that said it, empty for the agent itself and for the world.
	OriginAgent string `json:"origin_agent,omitempty"`
	// OriginTick is when it was known: first, or of a memory, which may repeat, last.
	OriginTick int64 `json:"origin_tick"`
	// Trust is at most the trust of every parent.
	Trust Trust `json:"trust"`
	// Parents are the ids of the sources it was made from.
	Parents []string `json:"parents,omitempty"`
	// Text is the text as shown in the prompt. It is in the parts of the request and not
	// recorded again.
	Text string `json:"-"`
}

// SourceKind says what a source is.
type SourceKind string

// The source kinds.
const (
	// KindMemory is a remembered entry.
	KindMemory SourceKind = "memory"
	// KindModule is the result of a module call.
	KindModule SourceKind = "module"
	// KindTool is the result of a call of a user's tool.
	KindTool SourceKind = "tool"
	// KindMessage is a message from another agent.
	KindMessage SourceKind = "message"
	// KindNote is a note found at a place.
	KindNote SourceKind = "note"
	// KindTerms is a request or offer, of another agent or one's own.
	KindTerms SourceKind = "terms"
	// KindSaid is what the agent itself wrote: a text of a late action, or the goal or actions of its newest
	// plan.
	KindSaid SourceKind = "said"
	// KindBullet is a bullet of a playbook.
	KindBullet SourceKind = "bullet"
	// KindDocument is a chunk of a document.
	KindDocument SourceKind = "document"
	// KindTemplate is the wording of the instructions, see [Decision].
	KindTemplate SourceKind = "template"
)

// PreviewMax bounds [Source.Preview] in characters.
const PreviewMax = 100

// Trust says how far a piece of text may influence a decision. The levels form a
// chain from least to most trusted, so the trust of something made from several
// sources is their minimum.
//
// The zero value is the least trusted level: forgetting to set it is safe.
type Trust int8

// The trust levels, lowest first.
const (
	// TrustToolError is the text of a failed call.
	TrustToolError Trust = iota
	// TrustOtherAgent is text that another agent chose: messages, notes, names.
	// Free text found in the world has the same level.
	TrustOtherAgent
	// TrustDerived is text a model wrote from sources that are not known.
	TrustDerived
	// TrustSelfObservation is an agent's own typed state and outcomes.
	TrustSelfObservation
	// TrustRules is the rules of the world, the goal and the scenario's rules.
	TrustRules
)

var trustNames = [...]string{"tool_error", "other_agent", "derived", "self_observation", "rules"}

// String returns the level's stable name, as used in traces and reports.
func (t Trust) String() string {
	if t < TrustToolError || t > TrustRules {
		return "unknown"
	}
	return trustNames[t]
}

// MarshalText encodes t by name. It never fails; a value outside the levels becomes
// "unknown".
func (t Trust) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a level's name. Any other text, "unknown" included, reads
// as the least trusted level: damaged input must not gain influence.
func (t *Trust) UnmarshalText(text []byte) error {
	*t = TrustToolError
	for level, name := range trustNames {
		if name == string(text) {
			*t = Trust(level)
		}
	}
	return nil
}
