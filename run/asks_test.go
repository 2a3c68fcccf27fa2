package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/run"
)

// TestAskAfterACrash: a question that a crash cut short spoils neither those before it nor those
// after it.
func TestAskAfterACrash(t *testing.T) {
	dir, err := begin(t, 0)
	if err != nil {
		t.Fatal(err)
	}
	asks := func() string {
		t.Helper()
		list, err := dir.Asks()
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, object := range list {
			texts = append(texts, string(object))
		}
		return strings.Join(texts, "\n")
	}
	for _, object := range []string{`{"question":"why?"}`, `{"question":"when?"}`} {
		if err := dir.KeepAsk([]byte(object)); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(string(dir), run.AsksFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := asks(); got != `{"question":"why?"}` {
		t.Errorf("after the crash: %s", got)
	}
	if err := dir.KeepAsk([]byte(`{"question":"where?"}`)); err != nil {
		t.Fatal(err)
	}
	if got := asks(); got != "{\"question\":\"why?\"}\n{\"question\":\"where?\"}" {
		t.Errorf("after the next question: %s", got)
	}
	if text, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "why", "who", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Asks(); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a changed question: %v", err)
	}
}
