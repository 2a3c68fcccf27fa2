//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTheSlurmExampleTakesAnyArray: the tasks of an array are the shards 1 to N, whatever it begins with, and the
// signal before its end reaches the program.
func TestTheSlurmExampleTakesAnyArray(t *testing.T) {
	const example = "../../docs/examples/batch-slurm.sh"
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "world_llm_agent_demo"), []byte("#!/bin/sh\necho $$ \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(example)
	if err != nil || !strings.Contains(string(text), "\n#SBATCH --signal=B:") {
		t.Errorf("the signal does not go to the batch shell, %v", err)
	}
	for array, want := range map[[3]string]string{{"0", "0", "1"}: "1/8", {"7", "0", "1"}: "8/8", {"1", "1", "1"}: "1/8", {"108", "101", "1"}: "8/8", {"14", "0", "2"}: "8/8", {"3", "3", ""}: "1/8"} {
		c := exec.Command("sh", example)
		c.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "SLURM_ARRAY_TASK_ID=" + array[0], "SLURM_ARRAY_TASK_MIN=" + array[1], "SLURM_ARRAY_TASK_STEP=" + array[2], "SLURM_ARRAY_TASK_COUNT=8"}
		out, err := c.Output()
		pid, args, _ := strings.Cut(string(out), " ")
		if err != nil || !strings.Contains(args, "--shard "+want+" ") {
			t.Errorf("%v: %s, %v", array, out, err)
		}
		if c.Process != nil && pid != strconv.Itoa(c.Process.Pid) {
			t.Errorf("the program is process %s, and the shell was %d", pid, c.Process.Pid)
		}
	}
}
