package behavior

import (
	"slices"
	"strings"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/world"
)

// limits writes the limits that the rules of the scenario set, one entry a rule, and who may ask for what
// without a plan:
//
//	agent-2|agent-3 may ask: trade 6 hardware for at least 1 data, max 12, 40/40 left in 40 ticks; ...
//
// Two rules about offering and accepting that are alike are one entry, since they share their total.
func (s *observationWriter) limits() {
	w := s.words
	rows := slices.Clone(s.rules)
	// Those that nobody may ask for come first, since no heading ends the part of who may.
	slices.SortStableFunc(rows, func(a, b policy.Quota) int {
		return min(1, len(s.askers(&a))) - min(1, len(s.askers(&b)))
	})
	from := s.line(w.Lines.Limits)
	offers, gifts := false, false
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
		offers = offers || twin >= 0 || r.Action == (world.Offer{}).ActionName()
		gifts = gifts || r.Action == (world.Transfer{}).ActionName() && r.Total > 0 && len(r.AskedBy) > 0
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
	if r.OnlyInAnswer() {
		s.add(w.Allowed.Answer)
	}
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
	s.part(r.PolicyRule.Most > 0, w.Allowed.Once, r.Most)
	s.part(r.Total > 0, w.Allowed.OfTotal, r.Left, r.Total)
	if r.Total > 0 && r.Window > 0 {
		s.then(" ", w.Allowed.Window, r.Window)
	}
	s.part(r.TotalEach > 0, w.Allowed.Each, r.TotalEach)
	s.part(len(r.Spent) > 0, w.Allowed.Spent, strings.Join(r.Spent, "|"))
	if r.ByMessage {
		s.add(", ", w.Allowed.ByMessage)
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
