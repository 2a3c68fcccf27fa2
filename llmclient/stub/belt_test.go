package stub

import (
	"encoding/json"
	"fmt"
	"slices"
)

// belt is a small world with one agent, just true enough to the rules to see
// whether the policy makes a living: a few places, power, heat, mining, refining,
// building and jobs. The policy reaches it only through requests, so it sees what
// it would see of any world.
type belt struct {
	tick, electricity, capacity, heat int64
	compound, hardware, data          int64
	products                          map[string]int64
	places                            []*spot
	at                                int
	factories                         []*plant
	// arrives and sleepsUntil are ticks before which the agent is not due.
	arrives, sleepsUntil int64
	down                 bool
	// contended makes every harvest fail, neighbour puts another agent here, neighbourAt
	// one at a place.
	contended, neighbour bool
	neighbourAt          string
	// What the tests look at afterwards; firstSchedule is -1 without a job.
	firstSchedule int64
	shutdowns     int
	applied       []string
	given         map[string]int64
}

type spot struct {
	id       string
	km       int64
	compound int64
	emission int64
}

type plant struct {
	id      string
	at      int
	ready   int64
	recipe  string
	batches int64
}

// recipeRow is what one batch costs, how long it takes and what it yields.
type recipeRow struct {
	name, product                      string
	electricity, hardware, ticks, data int64
}

// beltRecipes are the recipes, cheapest first.
var beltRecipes = []recipeRow{
	{"recipe.assembler.control_chip", "control_chip", 6, 2, 2, 1},
	{"recipe.assembler.motor_mk1", "motor_mk1", 12, 4, 3, 2},
	{"recipe.assembler.logistics_drone", "logistics_drone", 24, 8, 5, 4},
}

const beltHeatCapacity = 100

func newBelt(electricity int64) *belt {
	return &belt{
		electricity: electricity, capacity: 200, data: 12, products: map[string]int64{}, given: map[string]int64{}, firstSchedule: -1,
		places: []*spot{{"site-anvil", 0, 40_000, 45}, {"site-birch", 8, 12_000, 6}, {"site-cedar", 30, 9_000, 25}},
	}
}

// distance is in started kilometres along a line.
func (b *belt) distance(to int) int64 {
	return max(b.places[to].km-b.places[b.at].km, b.places[b.at].km-b.places[to].km)
}

func (b *belt) here() *spot { return b.places[b.at] }

// advance starts the next tick: idling, cooling, jobs.
func (b *belt) advance() {
	b.tick++
	if b.heat > 0 {
		b.heat -= max(1, (5*b.heat+beltHeatCapacity-1)/beltHeatCapacity)
	}
	switch {
	case b.down:
		b.electricity++
		b.down = b.electricity < b.capacity/10
	case b.electricity > 0:
		b.electricity--
	}
	if b.electricity == 0 && !b.down {
		b.down = true
		b.shutdowns++
	}
	for _, f := range b.factories {
		if f.recipe != "" && b.tick >= f.ready {
			r := b.recipe(f.recipe)
			b.products[r.product] += f.batches
			b.data += r.data * f.batches
			f.recipe, f.batches = "", 0
		}
	}
}

// due reports whether the agent decides this tick.
func (b *belt) due() bool { return !b.down && b.tick >= b.arrives && b.tick >= b.sleepsUntil }

func (b *belt) recipe(name string) recipeRow {
	for _, known := range beltRecipes {
		if known.name == name {
			return known
		}
	}
	return recipeRow{}
}

func (b *belt) harvestMax() int64 {
	amount := min(50, b.here().emission+1)
	if b.heat > beltHeatCapacity {
		amount = max(1, amount*beltHeatCapacity/b.heat)
	}
	return max(0, min(amount, b.capacity-b.electricity))
}

func (b *belt) mineMax() int64 { return min(5_000, b.here().compound, b.electricity*1_000) }

func (b *belt) refineMax() int64 { return min(b.compound/1_000, b.electricity/2) * 1_000 }

// idleHere returns the agent's idle factory at its place.
func (b *belt) idleHere() *plant {
	for _, f := range b.factories {
		if f.at == b.at && b.tick >= f.ready && f.recipe == "" {
			return f
		}
	}
	return nil
}

// amountIn reads an amount of a decoded action, -1 when it is none.
func amountIn(action object, field string) int64 {
	n, err := action[field].(json.Number).Int64()
	if err != nil {
		return -1
	}
	return n
}

// rejects says why the world would refuse an action, "" when it would not.
func (b *belt) rejects(action object) string {
	within := func(field string, least, most int64) string {
		if n := amountIn(action, field); n < least || n > most {
			return fmt.Sprintf("%s %d is not within %d and %d", field, n, least, most)
		}
		return ""
	}
	switch name(action) {
	case "wait":
		return ""
	case "wait_ticks":
		return within("amount", 1, 64)
	case "harvest_radiation":
		if b.contended {
			return "contended"
		}
		return within("amount", 1, b.harvestMax())
	case "mine_compound":
		return within("amount", 1, b.mineMax())
	case "refine_compound":
		return within("amount", 1_000, b.refineMax())
	case "build_factory":
		if b.electricity < 10 || b.hardware < 5 {
			return "too little to build"
		}
		return ""
	case "move_agent":
		to := b.index(action)
		if to < 0 || to == b.at || b.distance(to) > b.electricity {
			return "no way there"
		}
		return ""
	case "schedule_recipe":
		return b.rejectsJob(action)
	case "transfer_resource":
		if !b.met() || action["to"] != "agent-other" {
			return "nobody is here"
		}
		return within("amount", 1, b.gift(action))
	case "send_message":
		if text, _ := action["text"].(string); text == "" || action["to"] != "agent-other" {
			return "no text, or nobody to read it"
		}
		return ""
	}
	return "no such action"
}

// gift is what there is to give of the kind a transfer names.
func (b *belt) gift(action object) int64 {
	kind, _ := action["what"].(string)
	if stock := b.stock(kind); stock != nil {
		return *stock
	}
	return b.products[kind]
}

// stock is where what is no product is held, nil for a product.
func (b *belt) stock(kind string) *int64 {
	return map[string]*int64{"data": &b.data, "hardware": &b.hardware, "compound": &b.compound, "electricity": &b.electricity}[kind]
}

// met reports whether another agent is here.
func (b *belt) met() bool { return b.neighbour || b.neighbourAt == b.here().id }

func (b *belt) rejectsJob(action object) string {
	f, r := b.idleHere(), b.recipe(action["what"].(string))
	n := amountIn(action, "amount")
	if f == nil || f.id != action["id"] || r.name == "" || n < 1 || n*r.electricity > b.electricity || n*r.hardware > b.hardware {
		return "the factory takes no such job"
	}
	return ""
}

func (b *belt) index(action object) int {
	return slices.IndexFunc(b.places, func(p *spot) bool { return p.id == action["to"] })
}

// apply carries an accepted action out.
func (b *belt) apply(action object) {
	b.applied = append(b.applied, name(action))
	switch name(action) {
	case "wait_ticks":
		b.sleepsUntil = b.tick + amountIn(action, "amount")
	case "harvest_radiation":
		n := min(amountIn(action, "amount"), b.harvestMax())
		b.electricity, b.heat = b.electricity+n, b.heat+n
	case "mine_compound":
		n := amountIn(action, "amount")
		b.compound, b.here().compound, b.electricity = b.compound+n, b.here().compound-n, b.electricity-(n+999)/1_000
	case "refine_compound":
		n := amountIn(action, "amount") / 1_000
		b.compound, b.hardware, b.electricity = b.compound-n*1_000, b.hardware+n, b.electricity-2*n
	case "build_factory":
		b.electricity, b.hardware = b.electricity-10, b.hardware-5
		b.factories = append(b.factories, &plant{id: fmt.Sprintf("agent-zero-f%d", len(b.factories)+1), at: b.at, ready: b.tick + 3})
	case "move_agent":
		to := b.index(action)
		b.electricity -= b.distance(to)
		b.arrives, b.at = b.tick+(b.distance(to)+9)/10, to
	case "schedule_recipe":
		f, r, n := b.idleHere(), b.recipe(action["what"].(string)), amountIn(action, "amount")
		b.electricity, b.hardware = b.electricity-n*r.electricity, b.hardware-n*r.hardware
		f.recipe, f.batches, f.ready = r.name, n, b.tick+n*r.ticks
		if b.firstSchedule < 0 {
			b.firstSchedule = b.tick
		}
	case "transfer_resource":
		kind, n := action["what"].(string), amountIn(action, "amount")
		if b.given[kind] += n; b.stock(kind) != nil {
			*b.stock(kind) -= n
		} else {
			b.products[kind] -= n
		}
	}
}
