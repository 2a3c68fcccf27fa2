//go:build unix

package toolserver_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld/tools"
	"example.com/agentworld/tools/toolserver"
	"example.com/agentworld/trace"
)

// TestAProcessHasAnEnvironmentOfItsOwn, without the keys of this one, and does not outlive its client.
func TestAProcessHasAnEnvironmentOfItsOwn(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "s3cr3t")
	for _, kind := range []string{"polite", "deaf"} {
		c := connected(t, toolserver.Server{Name: "env", Command: []string{os.Args[0]}, Env: []string{asServer + "=" + kind, "NOTES=here"},
			ToolLimits: trace.ToolLimits{BytesMax: 20_000}})
		tool := c.Tools()[slices.IndexFunc(c.Tools(), func(t tools.Tool) bool { return t.Name == "env_environment" })]
		result := called(t, tools.NewSet(tool), "env_environment", `{}`)
		var said struct {
			Environment []string
			Pid         int
		}
		if err := json.Unmarshal(result.Result, &said); err != nil {
			t.Fatalf("%+v: %v", result, err)
		}
		all := strings.Join(said.Environment, "\n")
		if strings.Contains(all, "s3cr3t") || !strings.Contains(all, "NOTES=here") || tool.Version != "1.2" {
			t.Errorf("version %s, the environment is\n%s", tool.Version, all)
		}
		_ = c.Close()
		if syscall.Kill(said.Pid, 0) == nil {
			t.Errorf("the %s server still runs", kind)
		}
	}
}

// TestAMessageHasABound: of a program that says more than a message may have, no more is read, and it is ended.
func TestAMessageHasABound(t *testing.T) {
	program := func(kind string) toolserver.Server {
		return toolserver.Server{Name: "env", Command: []string{os.Args[0]}, Env: []string{asServer + "=" + kind}}
	}
	const want = `"a message of the server is too long"`
	for _, tool := range []string{"env_flood", "env_blanks"} {
		set := tools.NewSet(connected(t, program("polite")).Tools()...)
		var said struct{ Pid int }
		result := called(t, set, "env_environment", `{}`)
		if err := json.Unmarshal(result.Result, &said); err != nil {
			t.Fatalf("%+v: %v", result, err)
		}
		for range 2 { // also once it has ended
			if r := called(t, set, tool, `{}`); r.Code != trace.ToolFailed || string(r.Result) != want {
				t.Errorf("%s: %+v", tool, r)
			}
		}
		for syscall.Kill(said.Pid, 0) == nil {
			time.Sleep(time.Millisecond)
		}
	}
	if _, err := toolserver.Connect(t.Context(), program("flood at once")); err == nil ||
		err.Error() != "tool server env: a message of the server is too long" {
		t.Errorf("the error is %v", err)
	}
	_, err := toolserver.Connect(t.Context(), program("loud"))
	if err == nil || len(err.Error()) > 500 || strings.Contains(err.Error(), "\x1b") || !strings.Contains(err.Error(), "it said: ") {
		t.Errorf("what it says on its standard error comes to %q", err)
	}
}
