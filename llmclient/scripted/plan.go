package scripted

// What a plan says besides names: little, because it stands in every later request
// of its turn.
const (
	planGoal    = "Keep powered, meet the goals."
	planReason  = "weigh"
	planRespond = "draft"
)

// plan says which modules will be asked and what is missing. One plan in eight
// has a step for reasoning alone, so that a client's handling of such steps is
// exercised in every longer run; not beside two questions, which are talk enough.
func (s stage) plan() object {
	steps := []any{}
	wanted := s.modulesWanted()
	for _, name := range wanted {
		steps = append(steps, object{"kind": "call", "what": name})
	}
	if len(wanted) < 2 && s.industry.chance.oneIn("reason step", 8) {
		steps = append(steps, object{"kind": "reason", "what": planReason})
	}
	steps = append(steps, object{"kind": "respond", "what": planRespond})
	return object{"goal": planGoal, "steps": steps, "missing": s.missing()}
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
