//go:build unix

package cli

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// socketless is package net with a call for a socket that ends the process. Package
// net opens every socket through this variable, a DNS query's included.
const socketless = `//go:build unix

package net

import "syscall"

var (
	testHookCanceledDial = func() {}
	hostsFilePath        = "/etc/hosts"

	socketFunc = func(int, int, int) (int, error) {
		println("a socket was opened")
		syscall.Exit(97)
		return 0, nil
	}
	connectFunc       func(int, syscall.Sockaddr) error = syscall.Connect
	listenFunc        func(int, int) error              = syscall.Listen
	getsockoptIntFunc func(int, int, int) (int, error)  = syscall.GetsockoptInt
)
`

// buildSocketless builds the program so that it ends with code 97 when it opens a
// socket. The compiler does it, by replacing one file of the standard library.
func buildSocketless(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(strings.TrimSpace(string(root)), "src", "net", "hook_unix.go")
	if _, err := os.Stat(hook); err != nil {
		t.Fatalf("package net has changed, and with it how to forbid sockets: %v", err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {hook: filepath.Join(dir, "hook.go")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"hook.go": []byte(socketless), "overlay.json": overlay} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, programName)
	if out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// TestReplayOpensNoSocket runs the real program where no socket can be opened: a
// replay and a run on recorded answers alone end as they should. A run that asks a
// model shows that the ban holds.
func TestReplayOpensNoSocket(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program with another package net, which takes half a minute once")
	}
	p := newProcess(t, nil, "llm_bootstrap", "--ticks", "6", "--run-dir", "run", "--quiet")
	if code := p.run(t); code != 0 {
		t.Fatalf("exit code %d: %s", code, p.output())
	}
	if e := newProcess(t, nil, "answers", "export", filepath.Join(p.dir, "run"), filepath.Join(p.dir, "answers.zst")); e.run(t) != 0 {
		t.Fatal(e.output())
	}
	binary := buildSocketless(t)
	for _, c := range []struct {
		args string
		code int
	}{
		{"replay run", 0},
		{"llm_bootstrap --ticks 6 --run-dir one --quiet --replay-from run", 0},
		{"llm_bootstrap --ticks 6 --run-dir two --quiet --replay-from answers.zst", 0},
		{"llm_bootstrap --ticks 6 --run-dir three --quiet --replay-from run --prompt-profile rich", 5},
		{"llm_bootstrap --ticks 6 --run-dir four --quiet", 97},
		{"llm_bootstrap --ticks 7 --run-dir five --quiet --replay-from run --replay-miss ask", 97},
	} {
		command := exec.Command(binary, strings.Fields(c.args)...)
		command.Dir = p.dir
		// A model set on this machine must not decide the test.
		command.Env = []string{"OPENAI_API_KEY=sk-not-used"}
		out, err := command.CombinedOutput()
		code := 0
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			code = failed.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s", c.args, code, c.code, out)
		}
	}
}
