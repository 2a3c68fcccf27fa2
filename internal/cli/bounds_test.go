package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// cpuTime is the CPU time of the process so far; always 0 where the system does not say.
var cpuTime = func() time.Duration { return 0 }

// TestExpensiveFilesAreRefused gives every command that reads a file of the user's one that
// would keep a parser busy or fill the memory. Each is refused within a second of CPU time, on a line
// that says which file and what is allowed. Package document shows what it refuses; here one file is
// refused by its form and one by its size, in a long test all of them.
func TestExpensiveFilesAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many runs")
	}
	toml := [][]string{
		{"minimal", "--estimate-only", "--config"}, {}, {"scenarios", "show"}, {"scenarios", "lint"}, {"minimal", "--playbook"}, {"playbook", "show"}, {"playbook", "stats"}, {"playbook", "diff", "x.toml"},
		{"playbook", "learn", "none", "--playbook"}, {"doctor", "--config"}, {"minimal", "--estimate-only", "--price-table"},
	}
	json := [][]string{{"minimal", "--prompt-switches-json"}, {"minimal", "--sampling-json"}, {"doctor", "--sampling-json"}}
	var inline, members strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&inline, "k%d=1,", i)
		fmt.Fprintf(&members, `"k%d":1,`, i)
	}
	long := strings.Repeat("a", 50_000_000)
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	dir := t.TempDir()
	for i, kind := range []struct {
		commands [][]string
		texts    map[string]string
	}{
		{toml, map[string]string{
			"inline keys": "x = {" + inline.String() + "z=1}", "keys": strings.ReplaceAll(inline.String(), ",", "\n"), "brackets": "x = " + deep, "dots": "x" + strings.Repeat(".a", 100_000) + " = 1",
			"tables": strings.ReplaceAll(strings.ReplaceAll(inline.String(), "k", "[k"), "=1,", "]\n"), "text": "x = '" + long + "'", "comments": strings.Repeat("# a comment\n", 5_000_000), "no end": "",
		}},
		{json, map[string]string{"members": "[{" + members.String() + `"z":1}]`, "brackets": deep, "text": `["` + long + `"]`, "numbers": "[" + strings.Repeat("1,", 1_500_000) + "1]", "blanks": strings.Repeat(" ", 60_000_000), "no end": ""}},
	} {
		for what, text := range kind.texts {
			if what != "brackets" && what != "no end" && os.Getenv("AGENT_WORLD_LONG") == "" {
				continue
			}
			name := filepath.Join(dir, fmt.Sprint(i, strings.ReplaceAll(what, " ", ""), ".toml"))
			if what == "no end" {
				name = "/dev/zero"
			} else if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, command := range kind.commands {
				p := newProcess(t, nil, append(append([]string{}, command...), name)...)
				if err := os.WriteFile(filepath.Join(p.dir, "x.toml"), []byte("format = 2\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				begin := cpuTime()
				code := p.run(t)
				took := cpuTime() - begin
				runtime.ReadMemStats(&after)
				if took > time.Second { // other work on the machine costs CPU time here, too
					begin = cpuTime()
					p.run(t)
					took = min(took, cpuTime()-begin)
				}
				said := p.output()
				// Reading what has no size takes four times the bound, as the buffer grows.
				if code != exitBadInput || took > time.Second || after.TotalAlloc-before.TotalAlloc > 160<<20 {
					t.Errorf("%q, %s: exit code %d after %v with %d bytes allocated: %.300s", command, what, code, took, after.TotalAlloc-before.TotalAlloc, said)
				}
				refused := strings.Contains(said, "allowed") || strings.Contains(said, "not a regular file")
				if !strings.Contains(said, filepath.Base(name)) || !refused || len(said) > 5_000 {
					t.Errorf("%q, %s: does not say what and where: %.400s", command, what, said)
				}
			}
		}
	}
}
