package behavior

import (
	"fmt"
	"regexp"
	"slices"

	"example.com/agentworld/trace"
)

// Texts without an envelope are what a guard is measured against: each is a line
// that begins with its sender, and nothing tells where it ends. Who wrote what is
// then only what the text says, for the model and for the trust of sources alike.

// plainLines are the texts as sources without an author, one a line, the newest first.
// What the agent said itself is the last of them and has no kind.
func (t texts) plainLines() []trace.Source {
	var list []trace.Source
	for _, m := range t.Inbox {
		list = append(list, textSource(trace.KindMessage, m.ID, "", m.Sent, "From "+m.From+": "+m.Text))
	}
	for _, n := range t.Notes {
		list = append(list, textSource(trace.KindNote, n.ID, "", n.Tick, "From "+n.Author+": "+n.Text))
	}
	for _, s := range slices.Concat(t.recalled[:len(t.Remembered)], t.taught[:len(t.Lessons)]) {
		list = append(list, textSource(s.Kind, s.ID, "", s.OriginTick, s.Text))
	}
	if t.Said != "" {
		list = append(list, textSource("", "", "", 0, "You said: "+t.Said))
	}
	return list
}

// plainSources are the texts as sources, each from whom its own words name: what
// stands behind a second "From agent-9:" counts as written by agent-9.
func (t texts) plainSources() []trace.Source {
	var list []trace.Source
	for _, s := range t.plainLines() {
		if s.Kind == "" {
			continue
		}
		starts := saidBy.FindAllStringSubmatchIndex(s.Text, -1)
		if len(starts) == 0 {
			list = append(list, s)
		}
		for n, at := range starts {
			end, id := len(s.Text), s.ID
			if n+1 < len(starts) {
				end = starts[n+1][0]
			}
			if n > 0 {
				id = fmt.Sprintf("%s-%d", s.ID, n+1)
			}
			list = append(list, textSource(s.Kind, id, s.Text[at[2]:at[3]], s.OriginTick, s.Text[at[0]:end]))
		}
	}
	return list
}

// saidBy finds where somebody begins to speak, or seems to.
var saidBy = regexp.MustCompile(`(?i)\bfrom ([a-z0-9_.:-]{1,64}): `)
