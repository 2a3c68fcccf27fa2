package scripted

import "slices"

// catalogue is what the tool schemas say about the game: which actions there are,
// which events may end a standing order, and which names its choices take. An
// empty list means that the schemas do not say.
type catalogue struct {
	// actions are the action names.
	actions []string
	// events are the stop events.
	events []string
	// choices are all other listed values of an action's properties, such as the
	// names of recipes and resources.
	choices []string
}

// readCatalogue reads the first tool that takes an action. All tools of the
// request count, also those that may not be called now.
func readCatalogue(tools []tool) catalogue {
	for _, t := range tools {
		f := newFiller(t.Parameters)
		action := f.inside(f.root, "action")
		if action == nil {
			continue
		}
		c := catalogue{
			actions: f.listed(f.inside(action, "action")),
			events:  f.listed(f.inside(f.item(f.inside(f.inside(f.root, "execute_until"), "until")), "event")),
		}
		properties, _ := action["properties"].(object)
		for _, name := range sortedKeys(properties) {
			if name != "action" {
				c.choices = append(c.choices, f.listed(f.inside(action, name))...)
			}
		}
		return c
	}
	return catalogue{}
}

// inside returns the schema of a property, references and null aside.
func (f *filler) inside(s schema, property string) schema {
	properties, _ := s["properties"].(object)
	inner, ok := properties[property].(schema)
	if !ok {
		return nil
	}
	chosen, _ := f.choose(inner, nil)
	return chosen
}

// item returns the schema of a list's elements.
func (f *filler) item(s schema) schema {
	items, _ := s["items"].(schema)
	chosen, _ := f.choose(items, nil)
	return chosen
}

// listed returns the values of a string enumeration.
func (f *filler) listed(s schema) []string {
	enum, _ := s["enum"].([]any)
	var out []string
	for _, v := range enum {
		if name, ok := v.(string); ok {
			out = append(out, name)
		}
	}
	return out
}

// offers reports whether an action may be asked for at all.
func (c catalogue) offers(action string) bool {
	return len(c.actions) == 0 || slices.Contains(c.actions, action)
}

// stopsOn reports whether a standing order may end on an event.
func (c catalogue) stopsOn(event string) bool { return slices.Contains(c.events, event) }

func sortedKeys(m object) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
