package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"agentworld/llmclient"
	"agentworld/trace"
)

// shownCall is a recorded request with its input.
type shownCall struct {
	trace.ModelCall
	items []llmclient.Item
}

// shownCalls reads the requests of a run from its trace.
func shownCalls(t *testing.T, dir string) (calls []shownCall) {
	t.Helper()
	var parts trace.Parts
	for record, err := range trace.NewReader(bytes.NewReader(readTrace(t, dir))).All() {
		if err != nil {
			t.Fatal(err)
		}
		switch r := record.(type) {
		case trace.Part:
			parts.Add(r)
		case trace.ModelCall:
			items, err := parts.Items(r.Input)
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, shownCall{r, items})
		}
	}
	return calls
}

// told is what the engine says in a request: everything but the model's own items.
func (c shownCall) told() (texts []string) {
	for _, it := range c.items {
		own := it.Kind == llmclient.KindMessage && it.Role == "assistant"
		if (it.Kind == llmclient.KindMessage || it.Kind == llmclient.KindFunctionOutput) && !own {
			texts = append(texts, it.Text)
		}
	}
	return texts
}

// looksBack reports whether a request is one to look back.
func (c shownCall) looksBack() bool { return c.Stage == "reflect" || c.Stage == "curate" }

func holdsAny(texts []string, words string) bool {
	return strings.Contains(strings.Join(texts, "\n"), words)
}
