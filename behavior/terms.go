package behavior

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// Requests and offers are data that the world has checked, without a word of another agent, so
// that they are lines of the observation. Only texts are held back until the plan is made.

// textsOnly are the messages with a text.
func textsOnly(inbox []world.Message) []world.Message {
	return slices.DeleteFunc(slices.Clone(inbox), func(m world.Message) bool { return m.Kind != "" })
}

// declined is the news of requests and offers of the agent that others declined since its
// last decision.
func (w *wording) declined(inbox []world.Message) (news []deed) {
	for _, m := range inbox {
		if m.Kind == world.KindDecline && m.New {
			news = append(news, deed{first: m.Arrived, last: m.Arrived, count: 1, action: fmt.Sprintf(w.newsDeclined, plain(m.From)), things: plain(m.Terms.Re), news: 1})
		}
	}
	return news
}

// receivers are own requests and offers to whom they may be told to be: the id is a model's
// word unless typed state vouched for it when it was written.
func (p *past) receivers(own []world.Terms) []world.Terms {
	own = slices.Clone(own)
	for i := range own {
		at := slices.IndexFunc(p.deeds, func(d deed) bool { return slices.Contains(d.created, own[i].ID) })
		own[i].To = textUnknown
		if at >= 0 {
			own[i].To, _, _ = strings.Cut(p.deeds[at].things, " ")
		}
	}
	return own
}

// terms writes the requests and offers to the agent, and its own. Its own offers, which are
// few, are counted only where no other can be listed.
func (s sketch) terms() (lines []string) {
	w, more := s.words, s.TermsOmitted
	var others, own []string
	for _, list := range [][]world.Terms{s.Here.Offers, s.Requests, s.Offers} {
		shown := list[:min(len(list), s.layout.terms)]
		more += len(list) - len(shown)
		for _, t := range shown {
			others = append(others, s.entry(t, false))
		}
	}
	if len(others)+more > 0 {
		lines = append(lines, w.lineTerms+s.listed(others, more))
	}
	shown := s.OwnRequests[:min(len(s.OwnRequests), s.layout.terms)]
	if s.layout.terms > 0 {
		shown = slices.Concat(shown, s.OwnOffers)
	}
	for _, t := range shown {
		own = append(own, s.entry(t, true))
	}
	if more := len(s.OwnRequests) + len(s.OwnOffers) - len(shown); len(own)+more > 0 {
		lines = append(lines, w.lineOwnTerms+s.listed(own, more))
	}
	return lines
}

// entry writes one request or offer, with the other side.
func (s sketch) entry(t world.Terms, own bool) string {
	w := s.words
	parts := []string{plain(t.ID)}
	if !own {
		parts[0] += " " + fmt.Sprintf(w.textFrom, plain(t.From))
	}
	if own || t.To == world.ToAnyone {
		parts[0] += " " + fmt.Sprintf(w.textReceiver, t.To)
	}
	if t.Place != "" {
		parts[0] += " " + s.where(t.Place)
	}
	if t.Give != "" {
		parts = append(parts, fmt.Sprintf(w.textGives, t.Give, t.GiveAmount))
	}
	parts = append(parts, fmt.Sprintf(w.textWants, t.Want, t.WantAmount))
	if t.Left != t.WantAmount && t.Give == "" {
		parts = append(parts, fmt.Sprintf(w.textLeft, t.Left))
	}
	if t.Re != "" {
		parts = append(parts, fmt.Sprintf(w.textAnswers, plain(t.Re)))
	}
	if t.Claim > 0 {
		parts = append(parts, fmt.Sprintf(w.textClaim, t.Claim))
	}
	if t.ExpiresIn > 0 {
		parts = append(parts, fmt.Sprintf(w.textExpires, t.ExpiresIn))
	} else {
		parts = append(parts, w.textOver)
	}
	return strings.Join(parts, ", ")
}
