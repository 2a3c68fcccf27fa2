package world

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Requests and offers are typed messages. Their terms are data that the world has checked
// and stamped with sender and tick; they hold no text. A scenario enables them with
// [Scenario.Terms].
//
// Each side keeps its own record of them. The sender learns what the receiver did when it
// can see it: a gift at once, since both are at one place, and an answer when its message
// arrives. Until then the two may differ on what is left of a request.

// The bounds of requests and offers.
const (
	// TermsTicksMax is how long a request or offer stays open at most.
	TermsTicksMax = 20
	// ParentsMax is how many parents are kept one by one.
	ParentsMax = 16
	// RequestsMax bounds the open requests of one agent to another.
	RequestsMax = 2
	// OffersMax bounds the offers of one agent, closed ones with a claim included.
	OffersMax = 4
	// termsShown bounds each list of requests or offers in an observation.
	termsShown = 16
)

// ToAnyone is the receiver of an offer that every agent at its place may accept.
const ToAnyone = "anyone"

// The kinds of typed messages.
const (
	KindRequest = "request"
	KindOffer   = "offer"
	KindDecline = "decline"
)

// Terms are a request, offer or decline as one of its two sides knows it, without any text.
type Terms struct {
	// ID is "req-<tick>-<sender>-1" or the same with offer or decline.
	ID   string `json:"id"`
	From string `json:"from"`
	// To is an agent's id, or anyone for an offer to all agents at its place.
	To string `json:"to"`
	// Place is where an offer is held.
	Place string `json:"place,omitempty"`
	// Give is what the sender of an offer gives, Want what it wants. A request only wants.
	Give       string `json:"give,omitempty"`
	GiveAmount int64  `json:"give_amount,omitempty"`
	Want       string `json:"want,omitempty"`
	WantAmount int64  `json:"want_amount,omitempty"`
	// Re is the id of the request that an offer answers, or of what is declined.
	Re string `json:"re,omitempty"`
	// Left is what of a request is still to come, as far as this side knows.
	Left int64 `json:"left,omitempty"`
	// ExpiresIn counts the ticks left. An own offer at another place may be closed before.
	ExpiresIn int64 `json:"expires_in,omitempty"`
	// Claim is the electricity of a closed own offer here that waits for room in the battery.
	Claim int64 `json:"claim,omitempty"`
	// Parents are the agents whose texts or terms were in view when the sender decided:
	// sorted, each once, without the sender. It is [Anyone] alone if that is among them, or
	// if there are more than [ParentsMax]. No prompt shows them.
	Parents []string `json:"-"`
}

func (t Terms) id() string { return t.ID }

// Parents are the agents that had a part in what an agent does, in the form of
// [Terms.Parents]. An empty id is an unknown agent.
func Parents(self string, ids ...string) []string {
	if len(ids) == 0 {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == self })
	slices.Sort(list)
	list = slices.Compact(list)
	switch {
	case len(list) == 0:
		return nil
	case len(list) > ParentsMax || slices.Contains(list, "") || slices.Contains(list, Anyone):
		return []string{Anyone}
	}
	return list
}

// terms are the content of a typed message. They never change, so all copies share them.
type terms struct {
	// Terms are shown to both sides; what depends on the side or the tick is left out.
	Terms
	kind string
	from int32
	// place is where its sender was, and an offer is held.
	place      int32
	give, want resource
	// until is the first tick in which they have expired.
	sentAt, until int64
}

// known are terms as one side knows them.
type known struct {
	*terms
	// left is what is still to come of a request. 0 means that this side is done with them.
	left int64
}

// open reports whether this side may still act on the terms.
func (k known) open(tick int64) bool { return k.left > 0 && k.until > tick }

// termsOf returns terms of agent n, without what is given or wanted.
func (w *World) termsOf(n int32, kind, to string, ticks int64) *terms {
	prefix := kind
	if kind == KindRequest {
		prefix = "req"
	}
	return &terms{
		Terms: Terms{ID: w.textID(prefix, w.tick, n), From: w.agents[n].id, To: to, Parents: w.parents}, kind: kind, from: n,
		place: w.agents[n].place, sentAt: w.tick, until: w.tick + ticks,
	}
}

// show returns terms as an observation of one side lists them.
func (w *World) show(k known) Terms {
	t := k.Terms
	t.ExpiresIn = max(0, k.until-w.tick)
	if k.kind == KindRequest {
		t.Left = k.left
	}
	return t
}

// keep inserts terms into a list in the order of sending, and drops those that are over. A
// declined offer stays until it expires, so that it is not shown again.
func keep(list []known, k known, tick int64) []known {
	list = slices.DeleteFunc(list, func(old known) bool {
		return old.until <= tick || old.left == 0 && old.kind == KindRequest
	})
	i, _ := slices.BinarySearchFunc(list, k, func(x, y known) int { return inOrder(x.terms, y.terms) })
	return slices.Insert(list, i, k)
}

// inOrder compares by tick and sender.
func inOrder(x, y *terms) int {
	return cmp.Or(cmp.Compare(x.sentAt, y.sentAt), cmp.Compare(x.from, y.from))
}

// lower takes at most n from what is left of the terms with an id.
func lower(list []known, id string, n int64) {
	for i := range list {
		if list[i].ID == id {
			list[i].left -= min(n, list[i].left)
		}
	}
}

// answer counts a gift of agent n to agent m towards the requests of m to n, oldest first, and
// returns their ids.
func (w *World) answer(n, m int32, r resource, amount int64) (requests []string) {
	asked := w.agents[n].mail.got
	for i := range asked {
		if k := &asked[i]; k.kind == KindRequest && k.from == m && k.want == r && k.open(w.tick) && amount > 0 {
			given := min(k.left, amount)
			k.left, amount = k.left-given, amount-given
			lower(w.agents[m].mail.sent, k.ID, given)
			requests = append(requests, k.ID)
		}
	}
	return requests
}

// takeUp records a typed message that has arrived at agent n: a request or offer to it, or
// an answer to its own request.
func (w *World) takeUp(n int32, t *terms) {
	mail, left := &w.agents[n].mail, t.WantAmount
	switch t.kind {
	case KindDecline:
		lower(mail.sent, t.Re, amountMax)
		return
	case KindOffer:
		lower(mail.sent, t.Re, t.GiveAmount)
		if w.at(n, t.place) && !w.lies(t) {
			return // the agent sees that it is gone
		}
		left = t.GiveAmount
	}
	declined := slices.ContainsFunc(mail.got, func(k known) bool { return k.terms == t })
	if !declined && t.until > w.tick {
		mail.got = keep(mail.got, known{t, left}, w.tick)
	}
}

// seenTerms are a request or offer as its receiver can know it.
type seenTerms struct {
	known
	// here says that it is an offer at the agent's own place, to it or to anyone.
	here bool
	// unknown says that there may be such an offer among those left out of the view.
	unknown bool
}

// termsTo lists the open requests and offers to agent n: those that arrived, then the offers
// at its place, both in the order of sending. With opening, offers closed in this tick are
// still among them.
func (w *World) termsTo(n int32, opening bool) iter.Seq[seenTerms] {
	a := &w.agents[n]
	return func(yield func(seenTerms) bool) {
		for _, k := range a.mail.got {
			if k.open(w.tick) && (k.kind == KindRequest || k.place != a.place) && !yield(seenTerms{known: k}) {
				return
			}
		}
		if a.travelling() {
			return
		}
		for _, i := range w.sites[a.place].offers {
			o := &w.offers[i]
			if !o.open && !(opening && o.closedAt == w.tick) || o.owner == n || o.terms.To != a.id && o.terms.To != ToAnyone {
				continue
			}
			declined := o.terms.To == a.id &&
				slices.ContainsFunc(a.mail.got, func(k known) bool { return k.terms == o.terms && k.left == 0 })
			if !declined && !yield(seenTerms{known: known{o.terms, o.terms.GiveAmount}, here: true}) {
				return
			}
		}
	}
}

// lookAtTerms fills in the requests and offers to agent n. Those of agents that its rules
// name come first; offers of others to anyone are bounded in number.
func (w *World) lookAtTerms(v *knowledge, n int32) {
	var named, directed, public []seenTerms
	for t := range w.termsTo(n, false) {
		switch {
		case w.names(n, t.from):
			named = append(named, t)
		case t.To != ToAnyone:
			directed = append(directed, t)
		case len(public) < sightsMax:
			public = append(public, t)
		default:
			v.seen.TermsOmitted++
			v.moreOffers = true
		}
	}
	v.toSelf = slices.Concat(named, directed, public)
	o := &v.seen
	for _, t := range v.toSelf {
		list := &o.Offers
		switch {
		case t.here:
			list = &o.Here.Offers
		case t.kind == KindRequest:
			list = &o.Requests
		}
		if len(*list) == termsShown {
			o.TermsOmitted++
			continue
		}
		*list = append(*list, w.show(t.known))
	}
}

// terms implements senses with the live world. The actor could not see what others sent in
// this tick when it decided.
func (s *liveSenses) terms(id string) seenTerms {
	for t := range s.w.termsTo(s.n, s.opening) {
		if t.ID == id && t.sentAt < s.w.tick {
			return t
		}
	}
	return seenTerms{}
}

// terms implements senses with the view.
func (v *knowledge) terms(id string) seenTerms {
	if i := slices.IndexFunc(v.toSelf, func(t seenTerms) bool { return t.ID == id }); i >= 0 {
		return v.toSelf[i]
	}
	return seenTerms{unknown: v.moreOffers && strings.HasPrefix(id, KindOffer+"-")}
}

// Trades reports whether the world has requests and offers.
func (o *Observation) Trades() bool {
	return slices.ContainsFunc(o.Can, func(a Affordance) bool {
		return slices.Contains([]string{(AcceptOffer{}).ActionName(), (Offer{}).ActionName(), (Request{}).ActionName()},
			a.Action)
	})
}

// termTicksParam is the parameter for how long a request or offer stays open.
func termTicksParam() Param {
	return Param{
		Name: "for_ticks", Kind: ParamAmount, Unit: Ticks, Min: termTicksUseful, Max: TermsTicksMax,
		Doc:     "how long it stays open",
		Aliases: []string{"ticks", "duration"},
	}
}

// termTicksUseful is the shortest duration in which an agent can answer, since terms are seen
// in the tick after they were made.
const termTicksUseful = 2

// clampTermTicks clamps a duration to one in which terms can be answered.
func clampTermTicks(a Action, n *int64) []Adjustment {
	if *n == 1 {
		*n = termTicksUseful
		return []Adjustment{{a.ActionName(), "for_ticks", 1, termTicksUseful, boundRule}}
	}
	return lowerTo(a, "for_ticks", n, limit{TermsTicksMax, boundRule})
}

// lowerTo lowers a number to a positive limit. Under any other limit the number stays, and
// the action is refused.
func lowerTo(a Action, field string, n *int64, l limit) []Adjustment {
	if l.max < 1 || *n <= l.max {
		return nil
	}
	adjusted := []Adjustment{{a.ActionName(), field, *n, l.max, l.bound}}
	*n = l.max
	return adjusted
}
