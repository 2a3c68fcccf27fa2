package batch

import (
	"cmp"
	"slices"

	"example.com/agentworld/trace"
)

// Combination is one cell of a matrix before its settings are known.
type Combination struct {
	// Cell has no ID yet. Its seed is the scenario's own if OwnSeed is set.
	Cell    Cell
	OwnSeed bool
	// Settings are those of the file, then those of the values of all axes; a later one replaces an
	// earlier one.
	Settings []Setting
}

// Planned is a cell that can be played.
type Planned struct {
	Cell Cell
	// Settings are all that shapes its run.
	Settings trace.Settings
}

// Planned is the cell with settings that a session has completed; its seed is theirs. A repeat is
// another run of the same instance: the seeds of the embedded model and of its faults move with it. With
// a budget on tokens or cost, answers have a length at most: otherwise one could take more than was
// reserved for it.
func (c Cell) Planned(s trace.Settings, budget trace.Limit) Planned {
	s.ScriptedSeed += uint64(c.Repeat - 1)
	s.FaultSeed += uint64(c.Repeat - 1)
	if (budget.Tokens > 0 || budget.Cost > 0) && s.MaxOutputTokens == 0 {
		s.MaxOutputTokens = trace.OutputTokensReserved
	}
	c.Seed = s.Seed
	c.ID = IDOf(s, VersionsOf(s), c.Repeat)
	return Planned{c, s}
}

// Size is the number of cells; above [CellsMost] it may be too low.
func (f File) Size() int {
	n := max(1, len(f.Scenarios)) * max(1, len(f.Seeds)) * int(f.Repeats)
	for _, a := range f.Axes {
		if n > CellsMost {
			return n
		}
		n *= max(1, len(a.Values))
	}
	return n
}

// Combinations are the cells of the matrix in the order in which they are played: by scenario,
// repeat and seed, so that early results cover all instances, and by arm innermost. Each group of
// arms begins with another one, so that an endpoint that slowly changes affects all alike. A batch that stops
// when it is decided plays by seed first, the lowest before the others, since it looks after each.
func (f File) Combinations() (list []Combination) {
	arms := []Combination{{Settings: f.Settings}}
	for _, axis := range f.Axes {
		var next []Combination
		for _, arm := range arms {
			for _, v := range axis.Values {
				next = append(next, Combination{
					Cell:     Cell{Labels: append(slices.Clone(arm.Cell.Labels), Label{axis.Name, v.Name})},
					Settings: append(slices.Clone(arm.Settings), v.Settings...),
				})
			}
		}
		arms = next
	}
	seeds, own := f.Seeds, len(f.Seeds) == 0
	if own {
		seeds = []uint64{0}
	}
	turn := 0
	for _, scenario := range f.Scenarios {
		for repeat := int64(1); repeat <= f.Repeats; repeat++ {
			for _, seed := range seeds {
				for i := range arms {
					one := arms[(i+turn)%len(arms)]
					one.Cell.Scenario = scenario
					one.Cell.Seed = seed
					one.Cell.Repeat = repeat
					one.OwnSeed = own
					list = append(list, one)
				}
				turn++
			}
		}
	}
	if f.Compare != nil && f.Compare.StopWhenDecided {
		slices.SortStableFunc(list, func(a, b Combination) int { return cmp.Compare(a.Cell.Seed, b.Cell.Seed) })
	}
	return list
}
