package dashboard

import (
	"fmt"
	"slices"
)

// heldView says what a single file holds of its run.
type heldView struct {
	// Name is that of the directory of the run.
	Name string `json:"name"`
	// Decisions counts those of the run, Turns those that the file holds, of which Agents has the ticks.
	Decisions int64       `json:"decisions"`
	Turns     int64       `json:"turns"`
	Agents    []heldAgent `json:"agents"`
	// Prompts says that their prompts are in it, too, Prompted of how many: the earliest, if not all have room.
	Prompts  bool  `json:"prompts"`
	Prompted int64 `json:"prompted"`
	// Every and LogTo are those of the bundle.
	Every int64 `json:"every"`
	LogTo int64 `json:"log_to"`
}

// heldAgent is an agent with the ticks of its decisions, in order.
type heldAgent struct {
	Agent string  `json:"agent"`
	Ticks []int64 `json:"ticks"`
}

// add notes that the file holds a decision.
func (h *heldView) add(agent string, tick int64) {
	h.Turns++
	at := slices.IndexFunc(h.Agents, func(a heldAgent) bool { return a.Agent == agent })
	if at < 0 {
		at = len(h.Agents)
		h.Agents = append(h.Agents, heldAgent{Agent: agent})
	}
	h.Agents[at].Ticks = append(h.Agents[at].Ticks, tick)
}

// about says in a line what the file is.
func (h *heldView) about() string {
	prompts := "without its prompts"
	if h.Prompts {
		prompts = "with prompts"
		if h.Prompted < h.Turns {
			prompts += fmt.Sprintf(" of its first %d decisions", h.Prompted)
		}
	}
	text := h.Name + ": one run in one file, " + prompts
	if h.Turns < h.Decisions {
		text += fmt.Sprintf(", with %d of its %d decisions", h.Turns, h.Decisions)
	}
	return text
}
