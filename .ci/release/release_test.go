package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compared are the systems that are built for twice: the three forms of binaries, and both architectures.
var compared = flag.String("compared", "linux/amd64,darwin/arm64,windows/arm64", "systems to build for twice")

// TestSameBytes builds one commit twice, in two directories, the second time with nothing that was kept of any
// build: all files are the same.
func TestSameBytes(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 to build a release twice; make long does")
	}
	root, err := command(nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	commit, err := command(nil, "git", "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	built := [2]map[string]string{}
	for i, name := range []string{"here", "elsewhere/and deeper"} {
		dir := filepath.Join(t.TempDir(), name)
		env := os.Environ()
		if i == 1 {
			env = append(env, "GOCACHE="+t.TempDir())
		}
		run(t, nil, "", "git", "clone", "--quiet", "--no-checkout", root, dir)
		run(t, nil, dir, "git", "checkout", "--quiet", "--detach", commit)
		run(t, env, dir, "go", "run", "./.ci/release", "--only", *compared)
		built[i] = files(t, filepath.Join(dir, ".tmp/release"))
	}
	if want := 2 + strings.Count(*compared, ","); len(built[0]) != want {
		t.Errorf("a release has %d files, want %d", len(built[0]), want)
	}
	for name, data := range built[0] {
		if built[1][name] != data {
			t.Errorf("%s differs: %d and %d bytes", name, len(data), len(built[1][name]))
		}
	}
}

// run runs a program in a directory.
func run(t *testing.T, env []string, dir, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, env
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, text)
	}
}

// files are the contents of the files in a directory by their names.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}
