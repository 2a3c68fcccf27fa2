package memory

import "example.com/agentworld/trace"

// Category is what an entry is to the agent that holds it. Each has a share of the
// long-term store and a quota of a digest of its own, so that much of one cannot
// push out another: a hundred messages cost an agent none of its own failures.
type Category string

// The categories.
const (
	// CategoryFailure is an own decision that did not work.
	CategoryFailure Category = "failure"
	// CategoryOutcome is any other own decision or outcome.
	CategoryOutcome Category = "outcome"
	// CategoryFact is what the agent saw or noted itself, about places and agents.
	CategoryFact Category = "fact"
	// CategoryHeard is what others wrote and whatever was made of it.
	CategoryHeard Category = "heard"
)

// categories has every category in the order in which ties between them go.
var categories = [...]Category{CategoryFailure, CategoryOutcome, CategoryFact, CategoryHeard}

// The places of some categories in categories.
const (
	categoryFailure = 0
	categoryFact    = 2
	categoryHeard   = len(categories) - 1
)

// storeShares are the eighths of the long-term store that each category is sure of,
// in the order of categories.
var storeShares = [len(categories)]int{3, 3, 1, 1}

// heardShare is the part of the ring that words of others may take: a quarter.
const heardShare = 4

// Category returns the entry's category. What goes back to others is theirs, also
// when it tells of a failure: its trust decides, not its wording.
func (e Entry) Category() Category { return categories[e.category()] }

// category is the place of the entry's category in categories.
func (e Entry) category() int {
	switch {
	case e.Trust <= trace.TrustOtherAgent || e.Origin != "":
		return categoryHeard
	case e.Failed:
		return categoryFailure
	case e.Kind == KindOutcome || e.Kind == KindDecision:
		return 1
	}
	return categoryFact
}
