package explain

import (
	"strconv"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/world"
)

// Mark is a tick worth a look.
type Mark struct {
	Tick int64 `json:"tick"`
	// Kind is failure, shutdown, rejected, goal, divergence or cap.
	Kind  string `json:"kind"`
	Agent string `json:"agent,omitempty"`
	Text  string `json:"text"`
}

// marksOfKindMax bounds the marks of one kind that can be many, markCharsMax the text of one.
const (
	marksOfKindMax = 64
	markCharsMax   = 1000
)

// Marks adds those of the tick to a list: of failures, shutdowns and refused actions the first, of goals,
// forks and caps all.
func (t *Tick) Marks(list []Mark) []Mark {
	count := func(kind string) (n int) {
		for _, m := range list {
			if m.Kind == kind {
				n++
			}
		}
		return n
	}
	add := func(most int, m Mark) {
		if count(m.Kind) < most {
			m.Text = plaintext.Head(m.Text, markCharsMax)
			list = append(list, m)
		}
	}
	for _, f := range t.Forks {
		add(marksOfKindMax, Mark{f.Tick, "divergence", "",
			"forked from " + f.Parent.Name + " after tick " + strconv.FormatInt(f.AtTick, 10)})
	}
	for _, c := range t.Caps {
		add(marksOfKindMax, Mark{c.Tick, "cap", "", "other caps from here: " + c.Caps.Text("")})
	}
	for _, r := range t.Refusals {
		add(1, Mark{r.Tick, "cap", r.AgentID, "a cap refused a call: " + r.Cap})
	}
	for _, d := range t.Decisions {
		if d.WaitReason != "" {
			add(1, Mark{d.Tick, "failure", d.AgentID, wording.Failed(d.WaitReason)})
		}
		if ruling, _ := d.Ruling(); ruling.Refused() {
			add(1, Mark{d.Tick, "rejected", d.AgentID, "first refused action: " + wording.Rejection(ruling.Code)})
		}
	}
	for _, e := range t.Events {
		switch {
		case e.Kind == world.EventPowerState && e.Detail == "shutdown":
			add(1, Mark{e.Tick, "shutdown", e.Agent, "out of electricity"})
		case e.Kind == world.EventGoalMet:
			add(marksOfKindMax, Mark{e.Tick, "goal", e.Agent, e.Subject})
		}
	}
	return list
}
