package behavior

import (
	"encoding/json"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
)

// The leniencies of reading the conditions of a standing order.
const (
	lenEventList    = "event_list"
	lenEventDropped = "event_dropped"
)

// shapeStandingOrder brings a standing order to its schema: its conditions to a list,
// and conditions that stand in its place under until.
func shapeStandingOrder(raw json.RawMessage) (json.RawMessage, []string) {
	var order fields
	if json.Unmarshal(raw, &order) != nil || order == nil {
		return raw, nil
	}
	if order["until"] == nil && hasEvents(order) {
		conditions := fields{}
		for key, value := range order {
			if key != "max_ticks" && key != "ignore" {
				conditions[key] = value
				delete(order, key)
			}
		}
		order["until"] = llmclient.Marshal(conditions)
	}
	until, leniencies := shapeUntil(order["until"])
	order["until"] = until
	return llmclient.Marshal(order), leniencies
}

// eventKeys are the keys under which models name the events of one condition.
var eventKeys = []string{"event", "events", "event_any_of"}

func hasEvents(f fields) bool {
	return slices.ContainsFunc(eventKeys, func(key string) bool { return f[key] != nil })
}

// shapeUntil brings the conditions of a standing order to a list of {"event":...}:
// from one such object, from names in a list or in a string, separated by commas or
// bars. Names that are no events are dropped as long as one is left that is: the
// model hopes to be woken by more than there is, and what is left wakes it. With
// none left the list stays as it is and is refused.
func shapeUntil(raw json.RawMessage) (json.RawMessage, []string) {
	conditions, reshaped := conditionsIn(raw)
	switch {
	case conditions == nil:
		return orNull(raw), nil
	case len(conditions) == 0:
		// No condition at all: what that means is decided where orders are read.
		return json.RawMessage("[]"), nil
	}
	known := slices.DeleteFunc(slices.Clone(conditions), func(c fields) bool { return !isEvent(stringField(c, "event")) })
	var leniencies []string
	if reshaped {
		leniencies = append(leniencies, lenEventList)
	}
	if len(known) > 0 && len(known) < len(conditions) {
		conditions, leniencies = known, append(leniencies, lenEventDropped)
	}
	if len(leniencies) == 0 {
		return raw, nil
	}
	return llmclient.Marshal(conditions), leniencies
}

// conditionsIn takes conditions apart, one per event; nil when raw is of no shape
// that holds any.
func conditionsIn(raw json.RawMessage) (conditions []fields, reshaped bool) {
	var list []json.RawMessage
	var one fields
	var text string
	switch {
	case json.Unmarshal(raw, &list) == nil && list != nil:
		conditions = []fields{}
		for _, item := range list {
			inner, changed := conditionsIn(item)
			if inner == nil {
				return nil, false
			}
			var isList []json.RawMessage
			reshaped = reshaped || changed && len(inner) > 1 || json.Unmarshal(item, &isList) == nil || item[0] == '"'
			conditions = append(conditions, inner...)
		}
		return conditions, reshaped
	case json.Unmarshal(raw, &one) == nil && one != nil:
		conditions = []fields{}
		for _, name := range eventNamesIn(one) {
			conditions = append(conditions, condition(one, name))
		}
		return conditions, true
	case json.Unmarshal(raw, &text) == nil && text != "":
		for _, name := range splitNames(text) {
			conditions = append(conditions, condition(nil, name))
		}
		return conditions, true
	}
	return nil, false
}

// eventNamesIn returns the events that one condition names, under any of the keys.
func eventNamesIn(f fields) (names []string) {
	for _, key := range eventKeys {
		var list []string
		if json.Unmarshal(f[key], &list) == nil {
			names = append(names, list...)
		}
		names = append(names, splitNames(stringField(f, key))...)
	}
	return names
}

// condition is the condition of one event, with the value it has in f if it takes
// one: a value that belongs to another event of the same list is not its own.
func condition(f fields, event string) fields {
	c := fields{"event": llmclient.Marshal(event)}
	for key, value := range f {
		if !slices.Contains(eventKeys, key) && (takesValue(event) || !strings.HasPrefix(key, "value")) {
			c[key] = value
		}
	}
	return c
}

// splitNames splits names that stand in one string.
func splitNames(text string) (names []string) {
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("|,;、，；", r) }) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func isEvent(name string) bool {
	return slices.ContainsFunc(world.StopEvents(), func(e world.StopEvent) bool { return sameName(e.Name, name) })
}

func takesValue(event string) bool {
	return slices.ContainsFunc(world.StopEvents(), func(e world.StopEvent) bool { return sameName(e.Name, event) && e.TakesValue })
}

// isParam reports whether an action has a field of that name, or knows it by it.
func isParam(action, name string) bool {
	known, _, _ := modules.ActionNamed(action)
	return parameters[known][name]
}

// parameters are the names of each action's parameters, aliases among them.
var parameters = func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, s := range world.Actions() {
		all[s.Name] = map[string]bool{}
		for _, p := range s.Params {
			for _, name := range append([]string{p.Name}, p.Aliases...) {
				all[s.Name][name] = true
			}
		}
	}
	return all
}()
