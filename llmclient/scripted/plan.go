package scripted

// plan says which modules will be asked and what is missing. One plan in eight
// has a step for reasoning alone, so that a client's handling of such steps is
// exercised in every longer run.
func (s stage) plan() object {
	steps := []any{}
	for _, name := range s.modulesWanted() {
		steps = append(steps, object{"kind": "call", "what": name})
	}
	if s.industry.chance.oneIn("reason step", 8) {
		steps = append(steps, object{"kind": "reason", "what": "Weigh power, stock and the state of the factory."})
	}
	steps = append(steps, object{"kind": "respond", "what": "Draft candidates and decide."})
	return object{
		"goal":    "Keep the power up and the factory busy until the goals are met.",
		"steps":   steps,
		"missing": s.missing(),
	}
}

// missing names the resources the next job or building is short of.
func (s stage) missing() []any {
	out := []any{}
	for _, action := range []string{"build_factory", "schedule_recipe"} {
		for _, n := range s.industry.see.can(action).Need {
			if !containsText(out, n.Resource) {
				out = append(out, n.Resource)
			}
		}
	}
	return out
}

// containsText reports whether a list of values holds a text.
func containsText(list []any, text string) bool {
	for _, v := range list {
		if v == text {
			return true
		}
	}
	return false
}
