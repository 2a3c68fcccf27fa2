package playbook

import "example.com/agentworld/trace"

// Op is what a change does to a bullet.
type Op string

// What a [Delta] may ask for.
const (
	// OpTag counts one decision that used the bullet.
	OpTag Op = "tag"
	// OpRemove takes the bullet away.
	OpRemove Op = "remove"
	// OpUpdate replaces the bullet's content and keeps its counts.
	OpUpdate Op = "update"
	// OpAdd adds a bullet.
	OpAdd Op = "add"
)

// What a history may show besides.
const (
	// OpMerge is the end of a bullet whose update made it say what another says:
	// that one received its counts.
	OpMerge Op = "merge"
	// OpDisplace is the end of a bullet that made room.
	OpDisplace Op = "displace"
	// OpRestore is what a rollback did to a bullet.
	OpRestore Op = "restore"
)

// Tag is what a decision that used a bullet says about it.
type Tag string

// The tags.
const (
	Helpful Tag = "helpful"
	Harmful Tag = "harmful"
	Neutral Tag = "neutral"
)

// Delta is one change of a playbook that a model proposed. The texts in it are the
// model's; the trust is the caller's and must never be read from a model.
type Delta struct {
	Op Op
	// ID is the bullet to tag, remove or update. An added bullet gets its id from
	// [Apply], which ignores this field.
	ID string
	// Section is the subject of an added bullet. An update may repeat the bullet's
	// section and may not change it.
	Section Section
	// Content is the lesson to add, or the bullet's new content.
	Content string
	// Tag is for [OpTag] alone.
	Tag Tag
	// Reason is for the history; no agent reads it. It is cut to 200 characters.
	Reason string
	// Evidence names decisions of [ConsolidationInput.Decisions]: exactly one for a tag, at
	// least one for anything else. Their outcomes are taken from the consolidation, not
	// from here.
	Evidence []Evidence
	// Trust is the least trust of everything the lesson was made from besides its evidence, as far as
	// the caller knows; the zero value is refused. The trust of the parents is
	// looked up and can only lower it.
	Trust trace.Trust
	// Parents are the ids of the sources the lesson was made from: sources of the
	// consolidation, or bullets.
	Parents []string
}

// ConsolidationInput is what a consolidation is based on: the decisions it reviewed and
// everything that could be read while the deltas were made.
type ConsolidationInput struct {
	// Tick is the tick of the consolidation, for the stamps.
	Tick int64
	// Note is for the history, such as the run that was learned from; no agent
	// reads it.
	Note string
	// Decisions are the decisions that may be evidence.
	Decisions []Decision
	// Sources are the sources that were shown to the decisions or to the model that
	// proposed the deltas. A source trusted less than an agent's own observation cannot
	// be the parent of a lesson, nor may a lesson repeat it.
	Sources []trace.Source
}

// Decision is a decision that was looked at.
type Decision struct {
	Evidence
	// Used are the ids of the bullets that the decision rests on: shown to it and
	// cited by it. A bullet that was shown but not cited gets no credit.
	Used []string
}

// decision returns the decision that e names.
func (c ConsolidationInput) decision(e Evidence) (Decision, bool) {
	for _, d := range c.Decisions {
		if d.Run == e.Run && d.Tick == e.Tick && d.Agent == e.Agent {
			return d, true
		}
	}
	return Decision{}, false
}

// Limits bound a playbook. A field that is zero takes its default.
type Limits struct {
	// BulletsMax is how many bullets a playbook holds, default 200.
	BulletsMax int
	// CharsMax is how many characters all contents have together, default 40,000.
	CharsMax int
}

const (
	// usesMin is how often a bullet must have been used before a model may remove it.
	usesMin = 3
	// deltasMax is how many deltas one consolidation looks at.
	deltasMax = 64
)

// Applied is a delta that was carried out.
type Applied struct {
	Delta Delta
	// Before and After are the bullet before and after; Before is nil for an
	// added bullet, After for one that is gone.
	Before, After *Bullet
	// Twin is the bullet that received the counts when an update made the
	// updated bullet say the same; empty otherwise.
	Twin string
	// Displaced are the ids of the bullets that made room.
	Displaced []string
}

// Rejected is a delta that was not carried out.
type Rejected struct {
	Delta Delta
	Code  Code
	// Other is the bullet or source that the delta conflicts with, empty if the code
	// needs none.
	Other string
	// Value and Limit are the numbers of the code; see there.
	Value, Limit int64
}

// Code says why a delta was rejected.
type Code string

// The codes, in the order in which a delta is checked.
const (
	// TooMany: the consolidation has more than Limit deltas; this is number Value.
	TooMany Code = "too_many"
	// UnknownOp: the delta asks for none of the four operations.
	UnknownOp Code = "unknown_op"
	// UnknownID: the playbook holds no such bullet (any more).
	UnknownID Code = "unknown_id"
	// UnknownSection: there is no such section, or it is not the bullet's.
	UnknownSection Code = "unknown_section"
	// UnknownTag: the tag is none of the three.
	UnknownTag Code = "unknown_tag"
	// TooShort: the content has Value characters, fewer than Limit.
	TooShort Code = "too_short"
	// TooLong: the content has Value characters, more than Limit.
	TooLong Code = "too_long"
	// Malformed: the content holds something that looks like the id of a source in
	// square brackets. A model that quotes the line would seem to cite that source.
	Malformed Code = "malformed"
	// NoEvidence: the delta names Value decisions; it takes at least Limit, and a
	// tag takes exactly that.
	NoEvidence Code = "no_evidence"
	// UnknownEvidence: the decision of tick Value is none of those looked at.
	UnknownEvidence Code = "unknown_evidence"
	// UntrustedEvidence: the lesson was made from something of trust Value, and
	// Limit is the least that may teach; Other is the parent, if it was one.
	UntrustedEvidence Code = "untrusted_evidence"
	// UntrustedText: Value thousandths of the content's words are in the untrusted
	// text Other, or in all texts of its author. Limit or more are refused; fewer are
	// refused if several of them are in a row.
	UntrustedText Code = "untrusted_text"
	// Duplicate: the bullet Other says the same.
	Duplicate Code = "duplicate"
	// Unchanged: the update says what the bullet says already.
	Unchanged Code = "unchanged"
	// NotUsed: the decision did not use the bullet.
	NotUsed Code = "not_used"
	// ChosenByOthers: what came of the decision was the free choice of the agent Other.
	ChosenByOthers Code = "chosen_by_others"
	// AlreadyCredited: the decision was counted for the bullet before.
	AlreadyCredited Code = "already_credited"
	// TooFewUses: the bullet was used Value times; Limit are needed to judge it.
	TooFewUses Code = "too_few_uses"
	// NotHarmful: Value uses were harmful, and Limit uses were helpful.
	NotHarmful Code = "not_harmful"
	// Full: the playbook has Limit bullets (or characters) and none that may be
	// displaced for this one.
	Full Code = "full"
	// Collapse: the whole consolidation was rejected, since it would take away too much
	// at once. Other is "bullets" or "chars", Value what would be lost, Limit what
	// may be.
	Collapse Code = "consolidation_rejected_collapse"
)
