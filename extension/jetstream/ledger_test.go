package jetstream

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// share is an allotment for an attempt at cell "c" of batch "b".
func (s *stage) share(t *testing.T, epoch int64) *allotment {
	t.Helper()
	a, err := newAllotment(t.Context(), s.Link, job{Batch: "b", Job: Job{Cell: batch.Cell{ID: "c"}}}, epoch, nil, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ledger replaces the state of the batch.
func (s *stage) ledger(t *testing.T, b batchState) {
	t.Helper()
	if _, err := s.batches.Put(t.Context(), "b", marshal(b)); err != nil {
		t.Fatal(err)
	}
}

func TestASettledLeaseIsNotOpenedAgain(t *testing.T) {
	s := newStage(t)
	s.ledger(t, batchState{Limit: budget.Amount{100}})
	first := s.share(t, 1)
	if _, _, err := first.reserve(t.Context(), llmclient.Request{}); err != nil {
		t.Fatal(err)
	}
	s.share(t, 2)
	first.held = first.spent // nothing is at hand
	if _, _, err := first.reserve(t.Context(), llmclient.Request{}); !errors.Is(err, errFenced) {
		t.Errorf("reserve = %v, want errFenced", err)
	}
	if b, _, err := s.readBatch(t.Context(), "b"); err != nil || len(b.Leases) > 0 {
		t.Errorf("leases %v, %v, want none", b.Leases, err)
	}
}

func TestWhoLosesTheCellWhileItWaitsForRoomDoesNotAsk(t *testing.T) {
	s := newStage(t)
	others := lease{Amount: budget.Amount{1}, Cell: "b.other", Epoch: 1}
	s.ledger(t, batchState{Limit: budget.Amount{1}, Leases: map[string]lease{"b.other.1": others}})
	s.set(t, "c", cellState{})
	c, err := s.claimCell(t.Context(), "b.c")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancelCause(t.Context())
	defer end(nil)
	j := &journal{link: s.Link, job: job{Batch: "b", Job: Job{Cell: batch.Cell{ID: "c"}}}, claim: c, share: s.share(t, 1), end: end, ctx: ctx, drain: ctx, pulse: &pulse{}}
	asked := make(chan bool, 1)
	go func() {
		defer close(asked)
		source{j, engine.Live(responder(func() llmclient.Answer {
			asked <- true
			return llmclient.Failed(llmclient.ErrServer, "refused")
		}))}.Respond(ctx, trace.CallKey{}, llmclient.Request{})
	}()
	for waits := false; !waits; {
		b, _, err := s.readBatch(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		waits = b.Leases["b.c.1"].Waiting
	}
	if _, err := s.claimCell(t.Context(), "b.c"); err != nil {
		t.Fatal(err)
	}
	if err := s.changeBatch(t.Context(), "b", func(b *batchState) error { delete(b.Leases, "b.other.1"); return nil }); err != nil {
		t.Fatal(err)
	}
	if <-asked {
		t.Error("a fenced owner asked the model")
	}
	if cause := context.Cause(ctx); !errors.Is(cause, errFenced) {
		t.Errorf("the attempt ended with %v, want errFenced", cause)
	}
}

func TestACallInFlightIsNoStall(t *testing.T) {
	s := newStage(t)
	s.set(t, "c", cellState{})
	c, err := s.claimCell(t.Context(), "b.c")
	if err != nil {
		t.Fatal(err)
	}
	j := &journal{link: s.Link, job: job{Batch: "b"}, claim: c, end: func(error) {}, ctx: t.Context(), drain: t.Context(), pulse: &pulse{}}
	source{j, engine.Live(responder(func() llmclient.Answer {
		if j.pulse.idle() > 0 {
			t.Error("idle while a call is in flight")
		}
		return llmclient.Failed(llmclient.ErrInterrupted, "is not stored")
	}))}.Respond(t.Context(), trace.CallKey{}, llmclient.Request{})
	if j.pulse.last.Store(0); j.pulse.idle() < time.Hour {
		t.Error("not idle after the call")
	}
}

func TestAnExchangeThatExistsWantsNoConfirmation(t *testing.T) {
	s := newStage(t)
	x := Exchange{Cell: "c", Tick: 1, Agent: "a", Step: 1}
	if _, err := s.publish(t.Context(), "b", x.subject("b"), marshal(x), nil); err != nil {
		t.Fatal(err)
	}
	existed, err := source{journal: &journal{link: s.Link, job: job{Batch: "b"}, ctx: t.Context()}}.store(x)
	if wanted := len(s.confirms.wanted); err != nil || !existed || wanted > 0 {
		t.Errorf("store: existed %v, %v; %d confirmations are wanted", existed, err, wanted)
	}
}
