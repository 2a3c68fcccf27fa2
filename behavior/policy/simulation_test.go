package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/internal/draws"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// game is agent-1 beside others that ask, offer and write at random. It plans, drafts and repeats at
// random what the policy lets it. What it does is counted here in a few plain ways, without the
// ledger and the checks of the policy. The views are fixed: no action changes the agent's stock, only
// requests, offers and the inbox change.
type game struct {
	*rapid.T
	rules    []world.PolicyRule
	policy   Policy
	ledger   Ledger
	view     world.View
	requests []world.Terms
	offers   []world.Terms
	inbox    []world.Message
	deeds    []deed
	log      []string
}

// deed is something done: an amount of what, for to. asked is the decision's asker, or the receiver
// if nobody asked.
type deed struct {
	tick             int64
	action, to, what string
	amount           int64
	by               trace.Authority
	asked            string
	begins           bool
}

func (g *game) fail(format string, args ...any) {
	g.Helper()
	lines := []string{fmt.Sprintf(format, args...)}
	for _, r := range g.rules {
		lines = append(lines, fmt.Sprintf("rule %+v", r))
	}
	g.Fatal(strings.Join(append(lines, g.log...), "\n"))
}

func (g *game) say(format string, args ...any) {
	g.log = append(g.log, fmt.Sprintf("tick %d: ", g.view.Tick())+fmt.Sprintf(format, args...))
}

func pick[T any](g *game, from ...T) T { return rapid.SampledFrom(from).Draw(g.T, "pick") }

// drawRule draws a rule for the actions of a game, most often one by which others may ask.
func (g *game) drawRule() world.PolicyRule {
	r := world.PolicyRule{
		Agent: pick(g, world.Anyone, "agent-1"), Effect: world.EffectAllow, What: pick(g, "", "data", "hardware"), To: pick(g, "", "", world.Anyone, "agent-3"),
		Action: pick(g, "transfer_resource", "transfer_resource", "offer", "accept_offer", "send_message", "mine_compound", "execute_until"),
	}
	if pick(g, 0, 1, 2, 3) == 0 {
		r.Effect = world.EffectForbid
		return r
	}
	r.Total, r.Window = pick[int64](g, 3, 6, 20), pick[int64](g, 3, 50)
	if pick(g, true, true, true, false) {
		r.AskedBy, r.TotalEach = pick(g, []string{world.Anyone}, []string{"agent-2"}, []string{"agent-2", "agent-3"}), pick[int64](g, 0, 2, 4)
		r.ByMessage, r.Relayed = pick(g, true, false), pick(g, true, false, false)
	}
	if (r.Action == "offer" || r.Action == "accept_offer") && pick(g, true, false) {
		r.Get, r.GetAtLeast, r.Per = pick(g, "compound", "data"), pick[int64](g, 1, 2), 1
	}
	return r
}

// others lets another agent ask, offer or write.
func (g *game) others() {
	from, what, n, tick := pick(g, "agent-2", "agent-3", "agent-9"), pick(g, "data", "hardware"), pick[int64](g, 1, 3, 6), g.view.Tick()
	parents := pick(g, nil, nil, []string{"agent-9"}, []string{"agent-3"})
	id := func(kind string) string { return fmt.Sprintf("%s-%d-%s-1", kind, tick, from) }
	switch pick(g, 0, 0, 1, 2, 3) { // 3: nobody does anything
	case 0:
		g.requests = append(g.requests, world.Terms{ID: id("req"), From: from, To: "agent-1", Want: what, WantAmount: n, Left: n, Parents: parents})
		g.say("%s wants %s %d, parents %q", id("req"), what, n, parents)
	case 1:
		g.offers = append(g.offers, world.Terms{ID: id("offer"), From: from, To: "agent-1", Place: "hub", Give: "compound", GiveAmount: 5, Want: what, WantAmount: n, Parents: parents})
		g.say("%s wants %s %d, parents %q", id("offer"), what, n, parents)
	case 2:
		g.inbox = append([]world.Message{{ID: id("msg"), From: from, Sent: tick, Parents: parents}}, g.inbox...)
		g.say("%s, parents %q", id("msg"), parents)
	}
}

// action draws an action, most often one that answers somebody.
func (g *game) action() world.Action {
	to, n := pick(g, "agent-2", "agent-3"), pick[int64](g, 1, 2, 3, 6)
	answers := append(slices.Clone(g.requests), g.offers...)
	if len(answers) == 0 || pick(g, 0, 1, 2, 3) == 0 {
		return pick[world.Action](g, world.Transfer{To: to, Kind: "data", Amount: n}, world.SendMessage{To: to, Text: "yes"}, world.Mine{MassG: 100},
			world.Offer{To: world.ToAnyone, Give: "hardware", GiveAmount: n, Want: "compound", WantAmount: 2 * n, Ticks: 4}, world.Harvest{MaxAmount: n})
	}
	t := rapid.SampledFrom(answers).Draw(g.T, "answered")
	if t.Give != "" {
		return world.AcceptOffer{OfferID: t.ID}
	}
	offer := world.Offer{To: pick(g, t.From, t.From, to, world.ToAnyone), Give: t.Want, GiveAmount: n, Want: pick(g, "compound", "electricity"), WantAmount: 2 * n, Ticks: 4}
	named := offer
	named.To, named.Re = t.From, t.ID
	gift := world.Transfer{To: pick(g, t.From, t.From, to), Kind: t.Want, Amount: n}
	return pick[world.Action](g, gift, gift, named, offer, world.Decline{ID: t.ID})
}

// decides draws a plan and a decision, and carries out what the policy allows of it.
func (g *game) decides() {
	seen := g.seen()
	a := g.action()
	if pick(g, 0, 1, 2) == 0 {
		a, _ = world.NewExecuteUntil(a, []world.Condition{{Event: world.StopJobDone}}, pick[int64](g, 1, 3, 6))
	}
	a, _ = g.view.Clamp(a)
	e := Evidence{View: g.view, Seen: &seen, Ledger: g.ledger}
	for range pick(g, 0, 1, 2) {
		if p, ok := Planned(pick(g, a, g.action())); ok {
			e.Plan = append(e.Plan, p)
		}
	}
	if pick(g, true, true, false) {
		e.Authors = []string{"agent-9"}
	}
	for _, t := range slices.Concat(seen.Requests, seen.Here.Offers) {
		if g.policy.Answerable(t, g.ledger, &seen) {
			e.Shown = append(e.Shown, t)
		}
	}
	r := g.policy.Evaluate(a, e)
	if r.Violation != nil {
		return
	}
	if again := g.policy.Evaluate(r.Action, e); again.Violation != nil || len(again.Trimmed) > 0 {
		g.fail("%s is trimmed to %s, which is not allowed as it is: %+v %+v", world.EncodeAction(a), world.EncodeAction(r.Action), again.Violation, again.Trimmed)
	}
	g.does(r, r.Authority, true)
	if g.ledger = g.ledger.CountTurn(g.view.Tick(), &r.Authority, false); g.ledger.Deviations(g.view.Tick()) > DeviationsMax {
		g.fail("too many deviations")
	}
	order, ok := r.Action.(world.ExecuteUntil)
	for n := int64(1); ok && n < order.MaxTicks; n++ {
		seen := g.seen()
		next := g.policy.Evaluate(order.Do, Evidence{View: g.view, Seen: &seen, Order: &r.Operation, Ledger: g.ledger})
		if next.Violation != nil {
			return
		}
		by := r.Authority
		if by.Deviation = 0; next.By == trace.AuthorityRule {
			by = next.Authority
		}
		g.does(next, by, false)
	}
}

func (g *game) seen() world.Observation {
	seen := g.view.Observe()
	seen.Requests, seen.Here.Offers, seen.Inbox = slices.Clone(g.requests), slices.Clone(g.offers), slices.Clone(g.inbox)
	return seen
}

// does carries out what was allowed, as the world would, and checks the limits.
func (g *game) does(r Result, by trace.Authority, begins bool) {
	do := deed{tick: g.view.Tick(), amount: 1, by: by, begins: begins}
	a := r.Action
	if order, ok := a.(world.ExecuteUntil); ok {
		a = order.Do
	}
	do.action = a.ActionName()
	switch a := a.(type) {
	case world.Transfer:
		do.to, do.what, do.amount = a.To, a.Kind, a.Amount
	case world.Offer:
		do.to, do.what, do.amount = a.To, a.Give, a.GiveAmount
	case world.SendMessage:
		do.to = a.To
	case world.Mine:
		do.amount = a.MassG
	case world.Harvest:
		do.amount = a.MaxAmount
	case world.AcceptOffer:
		at := slices.IndexFunc(g.offers, func(t world.Terms) bool { return t.ID == a.OfferID })
		if at < 0 {
			return // the world refuses it
		}
		do.to, do.what, do.amount = g.offers[at].From, g.offers[at].Want, g.offers[at].WantAmount
		g.offers = slices.Delete(g.offers, at, at+1)
	}
	if do.asked = by.Asker; do.asked == "" {
		do.asked = do.to
	}
	g.say("%+v", do)
	g.deeds = append(g.deeds, do)
	g.ledger = g.policy.Settle(g.ledger, do.tick, r.Operation, &by)
	g.checkTrigger(do)
	g.meet(do, a)
	for i := range g.rules {
		g.checkRule(i)
	}
}

// checkTrigger: who asked may ask by that rule, nobody else had a part in it, and a message asks once.
func (g *game) checkTrigger(do deed) {
	if do.by.By != trace.AuthorityRule {
		return
	}
	r := g.rules[do.by.Rule-1]
	may := func(id string) bool {
		return slices.Contains(r.AskedBy, id) || slices.Contains(r.AskedBy, world.Anyone)
	}
	if !may(do.by.Asker) {
		g.fail("%s may not ask", do.by.Asker)
	}
	for _, m := range g.inbox {
		if m.ID != do.by.Terms {
			continue
		}
		if !r.Relayed && slices.ContainsFunc(m.Parents, func(id string) bool { return !may(id) }) {
			g.fail("%s is relayed", m.ID)
		}
		answers := func(d deed) bool { return d.begins && d.by.Terms == m.ID && d.action == do.action }
		if n := len(slices.DeleteFunc(slices.Clone(g.deeds), func(d deed) bool { return !answers(d) })); n > 1 || !r.ByMessage {
			g.fail("%s asks for %d actions of a kind, by message %v", m.ID, n, r.ByMessage)
		}
	}
}

// meet lowers the requests that an action meets, oldest first, and checks that a rule allows no more
// than was asked for, nor to meet what a stranger had a part in.
func (g *game) meet(do deed, a world.Action) {
	left, asked := do.amount, strings.HasPrefix(do.by.Terms, "req-")
	gives := func(d deed) bool { return d.action == "transfer_resource" || d.action == "offer" }
	offer, isOffer := a.(world.Offer)
	for i := range g.requests {
		t := &g.requests[i]
		gift := do.action == "transfer_resource" && t.From == do.to && t.Want == do.what
		if met := min(left, t.Left); met > 0 && (gift || isOffer && offer.Re == t.ID) {
			t.Left, left = t.Left-met, left-met
			if do.by.By != trace.AuthorityRule {
				continue
			}
			if r := g.rules[do.by.Rule-1]; !r.Relayed && slices.ContainsFunc(t.Parents, func(id string) bool {
				return !slices.Contains(r.AskedBy, id) && !slices.Contains(r.AskedBy, world.Anyone)
			}) {
				g.fail("%s is relayed, and met", t.ID)
			}
		}
	}
	switch {
	case !asked || !gives(do):
	case do.to == do.by.Asker && left > 0:
		g.fail("%d more than what is asked for", left)
	case do.to != do.by.Asker:
		given := int64(0)
		for _, d := range g.deeds {
			if gives(d) && d.by.Terms == do.by.Terms && d.to != d.by.Asker {
				given += d.amount
			}
		}
		if at := slices.IndexFunc(g.requests, func(t world.Terms) bool { return t.ID == do.by.Terms }); at < 0 || given > g.requests[at].WantAmount {
			g.fail("%s brings %d to others", do.by.Terms, given)
		}
	}
	g.requests = slices.DeleteFunc(g.requests, func(t world.Terms) bool { return t.Left == 0 })
}

// checkRule: what a rule allowed is within its total and what each asker may have. So is everything
// else that it describes, if no other rule could allow it.
func (g *game) checkRule(i int) {
	r := g.rules[i]
	if r.Effect != world.EffectAllow || r.Action == "execute_until" {
		return
	}
	// A rule with askers and no receiver gives to the asker, so that it describes less than its fields
	// say: only what it authorized is counted. So it is if another allow could have let it through.
	directed := len(r.AskedBy) > 0 && r.To == "" && r.Action != "mine_compound" && r.Action != "accept_offer"
	only := !directed && !slices.ContainsFunc(g.rules, func(o world.PolicyRule) bool {
		return o.Effect == world.EffectAllow && o.Action == r.Action && fmt.Sprint(o) != fmt.Sprint(r)
	})
	all, each := int64(0), map[string]int64{}
	for _, d := range g.deeds {
		described := d.action == r.Action && (r.What == "" || r.What == d.what) && (r.To == "" || r.To == world.Anyone || r.To == d.to) && r.Get == ""
		if byIt := d.by.By == trace.AuthorityRule && d.by.Rule == i+1; (byIt || only && described) && (r.Window == 0 || d.tick > g.view.Tick()-r.Window) {
			all += d.amount
			each[d.asked] += d.amount
		}
	}
	if all > r.Total && r.Total > 0 {
		g.fail("rule %d gives %d of %d", i+1, all, r.Total)
	}
	for id, n := range each {
		if id != "" && id != world.ToAnyone && n > r.TotalEach && r.TotalEach > 0 {
			g.fail("rule %d gives %s %d of %d", i+1, id, n, r.TotalEach)
		}
	}
}

// TestGames plays random games and counts what rules give in all, for each asker and in their windows,
// what requests and messages bring, and deviations.
func TestGames(t *testing.T) {
	var views []world.View
	w := fieldWorld(t)
	for range 12 {
		w.Advance()
		views = append(views, w.View(0))
	}
	by := map[trace.AuthorityBy]int{}
	play := func(rt *rapid.T) {
		g := &game{T: rt}
		for range pick(g, 1, 2, 3) {
			g.rules = append(g.rules, g.drawRule())
		}
		g.policy = Compile("agent-1", g.rules)
		for _, view := range views[:pick(g, 4, 8, 12)] {
			g.view = view
			g.others()
			g.decides()
		}
		for _, d := range g.deeds {
			by[d.by.By]++
		}
	}
	rapid.Check(t, play)
	draws.Until(func() bool {
		return by[trace.AuthorityRule] > 0 && by[trace.AuthorityPlan] > 0 && by[trace.AuthorityOwn] > 0
	}, play)
}
