package behavior

import (
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/behavior/words"
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
	// ordered is how long a sleep was to be that was cut short, 0 for any other episode.
	ordered int64
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
	// owns says that no other episode has the lists of this one, see join.
	owns bool
	// news numbers what others or time did, and is 0 for the agent's own episodes; giver is who
	// gave it something.
	news  int64
	giver string
	// kind, other and about are the news as data, see [seat.News].
	kind         world.EventKind
	other, about string
}

// newEpisode is the outcome of one decision, not yet remembered under an id. name renders the ids
// in its action.
func newEpisode(w *wording, tick int64, wait trace.WaitReason, o world.Outcome, name naming) episode {
	a := repeated(o.Action)
	d := episode{first: tick, last: tick, count: 1, wait: wait, refusal: o.Rejection, changes: slices.Clone(o.Changes),
		action: a.ActionName()}
	var things, terms []string
	for arg := range world.Arguments(a) {
		slot := arg.Slot()
		text := w.argumentText(a, arg, name)
		switch {
		case slot == world.SlotPrice:
			d.price = arg.Int
		case slot == world.SlotWant, slot == world.SlotWantAmount, slot == world.SlotForTicks, arg.Optional:
			if text != "" {
				terms = append(terms, text)
			}
		case arg.Kind == world.ParamAmount:
			d.low = arg.Int
		default:
			things = append(things, text)
		}
	}
	d.things = strings.Join(things, " ")
	d.terms = strings.Join(terms, " ")
	d.high = d.low
	if o.Created != "" {
		d.created = []string{o.Created}
	}
	return d
}

// wokenBy is a sleep with the ticks that it lasted, for an agent that acts again in a tick; any other episode is
// as it was.
func (d episode) wokenBy(tick int64) episode {
	lasted := tick - d.last
	if d.action == (world.WaitTicks{}).ActionName() && d.refusal == nil && lasted < d.low {
		d.ordered = d.low
		d.low = lasted
		d.high = lasted
	}
	return d
}

// episodeOf is the outcome of a decision as the agent is told it before its next plan. If texts were
// in view and may have chosen the action, a refusal tells no more than the action and the code: goods,
// ids and amounts would be theirs.
func (w *wording) episodeOf(tick int64, d Decision, o world.Outcome) episode {
	e := newEpisode(w, tick, d.WaitReason, o, naming{d.Known, o.Accepted})
	if !d.veiled || o.Accepted {
		return e
	}
	bare := episode{first: tick, last: tick, count: 1, wait: e.wait, action: e.action}
	if e.refusal != nil {
		bare.refusal = &world.Rejection{Code: e.refusal.Code}
	}
	return bare
}

// repeated is what a standing order repeats, and any other action as it is.
func repeated(a world.Action) world.Action {
	if order, ok := a.(world.ExecuteUntil); ok {
		return order.Do
	}
	return a
}

// argumentText is an argument as it is shown: a free text by its length, an id by its
// name, an optional one that is not given as nothing.
func (w *wording) argumentText(a world.Action, arg world.Argument, name naming) string {
	switch {
	case arg.Slot() == world.SlotWant:
		return w.Terms.For.Text(arg.Text)
	case arg.Slot() == world.SlotForTicks:
		return w.Terms.ForTicks.Text(arg.Int)
	case arg.Kind == world.ParamAmount:
		return strconv.FormatInt(arg.Int, 10)
	case arg.Kind == world.ParamText:
		return w.History.Characters.Text(runeCount(arg.Text))
	case arg.Optional && arg.Text == "":
		return ""
	case arg.Optional:
		return w.Terms.Answers.Text(name.of(a, arg))
	}
	return name.of(a, arg)
}

// like reports whether d and e may be folded into one.
func (d *episode) like(e *episode) bool {
	return d.remembered == "" && e.remembered == "" && d.action == e.action && d.things == e.things &&
		d.price == e.price && d.terms == e.terms && d.wait == e.wait && (d.refusal == nil) == (e.refusal == nil) &&
		(d.refusal == nil || d.refusal.Code == e.refusal.Code && d.refusal.Field == e.refusal.Field &&
			d.refusal.Resource == e.refusal.Resource)
}

// join folds e, which came later, into d. The lists of d are its own afterwards.
func (d *episode) join(e *episode) {
	if !d.owns {
		d.ids = slices.Concat(d.ids, e.ids)[:len(d.ids)]
		d.created = slices.Clone(d.created)
		d.changes = slices.Clone(d.changes)
		d.owns = true
	}
	d.ids = append(slices.DeleteFunc(d.ids, func(id string) bool { return slices.Contains(e.ids, id) }), e.ids...)
	d.last, d.count = e.last, d.count+e.count
	d.low, d.high = min(d.low, e.low), max(d.high, e.high)
	d.ordered = 0
	d.created = append(d.created, e.created...)
	d.refusal = e.refusal
	for _, c := range e.changes {
		if i := slices.IndexFunc(d.changes, func(a world.Amount) bool { return a.Resource == c.Resource }); i >= 0 {
			d.changes[i].Amount += c.Amount
		} else {
			d.changes = append(d.changes, c)
		}
	}
}

// folded is list with like episodes joined, in order of their last tick.
func folded(list []*episode) []episode {
	var all []episode
	for _, d := range list {
		at := 0
		for at < len(all) && !all[at].like(d) {
			at++
		}
		if at == len(all) {
			all = append(all, *d)
			all[at].owns = false
			continue
		}
		sum := all[at]
		sum.join(d)
		copy(all[at:], all[at+1:])
		all[len(all)-1] = sum
	}
	return all
}

// citedMax is how many memories of a folded episode a line names.
const citedMax = 2

// citable are the ids under which a line of d can be cited, the newest ones.
func (d *episode) citable() []string { return newest(d.ids, citedMax) }

// appendLine appends d as one line of the prompt:
//
//	[mem-3-3] 5 of ticks 3-15: mine_compound 5000 ok, total electricity -25, compound +25000
func (d *episode) appendLine(b []byte, w *wording) []byte {
	if d.remembered != "" {
		return append(b, d.remembered...)
	}
	for _, id := range d.citable() {
		b = append(append(append(b, '['), id...), ']')
	}
	if len(d.ids) > 0 {
		b = append(b, ' ')
	}
	some := d.count > 1 && d.count < d.last-d.first+1
	switch {
	case some:
		b = w.History.SomeTicks.Append(b, d.count, d.first, d.last)
	case d.first == d.last:
		b = w.History.Tick.Append(b, d.last)
	default:
		b = w.History.Ticks.Append(b, d.first, d.last)
	}
	b = append(b, d.action...)
	if d.things != "" {
		b = append(append(b, ' '), d.things...)
	}
	if d.low != d.high {
		b = words.Append(b, " ", d.low, "..", d.high)
	} else if d.ordered > d.low {
		b = w.History.Part.Append(b, d.low, d.ordered)
	} else if d.low != 0 {
		b = words.Append(b, " ", d.low)
	}
	if d.price != 0 {
		b = w.Options.Price.Append(b, d.price)
	}
	if d.terms != "" {
		b = append(append(b, ' '), d.terms...)
	}
	if d.count > 1 && !some {
		b = w.History.Times.Append(b, d.count)
	}
	return d.appendEnd(b, w)
}

// appendEnd appends how d ended, with its numbers.
func (d *episode) appendEnd(b []byte, w *wording) []byte {
	switch {
	case d.wait != "":
		return append(append(b, w.History.Failed...), d.wait...)
	case d.refusal != nil:
		return append(append(b, w.History.Refused...), w.rejectionText(d.refusal)...)
	}
	if d.news == 0 {
		b = append(b, w.History.Done...)
	}
	between := ", "
	if d.count > 1 {
		between = w.History.Total
	}
	for _, c := range d.changes {
		b = words.Append(b, between, c.Resource, " ", words.Change(c.Amount))
		between = ", "
	}
	for i, id := range d.created {
		between = ", "
		if i == 0 {
			between = w.History.Started
		}
		b = append(append(b, between...), id...)
	}
	return b
}

// Render returns the outcome of a decision as a line of the prompt's history, and the end of that
// line alone. A wait put in place of an action says which action that was. codes are what
// the guard refused in the turn.
func (k *Runtime) Render(tick int64, d Decision, o world.Outcome, codes []string) (line, end string) {
	w := k.words
	done := w.episodeOf(tick, d, o)
	ended := string(done.appendEnd(nil, w))
	end = ended
	if d.WaitReason != "" && d.Proposed != nil && !d.veiled {
		end += w.Reflection.Wanted.Text(w.actionText(d.Proposed, naming{known: d.Known}))
		for _, code := range codes {
			end += " " + idText(code)
		}
	}
	done.ids = nil
	whole := string(done.appendLine(nil, w))
	return whole[:len(whole)-len(ended)] + end, end
}
