package world

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Operator is the sender of what a person writes to agents during a run, see [World.Tell]. No
// agent has this id.
const Operator = "operator"

// fromOperator stands for the operator where agents have numbers.
const fromOperator int32 = -1

// CheckTold reports what the operator cannot write: an empty text, or one of more than [TextMax]
// characters.
func CheckTold(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case cleanText(text, TextMax) == "":
		return errors.New("text: it is empty; allowed: one line")
	case n > TextMax:
		return fmt.Errorf("text: it has %d characters; allowed: at most %d", n, TextMax)
	}
	return nil
}

// Tell sends a text of the operator to the agent called to, or to all agents if to is empty, made
// fit to be shown as any message is. Call it between ticks, like [World.SetRules]: the next
// Advance delivers it, or the arrival of a traveller. It wakes an agent unless its order ignores
// messages, carries no terms, and is untrusted text like the message of an agent that no rule
// names. The error is that of [CheckTold], or says that there is no such agent; nothing is sent
// then.
func (w *World) Tell(to, text string) error {
	if err := CheckTold(text); err != nil {
		return err
	}
	receivers := make([]int32, 0, len(w.agents))
	for n := range w.agents {
		if to == "" || to == w.agents[n].id {
			receivers = append(receivers, int32(n))
		}
	}
	if len(receivers) == 0 {
		return fmt.Errorf("there is no agent %q", to)
	}
	for _, n := range receivers {
		w.told++
		w.underway(n, letter{
			from: fromOperator, sentAt: w.tick + 1, dueAt: w.tick + 1, told: w.told, text: cleanText(text, TextMax),
		})
	}
	return nil
}

// operatorID is the id of a message of the operator.
func operatorID(l letter) string {
	return "msg-" + strconv.FormatInt(l.sentAt, 10) + "-" + Operator + "-" + strconv.Itoa(int(l.told))
}
