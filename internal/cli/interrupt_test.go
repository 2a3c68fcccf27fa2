package cli

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/run"
)

// started is a program running as a process of its own.
type started struct {
	*exec.Cmd
	stdout io.Reader
	stderr bytes.Buffer
}

// start starts one of the programs that TestMain knows.
func start(t *testing.T, dir string, name string, args ...string) *started {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	s := &started{Cmd: exec.CommandContext(t.Context(), name, args...)}
	s.Dir, s.Stderr = dir, &s.stderr
	var err error
	if s.stdout, err = s.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// interrupt sends one SIGINT.
func (s *started) interrupt(t *testing.T) {
	t.Helper()
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}

func TestSecondInterruptQuitsAtOnce(t *testing.T) {
	s := start(t, t.TempDir(), "stubborn")
	lines := bufio.NewScanner(s.stdout)
	for _, want := range []string{"ready", "finishing"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("printed %q, want %q", lines.Text(), want)
		}
		s.interrupt(t)
	}
	if !lines.Scan() || lines.Text() != "left" {
		t.Errorf("printed %q at the end", lines.Text())
	}
	_ = s.Wait()
	if code := s.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
}

func TestInterruptedRunExitsWith130(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir, programName, "minimal", "--ticks", "1000000", "--run-dir", "run", "--quiet", "--log-level", "error")
	for {
		data, err := os.ReadFile(filepath.Join(dir, "run", run.TraceFile))
		if err == nil && bytes.Contains(data, []byte(`"type":"tick_end"`)) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.interrupt(t)
	out, err := io.ReadAll(s.stdout)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Wait()
	if code := s.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d; stderr:\n%s", code, exitInterrupted, s.stderr.String())
	}
	if !strings.HasPrefix(s.stderr.String(), "interrupted: ") {
		t.Errorf("that it is interrupted is not said first: %q", s.stderr.String())
	}
	if want := "report  run/report.json"; !strings.Contains(string(out), want) {
		t.Errorf("stdout has no %q:\n%s", want, out)
	}
}
