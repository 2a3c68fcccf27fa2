package behavior

import (
	"slices"

	"example.com/agentworld/world"
)

// options writes the actions that are possible now, with their bounds and choices,
// and the others with what they lack.
func (s *observationWriter) options(shown []world.Sight) {
	s.Can = slices.Clone(s.Can)
	for i, a := range s.Can {
		if a.OK {
			s.Can[i] = s.within(a)
		}
	}
	from := s.line(s.words.Lines.Can)
	for i := range s.Can {
		if a := &s.Can[i]; a.OK && !slices.Contains(s.needless, a.Action) {
			s.next(from, "; ")
			s.option(a, shown)
		}
	}
	s.end(from, 0)
	// Actions that are not possible are grouped by their reason. A reason that only says that
	// there is no trade or no agent here is left out, unless the layout wants details.
	from = 0
	var group *world.Affordance // whose reason is that of the names written last
	for i := range s.Can {
		a := &s.Can[i]
		if a.OK || slices.Contains(s.needless, a.Action) {
			continue
		}
		if group != nil && group.Why == a.Why && slices.Equal(group.Need, a.Need) {
			s.add(", ", a.Action)
			continue
		}
		if group != nil {
			s.reason(group)
		}
		group = nil
		if !s.details && slices.Contains(idleReasons, a.Why) {
			continue
		}
		if from == 0 {
			from = s.line(s.words.Lines.Cannot)
		}
		s.next(from, "; ")
		s.add(a.Action)
		group = a
	}
	if group != nil {
		s.reason(group)
	}
}

func (s *observationWriter) option(a *world.Affordance, shown []world.Sight) {
	s.add(a.Action)
	if a.Field != "" {
		s.add(" ", a.Min, "..", a.Max)
	}
	if a.Free != 0 {
		s.say(s.words.Options.Free, a.Free)
	}
	if a.Price != 0 && a.Max > a.Free {
		s.say(s.words.Options.Price, a.Price)
	}
	options := a.Options
	switch a.Action {
	case world.Decline{}.ActionName():
		if s.layout.terms == 0 {
			return // every one to the agent, none of which is listed
		}
		s.add(" ")
	case world.Move{}.ActionName():
		options = slices.DeleteFunc(slices.Clone(options), func(o world.Option) bool {
			return !slices.ContainsFunc(shown, func(p world.Sight) bool { return p.ID == o.Target })
		})
		if len(options) == len(shown) {
			return // every place listed
		}
		fallthrough
	case world.Transfer{}.ActionName():
		s.add(s.words.Options.To)
	default:
		if len(options) > 0 {
			s.add(" ")
		}
	}
	s.choices(a.Action, options)
	if a.Makes != "" {
		s.say(s.words.Options.As, plain(a.Makes))
	}
}

// choices writes the options of an action, those with the same target together:
// target (item max 2, item max 1)|target max 40.
func (s *observationWriter) choices(action string, options []world.Option) {
	from := len(s.out)
	shown := options[:min(len(options), s.layout.choices)]
	for i := 0; i < len(shown); {
		s.next(from, "|")
		target := shown[i].Target
		if s.add(plain(target)); shown[i].Item == "" {
			s.most(shown[i].Max)
			if action == (world.Offer{}).ActionName() {
				s.offered(shown[i])
			}
			i++
			continue
		}
		between := " ("
		for ; i < len(shown) && shown[i].Target == target; i++ {
			s.add(between, plain(shown[i].Item))
			s.most(shown[i].Max)
			between = ", "
		}
		s.add(")")
	}
	if left := len(options) - len(shown); left > 0 {
		s.next(from, "|")
		s.say(s.words.Observation.More, left)
	}
}

func (s *observationWriter) most(limit int64) {
	if limit != 0 {
		s.say(s.words.Options.Most, limit)
	}
}

// idleReasons refuse an action for want of a partner, of which the lists of agents
// and of the market tell anyway.
var idleReasons = []world.RejectionCode{world.RejectNoOffer, world.RejectOrderNotFound, world.RejectAgentNotHere,
	world.RejectTermsNotFound, world.RejectOfferNotFound}

// reason adds what an action lacks, or the code of its refusal.
func (s *observationWriter) reason(a *world.Affordance) {
	s.add(" (")
	from := len(s.out)
	if len(a.Need) == 0 || a.Why != world.RejectInsufficient {
		s.add(s.words.Word(string(a.Why)))
	}
	for _, n := range a.Need {
		s.next(from, ", ")
		s.say(s.words.Options.Short, n.Resource, n.Amount)
	}
	s.add(")")
	if a.Makes != "" {
		s.say(s.words.Options.As, plain(a.Makes))
	}
}
