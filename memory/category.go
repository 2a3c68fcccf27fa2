package memory

import "example.com/agentworld/trace"

// The categories: what an entry is to the agent that holds it. Each has a share of the
// long-term store and a quota of a digest of its own, so that much of one cannot push out
// another: a hundred messages cost an agent none of its own failures. Ties between
// categories go in this order.
const (
	categoryFailure = iota // an own decision that did not work
	categoryOutcome        // any other own decision or outcome
	categoryFact           // what the agent saw or noted itself, about places and agents
	categoryHeard          // what others wrote and whatever was made of it
	categories             // how many there are
)

// storeShares are the eighths of the long-term store that each category is sure of: the
// store never gives them up for others.
var storeShares = [categories]int{categoryFailure: 3, categoryOutcome: 3, categoryFact: 1, categoryHeard: 1}

// heardShare is the part of the ring that words of others may take: a quarter.
const heardShare = 4

// category returns the entry's category. What goes back to others is theirs, also when
// it tells of a failure: its trust decides, not its wording.
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
