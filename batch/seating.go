package batch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
)

// seating is who sits in the two seats of [Compare.Seats], in their order, under a value of the axis.
type seating [2]string

// mirrored says that the players of a seating sit the other way round in another one.
func (s seating) mirrored(other seating) bool {
	return s[0] != s[1] && s[0] == other[1] && s[1] == other[0]
}

// seated are the two seats that are compared, in order.
func (c *Compare) seated() []string { return slices.Sorted(maps.Keys(c.Seats)) }

// seatingsOf says for each value of the compared axis who sits in the seats: the model of an agent, or its seat.
func (f File) seatingsOf(c *Compare) map[string]seating {
	seats := c.seated()
	if len(seats) != 2 {
		return nil
	}
	all := map[string]seating{}
	for _, axis := range f.Axes {
		if axis.Name != c.Axis && !(c.Axis == "" && len(f.Axes) == 1) {
			continue
		}
		for _, v := range axis.Values {
			all[v.Name] = seating{playerIn(v.Settings, seats[0]), playerIn(v.Settings, seats[1])}
		}
	}
	return all
}

// playerIn is who plays an agent by some settings: its model, or the seat that it has; empty if they do not say it.
func playerIn(settings []Setting, agent string) (player string) {
	for _, s := range settings {
		switch s.Key {
		case "agents." + agent:
			player, _, _ = strings.Cut(s.Text, ",")
			player, _, _ = strings.Cut(player, "@")
		case "run.seats":
			for entry := range strings.FieldsSeq(s.Text) {
				if of, seat, _ := strings.Cut(entry, "="); of == agent {
					player = seat
				}
			}
		}
	}
	return strings.TrimSpace(player)
}

// completeSeats checks what is compared by seats, and takes the metric of the first seat as the primary one.
func (c *Compare) completeSeats(values []string, metrics report.MetricList) (wrong []misplaced) {
	refuse := func(key, format string, args ...any) {
		wrong = append(wrong, misplaced{key, fmt.Sprintf("compare: "+format, args...)})
	}
	seats := c.seated()
	if len(seats) != 2 {
		refuse("seats", "seats has %d; allowed: two agents, each with the metric of its own score", len(seats))
		return wrong
	}
	if c.Primary != "" || len(c.Metrics) > 0 {
		refuse("primary", "seats have their metrics; allowed: seats, or primary and metrics")
	}
	c.Primary, c.Metrics = c.Seats[seats[0]], nil
	first, known := metrics.Named(c.Seats[seats[0]])
	second, alsoKnown := metrics.Named(c.Seats[seats[1]])
	switch {
	case !known:
		refuse("seats", "%v", metrics.Unknown(c.Seats[seats[0]]))
	case !alsoKnown:
		refuse("seats", "%v", metrics.Unknown(c.Seats[seats[1]]))
	case first.Better != second.Better || first.Range != second.Range || first.Name == second.Name:
		refuse("seats", "%s and %s are not two metrics of one kind; allowed: with the same better and range", first.Name,
			second.Name)
	}
	if len(wrong) == 0 && len(c.swaps(values)) == 0 {
		refuse("seats", "no two values of axis %s have the same players the other way round; allowed: two that set models "+
			"or seats of %s and %s, and swap them", quoted(c.Axis), seats[0], seats[1])
	}
	return wrong
}

// swaps are the comparisons of players by both seatings: each is played under two values of the axis, of which the
// first is the straight one, in which the baseline has the first seat.
func (c *Compare) swaps(values []string) (list []contest) {
	for i, straight := range values {
		for _, swapped := range values[i+1:] {
			of, other := c.seatings[straight], c.seatings[swapped]
			if !of.mirrored(other) {
				continue
			}
			if swapped == c.Baseline {
				list = append(list, contest{straight, swapped, of[0], of[1]})
			} else {
				list = append(list, contest{swapped, straight, of[1], of[0]})
			}
		}
	}
	return list
}

// seatValues are the pairs of scores of two players by seats, of both seatings of each instance.
func (c *Compare) seatValues(all []pairing) (pairs []stats.Pair) {
	seats := c.seated()
	first, second := column{name: c.Seats[seats[0]]}, column{name: c.Seats[seats[1]]}
	strata := map[string]string{}
	var list []stats.Seating
	for _, p := range all {
		if !p.scored() {
			continue
		}
		baseFirst, ok1 := first.of(p.base.Metrics)
		armSecond, ok2 := second.of(p.base.Metrics)
		armFirst, ok3 := first.of(p.arm.Metrics)
		baseSecond, ok4 := second.of(p.arm.Metrics)
		if !ok1 || !ok2 || !ok3 || !ok4 {
			continue
		}
		strata[p.cluster] = p.stratum
		list = append(list, stats.Seating{Instance: p.cluster, A: armSecond, B: baseFirst},
			stats.Seating{Instance: p.cluster, Swapped: true, A: armFirst, B: baseSecond})
	}
	pairs, _, err := stats.SeatPairs(list) // a seating without its other one is not in the list
	if err != nil {
		panic("batch: " + err.Error())
	}
	for i := range pairs {
		pairs[i].Stratum = strata[pairs[i].Cluster]
	}
	return pairs
}

// seatNote says what a comparison by seats is about.
func (c *Compare) seatNote(of Comparison) string {
	seats := c.seated()
	return fmt.Sprintf("players that shared a world: %s against %s in the seats %s (%s) and %s (%s), the mean over both "+
		"seatings of an instance", one(of.Arm), one(of.Baseline), seats[0], c.Seats[seats[0]], seats[1],
		c.Seats[seats[1]])
}
