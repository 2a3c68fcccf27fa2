package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/run"
)

// mounts are two mounts of one directory, whose locks may not know of each other.
type mounts struct {
	real string
	ways [2]string
}

// mountTwice mounts a new directory twice, for root and with bindfs alone.
func mountTwice(t *testing.T, flags ...string) mounts {
	t.Helper()
	m := mounts{real: t.TempDir()}
	for i := range m.ways {
		m.ways[i] = t.TempDir()
		out, err := exec.Command("bindfs", append(flags, m.real, m.ways[i])...).CombinedOutput()
		if err != nil {
			t.Skipf("bindfs mounts nothing here: %v: %s", err, out)
		}
		t.Cleanup(func() {
			if out, err := exec.Command("umount", m.ways[i]).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	return m
}

// on is a command of the program on a host of that name, with process ids of its own; on this one
// without a name.
func on(host string, args ...string) *exec.Cmd {
	if host == "" {
		return exec.Command(programName, args...)
	}
	script := `mount -t proc proc /proc && hostname "$0" && exec "$@"`
	return exec.Command("unshare", append([]string{"--pid", "--uts", "--mount", "--fork", "--kill-child", "sh", "-c", script, host, programName}, args...)...)
}

// TestTwoMountsOfOneDirectory plays runs and a batch through two mounts of one directory, as from
// two machines over a network: of a run and a resume one is refused, four processes keep the budget
// of a batch, and no cell is played twice.
func TestTwoMountsOfOneDirectory(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 to mount a directory twice")
	}
	if _, err := exec.LookPath("bindfs"); err != nil || os.Getuid() != 0 {
		t.Skip("only root can mount a directory twice, with bindfs")
	}
	for name, c := range map[string]struct {
		flags []string
		hosts [2]string
	}{
		"equal names":               {nil, [2]string{"same", "same"}},
		"other names":               {nil, [2]string{"one", "two"}},
		"one host":                  {nil, [2]string{}},
		"equal names, locks passed": {[]string{"--enable-lock-forwarding", "--multithreaded"}, [2]string{"same", "same"}},
		"other names, locks passed": {[]string{"--enable-lock-forwarding", "--multithreaded"}, [2]string{"one", "two"}},
		"one host, locks passed":    {[]string{"--enable-lock-forwarding", "--multithreaded"}, [2]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			m := mountTwice(t, c.flags...)
			t.Run("run", func(t *testing.T) { playTwice(t, m, c.hosts) })
			t.Run("batch", func(t *testing.T) { playBatch(t, m, c.hosts) })
		})
	}
}

// playTwice plays a run by one mount and resumes it by the other one meanwhile.
func playTwice(t *testing.T, m mounts, hosts [2]string) {
	var asked atomic.Int64
	hold := make(chan struct{})
	answer := stub.NewHandler(stub.Options{Seed: 1})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-hold
		answer.ServeHTTP(w, r)
	}))
	defer server.Close()
	release := sync.OnceFunc(func() { close(hold) })
	defer release() // before the server waits for its calls
	first := on(hosts[0], "minimal", "--ticks", "3", "--model", "scripted", "--base-url", server.URL, "--run-dir", filepath.Join(m.ways[0], "run"), "--quiet")
	var said bytes.Buffer
	first.Stderr = &said
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for asked.Load() == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	second := filepath.Join(m.ways[1], "run")
	for _, args := range [][]string{{"resume", second}, {"minimal", "--offline", "--run-dir", second}} {
		out, err := on(hosts[1], args...).CombinedOutput()
		failed, _ := errors.AsType[*exec.ExitError](err)
		if failed == nil || failed.ExitCode() != exitBadInput || !strings.Contains(string(out), "run directory") {
			t.Errorf("%s: %v: %s", args[0], err, out)
		}
	}
	if by := run.Dir(second).Holder(); by == "" {
		t.Error("nobody is said to have the run")
	}
	release()
	if err := first.Wait(); err != nil {
		t.Fatalf("the first process: %v: %s", err, said.String())
	}
	// It was given back, so the other host need not wait.
	if out, err := on(hosts[1], "resume", second, "--until-tick", "4", "--base-url", server.URL).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// playBatch plays a batch by four processes, first within a budget and then to its end.
func playBatch(t *testing.T, m mounts, hosts [2]string) {
	var asked atomic.Int64
	answer := stub.NewHandler(stub.Options{Seed: 1})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if r.Method == http.MethodPost {
			asked.Add(1)
		}
		time.Sleep(2 * time.Millisecond)
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer.ServeHTTP(w, r)
	}))
	defer server.Close()
	const cells, callsMost = 40, 300
	play := func(calls int) {
		t.Helper()
		file := filepath.Join(m.real, "b.toml")
		text := fmt.Sprintf("name = \"b\"\nscenarios = [\"minimal\"]\nseeds = \"1-%d\"\n[axes.m.a.llm]\nmodel = \"scripted\"\nbase_url = %q\n[budget]\ncalls = %d\n", cells, server.URL, calls)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for n := range 4 {
			group.Go(func() {
				out, err := on(hosts[n%2], "batch", "run", file, "--dir", filepath.Join(m.ways[n%2], "batch"), "--jobs", "3", "--quiet").CombinedOutput()
				failed, _ := errors.AsType[*exec.ExitError](err)
				if err != nil && (failed == nil || failed.ExitCode() != exitBudget) {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		group.Wait()
	}
	play(callsMost)
	if n := asked.Load(); n > callsMost || n < callsMost*9/10 {
		t.Errorf("%d calls of a budget of %d", n, callsMost)
	}
	play(1_000_000)
	dir := batch.Dir(filepath.Join(m.real, "batch"))
	_, list, err := dir.Cells()
	if err != nil || len(list) != cells {
		t.Fatal(len(list), err)
	}
	results, err := dir.Results(list)
	if err != nil || len(results) != cells {
		t.Fatalf("%d results, %v", len(results), err)
	}
	billed := int64(0)
	for _, r := range results {
		billed += r.Calls
		if !r.Scored() {
			text, _ := json.Marshal(r)
			t.Errorf("%s", text)
		}
	}
	// A cell that was played twice would have been paid twice.
	if asked.Load() != billed {
		t.Errorf("%d calls were made, and the results have %d", asked.Load(), billed)
	}
}
