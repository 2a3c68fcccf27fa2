package scripted

import (
	"encoding/json"
	"slices"
)

// situation is what the policy reads of an observation. Fields that the request
// leaves out are zero; an affordance that is not listed counts as not possible.
type situation struct {
	Tick      int64        `json:"tick"`
	Self      self         `json:"self"`
	Here      here         `json:"here"`
	Can       []affordance `json:"can"`
	Places    []sight      `json:"places"`
	Factories []factory    `json:"factories"`
}

// self is the agent's own state; amounts are in the observation's units.
type self struct {
	Place         string   `json:"place"`
	Electricity   int64    `json:"electricity"`
	PowerCapacity int64    `json:"power_capacity"`
	Heat          int64    `json:"heat"`
	HeatCapacity  int64    `json:"heat_capacity"`
	CompoundG     int64    `json:"compound_g"`
	Hardware      int64    `json:"hardware"`
	Data          int64    `json:"data"`
	Products      []amount `json:"products"`
}

type here struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	CompoundG int64  `json:"compound_g"`
}

type amount struct {
	Resource string `json:"resource"`
	Amount   int64  `json:"amount"`
}

// affordance says whether an action is possible now, within which bounds, and
// otherwise what is missing.
type affordance struct {
	Action  string   `json:"action"`
	OK      bool     `json:"ok"`
	Field   string   `json:"field"`
	Min     int64    `json:"min"`
	Max     int64    `json:"max"`
	Options []option `json:"options"`
	Need    []amount `json:"need"`
}

// option is one acceptable choice for an action.
type option struct {
	Target string `json:"target"`
	Item   string `json:"item"`
	Max    int64  `json:"max"`
}

// sight is another place. A nil number is not known.
type sight struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	MoveCost  int64  `json:"move_cost"`
	Emission  *int64 `json:"emission"`
	CompoundG *int64 `json:"compound_g"`
}

// factory is one of the agent's own.
type factory struct {
	ID      string `json:"id"`
	Place   string `json:"place"`
	State   string `json:"state"`
	ReadyIn int64  `json:"ready_in"`
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
// that is refused for want of something, 0 when the refusal does not name it. The
// observation may state what is needed in all or what is missing. When the stock
// covers every number, they can only be what is missing.
func (s situation) required(action, resource string) int64 {
	need := s.can(action).Need
	missing := !slices.ContainsFunc(need, func(n amount) bool { return n.Amount > s.stock(n.Resource) })
	for _, n := range need {
		if n.Resource == resource && missing {
			return n.Amount + s.stock(resource)
		}
		if n.Resource == resource {
			return n.Amount
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

// place returns the sight of another place.
func (s situation) place(id string) (sight, bool) {
	for _, p := range s.Places {
		if p.ID == id {
			return p, true
		}
	}
	return sight{}, false
}
