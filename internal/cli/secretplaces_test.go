package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/internal/settings"
)

// keyInEnv is an environment with the planted key where keys belong.
func keyInEnv() map[string]string {
	return map[string]string{settings.EnvPrefix + "API_KEY": planted, "AGENT_KEY": planted}
}

// keptHidden runs p and demands that the planted key is in nothing it wrote or printed,
// names of files included.
func keptHidden(t *testing.T, p *inProcess, where string) int {
	t.Helper()
	// Nothing here takes long; a server that starts by mistake must not hang the test.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code := p.Run(ctx)
	files := allFiles(t, p.dir)
	if own, err := os.ReadFile(filepath.Join(p.dir, settings.ConfigName)); err == nil {
		files = strings.Replace(files, string(own), "", 1)
	}
	if holdsSecret(p.output()) || holdsSecret(strings.ReplaceAll(files, p.dir, "")) {
		t.Errorf("%s: the key was printed or written (exit code %d):\n%s", where, code, p.output())
	}
	return code
}

// placed are the ways to write the planted key into a setting of that kind.
func placed(s settings.Setting) []string {
	switch s.Kind {
	case settings.KindURL:
		return []string{planted, "http://127.0.0.1:1/v1?api-key=" + planted, "http://u:" + planted + "@127.0.0.1:1", "http://127.0.0.1:1/#" + planted}
	case settings.KindAgents:
		return []string{
			"agent-1=m@http://127.0.0.1:1/v1?api-key=" + planted, "agent-1=m@http://u:" + planted + "@h",
			"agent-1=m,key_env=" + planted, "agent-1=m@http://127.0.0.1:1,key_env=AGENT_KEY",
		}
	}
	return []string{planted, "before " + planted + " after"}
}

// TestAKeyInAnySettingStaysHidden puts the key into every setting of the table, by every
// way there is, and runs. A setting that is added to the table is covered by itself.
func TestAKeyInAnySettingStaysHidden(t *testing.T) {
	slow(t)
	for _, s := range settingTable() {
		for _, text := range placed(s) {
			t.Run(s.Name(), func(t *testing.T) {
				// A live run that fails at once, because no server listens, and writes its files.
				live := []string{"minimal", "--ticks", "1", "--model", "m", "--base-url", "http://127.0.0.1:1/v1?api-key=" + planted, "--run-dir", "run", "--retry-backoff", "1ms"}
				var ways []*inProcess
				if s.Flag != "" {
					ways = append(ways, newProcess(t, keyInEnv(), append(live, "--"+s.Flag+"="+text)...))
				}
				for _, name := range s.Env {
					env := keyInEnv()
					env[name] = text
					ways = append(ways, newProcess(t, env, live...))
				}
				if s.Kind != settings.KindAgents {
					p := newProcess(t, keyInEnv(), live...)
					table, key, _ := strings.Cut(s.Key, ".")
					file := "[" + table + "]\n" + key + " = '" + text + "'\n"
					if err := os.WriteFile(filepath.Join(p.dir, settings.ConfigName), []byte(file), 0o600); err != nil {
						t.Fatal(err)
					}
					ways = append(ways, p)
				}
				for _, p := range ways {
					keptHidden(t, p, strings.Join(p.Args, " "))
				}
			})
		}
	}
}

// TestAKeyInAnyCommandStaysHidden gives the key to every flag and as argument to every
// command there is. Commands and flags that are added are covered by themselves.
func TestAKeyInAnyCommandStaysHidden(t *testing.T) {
	seen := 0
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		seen++
		keptHidden(t, newProcess(t, keyInEnv(), append(path, planted)...), strings.Join(path, " ")+" ARGUMENT")
		keptHidden(t, newProcess(t, keyInEnv(), append(path, "--help")...), strings.Join(path, " ")+" --help")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" && len(path) > 0 && f.Name == "help" {
				return
			}
			args := append(slices.Clone(path), "--"+f.Name+"="+planted)
			// No server may start and stay.
			if address := map[string]string{"model-server": "addr", "dashboard": "listen", "serve": "listen"}[c.Name()]; address != "" && f.Name != address {
				args = append(args, "--"+address+"=127.0.0.1:99999")
			}
			keptHidden(t, newProcess(t, keyInEnv(), args...), strings.Join(path, " ")+" --"+f.Name)
		})
		for _, sub := range c.Commands() {
			walk(sub, append(path[:len(path):len(path)], sub.Name()))
		}
	}
	walk(rootCommand(newProcess(t, nil).Main), nil)
	if seen < 15 {
		t.Errorf("only %d commands were tried", seen)
	}
}

// TestAMisplacedKeyIsRefused: what would end up in a prompt, a trace or a file's name is
// not begun with a key in it.
func TestAMisplacedKeyIsRefused(t *testing.T) {
	for _, args := range [][]string{
		{"minimal", "--system-prompt", "use " + planted}, {"minimal", "--run-dir", planted}, {planted}, {"minimal", "--model", planted, "--base-url", "http://127.0.0.1:1"},
		{"minimal", "--model", "m", "--base-url", "http://127.0.0.1:1/v1/" + planted}, {"minimal", "--model", "m", "--base-url", "127.0.0.1:1/" + planted + "/v1?a=b"},
		{"minimal", "--model", "m", "--base-url", "http://127.0.0.1:1", "--agent-model", "agent-1=m@http://127.0.0.1:1/" + planted + "/v1"},
	} {
		for _, env := range []map[string]string{nil, {"OPENAI_API_KEY": planted}} {
			p := newProcess(t, env, args...)
			if code := keptHidden(t, p, args[0]); code != 2 || !strings.Contains(p.stderr.String(), "what looks like a key") {
				t.Errorf("%d with %v: exit code %d:\n%s", len(args), env, code, p.output())
			}
		}
	}
	p := newProcess(t, map[string]string{"OPENAI_API_KEY": "local-key"}, "minimal", "--ticks", "1", "--system-prompt", "the local-key")
	if code := p.run(t); code != 2 {
		t.Errorf("a configured key of another form in a prompt: exit code %d", code)
	}
	p = newProcess(t, map[string]string{"OPENAI_API_KEY": "local"}, "minimal", "--ticks", "1", "--short-term-goal", "Build a local plant.")
	if code := p.run(t); code != 0 {
		t.Errorf("a placeholder for a key in a goal: exit code %d:\n%s", code, p.output())
	}
}
