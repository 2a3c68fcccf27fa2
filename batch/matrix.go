package batch

import (
	"iter"
	"slices"
)

// Combination is one cell of a matrix before its settings are known.
type Combination struct {
	// Cell has no ID yet. Its seed is the scenario's own if OwnSeed is set.
	Cell    Cell
	OwnSeed bool
	// Arm counts the combinations of the values of all axes, from 0.
	Arm int
	// Settings are those of the file, then those of the values of all axes; a later one replaces an
	// earlier one.
	Settings []Setting
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
func (f File) Combinations() iter.Seq[Combination] {
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
	for i := range arms {
		arms[i].Arm = i
	}
	seeds, own := f.Seeds, len(f.Seeds) == 0
	if own {
		seeds = []uint64{0}
	}
	bySeed := f.Compare != nil && f.Compare.StopWhenDecided
	if bySeed {
		seeds = slices.Sorted(slices.Values(seeds))
	}
	groups := len(f.Scenarios) * int(f.Repeats) * len(seeds)
	return func(yield func(Combination) bool) {
		for turn := range groups {
			repeats := int(f.Repeats)
			seed := turn % len(seeds)
			inSeed := turn / len(seeds) // the place among the groups of one seed
			if bySeed {
				seed = turn / (groups / len(seeds))
				inSeed = turn % (groups / len(seeds))
			}
			for i := range arms {
				one := arms[(i+turn)%len(arms)]
				one.Cell.Scenario = f.Scenarios[inSeed/repeats]
				one.Cell.Seed = seeds[seed]
				one.Cell.Repeat = int64(inSeed%repeats) + 1
				one.OwnSeed = own
				if !yield(one) {
					return
				}
			}
		}
	}
}
