package world

import "container/heap"

// slot names one wake-up: an entity (agents first, then factories in the order
// they were built) and one of its kinds. Slots order wake-ups within a tick.
type slot int32

const (
	// kindBody is an arrival, the end of a wait, or a factory's next step: an
	// entity waits for at most one of them at a time.
	kindBody = 0
	// kindPower is the next change of an agent's power state.
	kindPower = 1
	// kindMail is the arrival of the next message to an agent.
	kindMail  = 2
	slotKinds = 3
)

// slotOf is the slot of an entity and kind.
func slotOf(entity, kind int32) slot { return slot(entity*slotKinds + kind) }

// entity is the agent or, above the agents, the factory the slot belongs to.
func (s slot) entity() int32 { return int32(s) / slotKinds }

// kind is one of the kinds of wake-up.
func (s slot) kind() int32 { return int32(s) % slotKinds }

// calendar holds at most one wake-up per slot, so that it never outgrows the
// number of entities and holds nothing stale. It is a heap by (tick, slot) that
// knows where each slot sits.
type calendar struct {
	entries []calendarEntry
	// where[s] is 1 + the index of slot s in entries, 0 when it has none.
	where []int32
}

// calendarEntry is a wake-up: its slot is due at the start of tick.
type calendarEntry struct {
	tick int64
	slot slot
}

// set moves the wake-up of s to tick, making one if there is none.
func (c *calendar) set(s slot, tick int64) {
	for int(s) >= len(c.where) {
		c.where = append(c.where, 0)
	}
	if i := c.where[s]; i != 0 {
		c.entries[i-1].tick = tick
		heap.Fix(c, int(i-1))
		return
	}
	heap.Push(c, calendarEntry{tick, s})
}

// cancel drops the wake-up of s if there is one.
func (c *calendar) cancel(s slot) {
	if int(s) < len(c.where) && c.where[s] != 0 {
		heap.Remove(c, int(c.where[s]-1))
	}
}

// next takes the earliest wake-up that is not after tick.
func (c *calendar) next(tick int64) (slot, bool) {
	if len(c.entries) == 0 || c.entries[0].tick > tick {
		return 0, false
	}
	return heap.Pop(c).(calendarEntry).slot, true
}

// Len implements heap.Interface.
func (c *calendar) Len() int { return len(c.entries) }

// Less implements heap.Interface: by tick, then by slot, which makes the order in
// which a tick is worked off independent of the order in which it was planned.
func (c *calendar) Less(i, j int) bool {
	a, b := c.entries[i], c.entries[j]
	return a.tick < b.tick || a.tick == b.tick && a.slot < b.slot
}

// Swap implements heap.Interface and keeps where in step.
func (c *calendar) Swap(i, j int) {
	c.entries[i], c.entries[j] = c.entries[j], c.entries[i]
	c.where[c.entries[i].slot] = int32(i + 1)
	c.where[c.entries[j].slot] = int32(j + 1)
}

// Push implements heap.Interface; use set.
func (c *calendar) Push(x any) {
	e := x.(calendarEntry)
	c.entries = append(c.entries, e)
	c.where[e.slot] = int32(len(c.entries))
}

// Pop implements heap.Interface; use next or cancel.
func (c *calendar) Pop() any {
	last := len(c.entries) - 1
	e := c.entries[last]
	c.entries = c.entries[:last]
	c.where[e.slot] = 0
	return e
}
