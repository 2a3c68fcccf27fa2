package batch

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// methods says how the verdicts of a table were found, and on what: tests, level, versions, seeds, dates, and the
// models that answered.
func (c *Compare) methods(s Summary, cells []Cell) string {
	by := plaintext.Count(len(s.Comparisons), "comparison")
	what := "sign-flip test"
	switch {
	case c.StopWhenDecided && c.Claim == claimMean:
		what = "e-process of bets on the mean"
	case c.StopWhenDecided:
		what = "e-process of signs, which may be looked at at any time (no verdict on other metrics)"
	case c.Claim == claimMean:
		what = "bets on the mean"
	}
	parts := []string{primaryMark + " the primary metric, which decides",
		fmt.Sprintf("better, worse: %s by %s; interval: its inversion", what, c.unit(cells))}
	if c.Margin > 0 {
		parts = append(parts, fmt.Sprintf("equivalent, not worse: bets on the mean, margin %s", number(c.Margin)))
	}
	level := fmt.Sprintf("level %s%%, Holm over %s on %s", number(100*c.Alpha), by, c.Primary)
	if len(c.Metrics) > 0 && !c.StopWhenDecided {
		level += " and over the other metrics of each"
	}
	if low, high := s.levels(); low != high {
		level += fmt.Sprintf(", which leaves %s%% to %s%% to a row", number(100*low), number(100*high))
	}
	parts = append(parts, level)
	dates := map[string]bool{}
	seeds := map[uint64]bool{}
	for _, r := range s.Results {
		seeds[r.Seed] = true
		if r.Date != "" {
			dates[one(r.Date)] = true
		}
	}
	parts = append(parts, versionsOf(s.Results))
	if len(seeds) > 0 {
		parts = append(parts, "seeds "+ranges(slices.Sorted(maps.Keys(seeds))))
	}
	if days := slices.Sorted(maps.Keys(dates)); len(days) > 1 {
		parts = append(parts, days[0]+" to "+days[len(days)-1])
	} else {
		parts = append(parts, days...)
	}
	if who := answerers(s.Results); who != "" {
		parts = append(parts, "answered by "+who)
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// answerers are the models that answered in runs, empty if none is known.
func answerers(results []Result) string {
	models := map[string]bool{}
	for _, r := range results {
		for _, model := range r.Answered {
			if r.ModelSource == trace.SourceScripted {
				model = "the embedded model"
			}
			models[one(model)] = true
		}
	}
	return enumerated(models, ", ")
}

// versionsOf are the known versions under which runs were played.
func versionsOf(results []Result) string {
	var parts []string
	for _, of := range []struct {
		name string
		of   func(Versions) string
	}{{"engine", func(v Versions) string { return v.Engine }}, {"rules", func(v Versions) string { return v.Rules }},
		{"prompt", func(v Versions) string { return v.Prompt }}} {
		known := map[string]bool{}
		for _, r := range results {
			if version := of.of(r.Versions); version != "" {
				known[one(version)] = true
			}
		}
		if len(known) > 0 {
			parts = append(parts, of.name+" "+enumerated(known, " and "))
		}
	}
	return strings.Join(parts, ", ")
}

// unit is what counts once.
func (c *Compare) unit(cells []Cell) string {
	switch {
	case !several(cells):
		return "instance"
	case c.Tasks == tasksLikeThese:
		return "task"
	case c.watchesMeans():
		return "seed, over these tasks"
	}
	return "instance, each of these tasks counting alike"
}

// enumerated are the texts of a set, in order.
func enumerated(set map[string]bool, between string) string {
	const most = 8
	all := slices.Sorted(maps.Keys(set))
	if len(all) > most {
		all = append(all[:most], fmt.Sprintf("%d more", len(all)-most))
	}
	return strings.Join(all, between)
}

// ranges are ascending numbers, such as 1-4, 9.
func ranges(numbers []uint64) string {
	const most = 8
	var parts []string
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		part := strconv.FormatUint(numbers[i], 10)
		if end > i {
			part += "-" + strconv.FormatUint(numbers[end], 10)
		}
		i = end + 1
		if len(parts) == most {
			return strings.Join(parts, ", ") + " and others"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
