package memory

import (
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// Kind says what an entry remembers.
type Kind string

// The entry kinds.
const (
	// KindObservation is what the agent saw.
	KindObservation Kind = "observation"
	// KindOutcome is the outcome of a decision.
	KindOutcome Kind = "outcome"
	// KindHeard is what another agent wrote, in a message or a note.
	KindHeard Kind = "heard"
)

// Usual importances, in 0..1000. A failure enters long-term memory at once, anything
// routine after four repeats.
const (
	ImportanceRoutine = 500
	ImportanceFailure = 800
	ImportanceCreated = 900
)

// ImportanceMax is the upper bound of an importance.
const ImportanceMax = 1000

// repeatBonus is what each repeat adds to an entry's importance: a fact that keeps
// returning is worth keeping.
const repeatBonus = 50

// Entry is one remembered fact, or the summary of a series of them.
type Entry struct {
	// ID is "mem-<tick>-<n>", n counting the entries of this memory from 1, so that
	// ids stay unique when facts of an earlier tick arrive late. [Memory.Record]
	// mints it and ignores what the caller put there. It is never given to another
	// entry.
	ID string `json:"id"`
	// Tick is when the fact was first recorded, LastTick when it last repeated.
	// Record sets LastTick; a negative tick counts as 0.
	Tick     int64 `json:"tick"`
	LastTick int64 `json:"last_tick"`
	// Kind says what the entry remembers.
	Kind Kind `json:"kind"`
	// Text is one line. Record folds white space, drops control characters and
	// cuts it to 240 characters.
	Text string `json:"text"`
	// Subjects are the ids of the places, agents, factories, resources and actions
	// that the fact is about, sorted, at most [SubjectsMax] of [SubjectCharsMax]
	// characters. The caller takes them from typed data of its own, never from a
	// text.
	Subjects []string `json:"subjects,omitempty"`
	// Topic is the fact without its numbers, such as "mine_compound ok". Entries of
	// one kind, topic, origin and list of subjects make a series, and old ones of a
	// series are merged. An entry without a topic is never merged.
	Topic string `json:"topic,omitempty"`
	// Measures are the numbers of the fact, at most [MeasuresMax]; repeats and
	// merging add to them.
	Measures []Measure `json:"measures,omitempty"`
	// Importance is 0..1000; Record clamps it.
	Importance int `json:"importance"`
	// Failed marks the outcome of something that did not work.
	Failed bool `json:"failed,omitempty"`
	// Origin is the agent whose words the text repeats, empty for the agent itself.
	Origin string `json:"origin,omitempty"`
	// Trust is at most the trust of every parent; Record lowers it where the
	// caller asked for more, to the least when a parent of this memory was
	// forgotten.
	Trust trace.Trust `json:"trust"`
	// Parents are the ids of the sources the text was made from, at most
	// [ParentsMax]; when there are more, the newest are kept and ParentsLeft counts
	// the others.
	Parents     []string `json:"parents,omitempty"`
	ParentsLeft int      `json:"parents_left,omitempty"`
	// Repeats counts how often the same fact came again, in a summary how often any
	// of its facts did.
	Repeats int `json:"repeats,omitempty"`
	// Merged is how many entries a summary was made from, 0 for any other entry.
	// Record sets it.
	Merged int `json:"merged,omitempty"`
}

// The bounds of an entry's lists.
const (
	ParentsMax      = 16
	SubjectsMax     = 12
	SubjectCharsMax = 64
	// parentCharsMax is longer than any id the world or a memory makes.
	parentCharsMax = 2 * SubjectCharsMax
)

// Weight returns the entry's importance with its repeats, at most
// [ImportanceMax]. It decides about promotion and about what is forgotten first.
func (e Entry) Weight() int {
	// Counting more repeats than can matter would only risk an overflow.
	repeats := min(e.Repeats, ImportanceMax/repeatBonus)
	return min(e.Importance+repeats*repeatBonus, ImportanceMax)
}

// key identifies what two entries share: entries with one text are the same fact, those
// with one topic a series. It includes trust and origin. So a stranger's words are never
// merged with the agent's own, and all parents of a summary have the trust of the summary.
type key struct {
	kind     Kind
	words    string // the text or the topic
	subjects string // in one text; no subject holds a line feed
	origin   string
	trust    trace.Trust
	failed   bool
}

func (e Entry) key(words string) key {
	return key{e.Kind, words, strings.Join(e.Subjects, "\n"), e.Origin, e.Trust, e.Failed}
}

// fact is the key of an entry among the facts. Two texts of others are two facts even in the same
// words: the ids of later entries would show whether they are alike.
func (e Entry) fact() key {
	if e.Kind == KindHeard && len(e.Parents) > 0 {
		return e.key(e.Text + "\n" + e.Parents[0])
	}
	return e.key(e.Text)
}

// joinParents appends further parents to those the entry has. A parent that is named
// again moves to the end.
func (e *Entry) joinParents(added ...string) {
	var all []string
	for _, id := range slices.Concat(e.Parents, added) {
		if i := slices.Index(all, id); i >= 0 {
			all = slices.Delete(all, i, i+1)
		}
		all = append(all, plaintext.Clip(plaintext.Line(id), parentCharsMax))
	}
	dropped := max(0, len(all)-ParentsMax)
	// A copy: the underlying array is up to twice as long, and entries live long.
	e.Parents = slices.Clone(all[dropped:])
	e.ParentsLeft += dropped
}

// The categories: what an entry is to the agent that holds it. Each has its own share of
// the long-term store and its own quota of a digest, so that one cannot push out another:
// a hundred messages cost an agent none of its own failures. Ties between categories are
// decided in this order.
const (
	categoryFailure = iota // an own decision that did not work
	categoryOutcome        // any other own decision or outcome
	categoryFact           // what the agent saw or noted itself, about places and agents
	categoryHeard          // what others wrote and whatever was made of it
	categories             // how many there are
)

// category returns the entry's category. An entry that originates from another agent is
// untrusted text, even if it reports a failure: trust decides, not wording.
func (e Entry) category() int {
	switch {
	case e.Trust <= trace.TrustOtherAgent || e.Origin != "":
		return categoryHeard
	case e.Failed:
		return categoryFailure
	case e.Kind == KindOutcome:
		return categoryOutcome
	}
	return categoryFact
}
