package answer

import (
	"strings"

	"example.com/agentworld/world"
)

// moveAside are the members of a move that are no part of its action: the reason, and what clients of other
// protocols add to every action.
var moveAside = []string{"reason", "metadata"}

// ReadMove reads a move of somebody who is no model of ours: an object with an action, its slots, the fields of
// its order (until, max_ticks, ignore), at most then further steps and a reason. It forgives what [DecodeAction]
// forgives, and names in place of ids. What cannot be read is refused whole, steps included.
func ReadMove(raw string, names Names, then int) (a world.Action, reason string, e *ArgumentError) {
	o, _, e := ReadObject(raw)
	if e != nil {
		return nil, "", e
	}
	reason = strings.TrimSpace(o.textOf("reason"))
	for _, name := range moveAside {
		o = o.without(name)
	}
	step, _, e := decodeStep(o.without(thenField), names)
	if e != nil {
		return nil, reason, e
	}
	a, _, e = decodeThen(o.Field(thenField), world.Chain(step), names, then)
	if e != nil {
		return nil, reason, e
	}
	a, _ = names.Resolve(a)
	return a, reason, nil
}
