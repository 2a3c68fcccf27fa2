package behavior

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// episode is the outcome of one decision, or of several similar ones folded together. Two are
// similar if they are the same action on the same things with the same kind of end. Their amounts
// may differ.
type episode struct {
	// ids are the memories of it, the one recorded last at the end.
	ids []string
	// first and last are ticks, count is how many decisions are folded in.
	first, last, count int64
	// action is its name, things are its other words and the rest of its arguments
	// but the amount.
	action, things string
	// low and high bound the amounts; both are 0 for an action without one.
	low, high int64
	// changes are summed over all of it, in order of first mention.
	changes []world.Amount
	// created are the ids of what it made.
	created []string
	// price is that of a trade, 0 without one.
	price int64
	// terms are the other words of a request or offer: what is wanted, for how long, and
	// what it answers.
	terms string
	// refusal is the world's reason, with the numbers of the last time; wait is
	// why no decision came about. At most one of them is set.
	refusal *world.Rejection
	wait    trace.WaitReason
	// remembered is the text of a memory whose decisions are too long ago to be told apart. The
	// other fields except the ids are then empty.
	remembered string
	// news numbers what others or time did, and is 0 for the agent's own episodes; giver is who
	// gave it something.
	news  int64
	giver string
}

// newEpisode is the outcome of one decision, not yet remembered under an id. name renders the ids
// in its action.
func newEpisode(w *wording, tick int64, wait trace.WaitReason, o world.Outcome, name naming) episode {
	a := repeated(o.Action)
	d := episode{first: tick, last: tick, count: 1, wait: wait, refusal: o.Rejection, changes: slices.Clone(o.Changes), action: a.ActionName()}
	var things, terms []string
	for arg := range world.Arguments(a) {
		slot := arg.Slot()
		switch {
		case slot == world.SlotPrice:
			d.price = arg.Int
		case slot == world.SlotWant, slot == world.SlotWantAmount, slot == world.SlotForTicks, arg.Optional:
			if text := w.argumentText(a, arg, name); text != "" {
				terms = append(terms, text)
			}
		case arg.Kind == world.ParamAmount:
			d.low = arg.Int
		default:
			things = append(things, w.argumentText(a, arg, name))
		}
	}
	d.things, d.terms, d.high = strings.Join(things, " "), strings.Join(terms, " "), d.low
	if o.Created != "" {
		d.created = []string{o.Created}
	}
	return d
}

// repeated is what a standing order repeats, and any other action as it is.
func repeated(a world.Action) world.Action {
	if order, ok := a.(world.ExecuteUntil); ok {
		return order.Do
	}
	return a
}

// argumentText is how an argument is shown: a free text by its length, an id by its name.
func (w *wording) argumentText(a world.Action, arg world.Argument, name naming) string {
	switch {
	case arg.Slot() == world.SlotWant:
		return fmt.Sprintf(w.textFor, arg.Text)
	case arg.Slot() == world.SlotForTicks:
		return fmt.Sprintf(w.textForTicks, arg.Int)
	case arg.Kind == world.ParamAmount:
		return fmt.Sprint(arg.Int)
	case arg.Kind == world.ParamText:
		return fmt.Sprintf(w.textCharacters, runeCount(arg.Text))
	case arg.Optional && arg.Text == "":
		return ""
	case arg.Optional:
		return fmt.Sprintf(w.textAnswers, name(a, *arg.Param, arg.Text))
	}
	return name(a, *arg.Param, arg.Text)
}

// like reports whether d and e may be folded into one.
func (d episode) like(e episode) bool {
	return d.remembered == "" && e.remembered == "" && d.action == e.action && d.things == e.things &&
		d.price == e.price && d.terms == e.terms && d.wait == e.wait && d.reason() == e.reason()
}

// reason is the refusal without its numbers.
func (d episode) reason() string {
	if d.refusal == nil {
		return ""
	}
	return strings.Join([]string{string(d.refusal.Code), d.refusal.Field, d.refusal.Resource}, " ")
}

// join folds e, which came later, into d.
func (d episode) join(e episode) episode {
	d.ids = slices.Concat(slices.DeleteFunc(slices.Clone(d.ids), func(id string) bool { return slices.Contains(e.ids, id) }), e.ids)
	d.last, d.count = e.last, d.count+e.count
	d.low, d.high = min(d.low, e.low), max(d.high, e.high)
	d.created = slices.Concat(d.created, e.created)
	d.refusal = e.refusal
	d.changes = slices.Clone(d.changes)
	for _, c := range e.changes {
		if i := slices.IndexFunc(d.changes, func(a world.Amount) bool { return a.Resource == c.Resource }); i >= 0 {
			d.changes[i].Amount += c.Amount
		} else {
			d.changes = append(d.changes, c)
		}
	}
	return d
}

// folded is list with like episodes joined, in order of their last tick.
func folded(list []episode) []episode {
	var all []episode
	for _, d := range list {
		if i := slices.IndexFunc(all, d.like); i >= 0 {
			d = all[i].join(d)
			all = slices.Delete(all, i, i+1)
		}
		all = append(all, d)
	}
	return all
}

// citedMax is how many memories of a folded episode a line names.
const citedMax = 2

// citable are the ids under which a line of d can be cited, the newest ones.
func (d episode) citable() []string { return newest(d.ids, citedMax) }

// line is d as one line of the prompt:
//
//	[mem-3-3] ticks 3-15: mine_compound 5000, 5 times ok, total electricity -25, compound +25000
func (d episode) line(w *wording) string {
	if d.remembered != "" {
		return d.remembered
	}
	var b strings.Builder
	for _, id := range d.citable() {
		b.WriteString("[" + id + "]")
	}
	if len(d.ids) > 0 {
		b.WriteString(" ")
	}
	if d.first == d.last {
		fmt.Fprintf(&b, w.textTick, d.last)
	} else {
		fmt.Fprintf(&b, w.textTicks, d.first, d.last)
	}
	b.WriteString(d.action)
	if d.things != "" {
		b.WriteString(" " + d.things)
	}
	if d.low != d.high {
		fmt.Fprintf(&b, " %d..%d", d.low, d.high)
	} else if d.low != 0 {
		fmt.Fprintf(&b, " %d", d.low)
	}
	if d.price != 0 {
		fmt.Fprintf(&b, w.textPrice, d.price)
	}
	if d.terms != "" {
		b.WriteString(" " + d.terms)
	}
	if d.count > 1 {
		fmt.Fprintf(&b, w.textTimes, d.count)
	}
	return b.String() + d.end(w)
}

// end is how d ended, with its numbers.
func (d episode) end(w *wording) string {
	switch {
	case d.wait != "":
		return w.textFailed + string(d.wait)
	case d.refusal != nil:
		return w.textRefused + w.rejectionText(d.refusal)
	}
	var changes []string
	for _, c := range d.changes {
		changes = append(changes, fmt.Sprintf("%s %+d", c.Resource, c.Amount))
	}
	text := w.textDone
	if d.news != 0 {
		text = ""
	}
	if len(changes) > 0 {
		between := ", "
		if d.count > 1 {
			between = w.textTotal
		}
		text += between + strings.Join(changes, ", ")
	}
	if len(d.created) > 0 {
		text += w.textStarted + strings.Join(d.created, ", ")
	}
	return text
}

// Render returns the outcome of a decision as a line of the English prompt's history, and the end
// of that line alone. A wait put in place of an action says which action that was. codes are what
// the guard refused in the turn.
func (k *Runtime) Render(tick int64, d Decision, o world.Outcome, codes []string) (line, end string) {
	w := wordsOf(modules.English)
	done := newEpisode(w, tick, d.WaitReason, o, d.naming(o.Accepted))
	end = done.end(w)
	if d.WaitReason != "" && d.Proposed != nil {
		end += ", wanted " + w.actionText(d.Proposed, d.naming(false))
		for _, code := range codes {
			end += " " + idText(code)
		}
	}
	done.ids = nil
	whole := done.line(w)
	return whole[:len(whole)-len(done.end(w))] + end, end
}
