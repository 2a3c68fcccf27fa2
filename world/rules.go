package world

import "errors"

// RulesVersion names the rules of the kernel: what actions cost and do, and what
// views show. Runs of different rules do not replay on each other.
const RulesVersion = "5"

// CMPerKM is the number of centimetres in a kilometre.
const CMPerKM = 100_000

// Rules are the numbers of physics and industry in one world. They hold for a whole
// run, unless it is forked with others; see [World.SetRules]. A scenario's [rules] table overrides
// the defaults field by field.
type Rules struct {
	// PowerCapacity is the most electricity an agent can hold, 1 to 1,000,000.
	PowerCapacity int64 `toml:"power_capacity" json:"power_capacity"`
	// IdleDraw is the electricity an awake agent uses per tick, 1 to 1,000.
	IdleDraw int64 `toml:"idle_draw" json:"idle_draw"`
	// AmbientFloor is the electricity a shut-down agent gains per tick, 1 to 1,000.
	AmbientFloor int64 `toml:"ambient_floor" json:"ambient_floor"`
	// LowPercent is the highest charge of the power state low, in percent of the
	// capacity, 1 to 99.
	LowPercent int64 `toml:"low_percent" json:"low_percent"`
	// CriticalPercent is the same for critical, 0 to LowPercent.
	CriticalPercent int64 `toml:"critical_percent" json:"critical_percent"`
	// RestartPercent is the charge at which a shut-down agent restarts, in percent
	// of the capacity and at least 1 unit, 1 to 100.
	RestartPercent int64 `toml:"restart_percent" json:"restart_percent"`
	// HeatCapacity is the heat above which harvests yield less, 10 to 1,000; at
	// ten times this heat harvests are refused.
	HeatCapacity int64 `toml:"heat_capacity" json:"heat_capacity"`
	// Dissipation is the percentage of heat shed per tick at a heat capacity of
	// 100: per tick, ceil(Dissipation*heat/HeatCapacity), and at least 1.
	Dissipation int64 `toml:"dissipation" json:"dissipation"`
	// HeatFactor is the heat added per unit harvested, 0 to 10.
	HeatFactor int64 `toml:"heat_factor" json:"heat_factor"`
	// RadiationFloor is the radiation found everywhere, 0 to 1,000.
	RadiationFloor int64 `toml:"radiation_floor" json:"radiation_floor"`
	// RadiationFloorCap bounds what of the floor can be harvested, 0 to 1,000.
	RadiationFloorCap int64 `toml:"radiation_floor_cap" json:"radiation_floor_cap"`
	// RadiationDecayPPB is the exponential decay of radiation per centimetre, in
	// parts per billion, 0 to 1,000,000.
	RadiationDecayPPB int64 `toml:"radiation_decay_ppb" json:"radiation_decay_ppb"`
	// MoveCostPerKM is the electricity per started kilometre, 1 to 1,000.
	MoveCostPerKM int64 `toml:"move_cost_per_km" json:"move_cost_per_km"`
	// MoveRangeKM is the distance covered per tick, 1 to 10,000.
	MoveRangeKM int64 `toml:"move_range_km" json:"move_range_km"`
	// MineCostPerKG is the electricity per started kilogram mined, 0 to 1,000.
	MineCostPerKG int64 `toml:"mine_cost_per_kg" json:"mine_cost_per_kg"`
	// RefineCostPerKG is the electricity per whole kilogram refined, 0 to 1,000.
	RefineCostPerKG int64 `toml:"refine_cost_per_kg" json:"refine_cost_per_kg"`
	// BuildElectricity and BuildHardware are the price of a factory, each 0 to
	// 1,000,000; a price above the power capacity makes factories unaffordable.
	BuildElectricity int64 `toml:"build_electricity" json:"build_electricity"`
	BuildHardware    int64 `toml:"build_hardware" json:"build_hardware"`
	// BuildTicks is how long construction takes, 1 to 1,000.
	BuildTicks int64 `toml:"build_ticks" json:"build_ticks"`
	// MessageKMPerTick is how far a message gets in a tick beyond its first, 1 to
	// 10,000.
	MessageKMPerTick int64 `toml:"message_km_per_tick" json:"message_km_per_tick"`
	// SightAgeTicks is how many ticks ago an agent sees places other than its own, 0 to 20.
	SightAgeTicks int64 `toml:"sight_age_ticks" json:"sight_age_ticks"`
	// InboxMax and NotesMax are how many messages an agent and notes a place keep,
	// 1 to 64.
	InboxMax int64 `toml:"inbox_max" json:"inbox_max"`
	NotesMax int64 `toml:"notes_max" json:"notes_max"`
	// PlantElectricity and PlantHardware are the price of a power plant, each 0 to
	// 1,000,000, PlantTicks its construction, 1 to 1,000.
	PlantElectricity int64 `toml:"plant_electricity" json:"plant_electricity"`
	PlantHardware    int64 `toml:"plant_hardware" json:"plant_hardware"`
	PlantTicks       int64 `toml:"plant_ticks" json:"plant_ticks"`
	// PlantRate is the most a plant generates per tick, 1 to 1,000; it never
	// generates more than the radiation at its place.
	PlantRate int64 `toml:"plant_rate" json:"plant_rate"`
	// PlantCap is what a plant's store holds, 10 to 10,000.
	PlantCap int64 `toml:"plant_cap" json:"plant_cap"`
	// PlantQuoteSpan is how much a plant's price rises from a full store to an
	// empty one, 0 to 199.
	PlantQuoteSpan int64 `toml:"plant_quote_span" json:"plant_quote_span"`
	// OrderTicks is how long an order waits in the market, 1 to 10,000.
	OrderTicks int64 `toml:"order_ticks" json:"order_ticks"`
	// RefineGPerHardware is the compound in one unit of hardware, in grams. No
	// scenario can change it, since the bounds of actions state it.
	RefineGPerHardware int64 `toml:"-" json:"refine_g_per_hardware"`
}

// DefaultRules returns the rules of a scenario without a [rules] table.
func DefaultRules() Rules {
	r := Rules{RefineGPerHardware: 1000}
	for _, f := range r.fields() {
		*f.value = f.standard
	}
	return r
}

// ruleField is one rule that a scenario may set.
type ruleField struct {
	name  string
	value *int64
	// standard is the value where a scenario says nothing.
	standard, min, max int64
}

// fields lists the rules that a scenario may set. The upper ends keep every product of
// two rules and an amount far inside an int64.
func (r *Rules) fields() []ruleField {
	return []ruleField{
		{"power_capacity", &r.PowerCapacity, 100, 1, 1_000_000},
		{"idle_draw", &r.IdleDraw, 1, 1, 1000},
		{"ambient_floor", &r.AmbientFloor, 1, 1, 1000},
		{"low_percent", &r.LowPercent, 20, 1, 99},
		{"critical_percent", &r.CriticalPercent, 5, 0, r.LowPercent},
		{"restart_percent", &r.RestartPercent, 10, 1, 100},
		{"heat_capacity", &r.HeatCapacity, 100, 10, 1000},
		{"dissipation", &r.Dissipation, 5, 1, 1000},
		{"heat_factor", &r.HeatFactor, 1, 0, 10},
		{"radiation_floor", &r.RadiationFloor, 1, 0, 1000},
		{"radiation_floor_cap", &r.RadiationFloorCap, 5, 0, 1000},
		{"radiation_decay_ppb", &r.RadiationDecayPPB, 1000, 0, 1_000_000},
		{"move_cost_per_km", &r.MoveCostPerKM, 1, 1, 1000},
		{"move_range_km", &r.MoveRangeKM, 10, 1, 10_000},
		{"mine_cost_per_kg", &r.MineCostPerKG, 1, 0, 1000},
		{"refine_cost_per_kg", &r.RefineCostPerKG, 2, 0, 1000},
		{"build_electricity", &r.BuildElectricity, 10, 0, 1_000_000},
		{"build_hardware", &r.BuildHardware, 5, 0, 1_000_000},
		{"build_ticks", &r.BuildTicks, 3, 1, 1000},
		{"message_km_per_tick", &r.MessageKMPerTick, 20, 1, 10_000},
		{"sight_age_ticks", &r.SightAgeTicks, 2, 0, 20},
		{"inbox_max", &r.InboxMax, 8, 1, 64},
		{"notes_max", &r.NotesMax, 8, 1, 64},
		{"plant_electricity", &r.PlantElectricity, 10, 0, 1_000_000},
		{"plant_hardware", &r.PlantHardware, 8, 0, 1_000_000},
		{"plant_ticks", &r.PlantTicks, 3, 1, 1000},
		{"plant_rate", &r.PlantRate, 8, 1, 1000},
		{"plant_cap", &r.PlantCap, 200, PowerLot, 10_000},
		{"plant_quote_span", &r.PlantQuoteSpan, 9, 0, PowerPriceMax - 1},
		{"order_ticks", &r.OrderTicks, 50, 1, 10_000},
	}
}

// check joins an error for each field outside its range.
func (r Rules) check() error {
	var ranges []valueRange
	for _, f := range r.fields() {
		ranges = append(ranges, valueRange{"rules." + f.name, *f.value, f.min, f.max})
	}
	all, fixed := wrongs{within(ranges)}, DefaultRules().RefineGPerHardware
	all.when(r.RefineGPerHardware != fixed, "rules.refine_g_per_hardware: is fixed at %d", fixed)
	return errors.Join(all...)
}
