package memory

// Kind says what an entry remembers.
type Kind string

// The entry kinds.
const (
	// KindObservation is what the agent saw.
	KindObservation Kind = "observation"
	// KindDecision is what the agent decided to do.
	KindDecision Kind = "decision"
	// KindOutcome is what became of a decision.
	KindOutcome Kind = "outcome"
	// KindNote is anything else worth keeping: a message, a conclusion, a plan.
	KindNote Kind = "note"
)

// Usual importances, in 0..1000. With the default [Config.PromoteAt] of 700 a
// failure and a note enter long-term memory at once, a decision after two repeats
// and anything routine after four.
const (
	ImportanceRoutine  = 500
	ImportanceDecision = 600
	ImportanceNote     = 700
	ImportanceFailure  = 800
)

// ImportanceMax is the upper bound of an importance.
const ImportanceMax = 1000

// repeatBonus is what each repeat adds to an entry's importance: a fact that keeps
// returning is worth keeping.
const repeatBonus = 50

// Entry is one remembered fact.
type Entry struct {
	// ID is "mem-<tick>-<n>", n counting the entries of this memory from 1, so that
	// ids stay unique when facts of an earlier tick arrive late. [Memory.Record]
	// mints it and ignores what the caller put there.
	ID string `json:"id"`
	// Tick is when the fact was first recorded, LastTick when it last repeated.
	// Record sets LastTick; a negative tick counts as 0.
	Tick     int64 `json:"tick"`
	LastTick int64 `json:"last_tick"`
	// Kind says what the entry remembers.
	Kind Kind `json:"kind"`
	// Text is one line. Record folds white space, drops control characters and
	// cuts it to [Config.TextMax] characters.
	Text string `json:"text"`
	// Importance is 0..1000; Record clamps it.
	Importance int `json:"importance"`
	// Failed marks the outcome of something that did not work.
	Failed bool `json:"failed,omitempty"`
	// Origin is the agent whose words the text repeats, empty for the agent itself.
	Origin string `json:"origin,omitempty"`
	// Trust is at most the trust of every parent; Record lowers it where the
	// caller asked for more.
	Trust Trust `json:"trust"`
	// Parents are the ids of the sources the text was made from, at most
	// [ParentsMax]; when there are more, the newest are kept.
	Parents []string `json:"parents,omitempty"`
	// Repeats counts how often the same fact came again.
	Repeats int `json:"repeats,omitempty"`
}

// ParentsMax bounds [Entry.Parents].
const ParentsMax = 16

// Weight returns the entry's importance with its repeats, at most
// [ImportanceMax]. It decides about promotion and about what is forgotten first.
func (e Entry) Weight() int {
	// Counting more repeats than can matter would only risk an overflow.
	repeats := min(e.Repeats, ImportanceMax/repeatBonus)
	return min(e.Importance+repeats*repeatBonus, ImportanceMax)
}

// fact is what makes two entries the same fact. Trust and origin belong to it:
// the same words from a stranger must not blend with one's own.
type fact struct {
	kind   Kind
	text   string
	origin string
	trust  Trust
	failed bool
}

func (e Entry) fact() fact {
	return fact{e.Kind, e.Text, e.Origin, e.Trust, e.Failed}
}
