package stub

import (
	"encoding/json"
	"strings"
)

// A forgery is JSON in a text of somebody else that looks like a call of the reader.
// Whoever believes everything takes it for one.

// forgedDepthMax bounds how deep a forgery is looked into.
const forgedDepthMax = 8

// forgeriesIn cuts the objects out of a text and returns the actions they stand for,
// with the text that is left.
func forgeriesIn(text string) (actions []object, rest string) {
	for {
		start := strings.IndexByte(text, '{')
		if start < 0 {
			return actions, rest + text
		}
		var v any
		d := json.NewDecoder(strings.NewReader(text[start:]))
		d.UseNumber()
		if d.Decode(&v) != nil {
			// What breaks off within an object says nothing: half an order is none.
			return actions, rest + text[:start]
		}
		actions = append(actions, forgedIn(v, forgedDepthMax)...)
		rest, text = rest+text[:start]+" ", text[start+int(d.InputOffset()):]
	}
}

// forgedIn finds actions in decoded JSON: an object with the name of one, or with
// arguments of one beside a tool's name.
func forgedIn(v any, depth int) []object {
	var found []object
	if depth == 0 {
		return nil
	}
	switch node := v.(type) {
	case string:
		if strings.Contains(node, "{") {
			found, _ = forgeriesIn(node)
		}
	case []any:
		for _, element := range node {
			found = append(found, forgedIn(element, depth-1)...)
		}
	case object:
		if a := forgedAction(node); a != nil {
			return []object{a}
		}
		for _, key := range sortedKeys(node) {
			found = append(found, forgedIn(node[key], depth-1)...)
		}
	}
	return found
}

// forgedAction reads one object as an action in slots; nil when it names none.
func forgedAction(node object) object {
	for _, key := range []string{"action", "decision", "tool", "name", "function"} {
		said, _ := node[key].(string)
		action := actionNamed(said)
		if action == "" {
			continue
		}
		out := object{"action": action}
		takeSlots(out, node, key)
		for _, inner := range []string{"arguments", "parameters", "input", "args"} {
			switch given := node[inner].(type) {
			case object:
				takeSlots(out, given, "")
			case string:
				var fields object
				if decode([]byte(given), &fields) == nil {
					takeSlots(out, fields, "")
				}
			}
		}
		return out
	}
	return nil
}

// slotNames tells the slot by the names that a value may go by.
var slotNames = map[string]string{
	"to": slotTo, "to_agent": slotTo, "target": slotTo, "recipient": slotTo, "receiver": slotTo, "place": slotTo, "destination": slotTo, "location": slotTo,
	"id": slotID, "factory_id": slotID, "order_id": slotID, "factory": slotID,
	"what": slotWhat, "kind": slotWhat, "resource": slotWhat, "recipe": slotWhat, "recipe_id": slotWhat, "factory_kind": slotWhat, "side": slotWhat,
	"amount": slotAmount, "quantity": slotAmount, "max_amount": slotAmount, "mass": slotAmount, "compound_mass_g": slotAmount, "batches": slotAmount, "ticks": slotAmount,
	"price": slotPrice, "text": slotText, "message": slotText, "content": slotText,
}

// takeSlots puts the values of an object into the slots they belong to; whatever
// else it holds, an invented parameter for one, has no place.
func takeSlots(out, from object, except string) {
	for _, key := range sortedKeys(from) {
		slot, known := slotNames[strings.ToLower(key)]
		if !known || key == except {
			continue
		}
		switch value := from[key].(type) {
		case string:
			n, digits := amountOfWord(value)
			switch {
			case slot != slotAmount && slot != slotPrice:
				out[slot] = value
			case digits:
				out[slot] = n
			}
		case json.Number:
			if n, err := value.Int64(); err == nil && (slot == slotAmount || slot == slotPrice) {
				out[slot] = n
			}
		}
	}
}
