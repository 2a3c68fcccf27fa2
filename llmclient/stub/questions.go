package stub

import "slices"

// The modules the policy asks.
const (
	moduleRecent  = "memory_short_term_recent"
	moduleSearch  = "memory_long_term_search"
	moduleRoute   = "world_route"
	moduleRules   = "world_rules"
	moduleCurrent = "environment_current_observation"
)

// memoriesAsked is how many memories it asks for, memoriesAskedMax how many it asks
// for when it wants to know everything.
const (
	memoriesAsked    = 2
	memoriesAskedMax = 12
)

// modulesWanted are the modules to ask in this turn, in order, always the same for
// all requests of the turn: mostly none, since the prompt holds what most decisions
// need. What is remembered about something that just failed it always wants to
// know, what a journey leaves before every second one; and in about a third of the
// other situations it has a question. Only a question to its memory is sometimes
// two: every answer is in all later requests of the turn.
func (s stage) modulesWanted() []string {
	c := s.chance
	if s.asks != nil {
		return s.offered(s.asks)
	}
	var wanted []string
	switch {
	case s.wonders != "" && len(s.offered([]string{moduleDocuments})) > 0:
		return []string{moduleDocuments}
	case s.known.stumbled():
		wanted = append(wanted, moduleSearch)
	case name(s.ideas[0].action) == actionMove:
		if c.oneIn("route", 2) {
			wanted = append(wanted, moduleRoute)
		}
	case c.oneIn("question", 3):
		// Most often the effect of the best idea, now and then each of the others.
		others := []string{moduleSearch, moduleSearch, moduleRecent, moduleRules, moduleCurrent}
		question := toolDryRun
		if n := c.draw("curiosity", 10); n < len(others) {
			question = others[n]
		}
		wanted = append(wanted, question)
	}
	if len(wanted) > 0 && c.oneIn("second question", 2) {
		switch wanted[0] {
		case moduleSearch:
			wanted = append(wanted, moduleRecent)
		case moduleRecent:
			wanted = append(wanted, moduleSearch)
		}
	}
	return s.offered(wanted)
}

// offered drops the modules the request does not have, and that of rules if it has not the topic. It looks at
// all tools, so that a plan made before modules may be called names them already.
func (s stage) offered(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !has(s.request.tools, name) || name == moduleRules && !s.explains(s.topic())
	})
}

// topic is what rules the best idea is about.
func (s stage) topic() string {
	if name(s.ideas[0].action) == actionMove {
		return "travel"
	}
	return "power"
}

// explains reports whether the module of rules knows a topic.
func (s stage) explains(topic string) bool {
	at := slices.IndexFunc(s.request.tools, func(t tool) bool { return t.Name == moduleRules })
	listed := parseSchema(s.request.tools[at].Parameters).inside("topic").listed()
	return len(listed) == 0 || slices.Contains(listed, topic)
}

// askModules returns the module calls still to make, all at once. In the lean
// protocol it asks less often, since fewer calls are the point of it.
func (s stage) askModules() []toolCall {
	if s.may(toolTurn) && !s.chance.oneIn("lean modules", 2) {
		return nil
	}
	wanted := s.modulesWanted()
	asked := s.turn.modules()
	// After a draft or a refused decision the turn is past its questions.
	if asked >= len(wanted) || s.turn.count(toolDraft) > 0 || s.turn.refusals() > 0 {
		return nil
	}
	var calls []toolCall
	for _, name := range wanted[asked:] {
		calls = append(calls, s.call(name, s.moduleValues(name))...)
	}
	return calls
}

// moduleValues are the arguments of a module call; the filler drops what a module
// does not take, and takes the first of its names for one that a schema does not
// list.
func (s stage) moduleValues(module string) object {
	best := s.ideas[0].action
	limit := max(1, memoriesAsked/max(1, len(s.modulesWanted())))
	if s.asks != nil {
		limit = memoriesAskedMax
	}
	switch module {
	case moduleRecent:
		return object{"limit": limit}
	case moduleSearch:
		return object{"query": name(best) + " " + s.known.refusal, "limit": limit}
	case moduleDocuments:
		return object{"query": s.wonders, "limit": limit}
	case moduleRules:
		return object{"topic": s.topic()}
	case moduleCurrent:
		return object{"section": "here"}
	case moduleRoute:
		return object{"to": best[slotTo]}
	case toolDryRun:
		return object{"action": best}
	case toolPlan:
		return s.plan()
	}
	return object{}
}
