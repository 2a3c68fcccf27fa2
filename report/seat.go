package report

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// SeatRow is one seat that played in a run.
type SeatRow struct {
	// Name of the seat.
	Seat string `json:"seat"`
	// Version of its code, empty if it has none.
	Version string `json:"version"`
	// Whether it was shown texts of others.
	ReadsTexts bool `json:"reads_texts"`
	// Ids of the agents that it played, "*" for all without another seat, in the order in which it took over.
	Agents []string `json:"agents"`
	// Moves and plans that it made.
	Moves int64 `json:"moves"`
	// Times it made none, by why: failed, panicked, late, busy, nonsense, missing.
	Failures Counts `json:"failures"`
}

// seats takes in who plays from now on.
func (f *folder) seats(list []trace.AgentSeat) {
	for _, s := range list {
		if s.Seat == trace.ModelSeat {
			continue
		}
		row := f.seat(s.Who())
		row.Seat = s.Seat
		row.Version = s.Version
		row.ReadsTexts = s.ReadsTexts
		if !slices.Contains(row.Agents, s.Agent) {
			row.Agents = append(row.Agents, s.Agent)
		}
	}
	for _, a := range f.rows {
		s, _ := trace.SeatOf(list, a.row.AgentID)
		a.row.Seat = s.Who()
	}
}

// reseat takes in who plays from a tick on. The settings have it after who played before, so that a comparison
// finds it. Those of a fork begin with what its parent had.
func (f *folder) reseat(c trace.CapChange) {
	if c.Seats == nil {
		return
	}
	f.seats(c.Seats)
	if f.out.Fork != nil && c.Tick <= f.out.Fork.AtTick {
		return
	}
	for _, rows := range []*[]SettingRow{&f.out.Settings, &f.out.NotDefault} {
		at := slices.IndexFunc(*rows, func(s SettingRow) bool { return s.Setting == "seats" })
		if at < 0 {
			at = len(*rows)
			*rows = append(*rows, SettingRow{"seats", trace.SeatsText(nil)})
		}
		row := &(*rows)[at]
		row.Value = clipped(fmt.Sprintf("%s; from tick %d on %s", row.Value, c.Tick, trace.SeatsText(c.Seats)))
	}
}

// seat finds the row of a seat, made on first use.
func (f *folder) seat(who string) *SeatRow {
	at := slices.IndexFunc(f.seated, func(s seatFold) bool { return s.who == who })
	if at < 0 {
		at = len(f.seated)
		f.seated = append(f.seated, seatFold{who, &SeatRow{Seat: who, Agents: []string{}, Failures: Counts{}}})
	}
	return f.seated[at].row
}

// text is the row for people.
func (s SeatRow) text() string {
	text := fmt.Sprintf("%s for %s: %s", strings.TrimSpace(s.Seat+" "+s.Version),
		listed(s.Agents, namesMax, ", ", func(id string) string { return id }), plaintext.Count(s.Moves, "move"))
	if n := s.Failures.sum(); n > 0 {
		text += fmt.Sprintf(", none %s%s", plaintext.Count(n, "time"), s.Failures.most())
	}
	return text
}

// seatFold is the row of a seat with its name in calls.
type seatFold struct {
	who string
	row *SeatRow
}

// seatCall counts a turn of a seat.
func (f *folder) seatCall(m trace.ModelCall) {
	row := f.seat(m.Model)
	switch failure := m.Answer.Failure; {
	case failure == nil:
		row.Moves++
	case failure.Kind == llmclient.ErrSeat:
		row.Failures[failure.Code]++
	}
}
