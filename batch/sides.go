package batch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// SideAxis is the axis of sides, whose values are their names.
const SideAxis = "side"

// CompareSides compares sides with the first one, as a file without cells says it. Pairs are runs of the same
// world, whatever its file is called, and of the same seed, repeat and labels, as far as these tell runs of a side
// apart. Every side has a result. by declares what is compared, see
// [Declared]: worlds are the same if what is not declared of them is, and sides that differ in anything else get
// no verdict. The error says what the file asks for and cannot be compared.
func CompareSides(f File, by []string, sides []Side) (Summary, error) {
	how := Compare{}
	if f.Compare != nil {
		how = *f.Compare
	}
	how.Axis, how.Baseline = SideAxis, sides[0].Name
	how.declared = append([]string{}, by...)
	f.Compare = &how
	names, dropped := worldNames(sides, by), needless(sides)
	var cells []Cell
	var results []Result
	for i, side := range sides {
		taken := map[string]bool{}
		for k, r := range side.Results {
			r.Labels = slices.DeleteFunc(slices.Clone(r.Labels), func(l Label) bool { return dropped[l.Axis] })
			r.ID = ID(side.Name + " " + string(r.ID)) // the same run may be on two sides
			r.Scenario = names[i][k]
			r.Repeat = max(1, r.Repeat)
			for taken[pairKey(r.Cell)] { // the same instance again
				r.Repeat++
			}
			taken[pairKey(r.Cell)] = true
			r.Labels = append([]Label{{Axis: SideAxis, Value: side.Name}}, r.Labels...)
			cells, results = append(cells, r.Cell), append(results, r)
		}
	}
	for _, g := range f.Gates {
		if wrong := append(g.faults(), g.misfits(&how, cells, f.known())...); len(wrong) > 0 {
			return Summary{}, fmt.Errorf("gate %s: %s", quoted(g.Text()), wrong[0])
		}
	}
	return Summarize(f, cells, results)
}

// needless are the axes of which no side has several values: what these stand for is in the shapes, and they tell
// no runs of a side apart.
func needless(sides []Side) map[string]bool {
	axes := map[string]bool{}
	several := map[string]bool{}
	for _, side := range sides {
		for _, r := range side.Results {
			for _, l := range r.Labels {
				axes[l.Axis] = true
			}
		}
	}
	for axis := range axes {
		for _, side := range sides {
			first := side.Results[0].Label(axis)
			differs := func(r Result) bool { return r.Label(axis) != first }
			several[axis] = several[axis] || slices.ContainsFunc(side.Results, differs)
		}
	}
	maps.DeleteFunc(axes, func(axis string, _ bool) bool { return several[axis] })
	return axes
}

// pairKey is what the cells of a pair have in common.
func pairKey(c Cell) string {
	return fmt.Sprintf("%q %d %d %q", c.Scenario, c.Seed, c.Repeat, c.Labels)
}

// playedWorld is a world of a side: what it is made of but for what is declared, and what its file is called.
type playedWorld struct{ parts, file string }

// worldsOf are the worlds of results, each as often as it was played. Results that do not say it, such as those
// of runs that failed at once, are taken to be of the world of the others with the same file.
func worldsOf(results []Result, by []string) []playedWorld {
	worlds := make([]playedWorld, len(results))
	whole := map[string][]string{} // the shapes of a world without what is declared
	byFile := map[string]string{}
	known := map[Shape]string{}
	for i, r := range results {
		worlds[i].file = r.Scenario
		if r.Shape == "" {
			continue
		}
		kept, seen := known[r.Shape]
		if !seen {
			all := r.Shape.world(nil)
			kept = r.Shape.world(by)
			if !slices.Contains(whole[kept], all) {
				whole[kept] = append(whole[kept], all)
			}
			known[r.Shape] = kept
		}
		worlds[i].parts, byFile[r.Scenario] = kept, kept
	}
	for i := range worlds {
		w := &worlds[i]
		if w.parts == "" {
			w.parts = byFile[w.file]
		}
		if w.parts == "" || len(whole[w.parts]) > 1 { // several differ in what is declared, and are told apart by name
			w.parts += "file " + w.file
		}
	}
	return worlds
}

// world are the lines of a shape about the world, but for those that are declared.
func (s Shape) world(declared []string) string {
	var lines []string
	for line := range strings.Lines(string(s)) {
		what, _, _ := strings.Cut(line, "=")
		if strings.HasPrefix(what, worldPrefix) && !declares(declared, what) {
			lines = append(lines, line)
		}
	}
	if s != "" && len(lines) == 0 {
		return "any" // all of it is declared
	}
	return strings.Join(lines, "")
}

// akin says that one world may be the other one after an edit: it has the places, the agents, the goals or the task of
// it. Otherwise two runs have no more in common than a seed.
func akin(a, b playedWorld) bool {
	for line := range strings.Lines(a.parts) {
		what, _, _ := strings.Cut(strings.TrimPrefix(line, worldPrefix), "=")
		same := func(other string) bool { return strings.TrimSpace(other) == strings.TrimSpace(line) }
		if slices.Contains([]string{"places", "agents", "goals", "task"}, what) &&
			slices.ContainsFunc(slices.Collect(strings.Lines(b.parts)), same) {
			return true
		}
	}
	return false
}

// worldNames give every result of every side the name of its world: one name for equal worlds, and another one for
// each other world. A world that only one side has takes the name of the world of the first side that has the same
// file, or is the only one left and is akin, or the world is declared: they are compared, and what they differ in is
// told.
func worldNames(sides []Side, by []string) [][]string {
	names := make([][]string, len(sides))
	var first []playedWorld
	known := map[string]string{} // the names of the worlds of the first side by their parts
	used := map[string]bool{}
	asked := slices.ContainsFunc(by, func(what string) bool { return strings.HasPrefix(what+".", worldPrefix) })
	fresh := func(file string) string {
		name := file
		for n := 2; used[name]; n++ {
			name = fmt.Sprintf("%s (%d)", file, n)
		}
		used[name] = true
		return name
	}
	for i, side := range sides {
		worlds := worldsOf(side.Results, by)
		distinct := slices.Clone(worlds)
		slices.SortStableFunc(distinct, func(a, b playedWorld) int { return strings.Compare(a.parts, b.parts) })
		distinct = slices.CompactFunc(distinct, func(a, b playedWorld) bool { return a.parts == b.parts })
		if i == 0 {
			first = distinct
			for _, w := range worlds {
				if known[w.parts] == "" {
					known[w.parts] = fresh(w.file)
				}
			}
		}
		of := map[string]string{}
		isIn := func(list []playedWorld) func(playedWorld) bool {
			return func(w playedWorld) bool {
				return slices.ContainsFunc(list, func(other playedWorld) bool { return other.parts == w.parts })
			}
		}
		mine := slices.DeleteFunc(slices.Clone(distinct), isIn(first))
		theirs := slices.DeleteFunc(slices.Clone(first), isIn(distinct))
		for _, w := range mine {
			at := slices.IndexFunc(theirs, func(other playedWorld) bool { return other.file == w.file })
			only := len(mine) == 1 && len(theirs) == 1
			if at < 0 && only && (asked || akin(w, theirs[0])) {
				at = 0
			}
			if at >= 0 {
				of[w.parts] = known[theirs[at].parts]
			} else {
				of[w.parts] = fresh(w.file)
			}
		}
		for _, w := range worlds {
			name := known[w.parts]
			if of[w.parts] != "" {
				name = of[w.parts]
			}
			names[i] = append(names[i], name)
		}
	}
	return names
}
