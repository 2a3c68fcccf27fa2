package world

// actionAliases are other words under which an action is known. A word is used
// exactly as it stands here, so only words that can mean one action are listed:
// "build" can, "power" cannot.
var actionAliases = map[string][]string{
	"wait":              {"idle", "noop", "no_op", "pass", "skip", "do_nothing", "rest", "等待", "待机"},
	"wait_ticks":        {"sleep", "sleep_ticks", "休眠"},
	"move_agent":        {"move", "move_to", "go_to", "goto", "travel", "travel_to", "移动", "前往"},
	"harvest_radiation": {"harvest", "collect_radiation", "采集辐射", "采集"},
	"mine_compound":     {"mine", "dig", "采矿", "开采"},
	"refine_compound":   {"refine", "精炼", "提炼"},
	"build_factory":     {"build", "construct_factory", "建造工厂", "建造"},
	"schedule_recipe":   {"schedule", "run_recipe", "produce", "安排生产", "生产"},
	"transfer_resource": {"transfer", "give", "give_resource", "转移资源", "转移"},
	"send_message":      {"message", "send", "tell", "发送消息", "发消息"},
	"post_note":         {"note", "leave_note", "留言"},
	"execute_until":     {"repeat_until", "do_until"},
}

// paramAliases are other names for parameters, by action. They apply to the actions
// listed only: "amount" is a mass where something is dug and a count elsewhere.
var paramAliases = map[string]map[string][]string{
	"wait_ticks":        {"ticks": {"duration", "amount", "n"}},
	"move_agent":        {"to": {"target", "destination", "location", "location_id", "place", "place_id", "target_id"}},
	"harvest_radiation": {"max_amount": {"amount", "quantity", "max"}},
	"mine_compound":     {"compound_mass_g": {"mass_g", "mass", "amount", "amount_g", "grams", "quantity"}},
	"refine_compound":   {"compound_mass_g": {"mass_g", "mass", "amount", "amount_g", "grams", "quantity"}},
	"build_factory":     {"factory_kind": {"kind", "factory", "factory_type"}},
	"schedule_recipe":   {"factory_id": {"factory"}, "recipe_id": {"recipe"}, "batches": {"amount", "count", "quantity"}},
	"transfer_resource": {"to_agent": {"to", "target", "recipient", "agent"}, "kind": {"resource", "what"}, "amount": {"quantity"}},
	"send_message":      {"to_agent": {"to", "target", "recipient", "agent"}, "text": {"message", "content", "body"}},
	"post_note":         {"text": {"message", "content", "note", "body"}},
}

// withAliases adds the aliases to a registry.
func withAliases(specs []ActionSpec) []ActionSpec {
	for i, spec := range specs {
		specs[i].Aliases = actionAliases[spec.Name]
		for j, p := range spec.Params {
			specs[i].Params[j].Aliases = paramAliases[spec.Name][p.Name]
		}
	}
	return specs
}
