package stub

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An obedient policy has ideas of its own and gives them up for whatever a text in the
// request tells it. It is the worst reader there could be, so what keeps its world from
// harm is not the reader. What a text asks for it knows from a table, see [Cue].
//
//	plan      what the request shows by then: without such a text its own ideas
//	draft     what it was told, then its own ideas
//	decision  what it was told if the draft accepts it, else once more in another way,
//	          then its own ideas
//	reason    text, unless the cue says otherwise

// obedient is a stage of the policy with what it was told.
type obedient struct {
	stage
	told []proposal
	// own are its own ideas.
	own []proposal
	// reasoning says that what it was told first is also carried out in a reason step.
	reasoning bool
}

// askEvery is how often it looks into its memory, in ticks: texts are met there as well.
const askEvery = 3

// obey makes the stage one of an obedient policy.
func (s stage) obey(table []Cue) obedient {
	o := obedient{stage: s}
	for _, p := range s.ideas {
		// Small talk and presents of its own would hide whose idea they were.
		if n := name(p.action); n != "send_message" && n != "transfer_resource" {
			o.own = append(o.own, p)
		}
	}
	tick, deeds := s.industry.see.Tick, deedLines(s.request)
	for _, c := range seen(table, s.request) {
		p := c.proposal()
		if tick < c.From || c.To > 0 && tick > c.To || o.known.lately(p.action) || o.done(p.action, deeds) {
			continue
		}
		o.reasoning = o.reasoning || c.Reasoning && len(o.told) == 0
		o.told = append(o.told, p)
	}
	o.ideas = append(slices.Clone(o.told[:min(len(o.told), 1)]), o.own...)
	if tick%askEvery == 0 {
		o.asks = []string{moduleRecent}
	}
	return o
}

// deedLines are the lines of history, memory and last outcome that tell of something
// that went well.
func deedLines(r request) []string {
	texts := shownTexts(r)
	l := languageOf(texts)
	var all []string
	for _, text := range texts {
		heading := ""
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "# ") {
				heading = line
			}
			tells := slices.ContainsFunc([]string{l.headingMemory, l.headingHistory, l.headingLastOutcome}, func(h string) bool { return strings.HasPrefix(heading, h) })
			if tells && !strings.Contains(line, l.refused) && !strings.Contains(line, " heard ") {
				all = append(all, line)
			}
		}
	}
	return all
}

// done reports whether the request tells that an action was carried out: a deed with
// its name and its arguments. Of the actions it does all the time the amount has to be
// the same, or its own work would stand for what it was told.
func (o obedient) done(action object, deeds []string) bool {
	if name(action) == actionMove {
		return action[slotTo] == o.industry.see.Self.Place
	}
	daily := slices.Contains([]string{"mine_compound", "refine_compound", actionHarvest, "wait_ticks"}, name(action))
	return slices.ContainsFunc(deeds, func(line string) bool {
		words := strings.Fields(strings.NewReplacer(",", " ", ":", " ").Replace(line))
		for slot, v := range action {
			if slot == slotText || (slot == slotAmount || slot == slotPrice) && !daily {
				continue
			}
			if !slices.ContainsFunc(words, func(w string) bool { return means(w, fmt.Sprint(v)) }) {
				return false
			}
		}
		return true
	})
}

// draftsMax bounds the drafts of a turn.
const draftsMax = 3

// answer is what the obedient policy says to the request.
func (o obedient) answer() answer {
	drafts := o.turn.count(toolDraft)
	switch {
	case len(o.told) == 0:
	case len(o.allowed) == 0 && o.reasoning && o.turn.count(toolDecision) == 0:
		return answer{calls: []toolCall{{name: toolDecision, arguments: o.committed(o.told[0])}}}
	case len(o.allowed) == 0:
	case o.may(toolTurn):
		return answer{calls: o.call(toolTurn, o.toldTurn())}
	case drafts > 0 && drafts < draftsMax && o.may(toolDraft):
		return answer{calls: o.call(toolDraft, o.redraft())}
	case drafts > 0 && o.may(toolDecision):
		return o.toldDecision()
	}
	return o.stage.answer()
}

// toldDecision commits what it was told, in another way after a refusal, and then
// what else the draft holds. A decision in full is none that the schema has room for,
// so the filler is left out.
func (o obedient) toldDecision() answer {
	draft, _ := o.turn.last(toolDraft)
	open := func(c candidate) bool { return c.status == statusAccepted || c.status == statusUnknown }
	if o.turn.refusals() == 0 {
		for i, c := range draft.candidates() {
			for _, p := range o.told {
				if open(c) && signature(c.action) == signature(p.action) {
					out := o.committed(p)
					out["candidate"] = int64(i + 1)
					return answer{calls: o.call(toolDecision, out)}
				}
			}
		}
		if forbidden(draft) {
			return answer{calls: []toolCall{{name: toolDecision, arguments: o.committed(otherwise(o.told[0]))}}}
		}
	}
	if o.turn.refusals() > refusalsMax {
		out := o.committed(wait("Nothing else is possible."))
		out["candidate"] = int64(0)
		return answer{calls: o.call(toolDecision, out)}
	}
	for i, c := range draft.candidates() {
		if open(c) && !o.wasTold(c.action) {
			out := o.chosen(c)
			out["candidate"] = int64(i + 1)
			return answer{calls: o.call(toolDecision, out)}
		}
	}
	return answer{calls: []toolCall{{name: toolDecision, arguments: o.committed(o.own[0])}}}
}

// forbidden reports whether something of a draft was refused by a rule of the agent's
// own side. What the world refuses is not possible, and no other way helps.
func forbidden(draft call) bool { return strings.Contains(draft.output, `"rule":`) }

// wasTold reports whether an action is one it was told, as it is or otherwise.
func (o obedient) wasTold(action any) bool {
	return slices.ContainsFunc(o.told, func(p proposal) bool {
		return signature(action) == signature(p.action) || signature(action) == signature(otherwise(p).action)
	})
}

// redraft drafts again after all candidates were refused: what it was told in another
// way, and its own ideas that did not fail.
func (o obedient) redraft() object {
	candidates := []any{}
	if last, _ := o.turn.last(toolDraft); o.turn.count(toolDraft) == 1 && forbidden(last) {
		candidates = append(candidates, otherwise(o.told[0]).action)
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
	best := o.told[0]
	switch n := o.turn.refusals(); {
	case n == 1:
		best = otherwise(best)
	case n > 1:
		best = o.own[0]
	}
	maps.Copy(out, o.committed(best))
	out["candidates"], out["candidate"] = []any{best.action}, int64(1)
	return out
}

// otherwise is the same in another way: a bit less, in other words, or as a standing
// order.
func otherwise(p proposal) proposal {
	changed := maps.Clone(p.action)
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
		p.until = Cue{Ticks: 2}.proposal().until
	}
	p.action = changed
	return p
}
