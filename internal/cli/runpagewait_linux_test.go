package cli

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"example.com/agentworld/run"
)

// TestARunDoesNotWaitForAPageThatIsSilent holds the stream of a run's page open and never says that the end was shown:
// the process ends nevertheless, after the time that a page is given.
func TestARunDoesNotWaitForAPageThatIsSilent(t *testing.T) {
	t.Parallel()
	p := newProcess(t, nil, "minimal", "--ticks", "2", "--dashboard", "--control", "--paused", "--run-dir", "run")
	ended := make(chan int, 1)
	go func() { ended <- p.Run(t.Context()) }()
	var found []string
	for kept := filepath.Join(p.dir, "run", run.ControlFile); found == nil; time.Sleep(10 * time.Millisecond) {
		address, _ := os.ReadFile(kept) // which is there once the page is
		found = regexp.MustCompile(`^(http://[0-9.:]+)/.*control=([A-Z0-9]+)\s`).FindStringSubmatch(string(address))
	}
	stream, err := http.Get(found[1] + "/api/stream?of=silent")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if status := postTo(t, jar, found[1], "/api/control/enter", `{"token":"`+found[2]+`"}`); status != http.StatusOK {
		t.Fatalf("let in: status %d", status)
	}
	if status := postTo(t, jar, found[1], "/api/control", `{"kind":"resume"}`); status != http.StatusOK {
		t.Fatalf("go on: status %d", status)
	}
	began := time.Now()
	if code := <-ended; code != exitCompleted {
		t.Errorf("exit code %d", code)
	}
	t.Logf("the process ended %v after it went on", time.Since(began).Round(time.Millisecond))
	_, _ = io.Copy(io.Discard, stream.Body)
}
