// Command release builds what users download, for Linux, macOS and Windows on both architectures: an archive
// each with the programs and the licenses of what is in them, and SHA256SUMS.
//
//	go run ./.ci/release [--out .tmp/release] [--only linux/amd64,darwin/arm64]
//
// The same commit and the same version of Go give the same bytes, in any directory and on any machine: nothing
// of the machine, the clock or the user gets in. A tree with changes is refused, since nobody could build that
// again. The version is that of the commit's tag, or one that Go makes of the commit.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// targets are the systems that there are binaries for.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// programs are the packages below cmd that an archive holds.
var programs = []string{"world_llm_agent_demo", "agentworld_cluster"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	out := flag.String("out", ".tmp/release", "directory of the archives")
	only := flag.String("only", strings.Join(targets, ","), "systems to build for, between commas")
	flag.Parse()
	if err := release(*out, strings.Split(*only, ",")); err != nil {
		log.Fatal(err)
	}
}

// release writes the archives for some systems, and their sums.
func release(out string, wanted []string) error {
	for _, target := range wanted {
		if !slices.Contains(targets, target) {
			return fmt.Errorf("--only %s is no system of a release; allowed: %s", target, strings.Join(targets, ", "))
		}
	}
	changes, err := command(nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("the tree has changes, so that nobody could build the same; commit them first:\n%s", changes)
	}
	stamp, err := command(nil, "git", "log", "-1", "--format=%cI")
	if err != nil {
		return err
	}
	made, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return fmt.Errorf("read the time of the commit: %w", err)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	sums := ""
	for _, target := range wanted {
		path, err := build(out, target, made)
		if err != nil {
			return fmt.Errorf("build for %s: %w", target, err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(data), filepath.Base(path))
	}
	fmt.Print(sums)
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums), 0o644)
}

// build makes the archive for a system.
func build(out, target string, made time.Time) (path string, err error) {
	system, arch, _ := strings.Cut(target, "/")
	env := []string{
		"GOOS=" + system, "GOARCH=" + arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		// What a user has set for other work.
		"GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off",
	}
	dir, err := os.MkdirTemp("", "release-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	var files []file
	version := ""
	for _, program := range programs {
		name := program
		if system == "windows" {
			name += ".exe"
		}
		binary := filepath.Join(dir, name)
		if _, err := command(env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", binary,
			"./cmd/"+program); err != nil {
			return "", err
		}
		info, err := buildinfo.ReadFile(binary)
		if err != nil {
			return "", err
		}
		version = info.Main.Version
		if !strings.HasPrefix(version, "v") || strings.HasSuffix(version, "+dirty") {
			return "", fmt.Errorf("Go takes the version for %s; allowed: a clone of the repository with its tags, and no "+
				"second worktree", version)
		}
		files = append(files, file{name: name, from: binary, mode: 0o755})
	}
	notices, err := licenses(env)
	if err != nil {
		return "", err
	}
	files = append(files, file{name: "LICENSES-OF-OTHERS", data: notices, mode: 0o644})
	for _, name := range []string{"LICENSE", "README.md", "CITATION.cff"} {
		files = append(files, file{name: name, from: name, mode: 0o644})
	}
	folder := strings.Join([]string{"agentworld", version, system, arch}, "-")
	if system == "windows" {
		path = filepath.Join(out, folder+".zip")
		return path, writeZip(path, folder, files, made)
	}
	path = filepath.Join(out, folder+".tar.gz")
	return path, writeTar(path, folder, files, made)
}

// command runs a program and returns what it prints, without the line's end.
func command(env []string, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), env...)
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}
