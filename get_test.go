package agentworld_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	modulepath "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestGoGet publishes the tree in a module proxy made of files and gets it from there as docs/extend.md
// says.
func TestGoGet(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 to compile the tree at another path; .ci/run does")
	}
	command(t, ".", nil, "mod", "download") // tests alone need less than the module file of each dependency
	proxy, o := t.TempDir(), newOutside(t)
	const version = "v0.1.0"
	publish(t, proxy, version)
	downloads := filepath.Join(strings.TrimSpace(command(t, ".", nil, "env", "GOMODCACHE")), "cache", "download")
	env := []string{
		"GOPROXY=file://" + proxy + ",file://" + downloads, "GONOSUMDB=*", "GOSUMDB=off", "GONOPROXY=none", "GOPRIVATE=",
		"GOMODCACHE=" + t.TempDir(), "GOFLAGS=-trimpath -modcacherw", "GOWORK=off",
	}
	for _, line := range o.commands {
		if !strings.Contains(line, "-replace") {
			o.call(t, env, line)
		}
	}
}

// publish lays out one version of the tree as a module proxy serves it.
func publish(t *testing.T, proxy, version string) {
	t.Helper()
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, version+".mod"), string(mod))
	write(t, filepath.Join(dir, version+".info"), `{"Version":"`+version+`"}`)
	write(t, filepath.Join(dir, "list"), version+"\n")
	archive, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(archive, modulepath.Version{Path: module, Version: version}, "."); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// command runs the go command and returns what it prints.
func command(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}
