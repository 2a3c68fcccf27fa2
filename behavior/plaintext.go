package behavior

import (
	"fmt"
	"regexp"
	"strings"

	"example.com/agentworld/trace"
)

// Texts without an envelope are what a guard is measured against: each is a line
// that begins with its sender, and nothing tells where it ends. Who wrote what is
// then only what the text says, for the model and for the trust of sources alike.

// plainText writes the texts as lines, the newest first.
func (t texts) plainText() string {
	var lines []string
	t.eachPlain(func(_ trace.SourceKind, _ string, _ int64, line string) { lines = append(lines, line) })
	return strings.Join(lines, "\n")
}

// eachPlain visits the texts with what a source has to know of them.
func (t texts) eachPlain(visit func(kind trace.SourceKind, id string, tick int64, line string)) {
	for _, m := range t.Inbox {
		visit(trace.KindMessage, m.ID, m.Sent, "From "+m.From+": "+m.Text)
	}
	for _, n := range t.Notes {
		visit(trace.KindNote, n.ID, n.Tick, "From "+n.Author+": "+n.Text)
	}
	for _, s := range t.recalled[:len(t.Remembered)] {
		visit(s.Kind, s.ID, s.OriginTick, s.Text)
	}
	for _, s := range t.taught[:len(t.Lessons)] {
		visit(s.Kind, s.ID, s.OriginTick, s.Text)
	}
	if t.Said != "" {
		visit("", "", 0, "You said: "+t.Said)
	}
}

// saidBy finds where somebody begins to speak, or seems to.
var saidBy = regexp.MustCompile(`(?i)\bfrom ([a-z0-9_.:-]{1,64}): `)

// plainSources are the texts as sources, each from whom its own words name: what
// stands behind a second "From agent-9:" counts as written by agent-9.
func (t texts) plainSources() []trace.Source {
	var list []trace.Source
	t.eachPlain(func(kind trace.SourceKind, id string, tick int64, line string) {
		if kind == "" {
			return
		}
		starts := saidBy.FindAllStringSubmatchIndex(line, -1)
		if len(starts) == 0 {
			list = append(list, textSource(kind, id, "", tick, line))
		}
		for n, at := range starts {
			end := len(line)
			if n+1 < len(starts) {
				end = starts[n+1][0]
			}
			name := id
			if n > 0 {
				name = fmt.Sprintf("%s-%d", id, n+1)
			}
			list = append(list, textSource(kind, name, line[at[2]:at[3]], tick, line[at[0]:end]))
		}
	})
	return list
}
