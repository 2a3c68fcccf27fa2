package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/engine/ask"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
)

// allowing lets a client of a test start runs of the embedded model and ask what costs 0.25 a question.
func allowing(t *testing.T, runs int, cost string) *Allowance {
	most, err := price.ParseMoney(cost)
	if err != nil {
		t.Fatal(err)
	}
	quarter, _ := price.ParseMoney("0.25")
	known := false
	return &Allowance{Runs: runs, Cost: most, Currency: "USD",
		Run: func(name string) (session.Config, bool, error) { return settings(t, name, 3), false, nil },
		Ask: func(_ context.Context, q Question, take func() (price.Money, error)) (ask.Record, price.Money, error) {
			if known && q.Text == "known?" {
				return ask.Record{AgentID: q.Agent, Tick: q.Tick, Text: command}, 0, nil
			}
			most, err := take()
			if err != nil {
				return ask.Record{}, 0, err
			}
			if q.Agent == "nobody" {
				return ask.Record{}, 0, errors.New("no such agent")
			}
			if most < quarter {
				return ask.Record{}, 0, fmt.Errorf("%s is too little", most)
			}
			known = true
			return ask.Record{AgentID: q.Agent, Tick: q.Tick, Text: command}, quarter, nil
		}}
}

// TestAllowance: runs, seats and questions are counted together, and money is; who asks for more than is left is told
// the numbers. What did not begin is not counted.
func TestAllowance(t *testing.T) {
	c := connect(t, Options{Dir: runs(t), Allowance: allowing(t, 4, "0.60")})
	started := get[played](c, "start_run", object{"scenario": "minimal", "wait_s": 50})
	if started.Status != "completed" || started.Tick != 3 || started.CostLeft != (left{3, "0.60", "USD"}) {
		t.Errorf("a run: %+v", started)
	}
	if r := get[runLine](c, "read_run", object{"run": started.Run}); r.Status != "completed" {
		t.Errorf("the run that was started: %+v", r)
	}
	question := object{"run": "one", "agent": "agent-1", "question": "why?"}
	c.refused("ask_agent", object{"run": "one", "agent": "nobody", "question": "why?"})
	for i, want := range []left{{2, "0.35", "USD"}, {1, "0.10", "USD"}} {
		text, failed := c.call("ask_agent", question)
		var a struct {
			Allowance left
			Answer    Text
		}
		if failed || json.Unmarshal([]byte(text), &a) != nil || a.Allowance != want ||
			a.Answer != (Text{Text: command, Author: "agent-1", Trust: "other_agent", Note: dataNote}) {
			t.Errorf("question %d: %s", i+1, text)
		}
	}
	if got := c.refused("ask_agent", question); !strings.Contains(got, "0.10 is too little") {
		t.Errorf("a question that costs more than is left: %s", got)
	}
	got := c.refused("ask_agent", object{"run": "one", "agent": "agent-1", "question": "why?", "cap_cost": "0.2"})
	if !strings.Contains(got, "of 0.60 USD that the user allowed (--cap-cost) 0.50 USD are spent") ||
		!strings.Contains(got, "0.10 USD are left, and 0.20 USD were asked for") {
		t.Errorf("more money than is left: %s", got)
	}
	get[played](c, "start_run", object{"scenario": "minimal"})
	for _, tool := range []string{"start_run", "take_seat"} {
		if got := c.refused(tool, object{"scenario": "minimal"}); !strings.Contains(got, "4 of 4 runs, seats and questions are used up") {
			t.Errorf("%s, the fifth time: %s", tool, got)
		}
	}
	if got := c.refused("ask_agent", question); !strings.Contains(got, "4 of 4 runs, seats and questions are used up") {
		t.Errorf("a question, the fifth time: %s", got)
	}
	question["question"] = "known?"
	if text, failed := c.call("ask_agent", question); failed || !strings.Contains(text, `"allowance":{"cost_left":"0.10","currency":"USD","runs_left":0}`) {
		t.Errorf("what was answered before: %s", text)
	}
}

// TestMoneyIsSetAside: what a run that is under way may cost is nobody else's, and what it did not cost is given back.
func TestMoneyIsSetAside(t *testing.T) {
	l := &ledger{of: Allowance{Runs: 9, Cost: 100}}
	a, err := l.take(70, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.take(40, true); err == nil {
		t.Error("40 were granted of 30 that are left")
	}
	b, err := l.take(0, true)
	if err != nil || b.most != 30 {
		t.Fatalf("all that is left: %+v, %v", b, err)
	}
	if _, err := l.take(0, true); err == nil {
		t.Error("money was granted where none is left")
	}
	if _, err := l.take(0, false); err != nil {
		t.Errorf("what costs nothing: %v", err)
	}
	a.end(20)
	b.undo()
	if l.rest() != 80 || l.used != 2 {
		t.Errorf("%d are left and %d used, want 80 and 2", l.rest(), l.used)
	}
}

// TestSeat: an assistant plays an agent through the tools to the end of its run. What is no move leaves the turn open.
func TestSeat(t *testing.T) {
	c := connect(t, Options{Dir: t.TempDir(), Allowance: allowing(t, 2, "0")})
	now := get[seen](c, "take_seat", object{"scenario": "minimal", "wait_s": 50})
	if !now.Turn || now.Tick != 1 || !strings.Contains(now.Moves, "mine_compound(amount g)") ||
		!strings.Contains(now.Observed.Text, "mine_compound 1..5000") {
		t.Fatalf("the first situation: %+v", now)
	}
	if got := c.refused("act", object{"seat": now.Seat, "move": object{"action": "fly"}}); !strings.Contains(got, "the turn still waits") {
		t.Errorf("what is no move: %s", got)
	}
	if again := get[seen](c, "observe", object{"seat": now.Seat}); again.Tick != 1 || !again.Turn {
		t.Errorf("the turn is no longer open: %+v", again)
	}
	for tick := int64(2); tick <= 3; tick++ {
		now = get[seen](c, "act", object{"seat": now.Seat, "wait_s": 50,
			"move": object{"action": "mine_compound", "amount": 100, "reason": "stock"}})
		if !now.Turn || now.Tick != tick || !now.Last.Accepted {
			t.Errorf("after a move: %+v", now)
		}
	}
	now = get[seen](c, "act", object{"seat": now.Seat, "move": object{"action": "wait"}, "wait_s": 50})
	if now.Turn || now.Status != "completed" {
		t.Errorf("after the last move: %+v", now)
	}
	if got := c.refused("act", object{"seat": now.Seat, "move": object{"action": "wait"}}); !strings.Contains(got, "no turn of your agent") {
		t.Errorf("a move after the end: %s", got)
	}
	if d, _ := c.call("explain_decision", object{"run": now.Run, "agent": "agent-1", "tick": 2}); !strings.Contains(d, `"decided_by":"seat"`) {
		t.Errorf("the record of a move: %s", clip(d))
	}
	now = get[seen](c, "take_seat", object{"scenario": "minimal", "wait_s": 50})
	if end := get[played](c, "leave_seat", object{"seat": now.Seat}); end.Status != "interrupted" {
		t.Errorf("a seat that was left: %+v", end)
	}
}

// TestAFailedRunNamesNoPath: why a run failed is one line, a text of others, without where it is on this machine.
func TestAFailedRunNamesNoPath(t *testing.T) {
	s := newSpender(&Allowance{Runs: 1}, t.TempDir())
	g := &game{id: "one", over: make(chan struct{}), err: errors.New("write /home/me/runs/one/trace.jsonl: no space left")}
	close(g.over)
	got := s.standing(g)
	if got.Status != string(trace.RunInternalError) || got.Problem == nil || got.Problem.Author != unknownAuthor ||
		got.Problem.Text != "write …/trace.jsonl: no space left" {
		t.Errorf("a run that failed: %+v, %+v", got, got.Problem)
	}
}

// TestAClientThatGoesAway: whoever misses two turns in a row has left. The run ends in good order, and its place is
// free again.
func TestAClientThatGoesAway(t *testing.T) {
	dir := t.TempDir()
	s, err := New(Options{Dir: dir, Allowance: allowing(t, 2, "0")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	gone := &player{agent: "agent-1", deadline: 10 * time.Millisecond, changed: make(chan struct{})}
	g, err := s.spender.start(startArguments{Scenario: "minimal", Ticks: 500}, gone)
	if err != nil {
		t.Fatal(err)
	}
	<-g.over
	gone.mu.Lock() // an answer that came too late may be under way
	missed := gone.missed
	gone.mu.Unlock()
	if now := s.spender.standing(g); now.Status != "interrupted" || missed < missedMax || missed > missedMax+1 {
		t.Errorf("a run whose player has gone: %+v after %d missed turns", now, missed)
	}
	again := &player{agent: "agent-1", deadline: time.Hour, changed: make(chan struct{})}
	if _, err := s.spender.start(startArguments{Scenario: "minimal"}, again); err != nil {
		t.Error(err)
	}
	if again.await(t.Context(), time.Hour) == nil { // the server ends while the turn waits for its move
		t.Error("there is no first turn")
	}
}
