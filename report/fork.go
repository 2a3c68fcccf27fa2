package report

import (
	"fmt"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// ForkReport says where a fork left another run, and how it went on.
type ForkReport struct {
	// Directory of the run that was left, without the path to it.
	Parent string `json:"parent"`
	// Name of that run in the evidence of lessons.
	ParentRun string `json:"parent_run"`
	// Last tick that is the parent's; 0 for none.
	AtTick int64 `json:"at_tick"`
	// What holds differently after it.
	Changes []trace.Change `json:"changes"`
	// The parent (a) and the fork (b) after that tick; null when the parent is not at hand.
	Comparison *Comparison `json:"comparison"`
}

// newForkReport is what a header tells of a fork; nil for a run of its own. Of several
// forks the last counts: its parent has the others too.
func newForkReport(h trace.Header) *ForkReport {
	if len(h.Forks) == 0 {
		return nil
	}
	f := h.Forks[len(h.Forks)-1]
	return &ForkReport{Parent: f.Parent.Name, ParentRun: f.Parent.Run, AtTick: f.AtTick, Changes: append([]trace.Change{}, f.Changes...)}
}

// forkLine says in one line where a fork left its parent and how far it got from it;
// empty for a run that is no fork.
func (r Report) forkLine() string {
	f := r.Fork
	if f == nil {
		return ""
	}
	text := fmt.Sprintf("of %s after tick %d; changes: %s; ", plain(f.Parent), f.AtTick, f.changesText())
	if f.Comparison == nil {
		return text + "that run is not at hand to compare with"
	}
	return text + f.Comparison.ticksText()
}

// forkEndLine says how the ends of both runs differ; empty when they do not.
func (r Report) forkEndLine() string {
	if r.Fork == nil || r.Fork.Comparison == nil {
		return ""
	}
	return r.Fork.Comparison.endText()
}

// changesText names the changes with their values.
func (f *ForkReport) changesText() string {
	if len(f.Changes) == 0 {
		return "none"
	}
	var words []string
	for i, c := range f.Changes {
		if i == namesMax {
			words = append(words, fmt.Sprintf("%d more", len(f.Changes)-i))
			break
		}
		chars := valueCharsMax
		if c.What == "caps" {
			chars = capsCharsMax // cut in the middle of an amount they would say another one
		}
		words = append(words, fmt.Sprintf("%s %s -> %s", plain(c.What), valueText(c.From, chars), valueText(c.To, chars)))
	}
	return strings.Join(words, ", ")
}

const (
	// valueCharsMax bounds one side of a change in a line, capsCharsMax one that lists caps.
	valueCharsMax = 40
	capsCharsMax  = 160
)

// valueText is one side of a change, short enough for a line.
func valueText(text string, chars int) string {
	if text == "" {
		return "unset"
	}
	return plaintext.Clip(plain(text), chars)
}
