package stub

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestTurnsReadAsStories plays the first turns of an agent and compares what the
// policy said, call by call.
func TestTurnsReadAsStories(t *testing.T) {
	for _, p := range []protocol{full, lean} {
		g := &table{t: t, seed: 1, protocol: p, goals: chips, world: newBelt(30)}
		g.live(10)
		var story strings.Builder
		for i, r := range g.results {
			s := newStageOf(t, g.seed, g.bodies[i])
			fmt.Fprintf(&story, "tick %d, electricity %d, hardware %d\n", s.see.Tick, s.see.Self.Electricity, s.see.Self.Hardware)
			for _, item := range r.Items {
				fmt.Fprintf(&story, "  %s\n", strings.TrimSpace(strings.Join([]string{string(item.Kind), item.Name, withoutNulls(t, item)}, " ")))
			}
		}
		compareGolden(t, filepath.Join("testdata", "turns_"+string(p)+".txt"), story.String())
	}
}

func newStageOf(t *testing.T, seed uint64, body []byte) stage {
	t.Helper()
	return newStage(seed, parsed(t, body))
}

func parsed(t *testing.T, body []byte) request {
	t.Helper()
	r, refused := parseRequest(body)
	if refused != nil {
		t.Fatal(refused)
	}
	return r
}

// withoutNulls shortens arguments for reading.
func withoutNulls(t *testing.T, item llmclient.Item) string {
	if item.Kind != llmclient.KindFunctionCall {
		return item.Text
	}
	var arguments any
	if err := decode([]byte(item.Text), &arguments); err != nil {
		t.Fatal(err)
	}
	return string(llmclient.Marshal(pruned(arguments)))
}

func pruned(v any) any {
	switch node := v.(type) {
	case object:
		for key, inner := range node {
			if node[key] = pruned(inner); inner == nil {
				delete(node, key)
			}
		}
	case []any:
		for i, inner := range node {
			node[i] = pruned(inner)
		}
	}
	return v
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("golden file, -update writes it: %v", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), -update rewrites it:\n%s", path, diff)
	}
}
