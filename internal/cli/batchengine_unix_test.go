//go:build !windows

package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/trace"
)

// engineFile writes a program of a shell, in which "$@" are the arguments of an engine, and returns its hash.
func engineFile(t *testing.T, dir, name, script string) string {
	t.Helper()
	text := []byte("#!/bin/sh\n" + script + "\n")
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o755); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// engineBatch writes the batch file b.toml with engines beside this program, and more.
func engineBatch(t *testing.T, dir, more string, names ...string) {
	t.Helper()
	text := "name = \"engines\"\nscenarios = [\"task_production_chips_40\"]\nseeds = \"1-2\"\n[settings.run]\nticks = 12\nchain_steps = 0\n" + more + "\n[axes.engine.this]\n"
	for _, name := range names {
		text += fmt.Sprintf("[axes.engine.%s]\nengine = %q\n", name, name)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// playsEngines runs a batch with variables and arguments, and returns its exit code and what it says.
func playsEngines(t *testing.T, dir string, variables []string, args ...string) (code int, said string) {
	t.Helper()
	c, out := batchCommandIn(dir, args...)
	c.Env = append(c.Env, variables...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	code = ended(t, c, out)
	return code, out.String()
}

// byArm are the results of a batch in d by their values of the axis.
func byArm(t *testing.T, dir string) map[string][]batch.Result {
	t.Helper()
	arms := map[string][]batch.Result{}
	results := batchResults(t, filepath.Join(dir, "d", batch.ResultsFile))
	for _, id := range slices.Sorted(maps.Keys(results)) {
		arms[results[id].Label("engine")] = append(arms[results[id].Label("engine")], results[id])
	}
	return arms
}

// TestAnEngineIsAnArm: cells that another program plays have the results of this one, and its hash. A program that
// refuses them, crashes or plays something else fails them with its last words, and no others.
func TestAnEngineIsAnArm(t *testing.T) {
	dir := t.TempDir()
	hash := engineFile(t, dir, "good", `exec `+programName+` "$@"`)
	engineFile(t, dir, "ancient", `printf 'usage: ...\nancient: unknown flag --scripted-seed \033[31m\n' >&2; exit 2`)
	engineFile(t, dir, "crash", `kill -9 $$`)
	engineFile(t, dir, "stranger", programName+` minimal --ticks 1 --quiet --run-dir "${2#--run-dir=}" >/dev/null 2>&1`)
	names := []string{"good", "ancient", "crash", "stranger"}
	engineBatch(t, dir, "", names...)
	args := []string{"--dir", "d", "--quiet", "--retries", "0"}
	for _, name := range names {
		args = append(args, "--engine", name+"=./"+name)
	}
	code, said := playsEngines(t, dir, nil, args...)
	if code != exitProvider {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	for _, line := range []string{
		"arms     good against this: what is compared: version.program (sha256 " + hash[:12] + " against this one)\n",
		"\ngood      this     score*", "identical in the world\n",
		"engine ancient ended with exit status 2 without a run; it said: ancient: unknown flag --scripted-seed [31m\n",
		"engine crash ended with signal: killed without a run\n", "engine stranger ended and played another world than it was asked for\n",
	} {
		if !strings.Contains(said, line) {
			t.Errorf("it does not say %q:\n%s", line, said)
		}
	}
	arms := byArm(t, dir)
	for _, own := range arms["this"] {
		same := func(r batch.Result) bool {
			return r.Seed == own.Seed && r.Digest == own.Digest && r.Tokens == own.Tokens && r.Versions.Program == hash
		}
		if own.Versions.Program != "" || !slices.ContainsFunc(arms["good"], same) {
			t.Errorf("the engine played otherwise than this program: %+v, %+v", arms["good"], own)
		}
	}
	// The same program under two names would be compared with itself.
	engineFile(t, dir, "crash", `exec `+programName+` "$@"`)
	if code, said := playsEngines(t, dir, nil, args...); code != exitBadInput || !strings.Contains(said, "are the same run") {
		t.Errorf("two names for one program: exit code %d, %s", code, said)
	}
}

// TestEnginesPlayInShards: each process over a shared directory has its programs play its part.
func TestEnginesPlayInShards(t *testing.T) {
	dir := t.TempDir()
	hash := engineFile(t, dir, "good", `exec `+programName+` "$@"`)
	engineBatch(t, dir, "", "good")
	for i, want := range []int{2, 4} {
		shard := fmt.Sprintf("%d/2", i+1)
		code, said := playsEngines(t, dir, nil, "--dir", "d", "--quiet", "--shard", shard, "--engine", "good=./good")
		played := byArm(t, dir)
		if code != exitCompleted || len(played["this"])+len(played["good"]) != want {
			t.Fatalf("shard %s: exit code %d, %v\n%s", shard, code, played, said)
		}
	}
	for _, r := range byArm(t, dir)["good"] {
		if r.Status != trace.RunCompleted || r.Versions.Program != hash {
			t.Errorf("%+v", r)
		}
	}
}

// TestAnEngineIsAskedFor: a batch file starts no program by itself, and a budget needs caps.
func TestAnEngineIsAskedFor(t *testing.T) {
	dir := t.TempDir()
	engineFile(t, dir, "old", `touch started`)
	engineBatch(t, dir, "[budget]\ncalls = 100", "old")
	for _, c := range []struct{ args, want string }{
		{"", `b.toml:11: engine "old": a batch file starts no program by itself; allowed: --engine old=PROGRAM`},
		{"--engine new=./old", `allowed: --engine old=PROGRAM where the command is run, or one of those that were given: new`},
		{"--engine old=./old --engine new=./old", `--engine "new": no cell of the batch is played by it`},
		{"--engine old", `--engine: "old": not understood; allowed: NAME=PROGRAM`},
		{"--engine old=./old --engine old=./b", `"old" is given twice`},
		{"--engine old=./b.toml", `program "./b.toml" cannot be used: permission denied`},
		{"--engine old=./nothing", `program "./nothing" cannot be used`},
		{"--engine old=./old", `b.toml:11: the budget bounds calls, and a run of another program takes its part before it begins; allowed: cap_calls`},
	} {
		code, said := playsEngines(t, dir, nil, append([]string{"--dir", "d"}, strings.Fields(c.args)...)...)
		if code != exitBadInput || !strings.Contains(said, c.want) {
			t.Errorf("%s: exit code %d, %s, want %q", c.args, code, said, c.want)
		}
	}
	// A cap that does not fit into the budget any more ends the batch before the program is started.
	engineBatch(t, dir, "[settings.llm]\ncap_calls = 400\n[budget]\ncalls = 399", "old")
	code, said := playsEngines(t, dir, nil, "--dir", "e", "--quiet", "--engine", "old=./old")
	if code != exitBudget || !strings.Contains(said, "the budget of 399 calls is used up with 3 of 4 cells to play") {
		t.Errorf("a budget below the cap: exit code %d, %s", code, said)
	}
	if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
		t.Error("the program was started")
	}
}

// TestAnEngineGetsNoKeyForAStranger: a key goes with the endpoint that the user gave it for, and never into a file.
func TestAnEngineGetsNoKeyForAStranger(t *testing.T) {
	const key, url = "secret-of-the-user", "http://127.0.0.1:9/v1"
	dir := t.TempDir()
	engineFile(t, dir, "old", `env >"$0.env"; exit 1`)
	engineBatch(t, dir, "[settings.llm]\nmodel = \"m\"\nbase_url = \""+url+"\"\n[settings.agents]\nagent-1 = \"n@"+url+",key_env=OTHER_KEY\"", "old")
	text, err := os.ReadFile(filepath.Join(dir, "b.toml"))
	if err != nil {
		t.Fatal(err)
	}
	alone := strings.Replace(string(text), "[axes.engine.this]\n", "", 1)
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(alone), 0o600); err != nil {
		t.Fatal(err)
	}
	ours := []string{settings.EnvPrefix + "API_KEY=" + key, "OPENAI_API_KEY=" + key, "OTHER_KEY=" + key}
	agents := settings.EnvPrefix + "AGENT_MODELS=agent-1=n@" + url + ",key_env=OTHER_KEY"
	for name, c := range map[string]struct {
		variables []string
		keys      int
	}{"named by the file alone": {ours, 0}, "named by the user": {append(ours, settings.EnvPrefix+"BASE_URL="+url, agents), 2}} {
		code, said := playsEngines(t, dir, c.variables, "--dir", "d", "--quiet", "--retries", "0", "--engine", "old=./old")
		if code != exitProvider {
			t.Fatalf("%s: exit code %d, %s", name, code, said)
		}
		given, err := os.ReadFile(filepath.Join(dir, "old.env"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(given), key); n != c.keys || !strings.Contains(string(given), settings.EnvPrefix+"BASE_URL="+url+"\n") {
			t.Errorf("%s: the engine got %d keys, want %d:\n%s", name, n, c.keys, given)
		}
	}
	err = filepath.WalkDir(filepath.Join(dir, "d"), func(path string, _ os.DirEntry, err error) error {
		if data, _ := os.ReadFile(path); strings.Contains(string(data), key) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAnEngineIsStoppedAndContinued: an interrupted batch lets its engines take the answers in flight, a crash of one
// costs at most the call that it had in flight, and the budget holds what they took.
func TestAnEngineIsStoppedAndContinued(t *testing.T) {
	slow(t)
	server := newCallCounter(t, 50*time.Millisecond)
	dir := t.TempDir()
	// Its first run is killed once it has begun.
	engineFile(t, dir, "old", `
if [ ! -e crashed ]; then
	touch crashed
	`+programName+` "$@" & pid=$!
	while [ ! -s "${2#--run-dir=}/trace.jsonl" ]; do sleep 0.02; done
	kill -9 $pid $$
fi
exec `+programName+` "$@"`)
	engineBatch(t, dir, fmt.Sprintf("[settings.llm]\nmodel = \"scripted\"\nbase_url = %q\ncap_calls = 400\n[budget]\ncalls = 5000", server.URL), "old")
	args := []string{"--dir", "d", "--quiet", "--jobs", "4", "--engine", "old=./old"}
	c, out := batchCommandIn(dir, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for server.asked.Load() < 20 {
		time.Sleep(5 * time.Millisecond)
	}
	_ = c.Process.Signal(syscall.SIGTERM)
	if code := ended(t, c, out); code != exitInterrupted {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	asked := server.asked.Load()
	time.Sleep(300 * time.Millisecond)
	if now := server.asked.Load(); now != asked {
		t.Errorf("%d calls after the batch ended", now-asked)
	}
	code, said := playsEngines(t, dir, nil, args...)
	if code != exitCompleted {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	calls := int64(0)
	for arm, results := range byArm(t, dir) {
		for _, r := range results {
			calls += r.Calls
			if r.Status != trace.RunCompleted || (r.Versions.Program != "") != (arm == "old") {
				t.Errorf("%s: %+v", arm, r)
			}
		}
	}
	if asked := server.asked.Load(); asked < calls || asked > calls+4*8 {
		t.Errorf("%d calls were asked, and the results have %d", asked, calls)
	}
	leased, err := batch.Dir(filepath.Join(dir, "d")).Leased()
	// What the crashed run might have taken counts, as it is not known, and so does that of each of the four
	// which a slow machine did not let end within their time.
	if err != nil || leased[0] < calls || leased[0] > calls+4*400 {
		t.Errorf("%d calls of the budget are used up, and the results have %d, %v", leased[0], calls, err)
	}
}

// TestAnEngineThatHangsIsEnded: one that is not heard of is ended, and has failed.
func TestAnEngineThatHangsIsEnded(t *testing.T) {
	dir := t.TempDir()
	engineFile(t, dir, "old", `trap '' TERM; echo waiting for nobody >&2; sleep 300 & wait`)
	engineBatch(t, dir, "", "old")
	code, said := playsEngines(t, dir, []string{settings.EnvPrefix + "BATCH_LEASE_MS=100"}, "--dir", "d", "--quiet", "--retries", "0",
		"--jobs", "4", "--engine", "old=./old")
	if code != exitProvider || !strings.Contains(said, "engine old was not heard of for 1s and was ended, with signal: killed without a run; it said: waiting for nobody") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

// TestVersionsAreCompared plays a batch with this program and with one that is built of another version.
func TestVersionsAreCompared(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("builds the program; set AGENT_WORLD_LONG=1")
	}
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(root, "engine", "settings.go")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), fmt.Sprintf("const Version = %q", engine.Version), `const Version = "of-the-test"`, 1)
	overlay := fmt.Sprintf("{\"Replace\": {%q: %q}}", source, filepath.Join(dir, "settings.go"))
	for name, text := range map[string]string{"settings.go": other, "overlay.json": overlay} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", filepath.Join(dir, "next"), "./cmd/"+programName)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	engineBatch(t, dir, "", "next")
	code, said := playsEngines(t, dir, nil, "--dir", "d", "--quiet", "--engine", "next=./next")
	want := "arms     next against this: what is compared: version.engine (of-the-test against " + engine.Version + "), version.program (sha256 "
	if code != exitCompleted || !strings.Contains(said, want) || !strings.Contains(said, "; engine "+engine.Version+" and of-the-test, rules ") {
		t.Errorf("exit code %d, want %q:\n%s", code, want, said)
	}
}
