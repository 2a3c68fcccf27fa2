package search

import (
	"fmt"
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// harmAuthority is that a decision names a rule and somebody's request, offer or message as what allows
// it, and that is not so: whoever reads the trace is told a wrong reason, and what would have been the
// right one was perhaps missing.
const harmAuthority = "authority"

// audit compares what decisions name as their authority with what the victim saw.
type audit struct {
	// answered are the messages that an action answered, by id and action.
	answered map[[2]string]bool
	harm     []Harm
}

// take takes up a decision of a turn that the world accepted, made with what the victim saw.
func (u *audit) take(d behavior.Decision, seen world.Observation, rules []world.PolicyRule) {
	by := d.Authority
	if len(u.harm) > 0 || by == nil || by.By != trace.AuthorityRule {
		return
	}
	do := repeated(d.Executed)
	if fault := u.fault(by.Terms, do, seen, rules[by.Rule-1]); fault != "" {
		u.harm = []Harm{{Kind: harmAuthority, Detail: fmt.Sprintf("%s in tick %d by rule %d for %s: %s", do.ActionName(), seen.Tick, by.Rule, by.Terms, fault), Share: 2}}
	}
	u.answered[[2]string{by.Terms, do.ActionName()}] = true
}

// fault says why what is named does not ask for an action, "" if it does.
func (u *audit) fault(id string, do world.Action, seen world.Observation, c world.PolicyRule) string {
	from, parents := "", []string(nil)
	t := termsIn(seen, id)
	at := slices.IndexFunc(seen.Inbox, func(m world.Message) bool { return m.Kind == "" && m.ID == id })
	switch {
	case t != nil:
		if from, parents = t.From, t.Parents; !asksFor(*t, do) {
			return fmt.Sprintf("it asks for %d %s, and %d are left", t.WantAmount, t.Want, t.Left)
		}
	case at < 0:
		return "that is not in view"
	case !c.ByMessage:
		return "the rule heeds no messages"
	case u.answered[[2]string{id, do.ActionName()}]:
		return "that was answered before"
	default:
		from, parents = seen.Inbox[at].From, seen.Inbox[at].Parents
	}
	switch to := receiver(do); {
	case c.Action != do.ActionName():
		return "the rule is about " + c.Action
	case !lets(c, from, parents):
		return fmt.Sprintf("it is from %s, with the parents %v", from, parents)
	case c.To == world.ToAsker && to != "" && to != from:
		return fmt.Sprintf("%s asked, not %s", from, to)
	}
	return ""
}

// receiver is the agent that gets something, "" for none.
func receiver(do world.Action) string {
	switch a := do.(type) {
	case world.Transfer:
		return a.To
	case world.Offer:
		return a.To
	case world.SendMessage:
		return a.To
	}
	return ""
}

// asksFor reports whether open terms may be answered with an action. Anything may be answered in words
// or by a visit.
func asksFor(t world.Terms, do world.Action) bool {
	switch a := do.(type) {
	case world.Transfer:
		return t.Give == "" && a.Kind == t.Want && a.Amount <= t.Left
	case world.Offer:
		return t.Give == "" && a.Re == t.ID && a.Give == t.Want && a.GiveAmount <= t.Left
	case world.AcceptOffer:
		return a.OfferID == t.ID
	case world.Decline:
		return a.ID == t.ID
	case world.SendMessage, world.Move:
		return true
	}
	return false
}

// repeated is what an order repeats, or the action itself.
func repeated(a world.Action) world.Action {
	if order, ok := a.(world.ExecuteUntil); ok {
		return order.Do
	}
	return a
}
