package engine_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

var update = flag.Bool("update", false, "record the answers of the prompt fixture again")

// promptFixture are the recorded answers of a short run, in the repository: a prompt
// that is not, byte for byte, what it was when they were recorded has no answer.
const promptFixture = "testdata/llm_bootstrap.answers.zst"

// TestPromptsAreAsRecorded runs the main scenario on recorded answers alone. It fails
// when anything a model reads changes: instructions, tools, observation, memory.
func TestPromptsAreAsRecorded(t *testing.T) {
	o := options(t, "llm_bootstrap", 8)
	if *update {
		recordFixture(t, o)
	}
	again, source := replayedFrom(t, o, promptFixture, nil)
	result := run(t, again)
	if result.Status != trace.RunCompleted {
		t.Errorf("a prompt changed: %s\nIf that is meant, record it again and look at the prompts that changed (docs/prompt.md):\n"+
			"\tgo test ./engine -run TestPromptsAreAsRecorded -update", result.Reason)
	}
	if source.Given() == 0 {
		t.Error("no answer was given")
	}
}

func recordFixture(t *testing.T, o engine.Options) {
	t.Helper()
	run(t, o)
	var b bytes.Buffer
	counts, err := rundir.Dir(o.RunDir).As(nil).ExportAnswers(&b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(promptFixture), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(promptFixture, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d answers in %d bytes", counts.Answers, b.Len())
}
