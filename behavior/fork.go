package behavior

import (
	"maps"
	"slices"
)

// Fork returns an independent copy of the agent, with everything that it remembers, owes and planned. It
// shares the runtime and what never changes: texts, decisions and the playbook. Afterwards both may be
// used concurrently. It costs time and memory in proportion to what the agent remembers.
func (m *Agent) Fork() *Agent {
	f := *m
	f.memory = m.memory.Fork()
	f.history = m.history.fork()
	f.toolCalls = maps.Clone(m.toolCalls)
	return &f
}

// fork is an independent copy. A list that only ever grows is cut to its length instead of copied, so that
// the next entry moves it.
func (p *history) fork() history {
	f := *p
	f.episodes = slices.Clip(p.episodes)
	f.sights = slices.Clip(p.sights)
	f.read = slices.Clip(p.read)
	f.refusals = slices.Clip(p.refusals)
	f.sent = slices.Clone(p.sent)
	f.saw = slices.Clone(p.saw)
	f.news = slices.Clone(p.news)
	f.looked = slices.Clone(p.looked)
	f.wrote = slices.Clip(p.wrote)
	return f
}
