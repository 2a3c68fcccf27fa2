package behavior

import (
	"slices"
	"strings"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Requests and offers are data that the world has checked, without a word of another agent.
// Those that a rule of the agent could answer are lines of the observation. Others are withheld
// until the plan is made, like texts.

// partTerms leaves in an observation the requests and offers that a rule of the agent could
// answer now, at least in part, and what agents that a rule names declined. The rest is withheld. What
// can be done is told as if the rest were not there: an option, a reason or what is short would tell of it.
func (m *Agent) partTerms(view world.View, seen *visibleObservation, withheld *texts, inbox []world.Message) {
	ordered := m.cfg.Guards(trace.CheckOrder)
	part := func(list []world.Terms) (shown []world.Terms) {
		for _, t := range list {
			if !ordered || m.policy.Answerable(t, m.ledger, &seen.Observation) {
				shown = append(shown, t)
			} else {
				withheld.Terms = append(withheld.Terms, t)
			}
		}
		return shown
	}
	seen.Requests = part(seen.Requests)
	seen.Offers = part(seen.Offers)
	seen.Here.Offers = part(seen.Here.Offers)
	seen.shown = slices.Concat(seen.Requests, seen.Offers, seen.Here.Offers)
	named := func(id string) bool { return id == m.id || m.policy.NamesAsker(id) }
	stranger := func(id string) bool { return !named(id) }
	var declined []world.Message
	for _, l := range inbox {
		switch {
		case l.Kind == world.KindDecline && (!ordered || named(l.From) && !slices.ContainsFunc(l.Parents, stranger)):
			declined = append(declined, l)
		case l.Kind == "", l.Kind == world.KindDecline:
			withheld.Inbox = append(withheld.Inbox, l)
		}
	}
	seen.news = slices.Concat(m.history.news, m.words.declined(declined, seen.OwnOffers))
	if len(withheld.Terms) > 0 {
		seen.Can = view.Showing(&seen.Observation).Can()
	}
	if ordered {
		seen.TermsOmitted = 0
	}
	seen.Can = slices.Clone(seen.Can)
	for i, a := range seen.Can {
		if a.OK && m.cfg.Guards(trace.CheckRules) && m.policy.Forbids(a.Action) {
			seen.Can[i] = world.Affordance{Action: a.Action, Why: world.RejectionCode(policy.ReasonForbidden)}
		}
	}
}

// declined is the news of requests and offers of the agent that others declined since its
// last decision. What an offer gives stays withheld.
func (w *wording) declined(inbox []world.Message, offers []world.Terms) (news []episode) {
	for _, m := range inbox {
		if m.Kind == world.KindDecline && m.New {
			id := plain(m.Terms.Re)
			if slices.ContainsFunc(offers, func(o world.Terms) bool { return o.ID == m.Terms.Re && o.ExpiresIn > 0 }) {
				id = w.News.StillHeld.Text(id)
			}
			news = append(news, episode{first: m.Arrived, last: m.Arrived, count: 1,
				action: w.News.Declined.Text(plain(m.From)), things: id, news: 1})
		}
	}
	return news
}

// receivers are own requests and offers with their receivers as they may be shown. The id is a
// model's word unless typed state vouched for it when it was written.
func (p *history) receivers(own []world.Terms) []world.Terms {
	own = slices.Clone(own)
	for i := range own {
		at := slices.IndexFunc(p.episodes, func(d episode) bool { return slices.Contains(d.created, own[i].ID) })
		own[i].To = textUnknown
		if at >= 0 {
			own[i].To, _, _ = strings.Cut(p.episodes[at].things, " ")
		}
	}
	return own
}

// terms writes the requests and offers to the agent, and its own. Its own offers, which are
// few, are counted only where no other can be listed.
func (s *observationWriter) terms() {
	var shown []world.Terms
	more := s.TermsOmitted
	for _, list := range [...][]world.Terms{s.Here.Offers, s.Requests, s.Offers} {
		n := min(len(list), s.layout.terms)
		shown = append(shown, list[:n]...)
		more += len(list) - n
	}
	if len(shown)+more > 0 {
		s.list(s.words.Lines.Terms, len(shown), more, func(i int) { s.entry(&shown[i], false) })
	}
	own := s.OwnRequests[:min(len(s.OwnRequests), s.layout.terms)]
	if s.layout.terms > 0 {
		own = slices.Concat(own, s.OwnOffers)
	}
	if all := len(s.OwnRequests) + len(s.OwnOffers); all > 0 {
		s.list(s.words.Lines.OwnTerms, len(own), all-len(own), func(i int) { s.entry(&own[i], true) })
	}
}

// entry writes one request or offer, with the other side.
func (s *observationWriter) entry(t *world.Terms, own bool) {
	w := s.words
	s.add(plain(t.ID))
	if !own {
		s.then(" ", w.Terms.From, plain(t.From))
	}
	if own || t.To == world.ToAnyone {
		s.then(" ", w.Terms.Receiver, t.To)
	}
	if t.Place != "" {
		s.add(" ")
		s.where(t.Place)
	}
	s.part(t.Give != "", w.Terms.Gives, t.Give, t.GiveAmount)
	s.then(", ", w.Terms.Wants, t.Want, t.WantAmount)
	s.part(t.Left != t.WantAmount && t.Give == "", w.Terms.Left, t.Left)
	s.part(t.Re != "", w.Terms.Answers, plain(t.Re))
	s.part(t.Claim > 0, w.Terms.Claim, t.Claim)
	if t.ExpiresIn > 0 {
		s.then(", ", w.Terms.Expires, t.ExpiresIn)
	} else {
		s.add(", ", w.Terms.Over)
	}
	if !own && t.Place != "" && t.Place != s.Self.Place && !s.reaches(t) {
		s.add(", ", w.Observation.Reach)
	}
}

// reaches reports whether the agent could be at the place of an offer, with charge left, before it expires.
func (s *observationWriter) reaches(t *world.Terms) bool {
	return slices.ContainsFunc(s.Places, func(p world.Sight) bool {
		return p.ID == t.Place && !s.strands(&p) && s.Self.Electricity >= p.MoveCost && p.MoveTicks < t.ExpiresIn
	})
}
