package behavior

import (
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// exposure is what a turn has shown of untrusted texts, and what it may still show. Untrusted is a source
// that may not decide what the agent does.
//
//	withheld --> due --> shown     the texts of the opening
//	unseen --> unsent --> retrieved     the sources of a module result with such text
//
// Invariants:
//  1. A phase only moves forward. No source leaves retrieved, and none is in it twice.
//  2. Until open, texts stay withheld and results with untrusted text wait in unseen. Only without the
//     guard's order check does the opening show everything at once.
//  3. due and unsent hold between two requests only: the next request carries both.
//  4. taintedAt never changes once it is set. rounds, tookUp and unusable count only what texts or
//     terms in view may have caused, and never go back.
type exposure struct {
	// opening is the first prompt, with the texts that it withholds.
	opening prompt
	phase   phase
	// open says that a plan was made, or a draft in its place, so that texts may follow.
	open bool
	// sealed says that the plan that new texts waited for did not come: the turn continues without them.
	sealed bool
	// unseen are module results that wait for the plan, unsent are sources that no request has
	// carried yet, retrieved those that one has.
	unseen    []modules.Result
	unsent    []trace.Source
	retrieved []trace.Source
	// names are those of what the agent has been shown.
	names answer.Names
	// mentions are the sources that the answers named in their texts, named those among them that were
	// named before any untrusted text was in view.
	mentions []trace.Citation
	named    []string
	// taintedAt is the first request that carried a source that may not decide, 0 before.
	taintedAt int
	// rounds are the further requests that texts may have cost.
	rounds int
	// tookUp says that a refused action takes up open terms, unusable that an answer could not be used
	// while terms were shown.
	tookUp, unusable bool
}

// phase is how far the texts of an opening have come.
type phase int

const (
	// phaseWithheld: no request carries the texts.
	phaseWithheld phase = iota
	// phaseDue: the next request carries them. A turn that ends before it has not shown them.
	phaseDue
	// phaseShown: a request carried them.
	phaseShown
)

// begin adds what the composed opening shows.
func (e *exposure) begin() {
	e.names = answer.NamesIn(&e.opening.known, e.opening.industry)
	e.retrieve(e.opening.sources)
	if e.opening.early && e.opening.withheld.count() > 0 {
		e.phase = phaseShown
	}
}

// tainted reports whether a request of the turn carried a source that may not decide. What was once
// read cannot be unread.
func (e *exposure) tainted() bool { return e.taintedAt != 0 }

// isUntrusted reports whether a source may not choose what the agent does.
func isUntrusted(s trace.Source) bool { return s.Trust < trace.TrustSelfObservation }

// locked reports whether new texts wait for a plan, which says what the agent may do after them. Texts
// that the agent has read before lock nothing, since a turn can do without them.
func (e *exposure) locked() bool {
	return !e.sealed && e.follows() && (e.opening.fresh > 0 || len(e.unseen) > 0)
}

// follows reports whether texts of other agents are shown after the plan, new or not.
func (e *exposure) follows() bool {
	return !e.open && e.phase == phaseWithheld && (e.opening.withheld.count() > 0 || len(e.unseen) > 0)
}

// offersPlan reports whether a plan would show texts that nothing else shows.
func (e *exposure) offersPlan() bool {
	return !e.open && !e.opening.early && e.opening.withheld.count() > 0
}

// addressed reports whether others wait for an answer: by terms in view, or a new message.
func (e *exposure) addressed() bool {
	isNew := func(m world.Message) bool { return m.New }
	return len(e.terms()) > 0 || slices.ContainsFunc(e.opening.seen.Inbox, isNew)
}

// hides reports whether an action names terms of others that no request has shown yet.
func (e *exposure) hides(a world.Action) bool {
	if e.phase == phaseShown {
		return false
	}
	known := &e.opening.known
	for arg := range world.Arguments(repeated(a)) {
		is := func(t world.Terms) bool { return t.ID == arg.Text }
		if arg.Slot() == world.SlotID && slices.ContainsFunc(e.terms(), is) &&
			!slices.ContainsFunc(slices.Concat(known.Requests, known.Offers, known.Here.Offers), is) {
			return true
		}
	}
	return false
}

// terms lists the requests and offers of others that the agent sees.
func (e *exposure) terms() []world.Terms {
	o := &e.opening.seen
	return slices.Concat(o.Requests, o.Offers, o.Here.Offers)
}

// receive takes a module result. If texts may not be shown yet and the result holds some, it waits
// for the plan.
func (e *exposure) receive(r modules.Result, ordered bool) (waits bool) {
	if ordered && !e.open && slices.ContainsFunc(r.Sources, isUntrusted) {
		e.unseen = append(e.unseen, r)
		return true
	}
	e.unsent = append(e.unsent, r.Sources...)
	return false
}

// reveal makes the withheld texts and the waiting module results due. It returns the messages of the next
// request.
func (e *exposure) reveal(w *wording) (messages []string) {
	e.open = true
	for _, r := range e.unseen {
		messages = append(messages, w.Headings.Messages+"\n"+r.Output)
		e.unsent = append(e.unsent, r.Sources...)
	}
	e.unseen = nil
	if e.phase == phaseWithheld && e.opening.withheld.count() > 0 {
		e.phase = phaseDue
		messages = append(messages, e.opening.withheld.section(w))
	}
	return messages
}

// carry moves all that is due into view: the request with this number carries it.
func (e *exposure) carry(request int) {
	e.retrieve(e.unsent)
	e.unsent = nil
	if e.phase == phaseDue {
		e.phase = phaseShown
		e.opening.sections = append(e.opening.sections, e.opening.withheldSection)
		e.retrieve(e.opening.withheld.sources(e.opening.seen.Self.ID))
		e.names = answer.NamesIn(&e.opening.seen, e.opening.industry)
	}
	if !e.tainted() && slices.ContainsFunc(e.retrieved, isUntrusted) {
		e.taintedAt = request
	}
}

// retrieve adds sources that came into view, each once. One that was shown for
// another reason and is then found by a search keeps the score of the search.
func (e *exposure) retrieve(sources []trace.Source) {
	for _, s := range sources {
		at := slices.IndexFunc(e.retrieved, func(r trace.Source) bool { return r.ID == s.ID })
		if at < 0 {
			s.Preview = plaintext.Clip(s.Preview, trace.PreviewMax)
			e.retrieved = append(e.retrieved, s)
			continue
		}
		known := &e.retrieved[at]
		known.Score = max(known.Score, s.Score)
		if isUntrusted(*known) && !strings.HasPrefix(s.Text, known.Text) {
			// One id may show other words the second time, since the prompt folds the texts of one
			// author into the newest. All words in view must be known as theirs.
			known.Text, known.Chars = known.Text+"\n"+s.Text, known.Chars+s.Chars
		}
	}
}

// inView reports whether a request carried the source with an id.
func (e *exposure) inView(id string) bool {
	return slices.ContainsFunc(e.retrieved, func(s trace.Source) bool { return s.ID == id })
}
