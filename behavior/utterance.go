package behavior

import (
	"slices"

	"agentworld/memory"
)

// utterance says what a text may repeat that the agent wrote itself: a model that has
// words of others in view may hand them on in its own. A turn without such words has
// none to hand on, whatever was read in earlier turns, since none of that stands before
// a plan.
type utterance struct {
	// tick is that of the decision.
	tick  int64
	trust memory.Trust
	// origin is who wrote all that was in view, empty when there were several or none.
	origin string
}

// utterancesMax bounds how many a past holds: more than the notes of a place.
const utterancesMax = 64

// utter notes what the text of a decision may repeat.
func (p *past) utter(tick int64, d Decision) {
	u := p.around
	if d.By != ByStanding {
		u = utterance{trust: memory.SelfObservation}
		for _, s := range d.Retrieved {
			if !untrusted(s) {
				continue
			}
			if u.trust == memory.SelfObservation {
				u.origin = s.OriginAgent
			} else if u.origin != s.OriginAgent {
				u.origin = ""
			}
			u.trust = memory.Min(u.trust, s.Trust)
		}
		p.around = u
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
	return utterance{tick: tick, trust: memory.OtherAgent}
}

// source is a text that the agent wrote, as a source.
func (u utterance) source(s memory.Source) memory.Source {
	s.OriginAgent, s.Trust = u.origin, memory.Min(u.trust, memory.SelfObservation)
	return s
}
