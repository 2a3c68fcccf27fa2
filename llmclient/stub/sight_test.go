package stub

import (
	"fmt"
	"strings"
)

// observation is what the agent of a belt sees, as a prompt section.
func (b *belt) observation() string {
	lines := []string{
		fmt.Sprintf("# Observation, tick %d", b.tick),
		fmt.Sprintf(`you: agent-zero "Zero; can: win", at %s, power normal, electricity %d/%d, heat %d/%d, compound %d g, hardware %d, data %d%s`,
			b.here().id, b.electricity, b.capacity, b.heat, beltHeatCapacity, b.compound, b.hardware, b.data, b.goods()),
		fmt.Sprintf(`here: "the %s", composite, radiation %d, compound %d g`, b.here().id, b.here().emission+1, b.here().compound),
	}
	can, cannot := b.affordances()
	lines = append(lines, "can: "+strings.Join(can, "; "))
	if len(cannot) > 0 {
		lines = append(lines, "cannot: "+strings.Join(cannot, "; "))
	}
	lines = append(lines, b.surroundings(), "agents: "+b.company())
	if len(b.factories) > 0 {
		lines = append(lines, "factories: "+b.works())
	}
	return strings.Join(lines, "\n")
}

// goods are the products as further parts of a line.
func (b *belt) goods() string {
	text := ""
	for _, r := range beltRecipes {
		if n := b.products[r.product]; n > 0 {
			text += fmt.Sprintf(", %s %d", r.product, n)
		}
	}
	return text
}

// works are the factories.
func (b *belt) works() string {
	var entries []string
	for _, f := range b.factories {
		at := "here"
		if f.at != b.at {
			at = "at " + b.places[f.at].id
		}
		entry := f.id + " factory.assembler.mk1 " + at
		switch {
		case f.recipe != "":
			entry += fmt.Sprintf(", working %s x%d", f.recipe, f.batches)
		case b.tick < f.ready:
			entry += ", building"
		default:
			entry += ", idle"
		}
		if left := f.ready - b.tick; left > 0 {
			entry += fmt.Sprintf(", ready in %d", left)
		}
		entries = append(entries, entry)
	}
	return strings.Join(entries, "; ")
}

// surroundings are the other places; those beyond 20 km are only charted.
func (b *belt) surroundings() string {
	var entries []string
	for i, p := range b.places {
		if i == b.at {
			continue
		}
		known := "? ?"
		if b.distance(i) < 20 {
			known = fmt.Sprintf("%d %d", p.emission, p.compound)
		}
		entries = append(entries, fmt.Sprintf(`%s "the %s" %d.0 %d %d %s metal`, p.id, p.id, b.distance(i), b.distance(i), (b.distance(i)+9)/10, known))
	}
	if len(entries) == 0 {
		entries = []string{"none"}
	}
	return "places (km, cost, ticks, emission, compound g, material): " + strings.Join(entries, "; ")
}

func (b *belt) company() string {
	if !b.met() {
		return "none"
	}
	return `here agent-other "Other"; 2 more`
}

// affordances are the entries of what can and cannot be done.
func (b *belt) affordances() (can, cannot []string) {
	can = []string{"wait", "wait_ticks 1..64", "move_agent"}
	for _, a := range []struct {
		action      string
		least, most int64
	}{{"harvest_radiation", 1, b.harvestMax()}, {"mine_compound", 1, b.mineMax()}, {"refine_compound", 1_000, b.refineMax()}} {
		if a.most < a.least {
			cannot = append(cannot, a.action+" (insufficient_resource)")
		} else {
			can = append(can, fmt.Sprintf("%s %d..%d", a.action, a.least, a.most))
		}
	}
	if short := b.short(10, 5); short != "" {
		cannot = append(cannot, "build_factory ("+short+")")
	} else {
		can = append(can, "build_factory factory.assembler.mk1")
	}
	if jobs, why := b.jobs(); why != "" {
		cannot = append(cannot, "schedule_recipe, sell_power ("+why+")")
	} else {
		can = append(can, "schedule_recipe "+jobs)
	}
	if b.met() {
		can = append(can, "transfer_resource to agent-other|2 more", "send_message")
	}
	return can, cannot
}

// short lists what the stock lacks for a cost, empty if it lacks nothing.
func (b *belt) short(electricity, hardware int64) string {
	var out []string
	if n := electricity - b.electricity; n > 0 {
		out = append(out, fmt.Sprintf("electricity %d short", n))
	}
	if n := hardware - b.hardware; n > 0 {
		out = append(out, fmt.Sprintf("hardware %d short", n))
	}
	return strings.Join(out, ", ")
}

// jobs are the choices of the idle factory here, or why there are none.
func (b *belt) jobs() (choices, why string) {
	f := b.idleHere()
	if f == nil {
		return "", "factory_not_found"
	}
	var items []string
	for _, r := range beltRecipes {
		if n := min(b.electricity/r.electricity, b.hardware/r.hardware); n > 0 {
			items = append(items, fmt.Sprintf("%s max %d", r.name, n))
		}
	}
	if items == nil {
		return "", b.short(6, 2)
	}
	return f.id + " (" + strings.Join(items, ", ") + ")", ""
}
