package engine_test

import (
	"bytes"
	"context"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// refusing is a source whose answer to one request is a failure.
type refusing struct {
	engine.Source
	key  trace.CallKey
	kind llmclient.ErrorKind
}

func (s refusing) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if key == s.key {
		return llmclient.Failed(s.kind, "no")
	}
	return s.Source.Respond(ctx, key, r)
}

// TestResumeInAReflectionAfterAFailure: agents reflect once all have decided, so a failure
// before that did not end the run. The failure counts when the tick is resumed: the
// answered reflect request already asked about its outcome.
func TestResumeInAReflectionAfterAFailure(t *testing.T) {
	o := options(t, "llm_bootstrap", 6)
	o.LearnEvery, o.Concurrency = 4, 1
	model := o.Source
	for name, tt := range map[string]struct {
		kind llmclient.ErrorKind
		own  []trace.AgentModel
	}{
		"an endpoint that answered before": {llmclient.ErrDNS, nil},
		"one endpoint of two":              {llmclient.ErrAuth, []trace.AgentModel{{Agent: "agent-1", Model: "other"}}},
	} {
		o := o
		o.RunDir, o.AgentModels = t.TempDir(), tt.own
		o.Source = refusing{model, trace.CallKey{Tick: 4, Agent: "agent-1", Step: 1}, tt.kind}
		run(t, o)
		whole, end := readTrace(t, o.RunDir), 0
		for line := range bytes.Lines(whole) {
			end += len(line)
			record, err := trace.Decode(bytes.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			if call, ok := record.(trace.ModelCall); ok && call.AgentID == "agent-1" && call.Stage == trace.StageReflect {
				break
			}
		}
		dir, again := cutAt(t, whole, end), o
		again.Source = model
		if result, err := resume(t, dir, again, 6); err != nil || result.Status != trace.RunCompleted {
			t.Fatalf("%s: %v, %+v", name, err, result)
		}
		if !bytes.Equal(canonical(t, dir), canonical(t, o.RunDir)) {
			t.Errorf("%s: the resumed run is another one", name)
		}
	}
}
