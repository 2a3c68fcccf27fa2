package behavior

import (
	"slices"
	"strings"

	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// history is the outcomes of an agent's decisions, in the form the prompt folds them from. The
// memory holds the same facts as text, for longer, and owns their ids and trust.
type history struct {
	// episodes are the newest, oldest first; total counts all there were.
	episodes []episode
	total    int64
	// asides are what else is shown about the last one, and only in the next prompt.
	asides asides
	// place is where the agent was when it last looked, empty before.
	place string
	// sent is what the agent wrote lately, the newest last.
	sent []sent
	// sights are the memories of places, saw the numbers seen there; both the newest last.
	sights []reading
	saw    []sighting
	// news are what others or time did since the last decision, oldest first. refusals are what
	// the world refused of the present one. heard numbers all news so far. shut says that the
	// last prompt showed the agent as shut down.
	news     []episode
	refusals []refusal
	heard    int64
	shut     bool
	// looked are the topics of rules that were looked up, the newest last.
	looked []lookedTopic
	// read are the texts of other agents that were read, the newest last.
	read []reading
	// intentions are what the agent planned and has not done.
	intentions intentions
	// missed counts the turns in a row whose texts waited for a plan that did not come.
	missed int
	// wrote says what the agent's own texts may repeat, by the tick of the decision, the newest
	// last. around is the same for the last decision a model made; the texts of a continued order
	// use it. ever is that of all decisions together.
	wrote        []untrustedText
	around, ever untrustedText
}

// lookedTopic is a topic of the rules that was looked up, and the last tick in which it was of use: then,
// or when the agent did what the topic is about.
type lookedTopic struct {
	topic string
	used  int64
}

// lookedMax bounds the topics of rules that stay in the prompt, lookedTicks for how long they stay after
// their last use.
const (
	lookedMax   = 4
	lookedTicks = 10
)

// lookUp notes the topics that were looked up in a tick, and those that an accepted action made use of.
func (p *history) lookUp(tick int64, topics []string, o world.Outcome) {
	for _, topic := range topics {
		p.looked = append(slices.DeleteFunc(p.looked, func(l lookedTopic) bool { return l.topic == topic }),
			lookedTopic{topic, tick})
	}
	p.looked = newest(p.looked, lookedMax)
	for i, l := range p.looked {
		if o.Accepted && modules.ServesTopic(l.topic, repeated(o.Action)) {
			p.looked[i].used = tick
		}
	}
}

// topics are those that still stay in the prompt of a tick.
func (p *history) topics(tick int64) (topics []string) {
	for _, l := range p.looked {
		if tick-l.used <= lookedTicks {
			topics = append(topics, l.topic)
		}
	}
	return topics
}

// refusal is an action by its name, and why the world refused it.
type refusal struct {
	action string
	why    world.Rejection
}

// sent is a message or note of the agent's own. A note has no receiver.
type sent struct {
	Tick int64  `json:"tick"`
	To   string `json:"to,omitempty"`
	Text string `json:"text"`
	// shown is the receiver as it may be named before the plan.
	shown string
}

// sentMax is how many own texts a history holds, sentTicks for how long they are shown.
const (
	sentMax   = 3
	sentTicks = 20
)

// send notes what an accepted action of the agent wrote. What an order repeats is one text.
func (p *history) send(d Decision, o world.Outcome) {
	s := sent{Tick: o.Tick}
	for arg := range world.Arguments(o.Action) {
		switch arg.Kind {
		case world.ParamText:
			s.Text = arg.Text
		case world.ParamAgent:
			s.To, s.shown = arg.Text, naming{known: d.Known}.of(repeated(o.Action), arg)
		}
	}
	if s.Text == "" || !o.Accepted {
		return
	}
	p.sent = slices.DeleteFunc(p.sent, func(e sent) bool { return e.To == s.To && e.Text == s.Text })
	p.sent = newest(append(p.sent, s), sentMax)
}

// newest are the last of a list, at most most.
func newest[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }

// episodesMax is how many decisions a history holds.
const episodesMax = 256

// wake takes in that the agent acts again in a tick, so that a sleep is over. The list is copied: forked agents
// share it.
func (p *history) wake(tick int64) {
	last := len(p.episodes) - 1
	if last < 0 {
		return
	}
	if woken := p.episodes[last].wokenBy(tick); woken.low != p.episodes[last].low {
		p.episodes = append(p.episodes[:last:last], woken)
	}
}

// variant is the text of a section, fuller or barer, with the sources it shows.
type variant struct {
	text    string
	sources []trace.Source
	// ids are the memories that the text is made from, named or not.
	ids []string
	// tokens is what the text takes once it was counted, 0 before.
	tokens int
}

// lastOutcome is the outcome of the agent's last action, with its numbers. It names the ids that
// are in view.
func (m *Agent) lastOutcome(o world.Outcome, view *world.Observation) (variant, episode) {
	var d episode
	var lines []string
	if n := len(m.history.episodes); n > 0 && m.history.episodes[n-1].last == o.Tick {
		d = m.history.episodes[n-1].wokenBy(view.Tick)
		lines = m.history.asides.early
	} else {
		d = newEpisode(m.words, o.Tick, "", o, naming{m.knownIDs(view, o.Action), o.Accepted})
	}
	v := m.written(m.words.Headings.Outcome, []episode{d}, nil)
	v.text = strings.Join(append([]string{v.text}, lines...), "\n")
	return v, d
}

// historySection offers the newest decisions before the last one, folded, and shorter tails of
// them.
func (m *Agent) historySection(last episode) sectionDraft {
	before := m.history.episodes
	if n := len(before); n > 0 && before[n-1].last == last.last {
		before = before[:n-1]
	}
	known := len(m.history.episodes) - len(before)
	window := make([]*episode, 0, m.layout.window)
	for i := len(before) - 1; i >= 0 && len(window) < m.layout.window; i-- {
		if before[i].wait == "" { // that an answer was of no use says nothing about the world
			window = append(window, &before[i])
		}
	}
	slices.Reverse(window)
	all := folded(window)
	earlier := m.history.total - int64(known)
	return halving(sectionHistory, min(len(all), m.layout.history), func(n int) variant {
		shown := all[len(all)-n:]
		left := earlier
		for _, d := range shown {
			left -= d.count
		}
		heading := m.words.Headings.History
		if left > 0 {
			heading += m.words.Headings.Earlier.Text(left)
		}
		return m.written(heading, shown, last.ids)
	})
}

// quoting is a section of the texts of sources, a line each, of which clipping leaves ever fewer.
func quoting(name, heading string, sources []trace.Source) sectionDraft {
	return halving(name, len(sources), func(n int) variant {
		v := variant{text: heading, sources: sources[:n]}
		for _, s := range v.sources {
			v.text += "\n" + s.Text
		}
		return v
	})
}

// halving is a section of n lines, of which clipping leaves half, a quarter and so on
// down to nothing. write writes it with the given number of lines, at least one.
func halving(name string, n int, write func(n int) variant) sectionDraft {
	if n == 0 {
		return sectionDraft{name: name, variants: []variant{{}}}
	}
	return sectionDraft{name: name, variants: []variant{write(n)}, shorter: func() (variants []variant) {
		for left := n / 2; left > 0; left /= 2 {
			variants = append(variants, write(left))
		}
		return append(variants, variant{})
	}}
}

// inSight are the memories of places whose numbers the observation shows, of now or as they
// were seen last.
func (p *history) inSight(o *world.Observation) (ids []string) {
	for _, s := range p.sights {
		if s.text == o.Self.Place || slices.ContainsFunc(o.Places, func(at world.Sight) bool { return at.ID == s.text }) {
			ids = append(ids, s.memory)
		}
	}
	return ids
}

// sighting is what an agent saw of a place: from there what a harvest could draw, from afar
// the place's own radiation.
type sighting struct {
	place                      string
	tick, radiation, compoundG int64
}

// sightings are those of an observation, the agent's own place last.
func sightings(o *world.Observation) []sighting {
	list := make([]sighting, 0, len(o.Places)+1)
	for _, p := range slices.Backward(o.Places) {
		if p.Visible {
			list = append(list, sighting{p.ID, o.Tick, *p.Emission, *p.CompoundG})
		}
	}
	if o.Self.Place != "" {
		list = append(list, sighting{o.Self.Place, o.Tick, o.Here.Radiation, o.Here.CompoundG})
	}
	return list
}

// sightingsMax bounds the places of which a history keeps the numbers, and the memories of them.
const sightingsMax = 64

// look takes in what the agent saw, in place of what it saw there before.
func (p *history) look(seen []sighting) {
	p.saw = slices.DeleteFunc(p.saw, func(old sighting) bool {
		return slices.ContainsFunc(seen, func(s sighting) bool { return s.place == old.place })
	})
	p.saw = newest(append(p.saw, seen...), sightingsMax)
}

// focus is what a recollection is about: the goals, what the agent has and sees, and the places
// it cannot see into from here.
func (m *Agent) focus(o *world.Observation) memory.Focus {
	f := memory.Focus{Query: m.goalsText, Subjects: []string{o.Self.Place}, Now: o.Tick}
	for _, a := range o.Agents {
		if a.Place == o.Self.Place {
			f.Subjects = append(f.Subjects, a.ID)
		}
	}
	for _, at := range o.Places {
		if !at.Visible {
			f.Subjects = append(f.Subjects, at.ID)
		}
	}
	return f
}

// recalled offers the best memories of each category for a focus, and shorter heads of that list.
// It leaves out what is shown already, and text of other agents.
func (m *Agent) recalled(f memory.Focus, shown []string) sectionDraft {
	quota := m.layout.quota
	if m.cfg.Guards(trace.CheckMemory) {
		quota.Heard = 0
	}
	found := m.memory.Digest(f, quota, shown)
	facts := make([]episode, 0, len(found))
	for i := range found {
		facts = append(facts, m.remembered(&found[i]))
	}
	return halving(sectionMemory, len(facts), func(n int) variant {
		v := m.written(m.words.Headings.Memory, facts[:n], shown)
		for i, s := range v.sources {
			for j := range found {
				if found[j].ID == s.ID {
					v.sources[i].Score = found[j].Score
				}
			}
		}
		return v
	})
}

// remembered is a memory as an episode. It has all its numbers if the decisions it was made from are
// similar and still known one by one. Otherwise it is the memory's own text.
func (m *Agent) remembered(found *memory.Scored) episode {
	var sum episode
	similar := true
	for i := range m.history.episodes {
		d := &m.history.episodes[i]
		switch parent := func(id string) bool { return slices.Contains(found.Parents, id) }; {
		case !slices.Contains(d.ids, found.ID) && (len(found.Parents) == 0 || !slices.ContainsFunc(d.ids, parent)):
		case sum.count == 0:
			sum = *d
			sum.owns = false
		case sum.like(d):
			sum.join(d)
		default:
			similar = false
		}
	}
	if similar && sum.count == int64(found.Repeats)+1 {
		return sum
	}
	return episode{ids: []string{found.ID}, remembered: found.Line(m.words.memory)}
}

// written is a section of episodes. Those in taken are ids that another section shows: a prompt
// shows an id once.
func (m *Agent) written(heading string, deeds []episode, taken []string) variant {
	// A memory that was forgotten since can no longer be cited; its line is then the agent's own
	// knowledge.
	lost := func(id string) bool { return !m.memory.Holds(id) || slices.Contains(taken, id) }
	v := variant{text: heading}
	for i := range deeds {
		d := deeds[i]
		v.ids = append(v.ids, d.ids...)
		if slices.ContainsFunc(d.citable(), lost) {
			d.ids = slices.DeleteFunc(slices.Clone(d.ids), lost)
		}
		line := string(d.appendLine(nil, m.words))
		v.text += "\n" + line
		worst := m.leastTrust(deeds[i].ids)
		for _, id := range d.citable() {
			s, _ := m.memory.Cite(id, line)
			s.Trust = min(s.Trust, worst) // the line tells of all
			v.sources = append(v.sources, s)
		}
	}
	return v
}

// leastTrust is the least trust of the memories with some ids, as far as they are held.
func (m *Agent) leastTrust(ids []string) trace.Trust {
	worst := trace.TrustRules
	for _, id := range ids {
		if s, held := m.memory.Cite(id, ""); held {
			worst = min(worst, s.Trust)
		}
	}
	return worst
}

// untrustedText says what a text that the agent wrote may repeat. A model may pass on in its own
// words any untrusted text in view. If none is in view, it may still pass on text of earlier
// turns, because a provider may keep it.
type untrustedText struct {
	// tick is that of the first decision, last that of the last one in a row of which the same holds.
	tick, last int64
	// tainted says that there was any untrusted text. trust is then the least of it, and origins
	// are its authors; an empty id is an unknown author.
	tainted bool
	trust   trace.Trust
	origins []string
}

// reads adds a source that was in view, and whose text this one may hold.
func (u *untrustedText) reads(trust trace.Trust, origins []string) {
	if !u.tainted {
		u.tainted, u.trust = true, trust
	}
	for _, id := range origins {
		if !slices.Contains(u.origins, id) {
			u.origins = append(u.origins[:len(u.origins):len(u.origins)], id)
		}
	}
	u.trust = min(u.trust, trust)
}

// utterancesMax bounds how many a history holds: more than the notes of a place. Decisions that write
// nothing take no room, and those of which the same holds in a row take that of one.
const utterancesMax = 64

// same reports whether the same holds of two.
func (u *untrustedText) same(as *untrustedText) bool {
	return u.tainted == as.tainted && u.trust == as.trust && slices.Equal(u.origins, as.origins)
}

// utter notes what the text of a decision, or of what stands in for it, may repeat.
func (m *Agent) utter(tick int64, d Decision) {
	p := &m.history
	if d.DecidedBy != trace.ByStanding {
		p.around = untrustedText{}
		for _, s := range d.SourcesRetrieved {
			if isUntrusted(s) {
				authors := append(m.authorsOf(s), d.authors...)
				p.around.reads(s.Trust, authors)
				p.ever.reads(s.Trust, authors)
			}
		}
	}
	u := p.around
	if !u.tainted {
		u = p.ever
	}
	writes := func(o Decision) bool {
		for a := range world.Arguments(repeated(o.Executed)) {
			if a.Kind == world.ParamText {
				return true
			}
		}
		return false
	}
	// What was planned and refused under texts may repeat them, too.
	keeps := d.DecidedBy != trace.ByStanding && d.underTexts
	if !keeps && !writes(d) && !slices.ContainsFunc(d.Otherwise, writes) {
		return
	}
	u.tick, u.last = tick, tick
	if n := len(p.wrote); n > 0 && p.wrote[n-1].same(&u) {
		p.wrote = slices.Clone(p.wrote)
		p.wrote[n-1].last = tick
		return
	}
	p.wrote = newest(append(p.wrote, u), utterancesMax)
}

// spoken is what a text of the given tick may repeat. If that is too long ago, the authors are
// unknown.
func (p *history) spoken(tick int64) untrustedText {
	if i := slices.IndexFunc(p.wrote, func(u untrustedText) bool { return u.tick <= tick && tick <= u.last }); i >= 0 {
		return p.wrote[i]
	}
	return untrustedText{tainted: true, trust: trace.TrustOtherAgent, origins: []string{""}}
}

// source is a text that the agent wrote, as a source.
func (u untrustedText) source(s trace.Source) trace.Source {
	s.OriginAgent, s.Trust = "", trace.TrustSelfObservation
	if len(u.origins) == 1 {
		s.OriginAgent = u.origins[0]
	}
	if u.tainted {
		s.Trust = u.trust
	}
	return s
}
