//go:build unix

package dashboard_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld"
	"example.com/agentworld/dashboard"
)

// TestMain plays the parts of tests that are processes of their own.
func TestMain(m *testing.M) {
	args := strings.Fields(os.Getenv("DASHBOARD_TEST_PART"))
	switch {
	case len(args) == 3 && args[0] == "run":
		playMeasured(args[1], args[2] == "served")
	case len(args) == 3 && args[0] == "stuck":
		playStuck(args[1], args[2] == "served")
	case len(args) == 2 && args[0] == "clients":
		watch(args[1])
	default:
		code := m.Run()
		closeBrowser()
		os.Exit(code)
	}
}

const (
	clients     = 200
	clientTicks = 220
	// clientTicksLeft are not measured: the process starts.
	clientTicksLeft = 20
)

// playMeasured plays a run and prints the CPU microseconds of this process per tick. If it is
// served, it prints the address of the page first. It begins when its input ends.
func playMeasured(dir string, served bool) {
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if served {
		s, err := dashboard.New(dashboard.Options{Dir: filepath.Dir(dir)})
		check(err)
		go func() { check(s.Serve(context.Background())) }()
		fmt.Println(s.URL())
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	check(err)
	settings, err := agentworld.Defaults("llm_bootstrap")
	check(err)
	settings.Ticks = clientTicks
	var begun, now time.Duration
	_, err = agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir, Progress: func(p agentworld.Progress) {
		var used syscall.Rusage
		check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		now = time.Duration(used.Utime.Nano() + used.Stime.Nano())
		if p.Tick == clientTicksLeft {
			begun = now
		}
	}})
	check(err)
	fmt.Println((now - begun).Microseconds() / (clientTicks - clientTicksLeft))
}

// watch opens the stream of a page 200 times, says so, and reads until its input ends. The first
// client asks for the run and its world whenever there is news, as a page does.
func watch(at string) {
	var open sync.WaitGroup
	open.Add(clients)
	for n := range clients {
		go func() {
			r, err := http.Get(at + "api/stream")
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			lines := bufio.NewScanner(r.Body)
			lines.Scan()
			open.Done()
			for lines.Scan() {
				if n > 0 || !strings.HasPrefix(lines.Text(), "data:") {
					continue
				}
				for _, of := range []string{"run?run=live", "world?run=live&tick=1000000"} {
					if r, err := http.Get(at + "api/" + of); err == nil {
						_, _ = io.Copy(io.Discard, r.Body)
						_ = r.Body.Close()
					}
				}
			}
		}()
	}
	open.Wait()
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// part starts a part in a process of its own. end ends its input and returns what else it printed.
func part(t *testing.T, args ...string) (c *exec.Cmd, first func() string, end func() string) {
	t.Helper()
	c = exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "DASHBOARD_TEST_PART="+strings.Join(args, " "))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	first = func() string {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%v says nothing: %v", args, err)
		}
		return strings.TrimSpace(line)
	}
	return c, first, func() string {
		_ = in.Close()
		rest, err := io.ReadAll(lines)
		if err == nil {
			err = c.Wait()
		}
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return strings.TrimSpace(string(rest))
	}
}

// TestTwoHundredClients plays runs by themselves, beside a page that 200 clients of another process
// follow, and with that page in the process of the run, in turns.
func TestTwoHundredClients(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to play 15 runs")
	}
	took := map[string][]int{}
	for range 5 {
		for _, how := range []string{"alone", "beside", "served"} {
			dir := t.TempDir()
			_, first, end := part(t, "run", filepath.Join(dir, "live"), how)
			endClients := func() string { return "" }
			if how != "alone" {
				at := ""
				if how == "served" {
					at = first()
				} else {
					at = serve(t, dir)
				}
				var opened func() string
				_, opened, endClients = part(t, "clients", at)
				opened()
			}
			cpu := 0
			if _, err := fmt.Sscan(end(), &cpu); err != nil {
				t.Fatal(err)
			}
			endClients()
			took[how] = append(took[how], cpu)
		}
	}
	median := func(how string) int {
		slices.Sort(took[how])
		return took[how][2]
	}
	t.Logf("CPU microseconds per tick: %v; medians %d alone, %d beside, %d served", took, median("alone"), median("beside"), median("served"))
	if alone, beside := median("alone"), median("beside"); beside*100 > alone*105 {
		t.Errorf("a tick takes %d us of CPU time beside a page with %d clients, %d alone", beside, clients, alone)
	}
}
