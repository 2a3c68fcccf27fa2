package world

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Vary says in which ranges the numbers of a scenario are drawn by the seed, so that every seed
// is another instance of it. What the file states is the middle of each range. The zero value
// varies nothing.
type Vary struct {
	// PlacesCM is how far a listed place may lie from its position, along each axis.
	PlacesCM int64 `toml:"places_cm"`
	// CompoundPct is by how much the compound of a listed place may be more or less, in percent,
	// EmissionPct the same for its emission, StockPct for each amount that agents start with.
	CompoundPct int64 `toml:"compound_pct"`
	EmissionPct int64 `toml:"emission_pct"`
	StockPct    int64 `toml:"stock_pct"`
	// RulesPct is the same for rules, by their names; shares of a charge cannot vary.
	RulesPct map[string]int64 `toml:"rules_pct"`
	// OnRequest keeps the numbers of the file in a run that does not ask for another instance;
	// see the setting vary.
	OnRequest bool `toml:"on_request"`
}

// varyMax is the most by which a number may vary, in percent.
const varyMax = 90

// checkVary checks the ranges. A rule must be one that may vary.
func (s Scenario) checkVary() error {
	if s.Vary == nil {
		return nil
	}
	v := s.Vary
	err := within([]valueRange{
		{"vary.places_cm", v.PlacesCM, 0, spaceMaxCM},
		{"vary.compound_pct", v.CompoundPct, 0, varyMax},
		{"vary.emission_pct", v.EmissionPct, 0, varyMax},
		{"vary.stock_pct", v.StockPct, 0, varyMax},
	})
	var known []string
	for _, f := range s.Rules.fields() {
		if f.varies() {
			known = append(known, f.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.RulesPct)) {
		if !slices.Contains(known, name) {
			err = errors.Join(err, fmt.Errorf("vary.rules_pct: there is no rule %q that can vary; allowed: %s", name,
				strings.Join(known, ", ")))
		}
		err = errors.Join(err, within([]valueRange{{"vary.rules_pct." + name, v.RulesPct[name], 0, varyMax}}))
	}
	return err
}

// varies reports whether a rule can vary. The limits of the power states depend on each other.
func (f ruleField) varies() bool { return !strings.HasSuffix(f.name, "_percent") }

// Instance returns the scenario with its varying numbers drawn by a seed, and with that seed as its
// own. One that varies on request only keeps its numbers. Each number depends on the seed and on its
// own name alone, so that a place more changes no
// other. Amounts and emissions above 0 stay above 0, charges within the capacity, and places inside
// space. An instance varies no further: its own instance of any seed differs in the seed alone.
func (s Scenario) Instance(seed uint64) Scenario {
	v := s.Vary
	s.Seed, s.Vary = seed, nil
	if v == nil || v.OnRequest {
		return s
	}
	// draw returns n changed by up to most, at least least.
	draw := func(name string, n, most, least int64) int64 {
		return max(least, n+Draw(seed, 0, name, 2*most+1)-most)
	}
	percent := func(name string, n, pct int64) int64 { return draw(name, n, n*pct/100, min(n, 1)) }
	for i := range s.Rules.fields() {
		f := s.Rules.fields()[i] // the limits of some follow from others
		*f.value = max(f.min, min(percent("rules."+f.name, *f.value, v.RulesPct[f.name]), f.max))
	}
	s.Places = slices.Clone(s.Places)
	for i := range s.Places {
		p := &s.Places[i]
		name := "places." + p.ID + "."
		p.Position.X = min(draw(name+"x", p.Position.X, v.PlacesCM, 0), s.Space.WidthCM)
		p.Position.Y = min(draw(name+"y", p.Position.Y, v.PlacesCM, 0), s.Space.DepthCM)
		p.Position.Z = min(draw(name+"z", p.Position.Z, v.PlacesCM, 0), s.Space.HeightCM)
		p.CompoundG = min(percent(name+"compound", p.CompoundG, v.CompoundPct), amountMax)
		p.Emission = min(percent(name+"emission", p.Emission, v.EmissionPct), emissionMax)
	}
	s.Agents.Stock = slices.Clone(s.Agents.Stock)
	for i, list := range s.Agents.Stock {
		s.Agents.Stock[i] = slices.Clone(list)
		for j, a := range list {
			n := min(percent(fmt.Sprintf("stock.%d.%s", i, a.Resource), a.Amount, v.StockPct), amountMax)
			if a.Resource == Electricity {
				n = min(n, s.Rules.PowerCapacity)
			}
			s.Agents.Stock[i][j].Amount = n
		}
	}
	return s
}
