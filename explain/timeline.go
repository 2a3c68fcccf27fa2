package explain

import "example.com/agentworld/trace"

// timelineLinesMax bounds the lines of a timeline.
const timelineLinesMax = 400

// Timeline is what one agent did in a run, a line per tick or per run of equal ticks.
type Timeline struct {
	// From and To bound the ticks; 0 is the run's first and last.
	From, To int64
	Lines    []TimelineLine
	// More is the first tick that is left out because there are too many lines, 0 for none.
	More int64
}

// TimelineLine is some ticks in a row in which the agent did the same.
type TimelineLine struct {
	First, Last int64
	// Row is the last of them. Did says what the agent did, Notes are what else happened to it.
	Row   Row
	Did   string
	Notes []string

	// key is equal for rows that one line can show.
	key string
}

// Add takes the next row of the agent.
func (t *Timeline) Add(r Row) {
	if r.Tick < t.From || t.To > 0 && r.Tick > t.To || t.More > 0 {
		return
	}
	line := TimelineLine{First: r.Tick, Last: r.Tick, Row: r, Notes: r.Notes()}
	line.Did, line.key = r.did()
	if n := len(t.Lines); n > 0 {
		before := &t.Lines[n-1]
		if before.key == line.key && len(before.Notes)+len(line.Notes) == 0 {
			line.First = before.First
			*before = line
			return
		}
		if n == timelineLinesMax {
			t.More = r.Tick
			return
		}
	}
	t.Lines = append(t.Lines, line)
}

// Idle is an agent in a tick without a decision.
type Idle struct {
	// Row is how it was, Did says that, and Since is the first tick in a row in which it was so.
	Row   Row
	Did   string
	Since int64
	// Last is its last decision before, nil for none.
	Last *trace.Decision
}

// readIdle looks at a tick in which an agent decided nothing; nil if the world cannot be played again up
// to it.
func readIdle(of Run, tick int64, agent string) *Idle {
	var at Idle
	for r, err := range TableOf(of, agent).Rows() {
		if err != nil {
			return nil
		}
		if r.Decision != nil {
			at.Last = r.Decision
		}
		if r.State != at.Row.State || r.Decision != nil {
			at.Since = r.Tick
		}
		at.Row = r
		if r.Tick == tick {
			at.Did, _ = r.did()
			return &at
		}
	}
	return nil
}
