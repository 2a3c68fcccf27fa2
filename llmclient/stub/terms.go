package stub

import (
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// readTerms reads requests and offers to the agent, or its own, as in
//
//	offer-3-a-1 from a here, gives data 3, wants hardware 2, answers req-2-b-1, expires in 9
//	req-4-c-1 from c, wants data 5, 3 left, expires in 8
func readTerms(o *world.Observation, l language, entries []string, own bool) {
	for _, entry := range entries {
		parts := split(entry, ',')
		t := world.Terms{From: o.Self.ID, To: o.Self.ID}
		for i, part := range parts {
			words := split(part, ' ')
			for k, w := range words {
				next := ""
				if k+1 < len(words) {
					next = word(words[k+1])
				}
				switch {
				case i > 0: // the other side and the place stand in the first part
				case k == 0:
					t.ID = word(w)
				case w == l.from:
					t.From = next
				case w == l.receiver:
					t.To = next
				case w == l.at:
					t.Place = next
				case w == l.here:
					t.Place = o.Self.Place
				}
			}
			switch {
			case i == 0 || len(words) < 2: // what is over has no number
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
		list := &o.Requests
		switch {
		case t.Want == "":
			continue // the count of those left out
		case t.Give == "" && t.Left == 0:
			t.Left = t.WantAmount
		}
		switch {
		case own && t.Give == "":
			list = &o.OwnRequests
		case own:
			list = &o.OwnOffers
		case t.Give == "":
		case t.Place == o.Self.Place:
			list = &o.Here.Offers
		default:
			list = &o.Offers
		}
		*list = append(*list, t)
	}
}

// trades says that the request knows requests and offers.
func (s stage) trades() bool {
	return slices.ContainsFunc(s.see.Can, func(a world.Affordance) bool {
		return slices.Contains([]string{actionRequest, actionOffer, actionAccept}, a.Action)
	})
}

// stated is what a line of the goals says in numbers, as in "(data 3 of 30)" at its end;
// measured is the metric of a run's score and its ticks.
var (
	stated   = regexp.MustCompile(`\((\w+) \d+ (?:of|/) (\d+)\)\s*$`)
	measured = regexp.MustCompile(`(produced|held|held_min):(\w+).* (\d+)-(\d+)`)
)

// statedGoals are the goals that come with numbers, and the task if the agent counts in it:
// who trades has to know how much of what it needs itself.
func statedGoals(text string) (goals []world.Goal, t world.Task) {
	for line := range strings.Lines(text) {
		if m := stated.FindStringSubmatch(line); m != nil && slices.Contains(world.Resources(), m[1]) {
			goals = append(goals, world.Goal{Agent: "*", Metric: "stock:" + m[1], AtLeast: integer(m[2])})
		}
		if m := measured.FindStringSubmatch(line); m != nil {
			t = world.Task{Metric: m[1] + ":" + m[2], From: integer(m[3]), Ticks: integer(m[4])}
		}
	}
	return goals, t
}
