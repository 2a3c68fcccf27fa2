package playbook

import (
	"regexp"
	"slices"
	"unicode/utf8"

	"example.com/agentworld/memory"
	"example.com/agentworld/trace"
)

// lesson is content that may be taught, with what it rests on.
type lesson struct {
	content  string
	evidence []Evidence
	trust    trace.Trust
	origin   Origin
	parents  []string
}

// bracketed finds what looks like the id of a source in square brackets.
var bracketed = regexp.MustCompile(`\[\s*[A-Za-z]+[-:][^\[\]]*\]`)

// lesson checks the content of d and what it rests on: first the text by itself,
// then its evidence, then its trust, then whose words it repeats.
func (s *step) lesson(d Delta, content string) (lesson, refusal) {
	if refused := wellFormed(content); refused.refused() {
		return lesson{}, refused
	}
	evidence, refused := s.evidence(d)
	if refused.refused() {
		return lesson{}, refused
	}
	trust, refused := s.trust(d)
	if refused.refused() {
		return lesson{}, refused
	}
	// Last of the checks, since it is the only one that can be wrong about a lesson:
	// a refusal for another reason says more.
	if by, share, found := s.untrusted.overlap(content); found {
		return lesson{}, refusal{code: UntrustedText, other: by.source, value: int64(share), limit: int64(by.share)}
	}
	l := lesson{content: content, evidence: evidence, trust: trust, origin: Reflection}
	if d.byOperator() {
		l.origin = d.Origin
	}
	for _, id := range d.Parents {
		if id = cleanID(id); id != "" {
			l.parents = append(l.parents, id)
		}
	}
	return l, refusal{}
}

// wellFormed checks the content by itself.
func wellFormed(content string) refusal {
	n := utf8.RuneCountInString(content)
	switch {
	case n < ContentMin:
		return refusal{code: TooShort, value: int64(n), limit: ContentMin}
	case n > ContentMax:
		return refusal{code: TooLong, value: int64(n), limit: ContentMax}
	case bracketed.MatchString(content):
		return refusal{code: Malformed}
	}
	return refusal{}
}

// evidence returns the decisions that d rests on, as the curation knows them: how a
// decision went is the world's word and not the model's.
func (s *step) evidence(d Delta) ([]Evidence, refusal) {
	if len(d.Evidence) == 0 && !d.byOperator() {
		return nil, refusal{code: NoEvidence, limit: 1}
	}
	var all []Evidence
	for _, e := range d.Evidence {
		decision, known := s.curation.decision(e)
		switch {
		case known:
			all = append(all, decision.Evidence.clean())
		case d.byOperator():
			all = append(all, e.clean())
		default:
			return nil, refusal{code: UnknownEvidence, value: e.Tick}
		}
	}
	return newest(nil, all, EvidenceMax), refusal{}
}

// trust returns how far the lesson of d may be trusted: no further than the caller
// says, than any parent, and, unless it is the operator's, than the agent's own
// observations. A parent that is not known teaches nothing.
func (s *step) trust(d Delta) (trace.Trust, refusal) {
	level := min(d.Trust, trace.TrustRules)
	if !d.byOperator() {
		level = min(level, trace.TrustSelfObservation)
	}
	if level < trace.TrustSelfObservation {
		return level, untaught("", level)
	}
	for _, id := range d.Parents {
		trust := s.parentTrust(id)
		if trust < trace.TrustSelfObservation {
			return trust, untaught(id, trust)
		}
		level = min(level, trust)
	}
	return level, refusal{}
}

func untaught(parent string, level trace.Trust) refusal {
	return refusal{code: UntrustedEvidence, other: parent, value: int64(level), limit: int64(trace.TrustSelfObservation)}
}

// parentTrust returns the least trust of what has that id, and the lowest there is
// when nothing known has it. The ids of several prompts may coincide; then the
// least trusted counts, since any of them may have been meant.
func (s *step) parentTrust(id string) trace.Trust {
	level, found := trace.TrustRules, false
	if at, held := place(s.bullets, id); held {
		level, found = s.bullets[at].Trust, true
	}
	for _, source := range s.curation.Sources {
		if source.ID == id {
			level, found = min(level, source.Trust), true
		}
	}
	if !found {
		return trace.TrustToolError
	}
	return level
}

// onto returns b with the lesson as its content. The trust can only fall.
func (l lesson) onto(b Bullet) Bullet {
	b.Content, b.Origin = l.content, l.origin
	b.Trust = min(b.Trust, l.trust)
	b.Evidence = newest(b.Evidence, l.evidence, EvidenceMax)
	b.Parents = newest(b.Parents, slices.Clone(l.parents), memory.ParentsMax)
	return b
}
