package batch

// Totals are what results are in all.
type Totals struct {
	// Failed counts those that ended without a score.
	Failed int
	// Calls, Tokens and CostMicros are what their runs took; Currency is empty without prices.
	Calls      int64
	Tokens     int64
	CostMicros int64
	Currency   string
	// Arms counts them by the labels of their cells, see [Cell.Arm].
	Arms map[string]int
}

// add counts a result so many times: once, or -1 times for one that is replaced.
func (t *Totals) add(r Result, times int64) {
	if t.Arms == nil {
		t.Arms = map[string]int{}
	}
	t.Arms[r.Arm()] += int(times)
	if !r.Scored() {
		t.Failed += int(times)
	}
	t.Calls += times * r.Calls
	t.Tokens += times * r.Tokens
	t.CostMicros += times * r.CostMicros
	if r.Currency != "" {
		t.Currency = r.Currency
	}
}

// Tally are the results that a process knows of, one for each cell, and what they are in all. It is kept as they
// come, since a batch has many and each is told of. The zero value has none.
type Tally struct {
	Totals
	// Results are in the order in which the process learned of their cells.
	Results []Result

	places map[ID]int
}

// Add takes up a result, in place of an earlier one of its cell.
func (t *Tally) Add(r Result) {
	if t.places == nil {
		t.places = map[ID]int{}
	}
	t.add(r, 1)
	at, known := t.places[r.ID]
	if known {
		t.add(t.Results[at], -1)
		t.Results[at] = r
		return
	}
	t.places[r.ID] = len(t.Results)
	t.Results = append(t.Results, r)
}

// Of is the result of a cell, and whether there is one.
func (t *Tally) Of(id ID) (r Result, known bool) {
	at, known := t.places[id]
	if known {
		r = t.Results[at]
	}
	return r, known
}
