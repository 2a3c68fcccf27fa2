package behavior

import (
	"slices"

	"example.com/agentworld/memory"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// newsMax is how many news a history holds, newsShown how many lines of them a prompt has.
const (
	newsMax   = 64
	newsShown = 6
)

// Witness tells the agent what happened in the world. It keeps what others or time did to the
// agent, if that touched the agent's own stock or things. An owner learns of a trade elsewhere
// when it arrives there.
func (m *Agent) Witness(e world.Event) {
	if e.Kind == world.EventActionRejected && e.Agent == m.id {
		m.history.refusals = append(m.history.refusals, refusal{repeated(e.Action).ActionName(), *e.Rejection})
	}
	n, isNews := m.newsOf(m.id, e, m.history.shut)
	if e.Kind == world.EventPowerState {
		m.history.shut = e.Detail == world.StopShutdown
	}
	if !isNews {
		return
	}
	m.history.heard++
	n.news = m.history.heard
	m.history.news = newest(append(m.history.news, n), newsMax)
}

// News is the line that a prompt has for what others or time did to an agent; ok is false for an
// event that is no news to it. shut says that the agent was shut down until then.
func (k *Runtime) News(agent string, e world.Event, shut bool) (line string, ok bool) {
	n, ok := k.newsOf(agent, e, shut)
	if !ok {
		return "", false
	}
	n.news = 1
	return string(n.appendLine(nil, k.words)), true
}

// newsOf is the episode of the news, without its number.
func (k *Runtime) newsOf(agent string, e world.Event, shut bool) (n episode, ok bool) {
	w := k.words
	gains := e.Gains(agent)
	what := ""
	things := ""
	giver := ""
	about := e.Subject
	own, id := e.Agent == agent, plain(e.Subject)
	switch {
	case e.Kind == world.EventActionApplied && !own:
		giver, what = e.Agent, w.News.Gift.Text(plain(e.Agent))
		about = ""
	case e.Kind == world.EventTrade && !own && len(gains) > 0:
		what = id + w.News.Bought
		if e.Trade.Seller == agent {
			what = id + w.News.Sold
			gains = append([]world.Amount{{Resource: world.Electricity, Amount: -e.Trade.Amount}}, gains...)
		}
	case e.Kind == world.EventOfferAccepted && !own && len(gains) > 0:
		giver = e.Agent
		what = w.News.Accepted.Text(plain(e.Agent))
		things = id
	case e.Kind == world.EventCollected:
		what = id + w.News.Collected
	case (e.Kind == world.EventOrderExpired || e.Kind == world.EventOfferExpired) && len(gains) > 0:
		what = id + w.News.Expired
	case e.Kind == world.EventFactoryBuilt:
		what = id + w.News.Built
	case e.Kind == world.EventBatchDone, e.Kind == world.EventJobDone:
		what = id + " " + e.Detail + w.News.Done
		about += " " + e.Detail
	case e.Kind == world.EventArrived && e.Subject != "":
		what = w.News.Arrived.Text(id)
	case e.Kind == world.EventPowerState && e.Detail == world.StopShutdown:
		what = w.News.ShutDown
		about = e.Detail
	case e.Kind == world.EventPowerState && shut:
		what = w.News.Restarted
		about = e.Detail
	}
	return episode{first: e.Tick, last: e.Tick, count: 1, action: what, things: things, changes: gains, giver: giver,
		kind: e.Kind, other: giver, about: about}, what != ""
}

// dropNews drops the news that a decision was made with; what others gave is a memory.
func (m *Agent) dropNews(d Decision) {
	m.history.refusals = nil
	m.history.news = slices.DeleteFunc(m.history.news, func(n episode) bool {
		if old := n.news <= d.heard; !old || n.giver == "" {
			return old
		}
		e := memory.Entry{
			Tick: n.last, Kind: memory.KindObservation, Importance: memory.ImportanceRoutine, Trust: trace.TrustSelfObservation,
			Text: string(n.appendEnd([]byte(n.action), m.words)), Topic: n.action, Subjects: []string{n.giver},
		}
		for _, c := range n.changes {
			e.Measures, e.Subjects = append(e.Measures, memory.Sum(c.Resource, c.Amount)), append(e.Subjects, c.Resource)
		}
		m.memory.Record(e)
		return true
	})
}

// happened is the line of the news.
func (s *observationWriter) happened() {
	news := make([]*episode, len(s.news))
	for i := range news {
		news[i] = &s.news[i]
	}
	all := folded(news)
	shown := newest(all, newsShown)
	s.list(s.words.Lines.News, len(shown), len(all)-len(shown),
		func(i int) { s.out = shown[i].appendLine(s.out, s.words) })
}
