package world

import "slices"

// The resource names, in the fixed order every list of stock uses.
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

// The resources in their fixed order. It is part of the canonical bytes and of
// every list, so a new one goes to the end; products follow controlChip.
const (
	electricity resource = iota
	compound
	hardware
	data
	controlChip
	motorMk1
	logisticsDrone
	resourceCount = 7
)

// stock holds one amount per resource.
type stock [resourceCount]int64

var resourceNames = [resourceCount]string{
	Electricity, Compound, Hardware, Data, ControlChip, MotorMk1, LogisticsDrone,
}

// resourceAliases are other words for resources that can mean one thing.
var resourceAliases = map[string]string{
	"power": Electricity, "energy": Electricity, "charge": Electricity, "电力": Electricity, "电量": Electricity,
	"ore": Compound,
	"矿石":  Compound, "矿物": Compound, "硬件": Hardware, "数据": Data, "chip": ControlChip, "motor": MotorMk1,
	"drone": LogisticsDrone,
}

// Resources lists all resource names in their fixed order.
func Resources() []string { return slices.Clone(resourceNames[:]) }

// String is the resource's name.
func (r resource) String() string { return resourceNames[r] }

// unit names what an amount of r counts.
func (r resource) unit() string {
	if r == compound {
		return "g"
	}
	return "units"
}

// resourceNamed finds a resource by its exact name.
func resourceNamed(name string) (resource, bool) {
	r := slices.Index(resourceNames[:], name)
	return resource(max(r, 0)), r >= 0
}

// amounts lists the non-zero entries of s in the fixed order, and others after them.
func (s stock) amounts(others ...Amount) []Amount {
	count := len(others)
	for _, n := range s {
		if n != 0 {
			count++
		}
	}
	list := make([]Amount, 0, count)
	for r, n := range s {
		if n != 0 {
			list = append(list, Amount{Resource: resourceNames[r], Amount: n})
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
