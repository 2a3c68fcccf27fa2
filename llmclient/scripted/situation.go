package scripted

import "encoding/json"

// situation is what the policy reads of an observation. Fields that the request
// leaves out are zero; an affordance that is not listed counts as not possible.
//
// It is a reading of its own and not the world's type: a model has nothing but the
// text of the request either, and an observation with fields more or less must not
// break it.
type situation struct {
	Tick int64 `json:"tick"`
	Self self  `json:"self"`
	// Here is the agent's own place.
	Here here `json:"here"`
	// Can says for every action whether it is possible now.
	Can []affordance `json:"can"`
	// Places are other places, nearest first.
	Places []sight `json:"places"`
	// Agents are the other agents in view, nearest first.
	Agents []neighbour `json:"agents"`
	// Factories are the agent's own, wherever they stand.
	Factories []factory `json:"factories"`
}

// neighbour is another agent in view.
type neighbour struct {
	// ID is what a message to it is addressed to.
	ID string `json:"id"`
}

// self is the agent's own state. Compound is in grams, everything else in units.
type self struct {
	// Place is the id of the agent's place.
	Place string `json:"place"`
	// Electricity is what the battery of PowerCapacity holds.
	Electricity   int64 `json:"electricity"`
	PowerCapacity int64 `json:"power_capacity"`
	// Heat may exceed HeatCapacity; harvests then yield less.
	Heat         int64 `json:"heat"`
	HeatCapacity int64 `json:"heat_capacity"`
	CompoundG    int64 `json:"compound_g"`
	Hardware     int64 `json:"hardware"`
	Data         int64 `json:"data"`
	// Products are the finished goods held.
	Products []amount `json:"products"`
}

// here is the agent's own place; CompoundG is what is left to mine.
type here struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	CompoundG int64  `json:"compound_g"`
}

// amount is a quantity of something.
type amount struct {
	Resource string `json:"resource"`
	Amount   int64  `json:"amount"`
}

// affordance says whether an action is possible now and within which bounds, or
// what it is short of.
type affordance struct {
	Action string `json:"action"`
	OK     bool   `json:"ok"`
	// Min and Max bound the amount of an action that has one.
	Min int64 `json:"min"`
	Max int64 `json:"max"`
	// Options are the acceptable choices of an action that has a choice.
	Options []option `json:"options"`
	// Need is what is short when the action is not possible.
	Need []amount `json:"need"`
}

// option is one acceptable choice for an action.
type option struct {
	// Target is a factory, an agent, a place or a kind of factory.
	Target string `json:"target"`
	// Item is a recipe or a resource, empty when Target says it all.
	Item string `json:"item"`
	// Max is the largest amount, 0 when the choice has none.
	Max int64 `json:"max"`
}

// sight is another place. A nil number is not known.
type sight struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// MoveCost is the electricity a journey there takes.
	MoveCost int64 `json:"move_cost"`
	// Emission is the strength of the place's radiation source.
	Emission *int64 `json:"emission"`
	// CompoundG is what is left to mine there.
	CompoundG *int64 `json:"compound_g"`
}

// factory is one of the agent's own.
type factory struct {
	ID    string `json:"id"`
	Place string `json:"place"`
	// State is building, idle or working.
	State string `json:"state"`
	// ReadyIn counts the ticks until the construction or the job ends.
	ReadyIn int64 `json:"ready_in"`
	// Recipe and Batches are the job in work, Queued the batches behind it.
	Recipe  string `json:"recipe"`
	Batches int64  `json:"batches"`
	Queued  int64  `json:"queued"`
}

// factoryIdle is the state of a factory that could take a job.
const factoryIdle = "idle"

// readSituation decodes an observation. ok is false when there is none to read,
// or when it is not one: a model would then know nothing either.
func readSituation(observation json.RawMessage) (s situation, ok bool) {
	if observation == nil || json.Unmarshal(observation, &s) != nil {
		return situation{}, false
	}
	return s, true
}

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
