package reflect

import (
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// End is how a decision ended.
type End string

// The ends.
const (
	// EndOK: the world accepted the action.
	EndOK End = "ok"
	// EndRefused: the world refused it.
	EndRefused End = "refused"
	// EndDegraded: the turn came to nothing and the agent waited.
	EndDegraded End = "degraded"
)

// Evaluated is a decision with the world's judgement of it.
type Evaluated struct {
	Tick int64
	// Line gives action and outcome in the words of the prompt's history, Outcome the outcome
	// alone. Neither holds free text.
	Line, Outcome string
	End           End
	// Waited says that the agent chose to wait.
	Waited bool
	// Answered says that the world itself answered: it refused the action, or what the action brings
	// depends on no other agent's choice.
	Answered bool
	// Created is the id of what the action made, empty for nothing. Factory and Batches are what it
	// scheduled.
	Created, Factory string
	Batches          int64
	// Shown are the ids of the bullets that the decision had in view, Used those that it rests on. If a
	// text of another agent may have had a part in it, it rests on those named before that text.
	Shown, Used []string
	// UsedLines are the used bullets as the prompt showed them.
	UsedLines []string
	// Suspect are the ids of the sources that another agent could have written and that it rests on,
	// by its own account or because nothing better explains it. A decision that the plan gave before
	// those were shown rests on none.
	Suspect []string
	// Continued says that it continues a standing order, for which nothing was read. Order is then the
	// tick in which the order began.
	Continued bool
	Order     int64

	// earlier says that it was reflected at before. effects are what came of it later by the world's
	// own account. givers are the agents that the rest depends on, see [playbook.Evidence].
	earlier bool
	effects []Effect
	givers  []string
}

// Evaluate returns the record of a decision. codes are what the guard refused in the
// turn.
func Evaluate(runtime *behavior.Runtime, tick int64, d behavior.Decision, o world.Outcome, codes []string) Evaluated {
	j := Evaluated{Tick: tick, End: EndOK, Continued: d.DecidedBy == trace.ByStanding, Created: o.Created,
		Answered: !o.Accepted}
	j.Line, j.Outcome = runtime.Render(tick, d, o, codes)
	switch {
	case d.WaitReason != "":
		j.End = EndDegraded
	case !o.Accepted:
		j.End = EndRefused
	}
	do := d.Executed
	if order, ok := do.(world.ExecuteUntil); ok {
		do = order.Do
	}
	switch a := do.(type) {
	case world.Wait, world.WaitTicks:
		j.Waited = d.WaitReason == ""
	case world.ScheduleRecipe:
		j.Answered = true
		if o.Accepted {
			j.Factory, j.Batches = a.FactoryID, a.Batches
		}
	case world.Harvest, world.Mine, world.Refine, world.BuildFactory, world.Move, world.BuyPower, world.SellPower:
		j.Answered = true
	}
	j.rest(d)
	return j
}

// rest notes what the decision rests on.
func (j *Evaluated) rest(d behavior.Decision) {
	// A text that came after the plan had no part in what the plan gave in full.
	texts := false
	for _, s := range d.SourcesRetrieved {
		if !foreign(s) || !slices.Contains(d.SourcesUsed, s.ID) && !d.Tainted {
			continue
		}
		texts = true
		if !d.Planned {
			j.Suspect = append(j.Suspect, s.ID)
		}
	}
	used := d.SourcesUsed
	if texts {
		used = d.Named
	}
	for _, s := range d.SourcesRetrieved {
		if s.Kind != trace.KindBullet {
			continue
		}
		j.Shown = append(j.Shown, s.ID)
		if slices.Contains(used, s.ID) {
			j.Used = append(j.Used, s.ID)
			j.UsedLines = append(j.UsedLines, s.Text)
		}
	}
}

// foreign reports whether another agent could have chosen the words of s.
func foreign(s trace.Source) bool { return s.Trust < trace.TrustSelfObservation }

// plain reports whether the decision is a wait of which there is nothing to say.
func (j *Evaluated) plain() bool { return j.Waited && j.End == EndOK && len(j.Used) == 0 }
