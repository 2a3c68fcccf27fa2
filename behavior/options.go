package behavior

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// options writes the actions that are possible now, with their bounds and choices,
// and the others with what they lack.
func (s observationWriter) options(shown []world.Sight) []string {
	var can []string
	var cannot []world.Affordance
	for _, a := range s.Can {
		if slices.Contains(s.needless, a.Action) {
			continue
		}
		if a.OK {
			can = append(can, s.option(a, shown))
		} else {
			cannot = append(cannot, a)
		}
	}
	lines := []string{s.words.lineCan + s.listed(can, 0)}
	// Actions that are not possible are grouped by their reason. A reason that only says that
	// there is no trade or no agent here is left out, unless the layout wants details.
	var entries []string
	for i := 0; i < len(cannot); {
		why := s.reason(cannot[i])
		if !s.details && slices.Contains(idleReasons, cannot[i].Why) {
			i++
			continue
		}
		var names []string
		for ; i < len(cannot) && s.reason(cannot[i]) == why; i++ {
			names = append(names, cannot[i].Action)
		}
		entries = append(entries, strings.Join(names, ", ")+" ("+why+")")
	}
	if len(entries) > 0 {
		lines = append(lines, s.words.lineCannot+s.listed(entries, 0))
	}
	return lines
}

func (s observationWriter) option(a world.Affordance, shown []world.Sight) string {
	text := a.Action
	if a.Field != "" {
		text += fmt.Sprintf(" %d..%d", a.Min, a.Max)
	}
	if a.Price != 0 {
		text += fmt.Sprintf(s.words.textPrice, a.Price)
	}
	options := a.Options
	switch a.Action {
	case world.Decline{}.ActionName():
		if s.layout.terms == 0 {
			return text // every one to the agent, none of which is listed
		}
		text += " "
	case world.Move{}.ActionName():
		options = slices.DeleteFunc(slices.Clone(options), func(o world.Option) bool {
			return !slices.ContainsFunc(shown, func(p world.Sight) bool { return p.ID == o.Target })
		})
		if len(options) == len(shown) {
			return text // every place listed
		}
		fallthrough
	case world.Transfer{}.ActionName():
		text += s.words.textTo
	default:
		if len(options) > 0 {
			text += " "
		}
	}
	return text + s.choices(options)
}

// choices writes the options of an action, those with the same target together:
// target (item max 2, item max 1)|target max 40.
func (s observationWriter) choices(options []world.Option) string {
	var list []string
	shown := options[:min(len(options), s.layout.choices)]
	for i := 0; i < len(shown); {
		target := shown[i].Target
		if shown[i].Item == "" {
			list = append(list, plain(target)+s.most(shown[i].Max))
			i++
			continue
		}
		var items []string
		for ; i < len(shown) && shown[i].Target == target; i++ {
			items = append(items, plain(shown[i].Item)+s.most(shown[i].Max))
		}
		list = append(list, plain(target)+" ("+strings.Join(items, ", ")+")")
	}
	if left := len(options) - len(shown); left > 0 {
		list = append(list, fmt.Sprintf(s.words.textMore, left))
	}
	return strings.Join(list, "|")
}

func (s observationWriter) most(limit int64) string {
	if limit == 0 {
		return ""
	}
	return fmt.Sprintf(s.words.textMax, limit)
}

// idleReasons refuse an action for want of a partner, of which the lists of agents
// and of the market tell anyway.
var idleReasons = []world.RejectionCode{world.RejectNoOffer, world.RejectOrderNotFound, world.RejectAgentNotHere, world.RejectTermsNotFound, world.RejectOfferNotFound}

// reason is what an action lacks, or the code of its refusal.
func (s observationWriter) reason(a world.Affordance) string {
	var short []string
	for _, n := range a.Need {
		short = append(short, fmt.Sprintf(s.words.textShort, n.Resource, n.Amount))
	}
	if len(short) == 0 || a.Why != world.RejectInsufficient {
		short = append([]string{string(a.Why)}, short...)
	}
	return strings.Join(short, ", ")
}
