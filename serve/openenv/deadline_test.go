package openenv

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/agentworld/llmclient"
)

// TestPingWhileAStepWaits: a ping is answered while a step waits for another agent.
func TestPingWhileAStepWaits(t *testing.T) {
	free, asked := make(chan struct{}), sync.WaitGroup{}
	asked.Add(1)
	p := join(t, serving(t, "task_production_data_60", seatOthers(held(free, &asked))))
	p.ask(`{"type":"reset","data":{"seed":1}}`)
	p.ask(`{"type":"step","data":{"action":"wait"}}`)
	asked.Wait()
	p.send(`{"type":"step","data":{"action":"wait"}}`)
	answered := make(chan reply, 1)
	go func() { answered <- p.read() }() // reads the pong too
	if err := p.conn.Ping(t.Context()); err != nil {
		t.Errorf("a ping is not answered: %v", err)
	}
	select {
	case r := <-answered:
		t.Errorf("the step did not wait: %s", r.raw)
	default:
	}
	close(free)
	if r := <-answered; r.told(t).Tick != 3 {
		t.Errorf("the step comes out as %s", r.raw)
	}
}

// TestStepsHaveADeadline: whoever of the others does not answer makes no move, and is counted: a seat that hangs
// as well as a model. The client's step is answered all the same.
func TestStepsHaveADeadline(t *testing.T) {
	free, asked := make(chan struct{}), sync.WaitGroup{}
	asked.Add(1)
	defer close(free)
	hangs := func(ctx context.Context) llmclient.Answer {
		<-ctx.Done()
		return llmclient.Failed(llmclient.ErrTimeout, "too late")
	}
	for name, change := range map[string]func(*Options){
		"seat": seatOthers(held(free, &asked)),
		"model": func(o *Options) {
			o.Play.Model, o.Play.BaseURL = "m", "http://127.0.0.1:1"
			o.Play.Source = sourceFunc(hangs)
		},
	} {
		var outcome Outcome
		ended := make(chan struct{})
		s := serving(t, "task_production_data_60", func(o *Options) {
			change(o)
			o.Deadline = 20 * time.Millisecond
			o.Keep = KeepFailed
			o.Dir = t.TempDir()
			o.Ended = func(o Outcome) { outcome = o; close(ended) }
		})
		p := join(t, s)
		p.ask(`{"type":"reset","data":{"seed":1}}`)
		p.ask(`{"type":"step","data":{"action":"wait"}}`)
		for range 2 {
			p.ask(`{"type":"step","data":{"action":"wait"}}`)
		}
		if r := p.ask(`{"type":"state"}`); strings.Contains(r.raw, `"deadlines":0`) || !strings.Contains(r.raw, `"tick":3`) {
			t.Errorf("%s: the state is %s", name, r.raw)
		}
		p.leave()
		<-ended
		if outcome.Deadlines == 0 || outcome.Status != statusAbandoned || outcome.Run == "" {
			t.Errorf("%s: the episode came out as %+v", name, outcome)
		}
	}
}

// TestSleptOnATurn: a client that asks where its episode is, and makes no move for as long as a seat may take, loses
// the turn. The move that comes too late says so, and the episode goes on.
func TestSleptOnATurn(t *testing.T) {
	s := serving(t, small, func(o *Options) { o.turn = 50 * time.Millisecond })
	p := join(t, s)
	p.ask(`{"type":"reset","data":{"seed":5}}`).told(t)
	eventually(t, "the turn is lost", func() bool {
		return !strings.Contains(p.ask(`{"type":"state"}`).raw, `"tick":0`)
	})
	o := p.ask(`{"type":"step","data":{"action":"wait"}}`).told(t)
	if o.Result == nil || o.Result.Code != "seat_error:late" || o.Tick < 2 || o.Result.Tick >= o.Tick {
		t.Errorf("a move that came too late: %+v in tick %d", o.Result, o.Tick)
	}
	if r := p.ask(`{"type":"step","data":{"action":"wait"}}`); r.told(t).Tick < o.Tick {
		t.Errorf("the move after it: %s", r.raw)
	}
}

// TestSilentSessionEnds: who sends nothing for too long is told so and gives its place back.
func TestSilentSessionEnds(t *testing.T) {
	s := serving(t, small, func(o *Options) { o.Idle = 30 * time.Millisecond })
	p := join(t, s)
	r := p.read()
	if r.Data.Code != codeSession {
		t.Errorf("a silent session is told %s", r.raw)
	}
	_, _, _ = p.conn.Read(t.Context()) // the goodbye
	eventually(t, "the place is free", func() bool { return s.free() == s.options.Sessions })
}
