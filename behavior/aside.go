package behavior

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// What was wrong in a turn is told in the next prompt, also if the turn ended well: no other prompt would
// show it, and the model would repeat the mistake. What was refused under texts is told before the next
// plan by action and code alone. Its receiver, goods, ids and amounts may be those of the texts, so they
// follow the plan.

// fault is one thing that was wrong in a turn, in a few words.
type fault struct {
	// early is what may be told before the next plan, empty for nothing. late is the whole, if early is
	// not; it is told with texts.
	early, late string
	// refusal says that a call or action was refused. Otherwise a whole answer could not be used, which
	// matters only if the turn ended in something else than was meant.
	refusal bool
}

// faultsMax bounds the faults of a turn that are told, faultCharsMax the text about one.
const (
	faultsMax     = 3
	faultCharsMax = 160
)

// mistake keeps a fault for the next turn, unless it is known.
func (d *draft) mistake(f fault) {
	f.early = plaintext.Clip(f.early, faultCharsMax)
	f.late = plaintext.Clip(f.late, faultCharsMax)
	if slices.Contains(d.faults, f) {
		return
	}
	d.faults = slices.Clip(newest(append(d.faults, f), faultsMax))
}

// mistake keeps what was wrong with a call or an action, nil for a call, for the next turn.
func (t *Turn) mistake(f feedback, about world.Action) {
	w := t.agent.words
	// head is what it was about, in full that with its arguments.
	var head, full, code, whole string
	if about != nil {
		head = repeated(about).ActionName()
		full = w.actionText(about, naming{known: t.agent.knownIDs(&t.exposure.opening.seen, about)})
	}
	switch {
	case f.Expected != "":
		head = cmp.Or(f.Path, "arguments")
		full, whole = head, w.Asides.Expected+f.Expected
		if len(f.Also) > 0 {
			whole += fmt.Sprintf(" (+%d)", len(f.Also))
		}
	case f.Rule != "":
		code = string(f.Rule)
		told := strings.TrimSpace(code + " " + w.limitText(f))
		whole = strings.TrimSpace(f.Path + " " + told)
		if !f.ofAsk { // else another agent chose the limit
			code = told
		}
	case f.Rejection == nil:
		code, whole = unseenID, unseenID
	default:
		code, whole = string(f.Rejection.Code), w.rejectionText(f.Rejection)
	}
	wrong := fault{early: head + ": " + whole, refusal: true}
	if t.exposure.tainted() {
		wrong.early, wrong.late = head+": "+code, full+": "+whole
		switch {
		case f.Expected != "":
			wrong.early = f.Code // the path is as the model wrote it
		case f.Rule == policy.ReasonNotPlanned:
			wrong.early = ""
		}
	}
	t.draft.mistake(wrong)
}

// limitText is the limit of a rule of the agent that refused an action, empty for any other refusal.
func (w *wording) limitText(f feedback) string {
	limit := f.Maximum
	switch f.Rule {
	case policy.ReasonAmount, policy.ReasonTotal:
	case policy.ReasonRate:
		limit = f.Minimum
	default:
		return ""
	}
	if limit == nil {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s %d %s", w.History.Limit, *limit, f.Unit))
}

// told is what a model must know of its last turn besides the outcome.
type told struct {
	tick int64
	// early are lines that may be shown before a plan, late those that follow one, with texts. faults of
	// the turn are among early.
	early, late, faults []string
}

// asides are what a model must know of its decision: what the engine changed, cut or replaced, and what
// was refused. refusals are what the world refused in its tick. A tick of a standing order has
// what was wrong in the turn that began it, which is last.
func (w *wording) asides(tick int64, d Decision, refusals []refusal, last told) told {
	lines := told{tick: tick}
	say := func(form words.Form, values ...any) { lines.early = append(lines.early, form.Text(values...)) }
	failed := cmp.Or(d.FailedBy, d.WaitReason)
	switch {
	case d.Fallback > 0:
		var early, late []string
		for _, r := range refusals[:min(d.Fallback, len(refusals))] {
			late = append(late, r.action+" "+w.rejectionText(&r.why))
			if d.veiled {
				r.why = world.Rejection{Code: r.why.Code}
			}
			early = append(early, r.action+" "+w.rejectionText(&r.why))
		}
		say(w.Asides.Next, strings.Join(early, "; "))
		if d.veiled {
			lines.late = append(lines.late, w.Asides.Next.Text(strings.Join(late, "; ")))
		}
	case d.picked > 0:
		say(w.Asides.Picked, d.picked)
	case d.By == trace.ByDraft:
		say(w.Asides.Draft, failed)
	case d.By == trace.ByPlan:
		say(w.Asides.Plan, failed)
	}
	_, waits := d.Executed.(world.Wait)
	otherwise := failed != "" || waits || d.picked > 0
	var early, late []string
	for _, f := range d.faults {
		if f.early != "" && (f.refusal || otherwise) && !slices.Contains(early, f.early) {
			early = append(early, f.early)
		}
		if f.late != "" {
			late = append(late, f.late)
		}
	}
	if len(early) > 0 {
		lines.faults = []string{w.Asides.Fault.Text(strings.Join(early, "; "))}
	}
	if len(late) > 0 {
		lines.late = append(lines.late, w.Asides.Fault.Text(strings.Join(late, "; ")))
	}
	if d.DecidedBy == trace.ByStanding {
		lines = told{tick: last.tick, early: lines.early, late: last.late, faults: last.faults}
	}
	lines.early = append(lines.early, lines.faults...)
	if d.skipped > 0 && failed == "" {
		say(w.Asides.Zero, d.skipped)
	}
	w.clamps(d, &lines)
	for arg := range world.Arguments(d.Executed) {
		if !d.veiled && arg.Kind == world.ParamText && runeCount(arg.Text) == world.TextMax &&
			strings.HasSuffix(arg.Text, plaintext.Ellipsis) {
			say(w.Asides.Cut, world.TextMax)
		}
	}
	return lines
}

// clamps adds what clamping changed. If texts may have chosen the amount, it follows the plan.
func (w *wording) clamps(d Decision, lines *told) {
	for _, a := range d.Adjustments {
		if a.Field == policy.FieldThen {
			continue // its draft said so, and texts may have chosen how many steps there were
		}
		why := w.Asides.Most
		switch {
		case a.To > a.From:
			why = w.Asides.Least
		case a.Bound == world.BoundMultiple:
			why = w.Asides.Multiple
		}
		slot := answer.Slot(a.Action, a.Field)
		line := w.Asides.Amount.Text(slot, a.To, a.From, why)
		switch {
		case !d.veiled:
			lines.early = append(lines.early, line)
		case d.DecidedBy != trace.ByStanding:
			lines.late = append(lines.late, line)
		}
	}
}

// tell adds to texts what the last turn said under texts, which may repeat them.
func (t *texts) tell(last told) {
	if len(last.late) > 0 {
		t.LastTurn = last.late
		text := strings.Join(last.late, " ")
		s := modules.TextSource(trace.KindSaid, fmt.Sprintf("late-refused-%d", last.tick), "", last.tick, text, text)
		t.last = t.spoken(last.tick).source(s)
	}
}
