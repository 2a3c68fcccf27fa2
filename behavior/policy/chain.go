package policy

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Progress is what the earlier steps of a chain take of what allows a later one: ticks of planned
// actions, triggers, and deviations. It belongs to the plan with which the chain was evaluated.
type Progress struct {
	// used are the ticks taken of each planned action, by its index.
	used []int64
	// spent are the ids of the triggers that earlier steps answered.
	spent []string
	// prepaid are the ticks of deviation of this step that counted when the chain began.
	prepaid int64
	// place is where the step begins, as far as the chain says.
	place string
	// ahead says that the step is evaluated before its tick, when nobody knows what will be feasible.
	ahead bool
}

// Answered is the progress after a step that was allowed by an authority at its tick.
func (b Progress) Answered(by *trace.Authority) Progress {
	if by != nil && by.Terms != "" {
		b.spent = append(slices.Clip(b.spent), by.Terms)
	}
	return b
}

// evaluateChain evaluates every step of a chain. Later steps count as if those before them had been
// done as they are written.
func (p Policy) evaluateChain(chain world.ExecuteUntil, e Evidence) Result {
	steps := chain.Steps()
	r, q := p.evaluateStep(world.Chain(steps[0]), e)
	kept := world.Steps(r.Action)
	if r.Violation != nil {
		r.Action = world.Chain(append(kept, steps[1:]...)...)
		return r
	}
	total := kept[0].MaxTicks
	next := Progress{place: q.e.View.Place(), ahead: true}
	if e.Before != nil {
		next.used, next.spent = e.Before.used, e.Before.spent
	}
	tick, last := e.View.Tick(), r
	for _, step := range steps[1:] {
		next = next.after(q, &last, kept[len(kept)-1].MaxTicks)
		e.Ledger = p.Settle(e.Ledger, tick, last.Operation, &last.Authority).CountTurn(tick, &last.Authority, false)
		e.Before = &next
		last, q = p.evaluateStep(world.Chain(step), e)
		r.Cut = last.Violation
		if r.Cut == nil {
			r.Cut = q.checkChain(&r.Operation, total+step.MaxTicks)
		}
		if r.Cut != nil {
			break
		}
		allowed := world.Steps(last.Action)[0]
		allowed.Until = step.Until
		total += allowed.MaxTicks
		kept = append(kept, allowed)
		begins := next
		begins.prepaid, begins.ahead = last.Deviation, false
		r.Later = append(r.Later, begins)
		r.Trimmed = append(r.Trimmed, last.Trimmed...)
		r.Deviation += last.Deviation
		r.Parents = world.Parents(p.agent, append(slices.Clone(r.Parents), last.Parents...)...)
		r.Own = r.Own && last.Own
	}
	if len(kept) < len(steps) {
		r.Trimmed = append(r.Trimmed, CutTo(chain, len(kept)))
	}
	if len(kept) > 1 {
		r.Operation.attempts = total
	}
	r.Action = world.Chain(kept...)
	return r
}

// CutTo records that so many steps of a chain are left.
func CutTo(chain world.Action, left int) world.Adjustment {
	return world.Adjustment{Action: chain.ActionName(), Field: FieldThen,
		From: int64(len(world.Steps(chain)) - 1), To: int64(left - 1), Bound: BoundPlan}
}

// FirstDeviation is how many ticks of the deviation the first step of a chain counts, or the whole of any
// other action.
func (r *Result) FirstDeviation() int64 {
	ticks := r.Deviation
	for _, step := range r.Later {
		ticks -= step.prepaid
	}
	return ticks
}

// after is the progress after a step that was evaluated and takes so many ticks.
func (b Progress) after(q *evaluation, r *Result, ticks int64) Progress {
	b.used = slices.Clone(b.used)
	for len(b.used) < len(q.e.Plan) {
		b.used = append(b.used, 0)
	}
	if m := q.matchPlan(); q.checkable && m.planned() {
		b.used[m.index] += ticks
	}
	if move, is := q.op.do.(world.Move); is {
		b.place = move.To
	}
	return b.Answered(&r.Authority)
}

// checkChain checks a chain of so many attempts in all against the rules about standing orders.
func (q *evaluation) checkChain(first *Operation, attempts int64) *Violation {
	if q.e.off(trace.CheckRules) || len(q.p.rules) == 0 {
		return nil
	}
	op := *first
	op.attempts = attempts
	return q.checkOperation(op.asOrder())
}

// ahead reports whether a later step of a chain is evaluated before its tick.
func (e *Evidence) ahead() bool { return e.Before != nil && e.Before.ahead }

// left is how many ticks of a planned action earlier steps left.
func (e *Evidence) left(index int) int64 { return e.Plan[index].attempts() - e.taken(index) }

// usedUp reports whether earlier steps took all ticks of a planned action.
func (e *Evidence) usedUp(index int) bool { return e.left(index) <= 0 }

// taken is how many ticks of a planned action earlier steps took.
func (e *Evidence) taken(index int) int64 {
	if e.Before == nil || index >= len(e.Before.used) {
		return 0
	}
	return e.Before.used[index]
}

// prepaid is how many ticks of deviation counted for the step when its chain began.
func (e *Evidence) prepaid() int64 {
	if e.Before == nil {
		return 0
	}
	return e.Before.prepaid
}

// isSpent reports whether an earlier step of the chain answered a trigger. A message authorizes one
// step, and other terms one step that gives.
func (q *evaluation) isSpent(t *trigger, op *Operation) bool {
	return q.e.Before != nil && slices.Contains(q.e.Before.spent, t.id) && (t.kind == kindMessage || op.gives())
}
