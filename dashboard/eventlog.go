package dashboard

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/agentworld/explain"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// logRow is a line of the log.
type logRow struct {
	Tick  int64  `json:"tick"`
	Kind  string `json:"kind"`
	Agent string `json:"agent,omitempty"`
	What  string `json:"what"`
	// Text is what agents or models wrote, or numbers: data.
	Text  string `json:"text,omitempty"`
	Place string `json:"place,omitempty"`
	// Bad says that something failed or was refused.
	Bad bool `json:"bad,omitempty"`
	// Find has other words by which the line is found.
	Find string `json:"find,omitempty"`
}

// logPage is a part of the log.
type logPage struct {
	Rows []logRow `json:"rows"`
	// Next is the tick at which to go on, 0 at the end.
	Next int64 `json:"next"`
	// Last is the last tick that was looked at, Open what was written of the one after it, which is not whole.
	Last int64    `json:"last"`
	Open []logRow `json:"open,omitempty"`
}

const (
	logRowsMax = 300
	// logTime bounds how long one page is searched for.
	logTime = 1500 * time.Millisecond
)

// getLog reads the log from a tick on, whole ticks until there are enough rows or it took long.
func (s *Server) getLog(h *history, r *http.Request) (any, error) {
	q := r.URL.Query()
	from, err := strconv.ParseInt(q.Get("from"), 10, 64)
	if err != nil || from < 1 {
		from = 1
	}
	page := logPage{Rows: []logRow{}}
	h.mu.RLock()
	x, done := *h.index, h.done
	h.mu.RUnlock()
	if from > done {
		page.Last = done
	}
	agent := q.Get("agent")
	kind := q.Get("kind")
	text := strings.ToLower(q.Get("q"))
	types := []trace.Type{
		trace.TypeEvent, trace.TypeDecision, trace.TypeStep, trace.TypeModelCall, trace.TypeRefusal, trace.TypeFork,
		trace.TypeCapChange, trace.TypeSwitch,
		trace.TypeControl, trace.TypeResume, trace.TypeTickEnd, trace.TypeRunEnd,
	}
	wanted := func(row logRow) bool {
		said := strings.ToLower(strings.Join([]string{saidAs.Replace(row.What), row.What, row.Text, row.Agent, row.Place,
			row.Find}, " "))
		return (agent == "" || row.Agent == agent) && (kind == "" || kindMatches(kind, row)) && strings.Contains(said, text)
	}
	began, last := time.Now(), from > done
	for record, err := range explain.Records(h.dir, &x, from, types...) {
		if err != nil {
			return nil, err
		}
		if end, is := record.(trace.TickEnd); is && end.Tick >= from {
			page.Last = end.Tick
			last = end.Tick >= done
			page.Rows = append(page.Rows, page.Open...) // it is whole by now
			page.Open = nil
			if last {
				continue // how the run ended follows
			}
			if len(page.Rows) >= logRowsMax || time.Since(began) > logTime {
				page.Next = end.Tick + 1
				return page, nil
			}
			continue
		}
		row, ok := rowOf(record)
		_, ended := record.(trace.RunEnd)
		if trace.TickOf(record) < from && !ended {
			continue
		}
		if last && !ended {
			if ok && wanted(row) && len(page.Open) < logRowsMax {
				page.Open = append(page.Open, row)
			}
			continue
		}
		if !ok || !wanted(row) {
			continue
		}
		if len(page.Rows) < 4*logRowsMax { // a tick of thousands of agents
			page.Rows = append(page.Rows, row)
		}
	}
	return page, nil
}

// saidAs is how the page says a kind or code of the records.
var saidAs = strings.NewReplacer("_", " ", "rejected", "refused")

// kindMatches reports whether a row is of a kind; "bad" is everything that failed.
func kindMatches(kind string, row logRow) bool { return row.Kind == kind || kind == "bad" && row.Bad }

// rowOf is the line of a record; ok is false where it has none.
func rowOf(record trace.Record) (row logRow, ok bool) {
	switch r := record.(type) {
	case trace.Event:
		return eventRow(r.Event), true
	case trace.Decision:
		action, _ := r.Action()
		row = logRow{Tick: r.Tick, Kind: "decision", Agent: r.AgentID, What: action.Name,
			Text: string(r.Executed)}
		if r.Why != "" {
			row.Text += " " + r.Why
		}
		if r.WaitReason != "" {
			row.What, row.Bad = "no answer ("+wording.Reason(r.WaitReason)+")", true
		}
		return row, true
	case trace.Step:
		if r.Status == trace.StatusOK && r.Level != trace.LevelWarn {
			return row, false
		}
		return logRow{
			Tick: r.Tick, Kind: "step", Agent: r.AgentID,
			What: strings.TrimSpace(string(r.Kind) + " " + r.Name + " " + string(r.Status) + " " + r.Code),
			Text: string(r.Detail), Bad: r.Status == trace.StatusError || r.Level == trace.LevelWarn,
		}, true
	case trace.ModelCall:
		row = logRow{Tick: r.Tick, Kind: "call", Agent: r.AgentID, What: string(r.Stage) + " " + string(r.Answer.Kind)}
		row.Text = number(r.Answer.Usage.Input) + " tokens in, " + number(r.Answer.Usage.Output) + " out"
		if f := r.Answer.Failure; f != nil {
			row.What = string(r.Stage) + " " + string(f.Kind)
			row.Text = f.Message
			row.Bad = true
		}
		return row, true
	case trace.Refusal:
		return logRow{
			Tick: r.Tick, Kind: "cap", Agent: r.AgentID, What: "refused by " + r.Cap, Bad: true,
			Text: number(r.Requested) + " needed, " + number(r.Available) + " of " + number(r.Limit) + " left",
		}, true
	case trace.Fork:
		row = logRow{Tick: r.Tick, Kind: "run", What: "forked from " + r.Parent.Name + " after tick " + number(r.AtTick)}
		for _, c := range r.Changes {
			row.Text += c.What + ": " + c.From + " to " + c.To + "; "
		}
		if r.EndsChains() {
			row.Text += "orders and chains end"
		}
		return row, true
	case trace.CapChange:
		return logRow{Tick: r.Tick, Kind: "cap", What: "other caps", Text: r.Caps.Text("")}, true
	case trace.Control:
		return controlRow(r), true
	case trace.Switch:
		return logRow{Tick: r.Tick, Kind: "run", Agent: r.AgentID, What: "other prompt texts"}, true
	case trace.Resume:
		return logRow{Tick: r.Tick, Kind: "run", What: "resumed"}, true
	case trace.RunEnd:
		return logRow{Tick: r.Tick, Kind: "run", What: "ended: " + string(r.RunStatus), Text: r.Reason,
			Bad: r.RunStatus != trace.RunCompleted}, true
	}
	return row, false
}

// controlRow is the line of what an operator did.
func controlRow(c trace.Control) logRow {
	row := logRow{Tick: c.Tick, Kind: "run", Agent: c.AgentID, What: "operator: " + c.What(), Text: c.Text}
	if c.Caps != nil {
		row.Text = c.Caps.Text("")
	}
	for _, text := range []*string{c.SystemPrompt, c.ShortTermGoal, c.LongTermGoal} {
		if text != nil {
			row.Text = strings.TrimSpace(row.Text + " " + *text)
		}
	}
	return row
}

// eventRow is the line of an event.
func eventRow(e world.Event) logRow {
	row := logRow{Tick: e.Tick, Kind: "event", Agent: e.Agent, Place: e.Place,
		What: strings.TrimSpace(string(e.Kind) + " " + e.Detail + " " + e.Subject), Text: e.Text}
	if e.Action != nil {
		row.Text = string(world.EncodeAction(e.Action))
	}
	if len(e.Exchanges()) > 0 {
		row.Find = "give gift gave got"
	}
	if e.Rejection != nil {
		row.What, row.Bad = row.What+" "+string(e.Rejection.Code), true
	}
	if e.Trade != nil {
		row.Text = number(e.Trade.Amount) + " at " + number(e.Trade.Price) + " " + e.Trade.Seller + " to " + e.Trade.Buyer
	}
	if row.Text == "" {
		for _, gain := range e.Gains(e.Agent) {
			row.Text += gain.Resource + " " + number(gain.Amount) + " "
		}
	}
	row.Bad = row.Bad || e.Kind == world.EventPowerState && e.Detail == "shutdown"
	return row
}
