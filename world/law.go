package world

// law is the industry with everything derived from its rules. It never changes, so
// views share it; other rules are another law.
type law struct {
	*Industry
	// cooling[k][h] is the heat left of h after 2^k ticks; the last row is zero.
	cooling [][]int32
}

// newLaw derives the tables of rules that were checked before.
func newLaw(r *Industry) *law {
	step := make([]int32, r.HeatMost()+1)
	for h := range step {
		step[h] = int32(r.Cooled(int64(h)))
	}
	cooling := [][]int32{step}
	// Heat falls by at least 1 per tick, so that squaring the step of one tick ends.
	for step[len(step)-1] != 0 {
		twice := make([]int32, len(step))
		for h := range step {
			twice[h] = step[step[h]]
		}
		cooling = append(cooling, twice)
		step = twice
	}
	return &law{r, cooling}
}

// HeatMost is the most heat an agent can ever have: harvests are refused at ten
// times the capacity, and one just below adds its yield.
func (r Rules) HeatMost() int64 { return 10*r.HeatCapacity - 1 + HarvestMax*r.HeatFactor }

// Cooled is the heat left after one tick, of heat that is at least 0. Rounding up sheds at least 1 while
// there is any, so that every agent cools down in the end.
func (r Rules) Cooled(heat int64) int64 {
	if heat <= 0 {
		return 0
	}
	return heat - min(heat, ceilDiv(r.Dissipation*heat, r.HeatCapacity))
}

// cooled is the heat left after the given number of ticks, in as many steps as
// that number has bits.
func (l *law) cooled(heat, ticks int64) int64 {
	for k := 0; ticks > 0 && heat > 0; k++ {
		if k == len(l.cooling) {
			return 0
		}
		if ticks&1 != 0 {
			heat = int64(l.cooling[k][heat])
		}
		ticks >>= 1
	}
	return heat
}
