package playbook

import (
	"fmt"
	"slices"
	"strings"
)

// FormatVersion is the version of the file format that this package writes, and
// the only one it reads.
const FormatVersion = 1

// The words at the beginning of a line that say what the line holds.
const (
	wordTitle    = "#"
	wordHeading  = "##"
	wordHistory  = "history"
	wordEvidence = "evidence"
	wordCredited = "credited"
	wordChange   = "change"
	wordBecause  = "because"
	wordWas      = "was"
	wordGained   = "gained"
	wordRemark   = ">"
)

// tail stands before the last value of a line, which goes on to its end unquoted.
const tail = "::"

const remark = wordRemark + ` Lessons, one per line, with what is known about their worth. They may be edited by hand:
` + wordRemark + ` a line "[nav-00042] :: what to do" is enough for a new one, with a number not used before.
`

// Encode returns the playbook as a file that people can read and [Parse] reads
// back to an equal playbook. The same playbook gives the same bytes.
//
//	# playbook 1
//	version=7 last=12
//
//	## nav  Movement
//	[nav-00012] helpful=3 harmful=1 neutral=0 origin=reflection trust=self_observation created=2@40 updated=7@120 :: Recharge before ...
//	  evidence run=r1 tick=118 agent=agent-1 outcome=ok
//	  credited 00f3a2b1c4d5e6f7
//
//	## history
//	version=7 tick=120 :: learned from r1
//	  change op=update id=nav-00012 :: it left out the way back
//	    because run=r1 tick=118 agent=agent-1 outcome=ok
//	    was helpful=3 ... :: Recharge often.
//	    gained evidence=1
//
// A stamp is version@tick. The history has the newest version first, and in each
// version the changes in the order they were made. What a bullet was before a
// change is written against what it was after it: the line with the counts and the
// content in full, the lists by how many entries the change added at the end and
// which ones fell off at the beginning.
func (p *Playbook) Encode() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s playbook %d\nversion=%d last=%d\n%s", wordTitle, FormatVersion, p.version, p.last, remark)
	for _, s := range sectionNames {
		encodeSection(&b, s.section, s.title, p.bullets)
	}
	encodeHistory(&b, p)
	return []byte(b.String())
}

// encodeSection writes the heading and the bullets of one section, if it has any.
func encodeSection(b *strings.Builder, section Section, title string, bullets []Bullet) {
	headed := false
	for _, bullet := range bullets {
		if bullet.Section != section {
			continue
		}
		if !headed {
			fmt.Fprintf(b, "\n%s %s  %s\n", wordHeading, section, title)
			headed = true
		}
		fmt.Fprintf(b, "[%s] %s\n", bullet.ID, attributes(bullet))
		encodeLists(b, "  ", bullet.Evidence, bullet.Credited)
	}
}

// attributes writes what a bullet's own line holds besides its id.
func attributes(b Bullet) string {
	parents := ""
	if len(b.Parents) > 0 {
		parents = " parents=" + plain(strings.Join(b.Parents, " "))
	}
	return fmt.Sprintf("helpful=%d harmful=%d neutral=%d origin=%s trust=%s created=%d@%d updated=%d@%d%s %s %s",
		b.Helpful, b.Harmful, b.Neutral, b.Origin, b.Trust, b.Created.Version, b.Created.Tick,
		b.Updated.Version, b.Updated.Tick, parents, tail, b.Content)
}

func encodeLists(b *strings.Builder, indent string, evidence []Evidence, credited []Credit) {
	for _, e := range evidence {
		fmt.Fprintf(b, "%s%s %s\n", indent, wordEvidence, e.attributes())
	}
	if len(credited) == 0 {
		return
	}
	fmt.Fprintf(b, "%s%s", indent, wordCredited)
	for _, c := range credited {
		fmt.Fprintf(b, " %016x", uint64(c))
	}
	b.WriteByte('\n')
}

func (e Evidence) attributes() string {
	return fmt.Sprintf("run=%s tick=%d agent=%s outcome=%s", plain(e.Run), e.Tick, plain(e.Agent), plain(e.Outcome))
}

// encodeHistory walks back from the newest version, so that every bullet is at hand
// as it was after the change that is being written.
func encodeHistory(b *strings.Builder, p *Playbook) {
	if len(p.history) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s %s\n", wordHeading, wordHistory)
	bullets := slices.Clone(p.bullets)
	for i := len(p.history) - 1; i >= 0; i-- {
		v := p.history[i]
		fmt.Fprintf(b, "version=%d tick=%d%s\n", v.Number, v.Tick, ending(v.Note))
		changes := make([]string, len(v.Changes))
		for j := len(v.Changes) - 1; j >= 0; j-- {
			changes[j] = encodeChange(v.Changes[j], bullets)
			bullets = undo(bullets, v.Changes[j])
		}
		b.WriteString(strings.Join(changes, ""))
	}
}

// encodeChange writes one change of a bullet that stands among bullets as it was
// afterwards.
func encodeChange(c Change, bullets []Bullet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s op=%s id=%s", wordChange, c.Op, c.ID)
	if c.Tag != "" {
		fmt.Fprintf(&b, " tag=%s", c.Tag)
	}
	b.WriteString(ending(c.Reason) + "\n")
	for _, e := range c.Evidence {
		fmt.Fprintf(&b, "    %s %s\n", wordBecause, e.attributes())
	}
	if c.Before == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "    %s %s\n", wordWas, attributes(*c.Before))
	after := now(bullets, c.ID)
	evidence, credited := gained(c.Before.Evidence, after.Evidence), gained(c.Before.Credited, after.Credited)
	if evidence > 0 || credited > 0 {
		fmt.Fprintf(&b, "    %s %s=%d %s=%d\n", wordGained, wordEvidence, evidence, wordCredited, credited)
	}
	encodeLists(&b, "    ", lost(c.Before.Evidence, after.Evidence, evidence), lost(c.Before.Credited, after.Credited, credited))
	return b.String()
}

// now returns the bullet of that id, an empty one when there is none.
func now(bullets []Bullet, id string) Bullet {
	_, number, _ := splitID(id)
	at, found := numbered(bullets, number)
	if !found {
		return Bullet{}
	}
	return bullets[at]
}

// gained returns the smallest number of entries at the end of after without which
// the rest of it is the end of before.
func gained[T comparable](before, after []T) int {
	for n := range after {
		rest := after[:len(after)-n]
		if len(rest) <= len(before) && slices.Equal(rest, before[len(before)-len(rest):]) {
			return n
		}
	}
	return len(after)
}

// lost returns what stands in before ahead of what after kept of it.
func lost[T comparable](before, after []T, gained int) []T {
	return before[:len(before)-(len(after)-gained)]
}

// regain is the reverse of [gained] and [lost]. A list that was shortened by hand
// since gives what is left of it.
func regain[T comparable](lost, after []T, gained int) []T {
	return slices.Concat(lost, after[:max(len(after)-gained, 0)])
}

// ending returns the tail of a line, nothing for an empty text.
func ending(text string) string {
	if text == "" {
		return ""
	}
	return " " + tail + " " + text
}
