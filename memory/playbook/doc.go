// Package playbook is what agents have learned: short lessons, each with a record
// of whether it helped.
//
// A lesson is a [Bullet] with an id such as "nav-00012". It goes through a loop:
//
//	retrieve --> use --> credit --> consolidate --+
//	    ^                                    |
//	    +------------------------------------+
//
// Retrieve: bullets that fit the situation are put into a prompt, each as a source
// under its id, with the score it was chosen by ([Playbook.Retrieve]).
//
// Use: the decision cites the ids it rests on; only what was shown and cited was used.
// Credit: when the world has answered, the decision counts once for every bullet it used,
// as helpful, harmful or neutral.
//
// Consolidate: a model reflects at decisions and proposes deltas: to add a lesson, to
// reword one, to remove one, to count a use. It proposes and does not decide:
// [Apply] is a pure function that carries out what the rules allow and says of the
// rest why not.
//
//	next, applied, rejected := playbook.Apply(book, []playbook.Delta{{
//		Op: playbook.OpTag, ID: "nav-00012", Tag: playbook.Helpful,
//		Evidence: []playbook.Evidence{{Run: run, Tick: 118, Agent: "agent-1"}},
//	}}, playbook.ConsolidationInput{
//		Tick:      120,
//		Decisions: decisions,                    // looked at, with the bullets each used
//		Sources:   sources,                      // all that could be read meanwhile
//	}, playbook.Limits{})
//
// # What the rules are against
//
//   - Rewriting everything: there are only deltas, an update keeps the counts, and a
//     consolidation that loses too much at once is rejected as a whole ([Collapse]).
//   - Credit by mention: a decision counts for what it used, and only once
//     ([NotUsed], [AlreadyCredited]).
//   - Lessons without evidence: evidence names decisions that were looked at
//     ([NoEvidence], [UnknownEvidence]).
//   - Poison: texts of other agents do not become lessons, neither as a parent of one
//     ([UntrustedEvidence]) nor repeated by the agent itself ([UntrustedText]). Trust
//     only falls.
//   - Growth and repetition: [Limits], [Duplicate], and an order of eviction.
//
// # Files and versions
//
// [Playbook.Encode] writes a TOML file for people, [Parse] reads it back, also after an
// edit by hand. Every consolidation that changes something makes a new version; [Diff] compares
// versions, and [Playbook.Rollback] makes an old one the newest. A [Stamp] is a version and
// a tick: nothing depends on a clock. Texts are data: made one line, stripped of control
// characters and bounded in length when they come in.
package playbook
