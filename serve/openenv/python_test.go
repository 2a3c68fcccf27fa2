package openenv

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// python runs a program with the client of the docs, and returns what it prints.
func python(t *testing.T, program string) (output string, err error) {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: no python3 is installed, so its client was not tried")
	}
	c := exec.CommandContext(t.Context(), path, "-")
	c.Stdin = strings.NewReader(program)
	c.Env = append(os.Environ(), "PYTHONPATH=../../docs/examples", "PYTHONDONTWRITEBYTECODE=1")
	text, err := c.CombinedOutput()
	return string(text), err
}

// TestPythonLoopOfThePage runs the program of docs/openenv.md as it is there.
func TestPythonLoopOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/openenv.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "\n```python\n")
	program, _, found := strings.Cut(program, "\n```")
	if !found {
		t.Fatal("the page has no program")
	}
	s := serving(t, "task_production_hardware_50", func(o *Options) { o.Token = "token" })
	output, err := python(t, strings.ReplaceAll(program, "http://127.0.0.1:8000", s.URL()))
	at := strings.LastIndex(output, "score ")
	var score, rewards int64
	if at >= 0 {
		_, _ = fmt.Sscanf(output[at:], "score %d rewards %d", &score, &rewards)
	}
	if err != nil || score < 1 || score != rewards || !strings.Contains(output, "# Observation, tick 1 of 50") {
		t.Errorf("%v: it ends with a score of %d and rewards of %d:\n%s", err, score, rewards, output)
	}
}

// TestPythonClient: frames of all lengths arrive, it takes texts that are no JSON to the server, and raises what the server
// refuses.
func TestPythonClient(t *testing.T) {
	s := serving(t, small, nil)
	output, err := python(t, fmt.Sprintf(`
from agentworld_env import AgentWorldEnv
env = AgentWorldEnv(%q)
observation, state = env.reset(options={"split": "test", "index": 2, "episode_id": "mine"})
print(state["seed"], state["episode_id"])
for text in ("no JSON", '{"action": "wait"}', '{"action": "wait", "reason": "' + 70000 * "x" + '"}', 126 * "x"):
    observation, reward, terminated, truncated, info = env.step(text)
    print(observation["tick"], reward, terminated, truncated, observation["result"]["code"] if "code" in observation["result"] else "")
try:
    env.reset(options={"rules": {}})
except RuntimeError as error:
    print(error)
print(env.state()["step_count"])
env.close()
try:
    AgentWorldEnv(%q)
except ConnectionError as error:
    print("refused:", "404" in str(error))
`, s.URL(), s.URL()+"/nowhere"))
	want := "2000002 mine\n1 0 False False malformed\n2 0 False False \n2 0 False False malformed\n2 0 False False malformed\n" +
		"VALIDATION_ERROR: data: unknown field \"rules\"; a reset takes seed, episode_id, split and index\n4\nrefused: True\n"
	if err != nil || output != want {
		t.Errorf("%v: it prints\n%s\nwant\n%s", err, output, want)
	}
}
