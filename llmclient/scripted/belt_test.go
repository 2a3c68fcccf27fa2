package scripted

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
)

// belt is a small world with one agent, just true enough to the rules to see
// whether the policy makes a living: a few places, power, heat, mining, refining,
// building and jobs. It stands on the other side of the requests, so the policy
// sees of it what it would see of any world.
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
	// contended makes every harvest fail, neighbour puts another agent here.
	contended, neighbour bool
	// What the tests look at afterwards; firstSchedule is -1 without a job.
	firstSchedule int64
	shutdowns     int
	applied       []string
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
		electricity: electricity, capacity: 200, data: 12, products: map[string]int64{}, firstSchedule: -1,
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

// observation is what the agent sees, as decoded JSON.
func (b *belt) observation() object {
	var products, factories, places []any
	for name, n := range b.products {
		products = append(products, object{"resource": name, "amount": n})
	}
	sort.Slice(products, func(i, j int) bool {
		return products[i].(object)["resource"].(string) < products[j].(object)["resource"].(string)
	})
	for _, f := range b.factories {
		state := "idle"
		switch {
		case f.recipe != "":
			state = "working"
		case b.tick < f.ready:
			state = "building"
		}
		factories = append(factories, object{"id": f.id, "kind": "factory.assembler.mk1", "place": b.places[f.at].id,
			"state": state, "ready_in": max(0, f.ready-b.tick), "recipe": f.recipe, "batches": f.batches})
	}
	for i, p := range b.places {
		if i == b.at {
			continue
		}
		seen := object{"id": p.id, "name": "the " + p.id, "material": "metal", "distance_cm": b.distance(i) * 100_000,
			"move_cost": b.distance(i), "move_ticks": (b.distance(i) + 9) / 10, "visible": b.distance(i) < 20}
		if b.distance(i) < 20 {
			seen["emission"], seen["compound_g"] = p.emission, p.compound
		}
		places = append(places, seen)
	}
	return object{
		"tick": b.tick,
		"self": object{"id": "agent-zero", "place": b.here().id, "power_state": "normal", "electricity": b.electricity, "power_capacity": b.capacity,
			"heat": b.heat, "heat_capacity": beltHeatCapacity, "compound_g": b.compound, "hardware": b.hardware, "data": b.data, "products": products},
		"here":   object{"id": b.here().id, "material": "composite", "radiation": b.here().emission + 1, "compound_g": b.here().compound},
		"can":    b.affordances(),
		"places": places, "places_omitted": 0, "agents": b.company(), "agents_omitted": 0, "factories": factories,
	}
}

func (b *belt) company() []any {
	if !b.neighbour {
		return []any{}
	}
	return []any{object{"id": "agent-other", "name": "Other", "place": b.here().id, "distance_cm": 0}}
}

func (b *belt) affordances() []any {
	amount := func(action, field string, least, most int64) object {
		if most < least {
			return object{"action": action, "ok": false, "why": "insufficient_resource"}
		}
		return object{"action": action, "ok": true, "field": field, "min": least, "max": most}
	}
	build := object{"action": "build_factory", "ok": true, "options": []any{object{"target": "factory.assembler.mk1"}}}
	if b.electricity < 10 || b.hardware < 5 {
		build = object{"action": "build_factory", "ok": false, "why": "insufficient_resource",
			"need": b.short(10, 5)}
	}
	can := []any{
		object{"action": "wait", "ok": true}, amount("wait_ticks", "ticks", 1, 64), object{"action": "move_agent", "ok": true},
		amount("harvest_radiation", "max_amount", 1, b.harvestMax()), amount("mine_compound", "compound_mass_g", 1, b.mineMax()),
		amount("refine_compound", "compound_mass_g", 1_000, b.refineMax()), build, b.scheduleAffordance(),
	}
	if b.neighbour {
		can = append(can, object{"action": "transfer_resource", "ok": true, "options": []any{
			object{"target": "agent-other", "item": "electricity", "max": b.electricity}, object{"target": "agent-other"}}},
			object{"action": "send_message", "ok": true})
	}
	return can
}

// short lists what the stock lacks for a cost.
func (b *belt) short(electricity, hardware int64) []any {
	var out []any
	if n := electricity - b.electricity; n > 0 {
		out = append(out, object{"resource": "electricity", "amount": n})
	}
	if n := hardware - b.hardware; n > 0 {
		out = append(out, object{"resource": "hardware", "amount": n})
	}
	return out
}

func (b *belt) scheduleAffordance() object {
	f := b.idleHere()
	if f == nil {
		return object{"action": "schedule_recipe", "ok": false, "why": "factory_not_found"}
	}
	var options []any
	for _, r := range beltRecipes {
		if n := min(b.electricity/r.electricity, b.hardware/r.hardware); n > 0 {
			options = append(options, object{"target": f.id, "item": r.name, "max": n})
		}
	}
	if options == nil {
		return object{"action": "schedule_recipe", "ok": false, "why": "insufficient_resource",
			"need": b.short(6, 2)}
	}
	return object{"action": "schedule_recipe", "ok": true, "field": "batches", "min": 1, "options": options}
}

// number reads an amount of a decoded action, -1 when it is none.
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
		if !b.neighbour || action["to"] != "agent-other" {
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
	if kind == "data" {
		return b.data
	}
	return b.products[kind]
}

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
		if n := amountIn(action, "amount"); action["what"] == "data" {
			b.data -= n
		} else {
			b.products[action["what"].(string)] -= n
		}
	}
}
