package llmclient

import (
	"encoding/json"
	"maps"
	"strings"
)

// withoutID returns the item without its own id, otherwise of equal content.
func (it Item) withoutID() Item {
	it.ID, it.Raw = "", Marshal(it.without("id"))
	return it
}

// WithRole returns a message like it under another role, otherwise of equal
// content.
func (it Item) WithRole(role string) Item {
	members := it.without("role")
	members["role"] = Marshal(role)
	it.Role, it.Raw = role, Marshal(members)
	return it
}

// without returns the members of the item's JSON but one. Readers of JSON differ
// in whether case matters, so no spelling of it stays.
func (it Item) without(member string) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(it.Raw, &members) != nil {
		panic("llmclient: an item is not a JSON object: " + string(it.Raw))
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return strings.EqualFold(name, member) })
	return members
}

// Rebuilt returns a call item like it, with another call id, name and arguments.
// It keeps its own id and status: by its own id a provider knows which reasoning
// item led to it.
func (it Item) Rebuilt(callID, name, arguments string) Item {
	return built(Item{Kind: KindFunctionCall, ID: it.ID, Status: it.Status, CallID: callID, Name: name, Text: arguments}, wireCall{
		Type: KindFunctionCall, ID: it.ID, CallID: callID, Name: name, Arguments: arguments, Status: it.Status,
	})
}
