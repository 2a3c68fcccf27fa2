package world

// wakeUp names a wake-up: an entity (agents first, then factories in the order
// they were built) and one of its kinds. They order what happens within a tick.
type wakeUp int32

const (
	// kindBody is an arrival, the end of a wait, or a factory's next step: an
	// entity waits for at most one of them at a time.
	kindBody = 0
	// kindPower is the next change of an agent's power state.
	kindPower = 1
	// kindMail is the arrival of the next message to an agent.
	kindMail = 2
	// kindOrders is the first of an agent's orders and offers to expire.
	kindOrders  = 3
	wakeUpKinds = 4
)

// wakeUpOf is the wake-up of an entity and kind. The entity is the quotient by
// wakeUpKinds, the kind the remainder.
func wakeUpOf(entity, kind int32) wakeUp { return wakeUp(entity*wakeUpKinds + kind) }

// calendar holds at most one entry per wake-up, so that it never outgrows the
// number of entities and holds nothing stale. It is a heap by (tick, wake-up) that
// knows where each wake-up sits. With four children to a parent it is half as deep as
// one with two, and the children lie side by side.
type calendar struct {
	entries []calendarEntry
	// where[s] is 1 + the index of wake-up s in entries, 0 when it has none.
	where []int32
}

// calendarEntry says that a wake-up is due at the start of tick.
type calendarEntry struct {
	tick   int64
	wakeUp wakeUp
}

// calendarFan is the number of children of an entry in the heap.
const calendarFan = 4

// set moves the wake-up of s to tick, making one if there is none.
func (c *calendar) set(s wakeUp, tick int64) {
	if more := int(s) + 1 - len(c.where); more > 0 {
		c.where = append(c.where, make([]int32, more)...)
	}
	e := calendarEntry{tick, s}
	i := int(c.where[s]) - 1
	if i < 0 {
		c.entries = append(c.entries, e)
		i = len(c.entries) - 1
	}
	c.settle(e, i)
}

// cancel drops the wake-up of s if there is one.
func (c *calendar) cancel(s wakeUp) {
	if int(s) < len(c.where) && c.where[s] != 0 {
		c.remove(int(c.where[s]) - 1)
	}
}

// next takes the earliest wake-up that is not after tick.
func (c *calendar) next(tick int64) (wakeUp, bool) {
	if len(c.entries) == 0 || c.entries[0].tick > tick {
		return 0, false
	}
	s := c.entries[0].wakeUp
	c.remove(0)
	return s, true
}

// remove takes out the entry at i and puts the last one in its place.
func (c *calendar) remove(i int) {
	c.where[c.entries[i].wakeUp] = 0
	last := len(c.entries) - 1
	e := c.entries[last]
	c.entries = c.entries[:last]
	if i < last {
		c.settle(e, i)
	}
}

// before orders by tick, then by entity and kind, which makes the order in which a tick is
// worked off independent of the order in which it was planned.
func (e calendarEntry) before(f calendarEntry) bool {
	return e.tick < f.tick || e.tick == f.tick && e.wakeUp < f.wakeUp
}

// settle puts e where it belongs, starting from the free position i: later parents move
// down or the earliest children up until it fits.
func (c *calendar) settle(e calendarEntry, i int) {
	for parent := (i - 1) / calendarFan; i > 0 && e.before(c.entries[parent]); parent = (i - 1) / calendarFan {
		c.put(c.entries[parent], i)
		i = parent
	}
	for {
		first := i*calendarFan + 1
		if first >= len(c.entries) {
			break
		}
		least := first
		for k := first + 1; k < min(first+calendarFan, len(c.entries)); k++ {
			if c.entries[k].before(c.entries[least]) {
				least = k
			}
		}
		if !c.entries[least].before(e) {
			break
		}
		c.put(c.entries[least], i)
		i = least
	}
	c.put(e, i)
}

// put writes e at position i and remembers it.
func (c *calendar) put(e calendarEntry, i int) {
	c.entries[i] = e
	c.where[e.wakeUp] = int32(i + 1)
}
