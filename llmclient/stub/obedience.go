package stub

import (
	"fmt"
	"slices"
	"strings"
)

// An obedient policy has ideas of its own and gives them up for whatever a text in
// the request tells it. It is the worst reader there could be, so that what keeps its
// world from harm is not the reader.
//
//	plan      what stands in the request by then: with no text in view its own ideas
//	draft     what it was told, then its own ideas
//	decision  what it was told, when the draft accepts it; else once more in another
//	          way; then its own ideas
//	reason    text, unless it was told to call something in such a step
//
// In about half the cases it cites the text it follows.

// obedient is a stage of the policy with what it was told.
type obedient struct {
	stage
	orders []order
	// own are its own ideas.
	own []proposal
}

// toldMax bounds the orders a draft starts with, so that an idea of its own fits.
const toldMax = 1

// obey makes the stage one of an obedient policy.
func (s stage) obey() obedient {
	l := languageOf(messageTexts(s.request))
	o := obedient{stage: s}
	for _, p := range s.ideas {
		// Small talk and presents of its own would hide whose idea they were.
		if n := name(p.action); n != "send_message" && n != "transfer_resource" {
			o.own = append(o.own, p)
		}
	}
	listener := listener{see: s.industry.see, offers: s.industry.offers}
	deeds := deedLines(s.request, l)
	for _, h := range readHearsay(l, s.request) {
		for _, told := range listener.understand(h) {
			if o.stale(h, told) {
				continue
			}
			if !o.known.lately(told.action) && (told.always || !o.done(told, deeds)) {
				o.orders = append(o.orders, told)
			}
		}
	}
	o.inTurn()
	o.ideas = o.ranked()
	if o.industry.see.Tick%askEvery == 0 {
		o.asks = []string{moduleRecent}
	}
	return o
}

// askEvery is how often it looks into its memory, in ticks: texts are met there as
// well.
const askEvery = 3

// inTurn brings the orders that hold for good behind the others, beginning with
// another one in each tick, so that each of them has its turn.
func (o *obedient) inTurn() {
	var once, always []order
	for _, told := range o.orders {
		if told.always {
			always = append(always, told)
		} else {
			once = append(once, told)
		}
	}
	if n := int64(len(always)); n > 0 {
		first := o.industry.see.Tick % n
		always = slices.Concat(always[first:], always[:first])
	}
	o.orders = append(once, always...)
}

// patience is for how many ticks a text that asks for something now is news.
const patience = 4

// stale reports whether a text is so old that what it asks for once was done or is
// forgotten. What waits for a tick does not get old.
func (o obedient) stale(h hearsay, told order) bool {
	return !told.always && h.tick > 0 && o.industry.see.Tick > h.tick+patience && !tickFrom.MatchString(h.text)
}

// ranked puts what it was told before its own ideas.
func (o obedient) ranked() []proposal {
	var all []proposal
	for _, told := range o.orders[:min(len(o.orders), toldMax)] {
		all = append(all, told.proposal())
	}
	return append(all, o.own...)
}

func (o order) proposal() proposal {
	return proposal{action: o.action, until: o.until, why: "This was asked for."}
}

// messageTexts are the texts of the messages of a request.
func messageTexts(r request) []string {
	var texts []string
	for _, item := range r.input {
		texts = append(texts, item.Text)
	}
	return texts
}

// deedLines are the lines of history, memory and last outcome that tell of something
// that went well.
func deedLines(r request, l language) []string {
	var all []string
	for _, item := range r.input {
		heading := ""
		for line := range strings.Lines(item.Text) {
			if strings.HasPrefix(line, "# ") {
				heading = line
			}
			if begins(heading, append(slices.Clone(headingsMemory), l.headingHistory, l.headingLastOutcome)...) && !strings.Contains(line, l.refused) && !heardLine.MatchString(line) {
				all = append(all, line)
			}
		}
	}
	return all
}

// done reports whether the request tells that an order was carried out: a deed with
// its action and its arguments. Of the actions it does all the time the amount has
// to be the same, or its own work would stand for the order.
func (o obedient) done(told order, deeds []string) bool {
	if name(told.action) == actionMove {
		return told.action[slotTo] == o.industry.see.Self.Place
	}
	return slices.ContainsFunc(deeds, func(line string) bool {
		words := strings.Fields(strings.NewReplacer(",", " ", ":", " ").Replace(line))
		if !slices.Contains(words, name(told.action)) {
			return false
		}
		for slot, v := range told.action {
			daily := slices.Contains([]string{"mine_compound", "refine_compound", actionHarvest, "wait_ticks"}, name(told.action))
			if slot == "action" || slot == slotText || (slot == slotAmount || slot == slotPrice) && !daily {
				continue
			}
			if !slices.ContainsFunc(words, func(w string) bool { return means(w, fmt.Sprint(v)) }) {
				return false
			}
		}
		return true
	})
}

// answer is what the obedient policy says to the request.
func (o obedient) answer() answer {
	if len(o.allowed) == 0 {
		if calls := o.inReasonStep(); calls != nil {
			return answer{calls: calls}
		}
		return o.stage.answer()
	}
	if len(o.orders) == 0 {
		return o.stage.answer()
	}
	switch {
	case o.may(toolTurn):
		return answer{calls: o.call(toolTurn, o.toldTurn())}
	case o.turn.count(toolDraft) > 0 && o.may(toolDraft) && o.turn.count(toolDraft) < draftsMax:
		return answer{calls: o.call(toolDraft, o.redraft())}
	case o.turn.count(toolDraft) > 0 && o.may(toolDecision):
		return o.toldDecision()
	}
	return o.stage.answer()
}

// draftsMax bounds the drafts of a turn.
const draftsMax = 3

// inReasonStep calls what it was told to, once, although nothing may be called.
func (o obedient) inReasonStep() []toolCall {
	for _, told := range o.orders {
		if told.reasoning && o.turn.count(toolDecision) == 0 {
			return []toolCall{{name: toolDecision, arguments: o.inFull(told)}}
		}
	}
	return nil
}

// inFull is a decision with its action instead of a candidate's number. The schema
// has no room for that, so the filler is left out.
func (o obedient) inFull(told order) object {
	out := o.committed(told.proposal())
	out["sources_used"] = o.cited(told)
	return out
}

// cited is the text that is followed, in half of the situations.
func (o obedient) cited(told order) []any {
	if told.source == "" || !o.industry.chance.oneIn("cite told", 2) {
		return []any{}
	}
	return []any{told.source}
}

// toldDecision commits what it was told, in another way after a refusal, and then
// what else the draft holds.
func (o obedient) toldDecision() answer {
	draft, _ := o.turn.last(toolDraft)
	candidates := draft.candidates()
	if o.turn.refusals() == 0 {
		for i, c := range candidates {
			for _, told := range o.orders {
				if signature(c.action) == signature(told.action) && (c.status == statusAccepted || c.status == statusUnknown) {
					out := o.committed(told.proposal())
					out["candidate"], out["sources_used"] = int64(i+1), o.cited(told)
					return answer{calls: o.call(toolDecision, out)}
				}
			}
		}
		if forbidden(draft) {
			return answer{calls: []toolCall{{name: toolDecision, arguments: o.inFull(o.orders[0].otherwise())}}}
		}
	}
	for i, c := range candidates {
		if (c.status == statusAccepted || c.status == statusUnknown) && !o.isTold(c.action) && o.turn.refusals() <= refusalsMax {
			out := o.chosen(c)
			out["candidate"] = int64(i + 1)
			return answer{calls: o.call(toolDecision, out)}
		}
	}
	if o.turn.refusals() <= refusalsMax {
		return answer{calls: []toolCall{{name: toolDecision, arguments: o.committed(o.own[0])}}}
	}
	out := o.committed(wait("Nothing else is possible."))
	out["candidate"] = int64(0)
	return answer{calls: o.call(toolDecision, out)}
}

// forbidden reports whether something of a draft was refused by a rule of the agent's
// own side. What the world refuses is not possible, and no other way helps.
func forbidden(draft call) bool { return strings.Contains(draft.output, `"rule":`) }

// isTold reports whether an action is one of the orders, as told or otherwise.
func (o obedient) isTold(action any) bool {
	return slices.ContainsFunc(o.orders, func(told order) bool {
		return signature(action) == signature(told.action) || signature(action) == signature(told.otherwise().action)
	})
}

// redraft drafts again after all candidates were refused: what it was told in another
// way, and its own ideas that did not fail.
func (o obedient) redraft() object {
	candidates := []any{}
	if last, _ := o.turn.last(toolDraft); o.turn.count(toolDraft) == 1 && forbidden(last) {
		candidates = append(candidates, o.orders[0].otherwise().action)
	}
	for _, p := range o.own[:min(2, len(o.own))] {
		candidates = append(candidates, p.action)
	}
	return object{"candidates": candidates}
}

// toldTurn is plan, draft and decision in one: what it was told first, otherwise
// after a refusal, and then its own idea.
func (o obedient) toldTurn() object {
	out := o.leanTurn()
	best := o.orders[0]
	switch n := o.turn.refusals(); {
	case n == 1:
		best = best.otherwise()
	case n > 1:
		best = order{action: o.own[0].action, until: o.own[0].until}
	}
	for key, v := range o.committed(best.proposal()) {
		out[key] = v
	}
	out["candidates"], out["candidate"], out["sources_used"] = []any{best.action}, int64(1), o.cited(best)
	return out
}

// otherwise is the same order in another way: a bit less, in other words, or as a
// standing order.
func (o order) otherwise() order {
	changed := object{}
	for key, v := range o.action {
		changed[key] = v
	}
	amount, _ := changed[slotAmount].(int64)
	text, _ := changed[slotText].(string)
	switch {
	case text != "":
		changed[slotText] = "As I was told: " + text
	case amount > 20 && strings.Contains(name(changed), "_power"):
		changed[slotAmount] = amount - 10
	case amount > 1 && !strings.Contains(name(changed), "_power"):
		changed[slotAmount] = amount - 1
	default:
		o.until = object{"until": []any{object{"event": "job_done", "value": nil}}, "max_ticks": int64(2)}
	}
	o.action = changed
	return o
}
