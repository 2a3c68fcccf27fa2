package memory

// Source is one piece of text from outside the rules that entered a prompt. A
// decision records the sources it was shown and the ones it used; trust is
// computed over them.
type Source struct {
	// ID names the source where it stands in the prompt, in square brackets, and
	// is what a model cites. It is unique within a turn.
	ID string `json:"id"`
	// Kind is one of the Source constants, such as [SourceMemory].
	Kind string `json:"kind"`
	// Score is why it was chosen, in thousandths; see [Scored]. 0 when the source
	// was not chosen by score.
	Score int64 `json:"score"`
	// Chars is what it took of the prompt, in characters.
	Chars int `json:"chars"`
	// OriginAgent is who said it, empty for the agent itself and for the world.
	OriginAgent string `json:"origin_agent,omitempty"`
	// OriginTick is when it was first known.
	OriginTick int64 `json:"origin_tick"`
	// Trust is at most the trust of every parent.
	Trust Trust `json:"trust"`
	// Parents are the ids of the sources it was made from.
	Parents []string `json:"parents,omitempty"`
	// Text is the text as it stood in the prompt.
	Text string `json:"text"`
}

// The source kinds.
const (
	// SourceMemory is a remembered entry.
	SourceMemory = "memory"
	// SourceModule is the result of a module call.
	SourceModule = "module"
	// SourceObservation is the observation of the tick.
	SourceObservation = "observation"
	// SourceMessage is a message from another agent.
	SourceMessage = "message"
	// SourceNote is a note found at a place.
	SourceNote = "note"
	// SourceSaid is what the agent itself wrote in its last action.
	SourceSaid = "said"
	// SourceBullet is a bullet of a playbook.
	SourceBullet = "bullet"
)
