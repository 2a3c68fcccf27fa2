package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestALongWaitIsSaid lets a provider ask for five minutes: the run says so in one line,
// inspect tells it while it lasts, and nothing of it stays.
func TestALongWaitIsSaid(t *testing.T) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "300")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer provider.Close()
	dir := t.TempDir()
	s := start(t, dir, programName, "two_bases", "--model", "m", "--base-url", provider.URL, "--ticks", "2", "--run-dir", "RUN")
	var shown string
	for deadline := time.Now().Add(time.Minute); !strings.Contains(shown, "waiting") && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		p := newProcess(t, nil, "inspect", filepath.Join(dir, "RUN"))
		p.Now = time.Now
		p.run(t)
		shown = p.stdout.String()
	}
	line := "waiting    for " + provider.URL + "/v1 until "
	if !strings.Contains(shown, line) || !strings.Contains(shown, "429") && !strings.Contains(shown, "Retry-After") {
		t.Errorf("inspect shows\n%s\nwant %q and why", shown, line)
	}
	s.interrupt(t)
	_ = s.Wait()
	if said := s.stderr.String(); strings.Count(said, "waiting for 5m") != 1 || !strings.Contains(said, provider.URL) {
		t.Errorf("printed\n%s\nwant one line about a wait of five minutes", said)
	}
	if _, err := os.Stat(filepath.Join(dir, "RUN", "waits.json")); err == nil {
		t.Error("the file of waits outlives its run")
	}
}
