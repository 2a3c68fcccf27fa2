package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// counted counts what is written.
type counted struct {
	*bufio.Writer
	n int64
}

func (c *counted) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return c.Writer.Write(b)
}

// writeWaitingRun writes a run of many agents that only wait, in a world that is played, with prompts of their own in
// every tick, until the trace has so many bytes. It ends without a run end.
func writeWaitingRun(t *testing.T, dir string, h trace.Header, bytesLeast int64) (ticks int64) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := &counted{Writer: bufio.NewWriter(f)}
	w := trace.NewChainedWriter(out, "")
	write := func(records ...trace.Record) {
		for _, r := range records {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	blob := func(tick int64, kind trace.BlobKind, body []byte) string {
		hash, err := w.Blob(tick, kind, body)
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	write(h)
	p, err := playback.Begin(h)
	if err != nil {
		t.Fatal(err)
	}
	played := p.World()
	filling := string(bytes.Repeat([]byte("what the agent sees "), 400))
	wait := world.EncodeAction(world.Wait{})
	for out.n < bytesLeast {
		events := played.Advance()
		ticks = played.Tick()
		var intents []world.Intent
		var decisions []trace.Decision
		for _, n := range played.Due() {
			id := played.AgentID(n)
			item := llmclient.Message("user", fmt.Sprint(id, " in tick ", ticks, ": ", filling))
			answer := llmclient.FunctionCall(fmt.Sprintf("call-%d-%d", ticks, n), "decision", `{"candidate":1}`)
			call := trace.ModelCall{Tick: ticks, AgentID: id, Step: 1, Stage: trace.StageDecision, Model: "m",
				Instructions: blob(ticks, trace.BlobInstructions, []byte("You wait.")), Tools: blob(ticks, trace.BlobTools, []byte("[]")),
				Input: []string{blob(ticks, trace.BlobItem, item.Raw)}, ToolChoice: []byte(`"auto"`),
				Answer: trace.Answer{Output: []string{blob(ticks, trace.BlobItem, answer.Raw)}, Usage: llmclient.Usage{Input: 900, Output: 9}}}
			write(call)
			intents = append(intents, world.Intent{Agent: n, Action: world.Wait{}})
			decisions = append(decisions, trace.Decision{Tick: ticks, AgentID: id, DecidedBy: trace.ByModel, Proposed: wait, Adjusted: wait, Executed: wait, Calls: 1})
		}
		events = append(events, played.Apply(intents)...)
		for _, d := range decisions {
			write(d)
		}
		for _, e := range events {
			write(trace.Event{Tick: ticks, Event: e})
		}
		write(trace.TickEnd{Tick: ticks, Digest: played.Digest().String(), Due: len(intents), WorldTime: ticks})
	}
	if err := errors.Join(out.Flush(), f.Sync()); err != nil {
		t.Fatal(err)
	}
	return ticks
}

// peakOf runs a command and returns the most memory that it held, in MB. What the kernel tells at its end
// would not do: that includes what this process held when it started the command.
func peakOf(t *testing.T, c *exec.Cmd) (mb int) {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %v\n%s", c.Args, err, out.Bytes())
			}
			return mb
		case <-time.After(20 * time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
			if _, peak, found := strings.Cut(string(status), "VmHWM:"); found {
				var kb int
				fmt.Sscan(peak, &kb)
				mb = max(mb, kb>>10)
			}
		}
	}
}

// TestLargeTracesAreStreamed: a trace of a gigabyte, with 400 agents and so with four times as much in an epoch of
// prompts as memory is allowed, is exported to all tables and to conversations within 200 MB.
func TestLargeTracesAreStreamed(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to write a trace of a gigabyte and export it")
	}
	p := newProcess(t, nil)
	p.played(t, "llm_bootstrap", "--agents", "400", "--ticks", "1", "--seat", "*=wait", "--run-dir", "small", "--quiet")
	h, err := run.Dir(p.path("small")).Header()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(p.path("large"), 0o700); err != nil {
		t.Fatal(err)
	}
	ticks := writeWaitingRun(t, p.path("large"), h, 1<<30)
	command := filepath.Join(p.dir, programName)
	if out, err := exec.Command("go", "build", "-o", command, "../../cmd/"+programName).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, args := range [][]string{{"--out", "tables"}, {"--format", "messages", "--out", "turns.jsonl"}} {
		c := exec.Command(command, append([]string{"export", "large"}, args...)...)
		c.Dir = p.dir
		began := time.Now()
		peak := peakOf(t, c)
		fmt.Printf("export %v of 1 GB, %d ticks: %d MB, %.0f s, of them %.0f of the processor\n", args, ticks, peak, time.Since(began).Seconds(),
			(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
		if peak > 200 {
			t.Errorf("%v took %d MB", args, peak)
		}
	}
	info, err := os.Stat(p.path("turns.jsonl"))
	if err != nil || info.Size() < 1<<29 {
		t.Errorf("the conversations have %d bytes: %v", info.Size(), err)
	}
}
