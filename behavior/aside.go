package behavior

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
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
	// action is the name of the action that was refused, empty for another fault. It leads what is told early.
	action string
	// early is what may be told before the next plan, empty for nothing. late is the whole, if early is
	// not; it is told with texts.
	early, late string
	// refusal says that a call or action was refused. Otherwise a whole answer could not be used, which
	// matters only if the turn ended in something else than was meant.
	refusal bool
	// tainted says that texts were in view.
	tainted bool
}

// faultsMax bounds the faults of a turn that are told, those before and those after texts each.
// faultCharsMax bounds the text about one.
const (
	faultsMax     = 3
	faultCharsMax = 160
)

// keepFault keeps a fault for the next turn, unless it is known. What came of texts never takes the place of
// what was wrong before them, or it would decide whether that is told before the next plan.
func (d *draft) keepFault(f fault) {
	f.early = plaintext.Clip(f.early, faultCharsMax)
	f.late = plaintext.Clip(f.late, faultCharsMax)
	if slices.Contains(d.faults, f) {
		return
	}
	kept := slices.Clone(d.faults)
	alike := slices.DeleteFunc(slices.Clone(kept), func(o fault) bool { return o.tainted != f.tainted })
	if len(alike) == faultsMax {
		oldest := slices.Index(kept, alike[0])
		kept = slices.Delete(kept, oldest, oldest+1)
	}
	d.faults = append(kept, f)
}

// faultArguments keeps what was wrong with the arguments of a call. Their path is as the model wrote it.
func (t *Turn) faultArguments(f feedback) {
	wrong := fault{refusal: true, tainted: t.exposure.tainted()}
	text := cmp.Or(f.Path, "arguments") + ": " + t.agent.words.Asides.Expected + f.Expected
	if more := len(f.Also); more > 0 {
		text += fmt.Sprintf(" (+%d)", more)
	}
	if wrong.tainted {
		wrong.early, wrong.late = f.Code, text
	} else {
		wrong.early = text
	}
	t.draft.keepFault(wrong)
}

// faultAction keeps why an action was refused. That a text's action was not planned names an action that
// the text chose.
func (t *Turn) faultAction(f feedback, a world.Action) {
	w := t.agent.words
	wrong := fault{action: repeated(a).ActionName(), refusal: true, tainted: t.exposure.tainted()}
	code, whole := w.refusalTexts(f)
	switch {
	case !wrong.tainted:
		wrong.early = whole
	case f.Rule == policy.ReasonNotPlanned:
		wrong.late = t.fullText(a) + ": " + whole
	default:
		wrong.early = code
		wrong.late = t.fullText(a) + ": " + whole
	}
	t.draft.keepFault(wrong)
}

// fullText is an action with its arguments, ids as far as the agent sees them.
func (t *Turn) fullText(a world.Action) string {
	return t.agent.words.actionText(a, naming{known: t.agent.knownIDs(&t.exposure.opening.seen, a)})
}

// refusalTexts are why an action was refused: the code, with the limit of a rule, and the whole, with the
// argument or the world's numbers.
func (w *wording) refusalTexts(f feedback) (code, whole string) {
	switch {
	case f.Rule != "":
		code = string(f.Rule)
		told := strings.TrimSpace(code + " " + w.limitText(f))
		if !f.ofAsk { // else another agent chose the limit
			code = told
		}
		return code, strings.TrimSpace(f.Path + " " + told)
	case f.Rejection == nil:
		return unseenID, unseenID
	}
	return string(f.Rejection.Code), w.rejectionText(f.Rejection)
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

// asides are what a model must know of its last decision besides the outcome.
type asides struct {
	// tick is that of the last turn.
	tick int64
	// early are lines that may be shown before a plan, late those that follow one, with texts. faults of
	// the turn are among early.
	early, late, faults []string
}

// asidesOf are what the engine changed, cut or replaced in a decision, and what was refused in its turn.
// refusals are what the world refused in its tick. A tick of a standing order has no turn: it repeats what
// was wrong in the one that began the order, which is in last.
func (w *wording) asidesOf(tick int64, d Decision, refusals []refusal, last asides) asides {
	a := asides{tick: tick}
	if d.DecidedBy == trace.ByStanding {
		a = asides{tick: last.tick, late: last.late, faults: last.faults}
	} else {
		w.replaced(d, refusals, &a)
		w.faults(d, &a)
	}
	a.early = append(a.early, a.faults...)
	if d.skipped > 0 && cmp.Or(d.FailedBy, d.WaitReason) == "" {
		a.early = append(a.early, w.Asides.Zero.Text(d.skipped))
	}
	w.clamps(d, &a)
	for arg := range world.Arguments(d.Executed) {
		if !d.veiled && arg.Kind == world.ParamText && runeCount(arg.Text) == world.TextMax &&
			strings.HasSuffix(arg.Text, plaintext.Ellipsis) {
			a.early = append(a.early, w.Asides.Cut.Text(world.TextMax))
		}
	}
	return a
}

// replaced adds that another action was done than the one decided, and why.
func (w *wording) replaced(d Decision, refusals []refusal, a *asides) {
	failed := cmp.Or(d.FailedBy, d.WaitReason)
	switch {
	case d.Fallback > 0:
		refusals = refusals[:min(d.Fallback, len(refusals))]
		whole := w.Asides.Next.Text(w.refusalList(refusals))
		if !d.veiled {
			a.early = append(a.early, whole)
			return
		}
		a.late = append(a.late, whole)
		var bare []refusal
		for _, r := range refusals {
			bare = append(bare, refusal{r.action, world.Rejection{Code: r.why.Code}})
		}
		a.early = append(a.early, w.Asides.Next.Text(w.refusalList(bare)))
	case d.picked > 0:
		a.early = append(a.early, w.Asides.Picked.Text(d.picked))
	case d.By == trace.ByDraft:
		a.early = append(a.early, w.Asides.Draft.Text(failed))
	case d.By == trace.ByPlan:
		a.early = append(a.early, w.Asides.Plan.Text(failed))
	}
}

func (w *wording) refusalList(refusals []refusal) string {
	var list []string
	for _, r := range refusals {
		list = append(list, r.action+" "+w.rejectionText(&r.why))
	}
	return strings.Join(list, "; ")
}

// faults adds what was wrong in the turn of a decision.
func (w *wording) faults(d Decision, a *asides) {
	_, waits := d.Executed.(world.Wait)
	otherwise := d.FailedBy != "" || d.WaitReason != "" || waits || d.picked > 0
	var early, late []string
	for _, f := range d.faults {
		told := w.early(f, d.Executed)
		if told != "" && (f.refusal || otherwise) && !slices.Contains(early, told) {
			early = append(early, told)
		}
		if f.late != "" {
			late = append(late, f.late)
		}
	}
	if len(early) > 0 {
		a.faults = []string{w.Asides.Fault.Text(strings.Join(early, "; "))}
	}
	if len(late) > 0 {
		a.late = append(a.late, w.Asides.Fault.Text(strings.Join(late, "; ")))
	}
}

// early is what may be told of a fault before the next plan, empty for nothing. It must not read as if an action
// of the same name that was done had been refused. What texts may have had follow is not told.
func (w *wording) early(f fault, done world.Action) string {
	if f.early == "" || f.action == "" {
		return f.early
	}
	steps := world.Steps(done)
	if f.tainted {
		steps = steps[:1]
	}
	name := f.action
	if slices.ContainsFunc(steps, func(s world.ExecuteUntil) bool { return s.Do.ActionName() == f.action }) {
		name = w.Asides.Another.Text(f.action)
	}
	return name + ": " + f.early
}

// clamps adds what clamping changed. It follows the plan if texts may have chosen the amount, as whatever was
// brought back to the plan.
func (w *wording) clamps(d Decision, a *asides) {
	for _, c := range d.Adjustments {
		if c.Field == policy.FieldThen {
			continue // its draft said so, and texts may have chosen how many steps there were
		}
		why := w.Asides.Most
		line := ""
		switch {
		case c.Field == policy.FieldIgnore:
			line = w.Asides.Ignored
		case c.To > c.From:
			why = w.Asides.Least
		case c.Bound == world.BoundMultiple:
			why = w.Asides.Multiple
		}
		if line == "" {
			line = w.Asides.Amount.Text(answer.Slot(c.Action, c.Field), c.To, c.From, why)
		}
		switch {
		case !d.veiled && c.Bound != policy.BoundPlan, c.Field == policy.FieldIgnore && len(d.evidence.Authors) == 0:
			a.early = append(a.early, line)
		case d.DecidedBy != trace.ByStanding:
			a.late = append(a.late, line)
		}
	}
}

// addLast adds what was said of the last turn, which may repeat the texts of that turn.
func (t *texts) addLast(last asides) {
	if len(last.late) > 0 {
		t.LastTurn = last.late
		text := strings.Join(last.late, " ")
		s := modules.TextSource(trace.KindSaid, fmt.Sprintf("late-refused-%d", last.tick), "", last.tick, text, text)
		t.last = t.spoken(last.tick).source(s)
	}
}
