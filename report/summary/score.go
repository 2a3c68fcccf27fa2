package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/report"
	"example.com/agentworld/report/wording"
)

// mark is a value on the scale of a score.
type mark struct {
	name  string
	value int64
}

// score places the score of the run among those of others, from the least to the most:
//
//	production, produced:data in ticks 1 to 40: doing nothing 0 = random 0 < this run 9 < upper bound 40
func score(r report.Report) string {
	t := r.Task
	if t == nil {
		return ""
	}
	run := mark{"this run", t.Score}
	text := fmt.Sprintf("%s, %s in ticks %d to %d: ", plain(t.Family), plain(wording.Task(t.Metric)), t.From, t.Ticks)
	if !t.Complete {
		run.name = "this run so far"
	}
	scale := []mark{run}
	if r.Advanced != nil {
		scale = append(scale, mark{"this run if nobody had acted on", r.Advanced.Score})
	}
	if b := t.Baselines; b != nil {
		scale = append(scale, mark{"doing nothing", b.Nothing}, mark{"random", b.Random}, mark{"greedy", b.Greedy},
			mark{"scripted", b.Scripted})
		if b.Best != nil {
			scale = append(scale, mark{"best known", *b.Best})
		}
		if !b.BoundLoose {
			scale = append(scale, mark{"upper bound", b.Bound})
		}
	}
	slices.SortStableFunc(scale, func(a, b mark) int { return cmp.Compare(a.value, b.value) })
	var b strings.Builder
	for i, m := range scale {
		if i > 0 {
			sign := " < "
			if m.value == scale[i-1].value {
				sign = " = "
			}
			b.WriteString(sign)
		}
		fmt.Fprintf(&b, "%s %d", m.name, m.value)
	}
	return text + b.String()
}
