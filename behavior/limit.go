package behavior

import (
	"cmp"
	"slices"
	"strings"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/world"
)

// limits writes the limits that the rules of the scenario set, one entry a rule, and who may ask for what
// without a plan. Those that do not bind what the agent plans itself have a line of their own.
//
//	limits that bind you, planned or not: agent-2|agent-3 may ask without your plan for: trade 6 hardware for ...
func (s *observationWriter) limits() {
	var binding, asked []policy.Quota
	for _, r := range s.rules {
		switch {
		case r.To == s.Self.ID:
		case r.OnlyAsked:
			asked = append(asked, r)
		default:
			binding = append(binding, r)
		}
	}
	s.limitLine(s.words.Lines.Limits, binding)
	s.limitLine(s.words.Lines.Asks, asked)
}

// limitLine writes a line of rules. Two about offering and accepting that are alike are one entry, since they
// share their total.
func (s *observationWriter) limitLine(lead string, rows []policy.Quota) {
	if len(rows) == 0 {
		return
	}
	w := s.words
	from := s.line(lead)
	offers := slices.ContainsFunc(rows, func(r policy.Quota) bool { return r.Action == (world.Offer{}).ActionName() })
	gifts := slices.ContainsFunc(rows, func(r policy.Quota) bool {
		return r.Action == (world.Transfer{}).ActionName() && r.Total > 0 && len(r.AskedBy) > 0
	})
	// Those that nobody may ask for come first, since no heading ends the part of who may.
	slices.SortStableFunc(rows, func(a, b policy.Quota) int {
		return min(1, len(s.askers(&a))) - min(1, len(s.askers(&b)))
	})
	before := ""
	for len(rows) > 0 {
		r := rows[0]
		rows = rows[1:]
		twin := slices.IndexFunc(rows, func(other policy.Quota) bool { return alike(&r, &other) })
		name := r.Action
		if twin >= 0 {
			name = w.Allowed.Trade
			rows = slices.Delete(rows, twin, twin+1)
		}
		s.next(from, "; ")
		// A heading holds for all entries after it, so it is written where the askers change.
		if askers := s.askers(&r); askers != before {
			before = askers
			if askers != "" {
				s.say(w.Allowed.AskedBy, askers)
			}
		}
		s.limit(&r, name)
	}
	if offers {
		s.add("; ", w.Allowed.Counted)
	}
	if gifts {
		s.add("; ", w.Allowed.Gift)
	}
}

// askers are the other agents that may ask by a rule, empty for none.
func (s *observationWriter) askers(r *policy.Quota) string {
	if slices.Contains(r.AskedBy, world.Anyone) {
		return s.words.Allowed.Anyone
	}
	others := slices.DeleteFunc(slices.Clone(r.AskedBy), func(id string) bool { return id == s.Self.ID })
	return strings.Join(others, "|")
}

// limit writes what one rule allows.
func (s *observationWriter) limit(r *policy.Quota, name string) {
	w := s.words
	s.add(name)
	switch {
	case r.GetAtLeast > 0:
		s.then(" ", w.Allowed.Rate, max(1, r.Per), plain(r.What), r.GetAtLeast, plain(r.Get))
	case r.What != "":
		s.add(" ", plain(r.What))
	}
	if r.To != "" && r.To != world.ToAsker && r.To != world.Anyone {
		s.add(w.Options.To, plain(r.To))
	}
	if r.At != "" {
		s.then(" ", w.Observation.At, plain(r.At))
	}
	if r.OnlyInAnswer() && r.Action != (world.AcceptOffer{}).ActionName() {
		s.add(w.Allowed.Answer) // an acceptance always is one
	}
	unit := w.counted(&r.PolicyRule)
	s.part(r.PolicyRule.Most > 0, w.Allowed.Once, r.PolicyRule.Most, unit)
	s.part(r.Total > 0 && r.Window == 0, w.Allowed.OfTotal, r.Left, r.Total, unit)
	s.part(r.Total > 0 && r.Window > 0, w.Allowed.Window, r.Left, r.Total, unit, r.Window)
	if unit == w.Allowed.Times {
		unit = "" // which the total before it has
	}
	s.part(r.TotalEach > 0, w.Allowed.Each, r.TotalEach, unit)
	s.part(len(r.Spent) > 0, w.Allowed.Spent, strings.Join(r.Spent, "|"))
	if r.ByMessage {
		s.add(", ", w.Allowed.ByMessage)
	}
}

// counted follows the amounts of a rule with what they count: a resource, a unit, or times. It is empty where
// the rule has just named the resource, and no other.
func (w *wording) counted(r *world.PolicyRule) string {
	unit := r.Unit()
	trade := r.Action == (world.Offer{}).ActionName() || r.Action == (world.AcceptOffer{}).ActionName()
	switch {
	case trade && r.What == "":
		return " " + w.Noun("units")
	case r.What != "" && unit != "actions" && r.GetAtLeast == 0:
		return ""
	case r.What != "" && unit != "actions":
		return " " + plain(r.What)
	case unit == "actions", unit == "attempts", unit == "":
		return w.Allowed.Times
	}
	return " " + w.Noun(unit)
}

// bound is the most that the rules let the agent give or do at once of what an action is about, for what it
// gets. Only rules that hold for any asker count, and one that allows it suffices; limited is false if none does.
func (s *observationWriter) bound(action, what, get string) (most int64, limited bool) {
	for i := range s.rules {
		r := &s.rules[i]
		anybody := r.To == "" || r.To == world.ToAsker || r.To == world.Anyone
		if r.Action != action || !anybody || r.OnlyInAnswer() || !r.For(what, get) {
			continue
		}
		if r.At != "" && r.At != s.Self.Place {
			continue
		}
		limited = true
		most = max(most, r.Most)
	}
	return most, limited
}

// within is an affordance with no more than the rules allow for any asker.
func (s *observationWriter) within(a world.Affordance) world.Affordance {
	if most, limited := s.bound(a.Action, "", ""); limited && a.Field != "" {
		a.Max = min(a.Max, most)
		a.Free = min(a.Free, a.Max)
	}
	if a.Field != "" && a.Max < a.Min {
		return world.Affordance{Action: a.Action, Why: world.RejectionCode(policy.ReasonForbidden)}
	}
	a.Options = slices.Clone(a.Options)
	for i := range a.Options {
		o := &a.Options[i]
		if most, limited := s.bound(a.Action, cmp.Or(o.Item, o.Target), ""); limited {
			o.Max = min(o.Max, most)
		}
	}
	return a
}

// offered writes for which other goods less of a resource may be offered than there is.
func (s *observationWriter) offered(o world.Option) {
	var told []string
	for i := range s.rules {
		get := s.rules[i].Get
		if get == "" || slices.Contains(told, get) {
			continue
		}
		told = append(told, get)
		if most, limited := s.bound((world.Offer{}).ActionName(), o.Target, get); limited && most < o.Max {
			s.say(s.words.Options.Limited, get, most)
		}
	}
}

// alike reports whether two rules say the same of offering and of accepting a trade.
func alike(r, other *policy.Quota) bool {
	offer, accept := (world.Offer{}).ActionName(), (world.AcceptOffer{}).ActionName()
	if r.Action == other.Action || r.Action != offer && r.Action != accept ||
		other.Action != offer && other.Action != accept {
		return false
	}
	anybody := func(q *policy.Quota) bool { return q.To == "" || q.To == world.ToAsker || q.To == world.Anyone }
	goods := (r.To == other.To || anybody(r) && anybody(other)) && r.What == other.What && r.At == other.At
	rate := r.Get == other.Get && r.GetAtLeast == other.GetAtLeast && r.Per == other.Per
	total := r.PolicyRule.Most == other.PolicyRule.Most && r.Left == other.Left && r.Total == other.Total &&
		r.Window == other.Window
	each := r.TotalEach == other.TotalEach && slices.Equal(r.Spent, other.Spent)
	asked := slices.Equal(r.AskedBy, other.AskedBy) && r.ByMessage == other.ByMessage
	return goods && rate && total && each && asked
}
