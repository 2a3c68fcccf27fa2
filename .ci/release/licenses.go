package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// isLicense says that a file tells under which terms a module may be passed on.
var isLicense = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// licenses are the terms of all modules of others that the programs are built from, and of Go: they ask to
// be passed on with a program. A module without any is an error.
func licenses(env []string) ([]byte, error) {
	const form = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}|{{.Dir}}{{end}}{{end}}`
	args := []string{"list", "-deps", "-f", form}
	for _, program := range programs {
		args = append(args, "./cmd/"+program)
	}
	list, err := command(env, "go", args...)
	if err != nil {
		return nil, err
	}
	root, err := command(env, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	modules := slices.Compact(slices.Sorted(strings.SplitSeq(list, "\n")))
	var b bytes.Buffer
	for _, module := range append(modules, "Go|"+root) {
		name, dir, _ := strings.Cut(module, "|")
		if name == "" { // of a package of Go's own
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		found := false
		for _, e := range entries {
			if !e.Type().IsRegular() || !isLicense.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			found = true
			fmt.Fprintf(&b, "== %s: %s\n\n%s\n\n", name, e.Name(), bytes.TrimSpace(text))
		}
		if !found {
			return nil, fmt.Errorf("%s has no license in %s", name, dir)
		}
	}
	return b.Bytes(), nil
}
