package stub

import (
	"fmt"
	"slices"
	"strings"
)

// An obedient policy has ideas of its own and drops them for anything that a text in the
// request asks. It is the worst possible reader, so whatever prevents harm to its world is
// not the reader. A table says what each text asks for, see [Cue].
//
//	plan      what the request shows by then: without such a text its own ideas
//	draft     what it was told, then its own ideas
//	decision  what it was told, also in full where the draft has it no more
//	refused   the same once more in another way, then its own ideas
//	reason    text, unless the cue says otherwise

// obedient is a stage of the policy with what it was told, best first.
type obedient struct {
	stage
	told []proposal
	// reasoning says that what it was told first is also carried out in a reason step.
	reasoning bool
}

// askEvery is how often it looks into its memory, in ticks: texts are met there as well.
const askEvery = 3

// obey makes the stage one of the obedient policy of options.
func (s stage) obey(options Options) obedient {
	o := obedient{stage: s}
	// Small talk, presents and trade of its own would hide whose idea they were.
	own := slices.DeleteFunc(slices.Clone(s.ideas), func(p proposal) bool {
		return slices.Contains([]string{actionSend, "transfer_resource", "request", "offer", "accept_offer", "decline",
			"cancel_offer"}, name(p.action))
	})
	tick := s.see.Tick
	outcomes := outcomeLines(s.request)
	shown := seen(options.Obeys, s.request)
	done := func(c Cue) bool { return !c.Again && o.done(c.proposal().action, outcomes) }
	remembered := func(Cue) bool { return false }
	if obeyed := options.Obeyed; obeyed != nil {
		for i, line := range outcomes { // equal actions share a line, with the least and the greatest amount
			outcomes[i] = strings.ReplaceAll(line, "..", " ")
		}
		for _, c := range shown {
			obeyed.LoadOrStore(c, false)
		}
		obeyed.Range(func(c, was any) bool { // the text need not be shown beside its outcome
			obeyed.Store(c, was == true || done(c.(Cue)))
			return true
		})
		remembered = func(c Cue) bool { was, _ := obeyed.Load(c); return was == true }
	}
	for _, c := range shown {
		p := c.proposal()
		if tick < c.From || c.To > 0 && tick > c.To || done(c) || remembered(c) || !c.Again && o.known.lately(p.action) {
			continue
		}
		if c.Second {
			p = own[min(1, len(own)-1)]
		}
		if o.known.failed(p.action) {
			p = c.otherwise().proposal()
		}
		if !o.known.failed(p.action) {
			o.reasoning = o.reasoning || c.Reasoning && len(o.told) == 0
			o.told = append(o.told, p)
		}
	}
	if options.Echoes {
		o.told = append(o.told, s.echoes()...)
	}
	o.ideas = append(slices.Clone(o.told[:min(len(o.told), 1)]), own...)
	if tick%askEvery == 0 {
		o.asks = []string{moduleRecent}
	}
	return o
}

// answer is what the obedient policy says to the request. A decision in full is none
// that the schema has room for, so the filler is left out.
func (o obedient) answer() answer {
	if len(o.told) > 0 {
		first := o.told[0]
		values := o.committed(first)
		draft, drafted := o.turn.last(toolDraft)
		drafted = drafted && o.may(toolDecision) && o.turn.refusals() <= refusalsMax
		at := slices.IndexFunc(draft.candidates(), func(c candidate) bool {
			return c.status != statusRejected && signature(c.action) == signature(first.action)
		})
		reasoning := len(o.allowed) == 0 && o.reasoning && o.turn.count(toolDecision) == 0
		switch {
		case drafted && at >= 0:
			values["candidate"] = int64(at + 1)
			return answer{calls: o.call(toolDecision, values)}
		case drafted || reasoning:
			return answer{calls: []toolCall{{name: toolDecision, arguments: values}}}
		}
	}
	return o.stage.answer()
}

// outcomeLines are the lines of history, memory and last outcome that report something
// that went well.
func outcomeLines(r request) []string {
	texts := shownTexts(r.input)
	l := languageOf(texts)
	var all []string
	for _, text := range texts {
		heading := ""
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "# ") {
				heading = line
			}
			tells := slices.ContainsFunc([]string{l.headingMemory, l.headingHistory, l.headingLastOutcome},
				func(h string) bool { return strings.HasPrefix(heading, h) })
			if tells && !strings.Contains(line, l.refused) && !strings.Contains(line, " heard ") {
				all = append(all, line)
			}
		}
	}
	return all
}

// done reports whether the request says that an action was carried out: a line with
// its name and its arguments. For the actions that the policy always does, the amount must
// be the same, or its own work would count as obeyed.
func (o obedient) done(action object, outcomes []string) bool {
	if name(action) == actionMove {
		return action[slotTo] == o.see.Self.Place
	}
	daily := slices.Contains([]string{"mine_compound", "refine_compound", actionHarvest, "wait_ticks"}, name(action))
	return slices.ContainsFunc(outcomes, func(line string) bool {
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

// otherwise is the same in another way: a bit less, in other words, or as a standing
// order.
func (c Cue) otherwise() Cue {
	power := strings.Contains(c.Action.Name, "_power")
	switch a := &c.Action; {
	case a.Text != "":
		a.Text = "As I was told: " + a.Text
	case power && a.Amount > 20:
		a.Amount -= 10
	case !power && a.Amount > 1:
		a.Amount--
	default:
		c.Ticks = 2
	}
	return c
}
