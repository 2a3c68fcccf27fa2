package scripted

// The modules the policy asks for a reason. It asks others too when they are all
// it may call.
const (
	moduleRecent  = "memory_short_term_recent"
	moduleSearch  = "memory_long_term_search"
	moduleRoute   = "world_route"
	moduleRules   = "world_rules"
	moduleCurrent = "environment_current_observation"
	moduleList    = "agent_modules_list"
)

// modulesWanted are the modules to ask in this turn, in order: one or two, always
// the same for all requests of the turn. The first is the recent past, except that
// in some situations it is the long-term memory; the second, if any, is about the
// intended action.
func (s stage) modulesWanted() []string {
	c := s.industry.chance
	wanted := []string{moduleRecent}
	if c.oneIn("search", 4) {
		wanted[0] = moduleSearch
	}
	switch c.draw("second module", 4) {
	case 0, 1:
		wanted = append(wanted, s.inquiry())
	}
	return s.offered(wanted)
}

// inquiry is the module that says most about the best idea: the route of a move,
// a dry run of anything else, and in some situations something general.
func (s stage) inquiry() string {
	best := name(s.ideas[0].action)
	general := []string{moduleRules, moduleCurrent, moduleList}
	switch n := s.industry.chance.draw("inquiry", 8); {
	case n < len(general):
		return general[n]
	case best == "move_agent":
		return moduleRoute
	}
	return toolDryRun
}

// offered drops the modules the request does not have. It looks at all tools, so
// that a plan made before modules may be called names them already.
func (s stage) offered(names []string) []string {
	var out []string
	for _, name := range names {
		for _, t := range s.request.tools {
			if t.Name == name {
				out = append(out, name)
			}
		}
	}
	return out
}

// askModules returns the module calls still to make: all at once in some
// situations, otherwise one. In the lean protocol it asks only now and then, since
// fewer calls are the point of it.
func (s stage) askModules() []toolCall {
	if s.may(toolTurn) && !s.industry.chance.oneIn("lean modules", 3) {
		return nil
	}
	wanted := s.modulesWanted()
	asked := s.turn.modules()
	if asked >= len(wanted) || s.needsNoMore() {
		return nil
	}
	var calls []toolCall
	for _, name := range wanted[asked:] {
		calls = append(calls, s.call(name, s.moduleValues(name))...)
	}
	if len(calls) > 1 && !s.industry.chance.oneIn("together", 2) {
		calls = calls[:1]
	}
	return calls
}

// needsNoMore reports whether the turn is past its questions: a draft was made or
// a decision came back.
func (s stage) needsNoMore() bool {
	return s.turn.count(toolDraft) > 0 || s.turn.refusals() > 0
}

// moduleValues are the arguments of a module call; the filler drops what a module
// does not take.
func (s stage) moduleValues(module string) object {
	best := s.ideas[0].action
	switch module {
	case moduleRecent:
		return object{"limit": 3}
	case moduleSearch:
		return object{"query": "what happened after " + name(best), "limit": 3}
	case moduleRules:
		return object{"topic": name(best)}
	case moduleRoute:
		return object{"to": best["to"]}
	case toolDryRun:
		return object{"action": best}
	case toolPlan:
		return s.plan()
	}
	return object{}
}
