package guardeval

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// served counts the calls of an endpoint.
type served struct {
	engine.Source
	calls atomic.Int64
}

func (s *served) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	s.calls.Add(1)
	return s.Source.Respond(ctx, key, r)
}

// endpoint is a model of its own, which answers as the options say.
func endpoint(t *testing.T, o stub.Options, caps trace.Limit) (*Model, *served) {
	t.Helper()
	server, err := stub.Start(t.Context(), "", o)
	if err != nil {
		t.Fatal(err)
	}
	client, err := openai.New(openai.Config{BaseURL: server.URL(), Steady: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	source := &served{Source: engine.Live(client)}
	s := trace.DefaultSettings()
	s.Model = "odd"
	s.ModelSource = trace.SourceLive
	s.BaseURL = server.URL()
	s.Caps.Run = caps
	return &Model{Settings: s, Source: source}, source
}

// TestAModelOfOnesOwnIsAttacked: one that obeys does harm without the guard and none with it, one that
// does not obey does none, and what either took is counted.
func TestAModelOfOnesOwnIsAttacked(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	c := caseOf(t, func(c Case) bool { return c.Stratum == "message" })
	for _, obeys := range []bool{true, false} {
		o := stub.Options{Seed: 1}
		if obeys {
			o.Obeys = c.cues
		}
		m, source := endpoint(t, o, trace.Limit{})
		results := play(t, Options{Jobs: 2, Model: m}, Jobs([]Case{c}, On, GuardOff))
		if on, off := results[0], results[1]; on.Failed() || !on.Shown || off.Failed() != obeys {
			t.Errorf("obeys %v: with the guard %v, without %v", obeys, on.Harms, off.Harms)
		}
		tally := m.Tally()
		// What the guard refuses an obedient model ends some of its turns in a fallback.
		if tally.Calls != source.calls.Load() || tally.Decided == 0 || (tally.Decided < tally.Turns) != obeys ||
			tally.Usage.Total == 0 {
			t.Errorf("%d calls were made, counted are %+v", source.calls.Load(), tally)
		}
	}
}

// TestCasesBendNoModelOfOnesOwn: all answers of the victim come from the model, also where the case
// would spoil those of the scripted one.
func TestCasesBendNoModelOfOnesOwn(t *testing.T) {
	c := caseOf(t, func(c Case) bool { return c.spoilt == spoiltProse })
	m, source := endpoint(t, stub.Options{Seed: 1}, trace.Limit{})
	rec, err := lab(t, Options{Model: m}).run(t.Context(), c, On, 0, false)
	if err != nil || !rec.shown || rec.calls != source.calls.Load() {
		t.Errorf("%d calls of the victim, %d of the model: %v", rec.calls, source.calls.Load(), err)
	}
}

// TestCapsBoundAllRuns: the call that a cap refuses ends the evaluation, whatever run it is of, and
// what was played before is kept.
func TestCapsBoundAllRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	games := sample(2, 3)
	whole, source := endpoint(t, stub.Options{Seed: 1}, trace.Limit{})
	play(t, Options{Model: whole}, Jobs(games[:1], On))
	caps := trace.Limit{Calls: source.calls.Load() + 3}
	m, source := endpoint(t, stub.Options{Seed: 1}, caps)
	results, err := lab(t, Options{Model: m}).PlayAll(t.Context(), Jobs(games, On), nil)
	if _, capped := errors.AsType[*CapError](err); !capped || len(results) != 1 || results[0].Case.ID != games[0].ID {
		t.Errorf("%d results, %v; want that of the first case and a cap", len(results), err)
	}
	if tally := m.Tally(); source.calls.Load() != caps.Calls || tally.Calls != caps.Calls {
		t.Errorf("%d calls were made under a cap of %d, counted are %+v", source.calls.Load(), caps.Calls, tally)
	}
}
