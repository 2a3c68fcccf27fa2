package world

import "slices"

// The names of the built-in resources, in the fixed order every list of stock uses. A scenario
// may add products, which follow them.
const (
	// Electricity is an agent's only energy store, bounded by its power capacity.
	Electricity = "electricity"
	// Compound is mined ore, in grams.
	Compound = "compound"
	// Hardware is refined from compound, in units.
	Hardware = "hardware"
	// Data comes out of recipes beside the product, in units.
	Data = "data"
	// ControlChip, MotorMk1 and LogisticsDrone are finished products, in pieces.
	ControlChip    = "control_chip"
	MotorMk1       = "motor_mk1"
	LogisticsDrone = "logistics_drone"
)

// Heat and Ticks name the quantities of an [Amount] that are no resource.
const (
	Heat  = "heat"
	Ticks = "ticks"
)

// resource is the dense number of a resource, the index into a stock.
type resource uint8

// The built-in resources in their fixed order. It is part of the canonical bytes and of
// every list, so a new one goes to the end; products follow controlChip.
const (
	electricity resource = iota
	compound
	hardware
	data
	controlChip
	motorMk1
	logisticsDrone
	builtinResources = 7
)

// stock holds one amount per resource; those that the world does not have stay 0.
type stock [builtinResources + ProductsMax]int64

var resourceNames = []string{Electricity, Compound, Hardware, Data, ControlChip, MotorMk1, LogisticsDrone}

// resourceAliases are other words for resources that can mean one thing.
var resourceAliases = map[string]string{
	"power": Electricity, "energy": Electricity, "charge": Electricity, "电力": Electricity, "电量": Electricity,
	"ore": Compound,
	"矿石":  Compound, "矿物": Compound, "硬件": Hardware, "数据": Data, "chip": ControlChip, "motor": MotorMk1,
	"drone": LogisticsDrone,
}

// Resources lists the names of the built-in resources in their fixed order.
func Resources() []string { return slices.Clone(resourceNames) }

// unit names what an amount of r counts.
func (r resource) unit() string {
	if r == compound {
		return "g"
	}
	return unitsUnit
}

// unitsUnit is the unit of all resources but compound.
const unitsUnit = "units"

// amounts lists the non-zero entries of s in the fixed order by the names of the resources, and
// others after them.
func (s *stock) amounts(names []string, others ...Amount) []Amount {
	count := len(others)
	for r := range names {
		if s[r] != 0 {
			count++
		}
	}
	list := make([]Amount, 0, count)
	for r, name := range names {
		if s[r] != 0 {
			list = append(list, Amount{Resource: name, Amount: s[r]})
		}
	}
	return append(list, others...)
}

// times scales s by n, which the caller bounds so that nothing overflows.
func (s stock) times(n int64) stock {
	for r := range s {
		s[r] *= n
	}
	return s
}
