package report

import (
	"cmp"
	"fmt"

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

// text says where a fork left its parent and how far it got from it.
func (f *ForkReport) text() string {
	changes := "none"
	if len(f.Changes) > 0 {
		changes = listed(f.Changes, namesMax, ", ", func(c trace.Change) string {
			chars := valueCharsMax
			if c.What == "caps" {
				chars = capsCharsMax // cut in the middle of an amount they would say another one
			}
			show := func(value string) string { return cmp.Or(plaintext.Clip(plain(value), chars), "unset") }
			return fmt.Sprintf("%s %s -> %s", plain(c.What), show(c.From), show(c.To))
		})
	}
	ticks := "that run is not at hand to compare with"
	if f.Comparison != nil {
		ticks = f.Comparison.ticksText()
	}
	return fmt.Sprintf("of %s after tick %d; changes: %s; %s", plain(f.Parent), f.AtTick, changes, ticks)
}

const (
	// valueCharsMax bounds one side of a change in a line, capsCharsMax one that lists caps.
	valueCharsMax = 40
	capsCharsMax  = 160
)
