package cli_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// asProgram is set where the test binary is the program of [ExampleMain].
const asProgram = "AGENT_WORLD_EXAMPLE_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		ExampleMain()
	}
	os.Exit(m.Run())
}

// TestAProgramOfOnesOwn runs the program of the example: it has every command, those of its extension
// among them, and says what it is made of.
func TestAProgramOfOnesOwn(t *testing.T) {
	run := func(args ...string) string {
		t.Helper()
		c := exec.Command(os.Args[0], args...)
		c.Dir = t.TempDir()
		c.Env = append(os.Environ(), asProgram+"=1")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	help := run("--help")
	for _, name := range []string{"ask", "batch", "compare", "dashboard", "explain", "fork", "greet", "guard-eval", "inspect",
		"playbook", "replay", "resume", "runs", "scenarios", "trace"} {
		if !strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("help does not list the command %s:\n%s", name, help)
		}
	}
	if out := run("greet", "--who", "you"); out != "hello, you\n" {
		t.Errorf("greet said %q", out)
	}
	if out := run("--version"); !strings.Contains(out, ", greeter 1") {
		t.Errorf("--version said %q", out)
	}
	if out := run("minimal", "--ticks", "1", "--run-dir", "run"); !strings.Contains(out, " in 1 tick") {
		t.Errorf("a run said %q", out)
	}
}
