//go:build unix

package toolserver_test

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

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
		tool := c.Tools()[0]
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
