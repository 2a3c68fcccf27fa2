package playbook

import (
	"regexp"
	"slices"
	"unicode/utf8"

	"example.com/agentworld/memory"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// lesson is content that may be taught, with what it rests on and how far it is trusted.
type lesson struct {
	content  string
	evidence []Evidence
	parents  []string
	trust    trace.Trust
}

// bracketed finds what looks like the id of a source in square brackets.
var bracketed = regexp.MustCompile(`\[\s*[A-Za-z]+[-:][^\[\]]*\]`)

// lesson checks the content of d and what it rests on: first the text by itself,
// then its evidence, then its trust, then whose words it repeats.
func (s *step) lesson(d Delta) (lesson, *Rejected) {
	l := lesson{content: plaintext.Line(d.Content)}
	switch n := utf8.RuneCountInString(l.content); {
	case n < ContentMin:
		return l, &Rejected{Code: TooShort, Value: int64(n), Limit: ContentMin}
	case n > ContentMax:
		return l, &Rejected{Code: TooLong, Value: int64(n), Limit: ContentMax}
	case bracketed.MatchString(l.content):
		return l, &Rejected{Code: Malformed}
	}
	evidence, refused := s.evidence(d)
	if refused != nil {
		return l, refused
	}
	l.evidence = evidence
	l.trust = rests(evidence)
	// A lesson is trusted at most like the agent's own observations, and no source that it was made
	// from may be trusted less.
	untaught := func(parent string, level trace.Trust) (lesson, *Rejected) {
		return l, &Rejected{Code: UntrustedEvidence, Other: parent, Value: int64(level),
			Limit: int64(trace.TrustSelfObservation)}
	}
	if d.Trust < trace.TrustSelfObservation {
		return untaught("", d.Trust)
	}
	for _, id := range d.Parents {
		// The ids of several prompts may coincide; then the least trusted counts, since any
		// of them may have been meant. A parent that is not known teaches nothing.
		level, found := trace.TrustRules, false
		if at, held := place(s.bullets, id); held {
			level, found = s.bullets[at].Trust, true
		}
		for _, source := range s.consolidation.Sources {
			if source.ID == id {
				level, found = min(level, source.Trust), true
			}
		}
		if !found {
			level = trace.TrustToolError
		}
		if level < trace.TrustSelfObservation {
			return untaught(id, level)
		}
		id = cleanID(id)
		if id != "" {
			l.parents = append(l.parents, id)
		}
	}
	// Last of the checks, since it is the only one that can be wrong about a lesson:
	// a refusal for another reason says more.
	if by, share, found := s.untrusted.overlap(l.content); found {
		return l, &Rejected{Code: UntrustedText, Other: by.source, Value: int64(share), Limit: int64(by.share)}
	}
	return l, nil
}

// evidence returns the decisions that d rests on, as the consolidation knows them: how a
// decision went is the world's word and not the model's.
func (s *step) evidence(d Delta) ([]Evidence, *Rejected) {
	if len(d.Evidence) == 0 {
		return nil, &Rejected{Code: NoEvidence, Limit: 1}
	}
	var all []Evidence
	for _, e := range d.Evidence {
		decision, known := s.consolidation.decision(e)
		if !known {
			return nil, &Rejected{Code: UnknownEvidence, Value: e.Tick}
		}
		all = append(all, decision.Evidence.clean())
	}
	return newest(nil, all, EvidenceMax), nil
}

// onto returns b with the lesson as its content. The trust can only fall, unless it was that of one
// agent's choice.
func (l lesson) onto(b Bullet) Bullet {
	b.Content, b.Origin = l.content, Reflection
	chosen := b.chosen()
	b.Evidence = newest(b.Evidence, l.evidence, EvidenceMax)
	if chosen {
		b.Trust = rests(b.Evidence)
	} else {
		b.Trust = min(b.Trust, l.trust)
	}
	b.Parents = newest(b.Parents, slices.Clone(l.parents), memory.ParentsMax)
	return b
}
