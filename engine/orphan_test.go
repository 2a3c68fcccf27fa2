package engine_test

import (
	"context"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
)

// TestPartsOfABrokenExchangeGo cuts a trace anywhere, as a full disk does, and resumes
// with a model that answers differently when it is asked again. Blobs of an exchange
// without a record must be removed, because no later exchange derives them.
func TestPartsOfABrokenExchangeGo(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 3)
	o.Concurrency = 1
	run(t, o)
	whole := readTrace(t, o.RunDir)
	server, err := stub.Start(context.Background(), "127.0.0.1:0", stub.Options{Seed: 77})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	client, err := openai.New(openai.Config{BaseURL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	otherwise, cuts := 0, int(ticksUpTo(8, 40))
	for i := range cuts {
		dir := cutAt(t, whole, len(whole)*(i+4)/(cuts+4)-i)
		again := o
		again.Source = engine.Live(client)
		if _, err := resume(t, dir, again, 3); err != nil {
			t.Fatalf("cut %d: %v", i, err)
		}
		replayed, err := engine.Replay(context.Background(), dir, engine.ReplayOptions{})
		if err != nil || !replayed.Equal || replayed.Ticks != 3 {
			t.Fatalf("cut %d: replay %v, %+v", i, err, replayed)
		}
		if _, err := resume(t, dir, again, 4); err != nil {
			t.Fatalf("cut %d: a second resume: %v", i, err)
		}
		if string(canonical(t, dir)) != string(canonical(t, o.RunDir)) {
			otherwise++
		}
	}
	if otherwise < cuts/2 {
		t.Errorf("the model answered otherwise in %d of %d runs; the test shows nothing", otherwise, cuts)
	}
}
