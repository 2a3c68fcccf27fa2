package stub

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/world"
)

// readTerms reads requests and offers to the agent, or its own, as in
//
//	offer-3-a-1 from a here, gives data 3, wants hardware 2, answers req-2-b-1, expires in 9
//	req-4-c-1 from c, wants data 5, 3 left, expires in 8
func readTerms(o *world.Observation, l language, entries []string, own bool) {
	for _, entry := range entries {
		parts := split(entry, ',')
		if len(parts) == 0 {
			continue
		}
		words := append(split(parts[0], ' '), "")
		t := world.Terms{ID: word(words[0]), From: o.Self.ID, To: o.Self.ID}
		for k, w := range words[1 : len(words)-1] {
			switch next := word(words[k+2]); w {
			case l.from:
				t.From = next
			case l.receiver:
				t.To = next
			case l.at:
				t.Place = next
			case l.here:
				t.Place = o.Self.Place
			}
		}
		for _, part := range parts[1:] {
			switch words := split(part, ' '); {
			case len(words) < 2: // what is over has no number
			case words[0] == l.gives:
				t.Give, t.GiveAmount = words[1], numberIn(words)
			case words[0] == l.wants:
				t.Want, t.WantAmount = words[1], numberIn(words)
			case words[0] == l.answers:
				t.Re = word(words[1])
			case words[0] == l.claim:
				t.Claim = numberIn(words)
			case slices.Contains(words, l.left):
				t.Left = numberIn(words)
			case slices.Contains(words, l.expires):
				t.ExpiresIn = numberIn(words)
			}
		}
		switch {
		case t.Want == "":
			continue // the count of those left out
		case t.Give == "" && t.Left == 0:
			t.Left = t.WantAmount
		}
		list := &o.Offers
		switch {
		case own && t.Give == "":
			list = &o.OwnRequests
		case own:
			list = &o.OwnOffers
		case t.Give == "":
			list = &o.Requests
		case t.Place == o.Self.Place:
			list = &o.Here.Offers
		}
		*list = append(*list, t)
	}
}

// stated is the number at the end of a goal's line, as in "(data 3 of 30)".
var stated = regexp.MustCompile(`\((\w+) \d+ (?:of|/) (\d+)\)\s*$`)

// metricReaders are those of the languages by their codes.
var metricReaders = func() map[string]metricReader {
	all := map[string]metricReader{}
	for _, code := range words.Languages() {
		all[code] = newMetricReader(words.In(code))
	}
	return all
}()

// metricReader finds what a run is scored by.
type metricReader struct {
	// kinds are the kinds of metric about a resource by their words.
	kinds map[string]string
	// scored is the line, measured the metric in it and its ticks.
	scored, measured *regexp.Regexp
}

// newMetricReader reads the words of a language.
func newMetricReader(w *words.Language) metricReader {
	r := metricReader{kinds: map[string]string{}}
	var names []string
	for _, kind := range []string{"produced", "held", "held_min"} {
		name := w.Goals.Metrics.Text(kind)
		r.kinds[name] = kind
		names = append(names, regexp.QuoteMeta(name))
	}
	about := `(` + strings.Join(names, "|") + `):(\w+)`
	uptime := regexp.QuoteMeta(w.Goals.Metrics.Text("uptime"))
	r.measured = regexp.MustCompile(about + `.* (\d+)-(\d+)`)
	r.scored = regexp.MustCompile(`(?m)^.*(?:` + about + `|` + uptime + `).* \d+-\d+.*$`)
	return r
}

// statedGoals returns the goals that come with numbers, and the task if an agent counts in it.
// An agent that trades has to know how much it needs itself.
func statedGoals(p prompt, self string) (goals []world.Goal, t world.Task) {
	for line := range strings.Lines(p.goals) {
		if m := stated.FindStringSubmatch(line); m != nil && p.makes(m[1]) {
			goals = append(goals, world.Goal{Agent: "*", Metric: "stock:" + m[1], AtLeast: integer(m[2])})
		}
	}
	ids := strings.FieldsFunc(p.task, func(r rune) bool {
		return !strings.ContainsRune("_.:-", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	reader := metricReaders[p.language.code]
	if m := reader.measured.FindStringSubmatch(p.task); m != nil &&
		(strings.Contains(p.task, p.language.all) || slices.Contains(ids, self)) {
		t = world.Task{Metric: reader.kinds[m[1]] + ":" + m[2], From: integer(m[3]), Ticks: integer(m[4])}
	}
	return goals, t
}
