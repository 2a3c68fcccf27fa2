package state

import (
	"maps"
	"slices"

	"example.com/agentworld/trace"
)

// State is the state of a run after its records so far. The zero value is a run without
// records.
type State struct {
	// Header is the run's first record.
	Header trace.Header
	Facts
	// Open is the tick that is not whole.
	Open Open
}

// Facts are a summary of a run in a few numbers.
type Facts struct {
	// Tick is the last whole tick, 0 for none, and Digest that of the world after it.
	Tick   int64  `json:"tick"`
	Digest string `json:"digest"`
	// Chain is that of the line which ends the last whole tick, or that opens a further file
	// after it; empty before.
	Chain trace.Chain `json:"chain"`
	// Asked is the most ticks that the run was asked for, Resumes how often a process went
	// on with it.
	Asked   int64 `json:"asked"`
	Resumes int64 `json:"resumes"`
	// Endpoint is the one that the last resume named, empty where it is the run's own.
	Endpoint string `json:"endpoint,omitempty"`
	// SegmentBytes is the size at which a trace file is closed, as last requested; nil if
	// no size is recorded.
	SegmentBytes *int64 `json:"segment_bytes,omitempty"`
	// End is how the run ended; nil when its process left it unfinished or another one
	// went on with it.
	End *trace.RunEnd `json:"end,omitempty"`
	// Spent is what counts against the caps of the run, ByAgent each agent's part of it,
	// both in whole ticks.
	Spent   Spent            `json:"spent"`
	ByAgent map[string]Spent `json:"by_agent,omitempty"`
	// Deviations are those of each agent from its plans, in the last whole ticks that count.
	Deviations map[string][]Deviation `json:"deviations,omitempty"`
	// Changes are what resumes and operators changed, in the order of the trace. Pending is a
	// change of caps that no tick has begun with yet.
	Changes []Change         `json:"changes,omitempty"`
	Pending *trace.CapChange `json:"pending,omitempty"`
}

// Change is what a tick begins with because somebody asked for it while the run was under way:
// exactly one of both.
type Change struct {
	// Resumed are the caps that a resume brought, Control what an operator did, without timing.
	Resumed *trace.CapChange `json:"resumed,omitempty"`
	Control *trace.Control   `json:"control,omitempty"`
}

// Tick is the first tick in which it holds.
func (c Change) Tick() int64 {
	if c.Control != nil {
		return c.Control.Tick
	}
	return c.Resumed.Tick
}

// caps are the caps that hold from it on, nil if it changes none.
func (c Change) caps() *trace.Caps {
	if c.Control != nil {
		return c.Control.Caps
	}
	return &c.Resumed.Caps
}

// Deviation is how many ticks of deviation a decision counts, see [trace.Authority].
type Deviation struct {
	Tick  int64 `json:"tick"`
	Ticks int64 `json:"ticks"`
}

// DeviationsOf sums the deviations of an agent that count in the tick after the last whole one.
func (f Facts) DeviationsOf(agent string) (n int64) {
	for _, d := range f.Deviations[agent] {
		if d.Tick > f.Tick+1-trace.DeviationWindow {
			n += d.Ticks
		}
	}
	return n
}

// deviate adds the deviations of a whole tick. It makes a new map, because facts are
// copied.
func (f *Facts) deviate(made map[string]Deviation) {
	if len(made) == 0 {
		return
	}
	all := map[string][]Deviation{}
	maps.Copy(all, f.Deviations)
	for agent, d := range made {
		all[agent] = append(slices.DeleteFunc(slices.Clone(all[agent]),
			func(old Deviation) bool { return old.Tick <= d.Tick-trace.DeviationWindow }), d)
	}
	f.Deviations = all
}

// Add adds the next record, found at the given place of its file. The error says that the
// record is in the wrong place, or that an earlier line of the same tick is damaged.
func (s *State) Add(record trace.Record, at Span) error {
	s.End = nil
	switch r := record.(type) {
	case trace.Header:
		s.Header, s.Asked = r, max(s.Asked, r.Settings.Ticks)
		if r.Timing != nil {
			s.SegmentBytes = r.Timing.SegmentBytes
		}
	case trace.Resume:
		s.Asked, s.Resumes = max(s.Asked, r.TicksRequested), s.Resumes+1
		s.Endpoint = r.BaseURL
		if r.Timing != nil {
			s.SegmentBytes = r.Timing.SegmentBytes
		}
		if r.Caps != nil && s.Open.Damage == nil {
			s.Pending = r.Caps
		}
	case trace.RunEnd:
		s.End = &r
	case trace.Fork:
		before := s.CapsAt(r.AtTick)
		if left := s.Open.left; left != nil { // a fork of a fork at the same tick
			before = left.Settings.Caps
		}
		if Afresh(before, r.Settings.Caps) { // caps of its own count from here on
			s.Spent, s.ByAgent = Spent{}, nil
		}
		s.Open.left = &r
	case trace.Decision:
		if r.Authority != nil {
			s.Open.deviated(r.AgentID, Deviation{r.Tick, r.Authority.Deviation})
		}
	case trace.CapChange:
		if s.Open.Damage == nil {
			s.Changes, s.Pending = append(s.Changes, Change{Resumed: &r}), nil
		}
	case trace.Control:
		r.Timing = nil
		if s.Open.Damage == nil {
			s.Changes = append(s.Changes, Change{Control: &r})
		}
	case trace.Segment:
		return s.whole(at)
	case trace.TickEnd:
		if r.Tick <= s.Tick {
			return &trace.OrderError{Type: trace.TypeTickEnd, Tick: r.Tick, After: s.Tick}
		}
		if err := s.whole(at); err != nil {
			return err
		}
		s.Tick, s.Digest = r.Tick, r.Digest
		return nil
	}
	s.Open.add(record, at)
	return nil
}

// whole ends the open tick at a place.
func (s *State) whole(at Span) error {
	if s.Open.Damage != nil {
		return s.Open.Damage
	}
	for _, c := range s.Open.calls() {
		s.spend(c)
	}
	s.deviate(s.Open.deviations)
	s.Open, s.Chain = Open{Begin: at.To}, at.Chain
	return nil
}

// CapsAt returns the caps that hold in a tick. They are those of the header, or of the
// last fork up to the tick, unless an operator or a resume has changed them, or a resume plans to.
func (s *State) CapsAt(tick int64) trace.Caps {
	caps, from := s.Header.Settings.Caps, int64(0)
	for _, f := range s.Header.Forks {
		if f.Tick <= tick {
			caps, from = f.Settings.Caps, f.Tick
		}
	}
	for _, c := range s.Changes {
		if at := c.Tick(); from <= at && at <= tick && c.caps() != nil {
			caps = *c.caps()
		}
	}
	if p := s.Pending; p != nil && p.Tick <= tick {
		caps = p.Caps
	}
	return caps
}

// SeatsAt returns the seats that play in a tick: those of the header, or of the last fork up to the tick,
// unless a resume has changed them, or plans to.
func (s *State) SeatsAt(tick int64) []trace.AgentSeat {
	seats, from := s.Header.Settings.Seats, int64(0)
	for _, f := range s.Header.Forks {
		if f.Tick <= tick {
			seats, from = f.Settings.Seats, f.Tick
		}
	}
	for _, c := range s.Changes {
		if at := c.Tick(); c.Resumed != nil && c.Resumed.Seats != nil && from <= at && at <= tick {
			seats = c.Resumed.Seats
		}
	}
	if p := s.Pending; p != nil && p.Seats != nil && p.Tick <= tick {
		seats = p.Seats
	}
	return seats
}

// ChangesAt returns the changes that take effect in a tick, in the order of the trace.
func (s *State) ChangesAt(tick int64) []Change {
	return slices.DeleteFunc(slices.Clone(s.Changes), func(c Change) bool { return c.Tick() != tick })
}

// Segment is the record that opens the next file of the trace, which has a number.
func (s *State) Segment(number int) trace.Segment { return trace.Segment{Tick: s.Tick, Number: number} }
