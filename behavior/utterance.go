package behavior

import (
	"slices"

	"example.com/agentworld/trace"
)

// utterance says what a text may repeat that the agent wrote itself: a model that has
// words of others in view may hand them on in its own. When none are in view, it may
// still be those of earlier turns, for nobody knows what a provider keeps.
type utterance struct {
	// tick is that of the decision.
	tick int64
	// tainted says that there were any; trust is then the least of them, and origin who
	// wrote them all, empty when there were several.
	tainted bool
	trust   trace.Trust
	origin  string
}

// reads adds a source that was in view.
func (u *utterance) reads(trust trace.Trust, origin string) {
	switch {
	case !u.tainted:
		u.tainted, u.trust, u.origin = true, trust, origin
	case u.origin != origin:
		u.origin = ""
	}
	u.trust = min(u.trust, trust)
}

// utterancesMax bounds how many a past holds: more than the notes of a place.
const utterancesMax = 64

// utter notes what the text of a decision may repeat.
func (p *past) utter(tick int64, d Decision) {
	if d.DecidedBy != trace.ByStanding {
		p.around = utterance{}
		for _, s := range d.SourcesRetrieved {
			if isUntrusted(s) {
				p.around.reads(s.Trust, s.OriginAgent)
				p.ever.reads(s.Trust, s.OriginAgent)
			}
		}
	}
	u := p.around
	if !u.tainted {
		u = p.ever
	}
	u.tick = tick
	p.wrote = append(p.wrote, u)
	p.wrote = p.wrote[max(0, len(p.wrote)-utterancesMax):]
}

// spoken is what a text of the given tick may repeat: nobody knows whose words, when
// that is too long ago.
func (p *past) spoken(tick int64) utterance {
	if i := slices.IndexFunc(p.wrote, func(u utterance) bool { return u.tick == tick }); i >= 0 {
		return p.wrote[i]
	}
	return utterance{tick: tick, tainted: true, trust: trace.TrustOtherAgent}
}

// source is a text that the agent wrote, as a source.
func (u utterance) source(s trace.Source) trace.Source {
	s.OriginAgent, s.Trust = u.origin, trace.TrustSelfObservation
	if u.tainted {
		s.Trust = u.trust
	}
	return s
}
