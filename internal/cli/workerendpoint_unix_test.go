//go:build !windows

package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/stub"
)

// coordinating starts the coordinator of the batch b.toml, into the directory d, and returns it with
// the address for workers.
func coordinating(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	pipe, notes, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	coordinator := exec.Command(clusterProgram, "batch", "run", "b.toml", "--jobs", "0", "--dir", "d", "--nats-listen", "127.0.0.1:0")
	coordinator.Dir, coordinator.Stderr = dir, notes
	coordinator.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	if err := coordinator.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = coordinator.Process.Kill(); _, _ = coordinator.Process.Wait() })
	_ = notes.Close()
	var told []byte
	address := regexp.MustCompile(`nats://127\.0\.0\.1:\d+\s`)
	for buffer := make([]byte, 4096); !address.Match(told); {
		n, err := pipe.Read(buffer)
		if told = append(told, buffer[:n]...); err != nil {
			t.Fatalf("no address: %v\n%s", err, told)
		}
	}
	go func() { _, _ = new(bytes.Buffer).ReadFrom(pipe) }()
	return coordinator, string(bytes.TrimSpace(address.Find(told)))
}

// TestWorkerAsksTheEndpointOfTheCell holds that a worker asks the endpoint that a cell names, whatever
// its own is, and sends its key there only if it knows that endpoint itself.
func TestWorkerAsksTheEndpointOfTheCell(t *testing.T) {
	slow(t)
	dir := t.TempDir()
	var asked, keyed [3]atomic.Int64 // of two arms, and of the worker's own endpoint
	var urls [3]string
	for i := range urls {
		handler := stub.NewHandler(stub.Options{Seed: 1})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked[i].Add(1)
			if r.Header.Get("Authorization") != "" {
				keyed[i].Add(1)
			}
			handler.ServeHTTP(w, r)
		}))
		t.Cleanup(s.Close)
		urls[i] = s.URL
	}
	text := fmt.Sprintf("name = \"ends\"\nscenarios = [\"minimal\"]\n[settings.run]\nticks = 3\n[settings.llm]\nmodel = \"m\"\n[axes.server.a.llm]\nbase_url = %q\n[axes.server.b.llm]\nbase_url = %q\n", urls[0], urls[1])
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	coordinator, url := coordinating(t, dir)
	worker := exec.Command(clusterProgram, "worker", "--nats", url, "--nats-nkey", "d/jetstream.nkey", "--until-done")
	worker.Dir, worker.Env = dir, append(coordinator.Env, settings.EnvPrefix+"API_KEY=sk-worker-0123456789", settings.EnvPrefix+"BASE_URL="+urls[2])
	if out, err := worker.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("is not sent to")) {
		t.Errorf("%v\n%s", err, out)
	}
	if err := coordinator.Wait(); err != nil {
		t.Error(err)
	}
	if asked[0].Load() == 0 || asked[0].Load() != asked[1].Load() || asked[2].Load() != 0 {
		t.Errorf("requests at the arms' servers and the worker's own: %d, %d, %d", asked[0].Load(), asked[1].Load(), asked[2].Load())
	}
	if n := keyed[0].Load() + keyed[1].Load(); n != 0 {
		t.Errorf("the key went %d times to endpoints that the worker does not know", n)
	}
}
