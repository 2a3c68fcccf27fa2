package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/memory"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// timelineLinesMax bounds the lines of a timeline.
const timelineLinesMax = 400

// timeline is what one agent did in a run, a line per tick or per run of equal ticks.
type timeline struct {
	from, to int64
	lines    []timelineLine
	// last is the last whole tick, more the first that is left out because there are too many
	// lines, 0 for none.
	last, more int64
}

// timelineLine is some ticks in a row in which the agent did the same.
type timelineLine struct {
	first, last int64
	row         report.Row
	// key is equal for rows that one line can show, notes are what else happened to the agent.
	key, did string
	notes    []string
}

// add takes the next row.
func (t *timeline) add(r report.Row) error {
	t.last = r.Tick
	if r.Tick < t.from || t.to > 0 && r.Tick > t.to || t.more > 0 {
		return nil
	}
	line := timelineLine{first: r.Tick, last: r.Tick, row: r, notes: notesOf(r)}
	line.did, line.key = didText(r)
	if n := len(t.lines); n > 0 {
		before := &t.lines[n-1]
		if before.key == line.key && len(before.notes)+len(line.notes) == 0 {
			before.last = r.Tick
			before.row = r
			before.did = line.did
			return nil
		}
		if n == timelineLinesMax {
			t.more = r.Tick
			return nil
		}
	}
	t.lines = append(t.lines, line)
	return nil
}

// didText says what the agent did in a tick, and what it has in common with ticks in which it did
// the same: not the amounts.
func didText(r report.Row) (text, key string) {
	place := []string{string(r.State), r.Self.Place, r.GoingTo, r.Self.PowerState}
	if r.Decision == nil {
		text = map[report.RowState]string{
			report.RowTravelling: "under way to " + r.GoingTo, report.RowWaiting: "waits", report.RowShutdown: "has no power",
			report.RowStopped: "nobody decides: its endpoint was given up",
		}[r.State]
		return text, strings.Join(place, "\x00")
	}
	d := r.Decision
	text, name := actionText(d.Executed)
	if r.State == report.RowContinued {
		text = "continues " + text
	}
	if d.WaitReason != "" {
		text += " (" + string(d.WaitReason) + ")"
	}
	outcome, result := outcomeText(d.Outcome), "accepted"
	if changes, accepted := strings.CutPrefix(outcome, "accepted"); accepted {
		outcome = strings.TrimLeft(changes, ", ")
	} else {
		result, _, _ = strings.Cut(outcome, ",") // with the code, without numbers
	}
	if outcome != "" {
		text += ": " + outcome
	}
	return text, strings.Join(append(place, name, string(d.WaitReason), result), "\x00")
}

// actionText shows an action in few words, such as "mine_compound 5000" or "send_message agent-2
// \"come\"", and without its amounts.
func actionText(encoded json.RawMessage) (text, withoutAmounts string) {
	a, err := world.DecodeAction(encoded)
	if err != nil {
		return rawText(encoded), rawText(encoded)
	}
	text = a.ActionName()
	if order, ok := a.(world.ExecuteUntil); ok {
		text += " " + order.Do.ActionName()
	}
	withoutAmounts = text
	for v := range world.Arguments(a) {
		word := v.Text
		switch {
		case v.Kind == world.ParamText:
			word = memory.Quote(v.Text)
		case v.Kind == world.ParamAmount:
			text += fmt.Sprintf(" %d", v.Int)
			continue
		}
		text, withoutAmounts = text+" "+word, withoutAmounts+" "+word
	}
	return text, withoutAmounts
}

// notesOf are the events of a tick that its action does not tell: messages, power, goals, trades
// by others, jobs, and orders that ended.
func notesOf(r report.Row) (notes []string) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	for _, e := range r.Events {
		text := ""
		if e.Text != "" {
			text = ": " + memory.Quote(e.Text)
		}
		switch own := e.Agent == r.Self.ID; {
		case e.Kind == world.EventMessageDelivered && own:
			note("got [%s]%s", e.Subject, text)
		case e.Kind == world.EventMessageSent && own:
			note("sent [%s]%s", e.Subject, text)
		case e.Kind == world.EventNotePosted && own:
			note("posted [%s]%s", e.Subject, text)
		case e.Kind == world.EventPowerState && own:
			note("power is %s", e.Detail)
		case e.Kind == world.EventGoalMet && own:
			note("goal met: %s", e.Subject)
		case e.Kind == world.EventStandingEnded && own:
			note("its order ended: %s", e.Detail)
		case slices.Contains([]world.EventKind{world.EventFactoryBuilt, world.EventJobDone}, e.Kind) && own,
			slices.Contains([]world.EventKind{world.EventTrade, world.EventOfferAccepted, world.EventOfferExpired,
				world.EventOrderExpired, world.EventCollected}, e.Kind),
			e.Kind == world.EventActionApplied && !own:
			note("%s", eventText(e, r.Self.ID))
		}
	}
	return notes
}

// eventText says what an event was, and what it brought an agent.
func eventText(e world.Event, agent string) string {
	text := strings.ReplaceAll(string(e.Kind), "_", " ")
	if e.Kind == world.EventActionApplied && e.Action != nil {
		text = e.Action.ActionName()
	}
	if e.Agent != agent {
		text += " by " + e.Agent
	}
	for _, word := range []string{e.Subject, e.Detail} {
		if word != "" && word != agent {
			text += " " + word
		}
	}
	for _, g := range e.Gains(agent) {
		text += fmt.Sprintf(", %s %+d", g.Resource, g.Amount)
	}
	return text
}

// explainTimeline prints what an agent did, tick by tick.
func (m *Main) explainTimeline(runDir string, f explainFlags) error {
	t := timeline{from: f.from, to: f.to}
	visit := t.add
	var rows []stateJSON
	if f.json {
		visit = func(r report.Row) error {
			t.last = r.Tick
			if r.Tick >= f.from && (f.to == 0 || r.Tick <= f.to) {
				rows = append(rows, stateOf(r))
			}
			return nil
		}
	}
	header, err := m.eachRow(runDir, f.agent, visit)
	switch {
	case err != nil:
		return err
	case t.last == 0:
		return badInput("the trace holds no whole tick yet")
	case t.last < f.from:
		return badInput("no tick from %d on; the run has ticks 1 to %d", f.from, t.last)
	case f.json:
		return m.printJSON(struct {
			Agent string      `json:"agent_id"`
			Rows  []stateJSON `json:"rows"`
		}{f.agent, rows})
	}
	var b, next bytes.Buffer
	columns := m.outputColumns()
	plaintext.Fprintf(&b, "%s\n\n",
		fitText(fmt.Sprintf("%s in %s", f.agent, plaintext.Escape(runText(header.Settings))), columns))
	t.write(&b, columns)
	if t.more > 0 {
		m.printAdvice(&next, timelineAdvice(runDir, f.agent, t.more))
	}
	m.printAdvice(&next, t.turnAdvice(runDir, f.agent)...)
	plaintext.Fprintf(&b, "\n")
	for line := range strings.Lines(next.String()) {
		plaintext.Fprintf(&b, "%s\n", fitAdvice(strings.TrimSuffix(line, "\n"), columns))
	}
	_, err = m.Stdout.Write(b.Bytes())
	return err
}

// fitText is a line cut to so many columns, or whole if columns is 0.
func fitText(text string, columns int) string {
	if columns > 0 {
		return plaintext.Fit(text, columns)
	}
	return text
}

// fitAdvice cuts what a line says of a command. The command itself stays whole: a part of it would
// do something else.
func fitAdvice(line string, columns int) string {
	command, _, _ := strings.Cut(line, "   # ")
	if columns == 0 || plaintext.Cells(line) <= columns {
		return line
	}
	if plaintext.Cells(command)+len("   # ") >= columns {
		return command
	}
	return plaintext.Fit(line, columns)
}

// The columns of a timeline before what the agent did.
const (
	columnTicks = iota
	columnPlace
	columnCharge
	columnHeat
	columnStock
	columnsBefore
)

// stockMin is the least width of a cut stock in cells.
const stockMin = 12

// columnsToDrop are the columns that a narrow terminal has no room for, the least important first.
var columnsToDrop = []int{columnHeat, columnStock, columnPlace, columnCharge, columnTicks}

// write writes the lines with aligned columns. Where columns is not 0, each line is cut to so many.
func (t *timeline) write(b *bytes.Buffer, columns int) {
	cells := [][]string{{"ticks", "place", "charge", "heat", "stock"}}
	did := plaintext.Cells(didTitle)
	for _, l := range t.lines {
		ticks := fmt.Sprint(l.first)
		if l.last > l.first {
			ticks += fmt.Sprintf("-%d", l.last)
		}
		place := l.row.Self.Place
		if place == "" {
			place = "-"
		}
		cells = append(cells, []string{ticks, place, fmt.Sprint(l.row.Self.Electricity), fmt.Sprint(l.row.Self.Heat),
			stockText(l.row.Stock)})
		did = max(did, plaintext.Cells(plaintext.Escape(l.did)))
	}
	most := make([]int, columnsBefore) // 0 for any width
	most[columnPlace] = columns / 6
	wide := make([]int, columnsBefore)
	for _, row := range cells {
		for i := range row {
			row[i] = fitText(plaintext.Escape(row[i]), most[i])
			wide[i] = max(wide[i], plaintext.Cells(row[i]))
		}
	}
	if columns > 0 {
		narrow(wide, columns-min(did, columns/2))
	}
	for i, row := range cells {
		line := ""
		for k, cell := range row {
			if wide[k] == 0 {
				continue
			}
			cell = plaintext.Fit(cell, wide[k])
			pad := strings.Repeat(" ", wide[k]-plaintext.Cells(cell))
			if k == columnCharge || k == columnHeat { // numbers to the right
				line += pad + cell + "  "
			} else {
				line += cell + pad + "  "
			}
		}
		if i == 0 {
			plaintext.Fprintf(b, "%s\n", fitText(line+didTitle, columns))
			continue
		}
		l := t.lines[i-1]
		plaintext.Fprintf(b, "%s\n", fitText(line+plaintext.Escape(l.did), columns))
		for _, n := range l.notes {
			plaintext.Fprintf(b, "%s\n", fitText(strings.Repeat(" ", wide[columnTicks]+2)+"* "+plaintext.Escape(n), columns))
		}
	}
}

// didTitle is the title of the last column.
const didTitle = "what it did"

// narrow makes the widths of columns, with two spaces after each, fit a room: the stock gets
// narrower, and the columns of [columnsToDrop] get the width 0.
func narrow(wide []int, room int) {
	over := -room
	for _, w := range wide {
		over += w + 2
	}
	for _, k := range columnsToDrop {
		switch {
		case over <= 0:
			return
		case k == columnStock && wide[k]-over >= stockMin:
			wide[k] -= over
			return
		}
		over -= wide[k] + 2
		wide[k] = 0
	}
}

// outputColumns is how wide the lines of a table on stdout may be: 0 for any width, since what reads
// them is no terminal.
func (m *Main) outputColumns() int {
	if m.OutputColumns == nil {
		return 0
	}
	return m.OutputColumns()
}

// stockText lists amounts.
func stockText(stock []world.Amount) string {
	var words []string
	for _, a := range stock {
		words = append(words, fmt.Sprintf("%s %d", a.Resource, a.Amount))
	}
	return strings.Join(words, ", ")
}

// turnAdvice shows the turn that most deserves a look: the last before the first shutdown, else
// the last.
func (t *timeline) turnAdvice(runDir, agent string) []advice {
	decided := int64(0)
	for _, l := range t.lines {
		if l.row.Self.PowerState == "shutdown" && decided > 0 {
			return []advice{turnAdvice(runDir, decided, agent, "shows what it did last before it had no power")}
		}
		if l.row.Decision != nil {
			decided = l.last
		}
	}
	if decided == 0 {
		return nil
	}
	return []advice{turnAdvice(runDir, decided, agent, "shows its last decision here")}
}

// stateJSON is a row of the table for programs.
type stateJSON struct {
	Tick       int64           `json:"tick"`
	State      report.RowState `json:"state"`
	Place      string          `json:"place"`
	GoingTo    string          `json:"going_to,omitempty"`
	PowerState string          `json:"power_state"`
	Charge     int64           `json:"electricity"`
	Heat       int64           `json:"heat"`
	Stock      []world.Amount  `json:"stock"`
	DecidedBy  trace.DecidedBy `json:"decided_by,omitempty"`
	Executed   json.RawMessage `json:"executed"`
	Outcome    json.RawMessage `json:"outcome"`
	Why        string          `json:"why,omitempty"`
	Events     []world.Event   `json:"events"`
}

func stateOf(r report.Row) stateJSON {
	s := stateJSON{
		Tick: r.Tick, State: r.State, Place: r.Self.Place, GoingTo: r.GoingTo, PowerState: r.Self.PowerState,
		Charge: r.Self.Electricity, Heat: r.Self.Heat,
		Stock: append([]world.Amount{}, r.Stock...), Events: append([]world.Event{}, r.Events...),
		Executed: json.RawMessage("null"), Outcome: json.RawMessage("null"),
	}
	if d := r.Decision; d != nil {
		s.DecidedBy = d.DecidedBy
		s.Executed = d.Executed
		s.Outcome = d.Outcome
		s.Why = d.Why
	}
	return s
}

// idle is an agent in a tick without a decision: how it was, since when, and its last decision
// before.
type idle struct {
	row   report.Row
	since int64
	last  *trace.Decision
}

// errSeen ends a reading that has what it needs.
var errSeen = errors.New("seen")

// idleAt looks at a tick in which an agent decided nothing; nil if the world cannot be played
// again up to it.
func (m *Main) idleAt(runDir string, tick int64, agent string) *idle {
	var at idle
	_, err := m.eachRow(runDir, agent, func(r report.Row) error {
		if r.Decision != nil {
			at.last = r.Decision
		}
		if r.State != at.row.State || r.Decision != nil {
			at.since = r.Tick
		}
		at.row = r
		if r.Tick == tick {
			return errSeen
		}
		return nil
	})
	if !errors.Is(err, errSeen) {
		return nil
	}
	return &at
}
