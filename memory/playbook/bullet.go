package playbook

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/memory"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// The bounds of a bullet's content in characters.
const (
	ContentMin = 10
	ContentMax = 400
)

// The bounds of what a bullet remembers about itself; when there is more, the
// oldest goes.
const (
	// EvidenceMax bounds [Bullet.Evidence].
	EvidenceMax = 8
	// CreditedMax bounds [Bullet.Credited]. An older decision could be credited again,
	// but only if the same run is learned from twice, a long time apart.
	CreditedMax = 64
	// CountMax bounds each count of a bullet.
	CountMax = 999_999_999
)

// Origin says who wrote a bullet's content.
type Origin string

// The origins.
const (
	// Reflection is a model that reflected at decisions: whatever [Apply] adds or updates.
	Reflection Origin = "reflection"
	// Seed is the operator, before the first run.
	Seed Origin = "seed"
	// Manual is the operator, by hand.
	Manual Origin = "manual"
)

// Stamp says when something was written.
type Stamp struct {
	// Version is the version of the playbook that brought it.
	Version int `json:"version" toml:"version"`
	// Tick is the tick of the world in which the consolidation ran.
	Tick int64 `json:"tick" toml:"tick"`
}

// Evidence is one decision that a lesson rests on.
type Evidence struct {
	// Run, Tick and Agent name the decision; an agent makes at most one per tick.
	Run   string `json:"run" toml:"run"`
	Tick  int64  `json:"tick" toml:"tick"`
	Agent string `json:"agent" toml:"agent"`
	// Outcome is its outcome, as the world reported it.
	Outcome string `json:"outcome,omitempty" toml:"outcome,omitempty"`
	// Givers are the ids of the agents whose free choice the effect of the decision was, with spaces
	// between; empty if the world itself answered. Such evidence shows what they chose, and they may
	// have chosen it to be learned.
	Givers string `json:"givers,omitempty" toml:"givers,omitempty"`
}

// rests returns how far a lesson may be trusted that rests on the given evidence: like an agent's own
// observation if the world answered one of the decisions, or if two agents chose alike.
func rests(all []Evidence) trace.Trust {
	var givers []string
	for _, e := range all {
		if e.Givers == "" {
			return trace.TrustSelfObservation
		}
		givers = newest(givers, strings.Fields(e.Givers), len(all)*giversMax)
	}
	if len(givers) < 2 {
		return trace.TrustDerived
	}
	return trace.TrustSelfObservation
}

// Credit is the fingerprint of a decision that was counted for a bullet, so that
// it is not counted again.
type Credit uint64

// MarshalText implements [encoding.TextMarshaler]: 16 digits.
func (c Credit) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(c)), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *Credit) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil || len(text) != 16 {
		return fmt.Errorf("%s is not the fingerprint of a decision: 16 digits 0-9 a-f", brief(string(text)))
	}
	*c = Credit(n)
	return nil
}

// credit returns the fingerprint of the decision e names.
func (e Evidence) credit() Credit {
	sum := fnv.New64a()
	// Quoting keeps ("ab", "c") and ("a", "bc") apart. A hash never fails to write.
	_, _ = sum.Write([]byte(strconv.Quote(e.Run) + strconv.FormatInt(e.Tick, 10) + strconv.Quote(e.Agent)))
	return Credit(sum.Sum64())
}

// Bullet is one lesson.
type Bullet struct {
	// ID is the section and a number, such as "nav-00012". A prompt shows it in square
	// brackets, and a model cites it.
	ID      string  `json:"id" toml:"id,omitempty"`
	Section Section `json:"section" toml:"-"`
	// Content is one line of [ContentMin]..[ContentMax] characters.
	Content string `json:"content" toml:"content"`
	// Helpful, Harmful and Neutral count the decisions that used the bullet, by
	// their outcome: 0..[CountMax].
	Helpful int `json:"helpful" toml:"helpful"`
	Harmful int `json:"harmful" toml:"harmful"`
	Neutral int `json:"neutral" toml:"neutral"`
	// Created is when the bullet was added, Updated when its content last changed.
	Created Stamp `json:"created" toml:"created,omitempty,inline"`
	Updated Stamp `json:"updated" toml:"updated,omitempty,inline"`
	// Trust is at most the trust of everything the content was made from. It only
	// falls.
	Trust trace.Trust `json:"trust" toml:"-"`
	// Origin is who wrote the present content.
	Origin Origin `json:"origin" toml:"origin"`
	// Evidence is what the content rests on, oldest first, at most [EvidenceMax].
	Evidence []Evidence `json:"evidence,omitempty" toml:"evidence,omitempty,inline"`
	// Parents are the ids of the sources the content was made from, at most
	// [memory.ParentsMax], the newest last.
	Parents []string `json:"parents,omitempty" toml:"parents,omitempty"`
	// Credited are the decisions that were counted, oldest first, at most
	// [CreditedMax].
	Credited []Credit `json:"-" toml:"credited,omitempty"`
}

// Uses returns how many credited decisions used the bullet.
func (b Bullet) Uses() int { return b.Helpful + b.Harmful + b.Neutral }

// count returns the count that a tag raises, nil for an unknown tag.
func (b *Bullet) count(tag Tag) *int {
	switch tag {
	case Helpful:
		return &b.Helpful
	case Harmful:
		return &b.Harmful
	case Neutral:
		return &b.Neutral
	}
	return nil
}

// Harms reports whether the bullet did more harm than good, in enough uses that a model may remove it.
func (b Bullet) Harms() bool { return b.Uses() >= usesMin && b.Harmful > b.Helpful }

// Helpfulness returns (Helpful+1)/(Helpful+Harmful+2) in thousandths: 500 for a
// bullet that was never tried, and nearer to 0 or 1000 the more decisions agree.
// Neutral uses do not count: they say nothing against a lesson.
func (b Bullet) Helpfulness() int64 {
	return 1000 * int64(b.Helpful+1) / int64(b.Helpful+b.Harmful+2)
}

// chosen reports whether the bullet is derived because all that it rests on is what one agent chose.
func (b Bullet) chosen() bool {
	return b.Trust == trace.TrustDerived && len(b.Evidence) > 0 && rests(b.Evidence) == trace.TrustDerived
}

// Chars returns the length of the content in characters.
func (b Bullet) Chars() int { return utf8.RuneCountInString(b.Content) }

// Line returns the one line that shows the bullet in a prompt:
//
//	[nav-00012] Recharge before a journey of more than one tick.
//
// Content that is trusted no more than texts of other agents is quoted as a JSON string,
// so that it cannot pass for anything else.
func (b Bullet) Line() string {
	content := b.Content
	if b.Trust <= trace.TrustOtherAgent {
		content = memory.Quote(content)
	}
	return "[" + b.ID + "] " + content
}

// number returns the number in the bullet's id.
func (b Bullet) number() int {
	_, number, ok := splitID(b.ID)
	if !ok {
		panic("playbook: a held bullet has the id " + strconv.Quote(b.ID))
	}
	return number
}

// copied returns the bullet without sharing anything a caller could change.
func (b Bullet) copied() Bullet {
	b.Evidence = slices.Clone(b.Evidence)
	b.Parents = slices.Clone(b.Parents)
	b.Credited = slices.Clone(b.Credited)
	return b
}

// newest returns the distinct values of both lists in order, a repeated one in its
// first place, cut to the newest limit. The result shares nothing with the lists.
func newest[T comparable](old, added []T, limit int) []T {
	var all []T
	for _, value := range slices.Concat(old, added) {
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all[max(0, len(all)-limit):]
}

// The longest names and outcomes kept, in characters.
const (
	nameMax    = 80
	giversMax  = 4
	outcomeMax = 160
	reasonMax  = 200
)

// clean returns e with its texts made one line and cut to their bounds.
func (e Evidence) clean() Evidence {
	return Evidence{
		Run: short(e.Run, nameMax), Tick: max(e.Tick, 0), Agent: short(e.Agent, nameMax),
		Outcome: short(e.Outcome, outcomeMax), Givers: cleanGivers(e.Givers),
	}
}

// cleanGivers keeps the first giversMax ids.
func cleanGivers(givers string) string {
	var ids []string
	for _, id := range strings.Fields(givers) {
		ids = append(ids, short(id, nameMax))
	}
	return strings.Join(ids[:min(len(ids), giversMax)], " ")
}

// short returns text as one line of at most limit characters.
func short(text string, limit int) string {
	return plaintext.Head(plaintext.Line(text), limit)
}

// cleanID returns the id of a source as one word, so that a list of them can be
// written with spaces between.
func cleanID(id string) string { return strings.ReplaceAll(short(id, nameMax), " ", "_") }
