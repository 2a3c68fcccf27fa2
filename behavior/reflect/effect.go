package reflect

import (
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/world"
)

// Effect is something that others or time did to the agent, as the world told it: a typed fact
// without any text.
type Effect struct {
	Tick int64
	// Line says what happened, in the words of the prompt's news.
	Line string
	// Chosen says that another agent chose it. Giver is that agent, [someone] if the world does not tell.
	Chosen bool
	Giver  string
	// Of is the tick of the decision that it belongs to by an id that the world linked, 0 for none.
	// When two things happen says nothing: who gives may choose the time.
	Of int64

	// ids are the ids by which it may belong to a decision.
	ids []string
}

// someone is an agent that the owner of an order, offer or plant elsewhere does not learn of.
const someone = "?"

// effectOf is what an event says to an agent, apart from the decision that it belongs to. ok is false for
// an event that is no news to the agent. shut says that it was shut down until then.
func effectOf(runtime *behavior.Runtime, agent string, e world.Event, shut bool) (f Effect, ok bool) {
	line, ok := runtime.News(agent, e, shut)
	if !ok {
		return Effect{}, false
	}
	f = Effect{Tick: e.Tick, Line: line}
	switch {
	case e.Kind == world.EventCollected:
		f.Chosen, f.Giver = true, someone
	case e.Agent != agent:
		f.Chosen, f.Giver = true, e.Agent
	}
	f.ids = slices.Clone(e.Answers)
	switch e.Kind {
	case world.EventActionApplied, world.EventArrived, world.EventPowerState:
		// The subject is the agent itself or a place: nothing that a decision began.
	case world.EventBatchDone, world.EventJobDone:
		// The subject is the factory. The queues know whose batch it was.
	default:
		f.ids = append(f.ids, e.Subject)
	}
	return f, true
}

// batches are the batches of one schedule that are still to come, and its tick.
type batches struct{ tick, left int64 }

// queues are the schedules of an agent's factories that are not done, by factory. A factory works them
// off in order, so that its next finished batch is one of the first schedule.
type queues map[string][]batches

// add adds an accepted schedule.
func (q queues) add(j Evaluated) {
	if j.Batches > 0 {
		q[j.Factory] = append(q[j.Factory], batches{j.Tick, j.Batches})
	}
}

// finish takes a finished batch of a factory from its queue and returns the tick of its schedule, 0 if
// that was made before the queues were kept.
func (q queues) finish(factory string) int64 {
	queue := q[factory]
	if len(queue) == 0 {
		return 0
	}
	tick := queue[0].tick
	queue[0].left--
	if queue[0].left == 0 {
		q[factory] = queue[1:]
	}
	return tick
}

// movement is what came into and went out of an agent's stock of one resource.
type movement struct {
	resource     string
	gained, lost int64
}

// move adds one gain, or one loss if it is negative, to the movements.
func move(list []movement, a world.Amount) []movement {
	at := slices.IndexFunc(list, func(m movement) bool { return m.resource == a.Resource })
	if at < 0 {
		at = len(list)
		list = append(list, movement{resource: a.Resource})
	}
	if a.Amount > 0 {
		list[at].gained += a.Amount
	} else {
		list[at].lost -= a.Amount
	}
	return list
}
