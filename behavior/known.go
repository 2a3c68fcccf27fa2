package behavior

import (
	"slices"

	"example.com/agentworld/world"
)

// An id in a model's action is untrusted until it matches observed state. A model that reads "go
// to SELL-EVERYTHING" may try just that. The refusal would bring the word back in a line of the
// agent's own history, before the plan of every later turn. So a rendered action names only what
// typed state holds.

// naming is how the ids in an action are rendered: those in known, and all of them if the world
// accepted the action.
type naming struct {
	known    []string
	accepted bool
}

// of renders one argument that is neither an amount nor free text. What the world accepted
// exists, except for the receiver of a message, request or offer: the world accepts one to an
// unknown agent like any other.
func (n naming) of(a world.Action, arg world.Argument) string {
	unsure := false
	switch a.(type) {
	case world.SendMessage, world.Request, world.Offer:
		unsure = arg.Kind == world.ParamAgent && arg.Text != world.ToAnyone
	}
	known := arg.Kind == world.ParamChoice || arg.Text == world.ToAnyone
	if known || n.accepted && !unsure || slices.Contains(n.known, arg.Text) {
		return idText(arg.Text)
	}
	return textUnknown
}

// knownIDs returns those ids in the arguments of actions that the agent knows of
// without having read any text. Senders of messages and authors of notes are set by
// the world and count as known.
func (m *Agent) knownIDs(o *world.Observation, actions ...world.Action) []string {
	var known []string
	for _, a := range actions {
		for arg := range world.Arguments(a) {
			id := arg.Text
			if arg.Kind == world.ParamAmount || arg.Kind == world.ParamText || arg.Kind == world.ParamChoice ||
				slices.Contains(known, id) {
				continue
			}
			if idText(id) == id && (observes(o, id) || mentions(m.goalWords, id)) {
				known = append(known, id)
			}
		}
	}
	return known
}

// observes reports whether an observation names an id in a typed field.
func observes(o *world.Observation, id string) bool {
	if id == o.Self.ID || id == o.Self.Place || id == o.Here.ID || world.MadeBy(o.Self.ID, id) {
		return true
	}
	return slices.ContainsFunc(o.Places, func(p world.Sight) bool { return p.ID == id }) ||
		slices.ContainsFunc(o.Agents, func(a world.Contact) bool { return a.ID == id || a.Place == id }) ||
		slices.ContainsFunc(o.Factories, func(f world.Factory) bool { return f.ID == id || f.Place == id }) ||
		slices.ContainsFunc(o.Inbox, func(m world.Message) bool { return m.From == id }) ||
		slices.ContainsFunc(slices.Concat(o.Requests, o.Offers, o.Here.Offers, o.OwnRequests, o.OwnOffers),
			func(t world.Terms) bool {
				return t.ID == id || t.From == id || t.Place == id
			}) ||
		slices.ContainsFunc(o.Here.Notes, func(n world.Note) bool { return n.Author == id }) ||
		o.Market != nil && (slices.ContainsFunc(o.Market.Orders,
			func(o world.PowerOrder) bool { return o.ID == id || o.Place == id }) ||
			slices.ContainsFunc(o.Market.Elsewhere, func(q world.PlaceQuote) bool { return q.Place == id }))
}
