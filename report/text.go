package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The bounds of the text form.
const (
	// namesMax bounds how many names of a count a line lists, lessonsMax how many bullets.
	namesMax   = 5
	lessonsMax = 3
	// wordsMax bounds free text, in characters; valueCharsMax one side of a fork's change,
	// capsCharsMax one that lists caps: cut in the middle of an amount they would say another one.
	wordsMax      = 120
	valueCharsMax = 40
	capsCharsMax  = 160
)

// Text returns all figures for people: one aligned line per topic, beginning with what happened in
// the world, without control characters, with a final line feed. What a reader looks for first is in package
// summary. Programs read [Report.JSON].
func (r Report) Text() string {
	var s sheet
	r.happened(&s)
	r.played(&s)
	s.rare("metrics", r.OwnText())
	r.decided(&s)
	r.called(&s)
	r.guarded(&s)
	r.spent(&s)
	r.rested(&s)
	s.line("learning", r.Learning.text())
	r.ended(&s)
	r.Timing.write(&s, r.Cost.Currency)
	s.line("digest", plain(r.FinalDigest))
	return s.String()
}

// sheet is the figures in the making, a line for each topic.
type sheet struct{ strings.Builder }

// rare leaves a line out where there is nothing to say: most runs have none, and none is no news.
func (s *sheet) rare(name, text string) {
	if text != "" {
		plaintext.Fprintf(s, "%-10s %s\n", name, text)
	}
}

// line writes a line, with "none" where there is nothing to say.
func (s *sheet) line(name, text string) { s.rare(name, cmp.Or(text, "none")) }

// powerText says how often agents ran out of power, and how many were out of it at the end; nothing
// where none did.
func (r Report) powerText() string {
	times, down := int64(0), 0
	for _, a := range r.PerAgent {
		times += a.Shutdowns
		if a.PowerState == "shutdown" {
			down++
		}
	}
	if times == 0 {
		return ""
	}
	return fmt.Sprintf("; out of power: %s, %s at the end", plaintext.Count(times, "time"), plaintext.Count(down, "agent"))
}

// HappenedText counts for people what came of actions, after a semicolon: factories, jobs, trades and messages;
// empty if nothing did.
func (r Report) HappenedText() string {
	var words []string
	for _, c := range []struct {
		kind world.EventKind
		what string
	}{
		{world.EventFactoryBuilt, "factory built"}, {world.EventJobDone, "job done"}, {world.EventTrade, "trade"},
		{world.EventOfferAccepted, "offer accepted"},
		{world.EventMessageDelivered, "message delivered"},
	} {
		if n := r.JournalEventCounts[string(c.kind)]; n > 0 {
			words = append(words, plaintext.Count(n, c.what))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; " + strings.Join(words, ", ")
}

// runLine says how the run ended.
func (r Report) runLine() string {
	if r.RunReason == "" {
		return plain(string(r.RunStatus))
	}
	return plain(string(r.RunStatus)) + ": " + plain(r.RunReason)
}

// text names the bullet and its effect.
func (b BulletEffect) text() string {
	if b.AgentID != "" {
		return plain(b.ID) + " of " + plain(b.AgentID) + b.Effect.text()
	}
	return plain(b.ID) + b.Effect.text()
}

// text says how often a source was used and, where both are known, how the accepted
// shares after use and otherwise compare.
func (e Effect) text() string {
	text := fmt.Sprintf(" used %d of %d", e.Used, e.Retrieved)
	if e.Difference == nil {
		return text
	}
	return text + fmt.Sprintf(", accepted %s after use, %s otherwise, difference %s (95%% %s..%s)",
		milli(e.AfterUse.AcceptedShare.Value),
		milli(e.AfterUnused.AcceptedShare.Value), milli(e.Difference.Value), milli(e.Difference.Low),
		milli(e.Difference.High))
}

// Text says for people where a fork left its parent and how far it got from it; empty for a run of its own.
func (f *ForkReport) Text() string {
	if f == nil {
		return ""
	}
	changes := "none"
	if len(f.Changes) > 0 {
		changes = listed(f.Changes, namesMax, ", ", func(c trace.Change) string {
			chars := valueCharsMax
			if c.What == "caps" {
				chars = capsCharsMax
			}
			show := func(value string) string { return cmp.Or(plaintext.Clip(plain(value), chars), "unset") }
			return fmt.Sprintf("%s %s -> %s", plain(c.What), show(c.From), show(c.To))
		})
	}
	if trace.EndsChains(f.Changes) {
		changes += "; orders and chains ended there"
	}
	ticks := "that run is not at hand to compare with"
	if f.Comparison != nil {
		ticks = f.Comparison.ticksText()
	}
	return fmt.Sprintf("of %s after tick %d; changes: %s; %s", plain(f.Parent), f.AtTick, changes, ticks)
}

// milli writes thousandths as a decimal number.
func milli(n int64) string {
	if n < 0 {
		return "-" + milli(-n)
	}
	return fmt.Sprintf("%d.%03d", n/1000, n%1000)
}

// sum adds the counts up.
func (c Counts) sum() (total int64) {
	for _, n := range c {
		total += n
	}
	return total
}

// most lists the largest counts in brackets after a space; nothing for none.
func (c Counts) most() string {
	list := c.amounts()
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b world.Amount) int { return cmp.Compare(b.Amount, a.Amount) })
	return " (" + amountsText(list) + ")"
}

func amountsText(list []world.Amount) string {
	return listed(list, namesMax, ", ",
		func(a world.Amount) string { return fmt.Sprintf("%s %d", plain(a.Resource), a.Amount) })
}

// listed joins the texts of the first elements and says how many more there are.
func listed[E any](list []E, most int, separator string, text func(E) string) string {
	var parts []string
	for _, e := range list[:min(len(list), most)] {
		parts = append(parts, text(e))
	}
	if more := len(list) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, separator)
}

// plain makes a name or a provider's message safe for one line of a terminal.
func plain(s string) string { return plaintext.Clip(s, wordsMax) }
