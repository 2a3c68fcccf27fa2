package agentworld_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld"
)

// between is the part of a page between two comments.
func between(t *testing.T, page, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "<!-- "+from)
	part, _, whole := strings.Cut(rest, to)
	if !ok || !whole {
		t.Fatalf("the page has no part %s", from)
	}
	return part
}

// TestServerPageAnswers serves the answer of docs/server.md and compares the members that it lists with
// those of the request.
func TestServerPageAnswers(t *testing.T) {
	file, err := os.ReadFile("docs/server.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(file)
	_, answer, _ := strings.Cut(between(t, page, "answer:", "\n- A call has"), "```json\n")
	answer = strings.TrimSuffix(strings.TrimSpace(answer), "```")
	asked := make(chan map[string]json.RawMessage, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var members map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&members); err != nil {
			t.Error(err)
		}
		select {
		case asked <- members:
		default:
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks, settings.Model, settings.BaseURL = 1, "m", server.URL
	run, err := agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: filepath.Join(t.TempDir(), "run")})
	if err != nil {
		t.Fatal(err)
	}
	if run.Report.DecisionCounts.DecidedBy["model"] != 1 || run.Report.ActionSuccess != 1 || run.Report.TraceCounts.ModelCalls != 1 {
		t.Errorf("decided by %v in %d calls, %d actions accepted", run.Report.DecisionCounts.DecidedBy,
			run.Report.TraceCounts.ModelCalls, run.Report.ActionSuccess)
	}
	var listed []string
	for line := range strings.Lines(between(t, page, "request:", "<!-- end")) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, name := range regexp.MustCompile("`[a-z_]+`").FindAllString(cells[1], -1) {
				listed = append(listed, strings.Trim(name, "`"))
			}
		}
	}
	sent := <-asked
	for name := range sent {
		if !slices.Contains(listed, name) {
			t.Errorf("a request has %s, which the page does not list", name)
		}
	}
	for _, name := range listed {
		if sent[name] == nil {
			t.Errorf("the page lists %s, which no request has", name)
		}
	}
}
