//go:build unix

package jetstream_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld/batch"
)

// TestChaos plays cells on three worker processes, of which one is killed, one is stopped for longer
// than its lease and then continues, and one loses its acknowledgements. The coordinator is killed twice,
// once with its store.
func TestChaos(t *testing.T) {
	slow(t)
	t.Run("embedded", func(t *testing.T) { chaos(t, "") })
	t.Run("own server", func(t *testing.T) { chaos(t, buildServer(t)) })
}

// buildServer builds the NATS server of the module that go.mod names.
func buildServer(t *testing.T) string {
	t.Helper()
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("builds a NATS server; set AGENT_WORLD_LONG")
	}
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/nats-io/nats-server/v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := exec.Command("go", "install", "github.com/nats-io/nats-server/v2@"+string(version[:len(version)-1]))
	c.Env = append(os.Environ(), "GOBIN="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("build the NATS server: %v\n%s", err, out)
	}
	return filepath.Join(dir, "nats-server")
}

func chaos(t *testing.T, server string) {
	cells, ticks := 12, int64(6)
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		cells, ticks = 100, 12
	}
	const lease = 1500 * time.Millisecond
	model := startModel(t, 8*time.Millisecond)
	list, dir := jobs(t, cells, ticks, model.URL), t.TempDir()
	one, _ := local(t, list, list.Cells[0])
	total := one.Calls * int64(cells) // about
	asked := func() int64 { return model.requests.Load() - one.Calls }
	limit := total * 3 / 2

	listen := address(t)
	url := "nats://" + listen
	env := []string{
		envURL + "=" + url, envDir + "=" + dir, envModel + "=" + model.URL, fmt.Sprint(envCells, "=", cells), fmt.Sprint(envTicks, "=", ticks),
		fmt.Sprint(envLimit, "=", limit), fmt.Sprint(envLease, "=", lease.Milliseconds()), envKey + "=" + filepath.Join(dir, "jetstream.nkey"),
	}
	store := filepath.Join(dir, "jetstream")
	var daemon *exec.Cmd
	startServer := func() {
		if server == "" {
			return
		}
		host, port, _ := net.SplitHostPort(listen)
		daemon = exec.Command(server, "-js", "-sd", store, "-a", host, "-p", port)
		if err := daemon.Start(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if daemon != nil {
			_ = daemon.Process.Kill()
			_ = daemon.Wait()
		}
	})
	if server == "" {
		env = append(env, envListen+"="+listen)
	}
	startServer()
	coordinator := process(t, "coordinator", env...)
	eventually(t, "the server is up", func() bool { return reachable(listen) })
	if server != "" {
		env[7] = envKey + "="
	}
	worker := func(at string) *exec.Cmd {
		return process(t, "worker", append(env, envURL+"=nats://"+at, envDir+"="+t.TempDir())...)
	}
	killed, stopped, deaf := worker(listen), worker(listen), worker(withoutAcks(t, listen))

	eventually(t, "a tenth is played", func() bool { return asked() > total/10 })
	_ = killed.Process.Kill()
	eventually(t, "a fifth is played", func() bool { return asked() > total/5 })
	_ = stopped.Process.Signal(syscall.SIGSTOP)
	eventually(t, "two fifths are played", func() bool { return asked() > total*2/5 })
	_ = coordinator.Process.Kill()
	_ = coordinator.Wait()
	coordinator = process(t, "coordinator", env...)
	time.Sleep(lease) // so that the stopped worker has lost its cells
	_ = stopped.Process.Signal(syscall.SIGCONT)
	eventually(t, "three fifths are played", func() bool { return asked() > total*3/5 })
	_ = coordinator.Process.Kill()
	_ = coordinator.Wait()
	if daemon != nil {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	}
	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	startServer()
	coordinator = process(t, "coordinator", env...)
	if err := coordinator.Wait(); err != nil {
		t.Fatalf("the coordinator: %v", err)
	}
	if daemon == nil {
		for _, c := range []*exec.Cmd{stopped, deaf} {
			// One that does not end says where it hangs.
			late := time.AfterFunc(30*time.Second, func() { _ = c.Process.Signal(syscall.SIGQUIT) })
			if err := c.Wait(); err != nil {
				t.Errorf("a worker: %v", err)
			}
			late.Stop()
		}
	}
	requests := asked()
	var got []batch.Result
	for _, c := range list.Cells {
		text, err := os.ReadFile(filepath.Join(dir, "cells", string(c.ID), "result.json"))
		var r batch.Result
		if err != nil || json.Unmarshal(text, &r) != nil {
			t.Fatalf("cell %s: %v", c.ID, err)
		}
		got = append(got, r)
	}
	calls := collected(t, dir, list, got)
	// In flight are at most two cells of a worker with two turns each: one worker was killed, one
	// stopped, and all lost the answers that no coordinator had yet when the store was deleted.
	const inFlight = 2 * 2
	t.Logf("%d requests for %d calls", requests, calls)
	if requests < calls || requests > calls+5*inFlight {
		t.Errorf("%d requests for %d calls, at most %d more are allowed", requests, calls, 5*inFlight)
	}
	if requests > limit {
		t.Errorf("%d requests, the budget is %d", requests, limit)
	}
}

// reachable says that somebody listens there.
func reachable(address string) bool {
	c, err := net.Dial("tcp", address)
	if err == nil {
		c.Close()
	}
	return err == nil
}
