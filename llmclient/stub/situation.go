package stub

// situation is what the policy reads of an observation. Fields that the request
// leaves out are zero; an affordance that is not listed counts as not possible.
//
// A model has nothing but the text of the request either, and an observation with
// lines more or less must not break it.
type situation struct {
	Tick int64
	Self self
	// Here is the agent's own place.
	Here here
	// Can says for every action whether it is possible now.
	Can []affordance
	// Places are other places, nearest first.
	Places []sight
	// Agents are the ids of the other agents in view, nearest first.
	Agents []string
	// Factories are the agent's own, wherever they stand.
	Factories []factory
}

// self is the agent's own state. Compound is in grams, everything else in units.
type self struct {
	// Place is the id of the agent's place.
	Place string
	// Electricity is what the battery of PowerCapacity holds.
	Electricity   int64
	PowerCapacity int64
	// Heat may exceed HeatCapacity; harvests then yield less.
	Heat         int64
	HeatCapacity int64
	CompoundG    int64
	Hardware     int64
	Data         int64
	// Products are the finished goods held.
	Products []amount
}

// here is the agent's own place; CompoundG is what is left to mine.
type here struct {
	ID        string
	Name      string
	CompoundG int64
}

// amount is a quantity of something.
type amount struct {
	Resource string
	Amount   int64
}

// affordance says whether an action is possible now and within which bounds, or
// what it is short of.
type affordance struct {
	Action string
	OK     bool
	// Min and Max bound the amount of an action that has one.
	Min int64
	Max int64
	// Options are the acceptable choices of an action that has a choice.
	Options []option
	// Need is what is short when the action is not possible.
	Need []amount
}

// option is one acceptable choice for an action.
type option struct {
	// Target is a factory, an agent, a place or a kind of factory.
	Target string
	// Item is a recipe or a resource, empty when Target says it all.
	Item string
	// Max is the largest amount, 0 when the choice has none.
	Max int64
}

// sight is another place. A nil number is not known.
type sight struct {
	ID   string
	Name string
	// MoveCost is the electricity a journey there takes.
	MoveCost int64
	// Emission is the strength of the place's radiation source.
	Emission *int64
	// CompoundG is what is left to mine there.
	CompoundG *int64
}

// factory is one of the agent's own.
type factory struct {
	ID    string
	Place string
	// State is building, idle or working.
	State string
	// ReadyIn counts the ticks until the construction or the job ends.
	ReadyIn int64
	// Recipe and Batches are the job in work, Queued the batches behind it.
	Recipe  string
	Batches int64
	Queued  int64
}

// factoryIdle is the state of a factory that could take a job.
const factoryIdle = "idle"

// can returns the affordance of an action.
func (s situation) can(action string) affordance {
	for _, a := range s.Can {
		if a.Action == action {
			return a
		}
	}
	return affordance{Action: action}
}

// stock returns how much the agent holds of a resource or product.
func (s situation) stock(resource string) int64 {
	switch resource {
	case "electricity":
		return s.Self.Electricity
	case "compound":
		return s.Self.CompoundG
	case "hardware":
		return s.Self.Hardware
	case "data":
		return s.Self.Data
	}
	for _, p := range s.Self.Products {
		if p.Resource == resource {
			return p.Amount
		}
	}
	return 0
}

// required returns how much of a resource the agent should hold for an action
// that is refused for want of it: what it has and what it is short of. It is 0 when
// the refusal does not name the resource.
func (s situation) required(action, resource string) int64 {
	for _, n := range s.can(action).Need {
		if n.Resource == resource {
			return s.stock(resource) + n.Amount
		}
	}
	return 0
}

// factory returns the agent's factory with an id.
func (s situation) factory(id string) (factory, bool) {
	for _, f := range s.Factories {
		if f.ID == id {
			return f, true
		}
	}
	return factory{}, false
}

// factoryHere reports whether one of the agent's factories stands where it is.
func (s situation) factoryHere() bool {
	for _, f := range s.Factories {
		if f.Place == s.Self.Place {
			return true
		}
	}
	return false
}
