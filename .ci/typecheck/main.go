// Command typecheck shows that all packages and their tests compile for other systems. It checks types from the
// sources, of packages of others without the bodies of their functions, which takes seconds: to build them for
// each system would take minutes.
//
//	go run ./.ci/typecheck windows/amd64 darwin/arm64
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("typecheck: ")
	for _, target := range os.Args[1:] {
		system, arch, _ := strings.Cut(target, "/")
		checked, err := check(system, arch)
		if err != nil {
			log.Fatalf("%s: %v", target, err)
		}
		fmt.Printf("%s: %d packages of this module, tests included\n", target, checked)
	}
}

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	Module     *struct{ Main bool }
}

// check checks all packages for a system and counts those of this module.
func check(system, arch string) (checked int, err error) {
	sizes := types.SizesFor("gc", arch)
	if sizes == nil {
		return 0, errors.New("no such architecture; allowed: SYSTEM/ARCHITECTURE, such as windows/amd64")
	}
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		return 0, fmt.Errorf("list the packages: %w", err)
	}
	var wrong []error
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	for packages := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listed
		err := packages.Decode(&p)
		if errors.Is(err, io.EOF) {
			return checked, errors.Join(wrong...)
		}
		if err != nil {
			return 0, fmt.Errorf("read the list of packages: %w", err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // a main that go test makes
			continue
		}
		own := p.Module != nil && p.Module.Main
		known[p.ImportPath], err = p.types(known, sizes, !own)
		if err != nil {
			wrong = append(wrong, err)
		}
		if own {
			checked++
		}
	}
}

// types checks the package, whose imports are known: a list names a package after those that it needs.
func (p listed) types(known map[string]*types.Package, sizes types.Sizes, withoutBodies bool) (*types.Package, error) {
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	var wrong []error
	config := types.Config{Importer: imports{p.ImportMap, known}, Sizes: sizes, IgnoreFuncBodies: withoutBodies,
		Error: func(err error) { wrong = append(wrong, err) }}
	path, _, _ := strings.Cut(p.ImportPath, " ") // of a package with its tests
	checked, _ := config.Check(path, files, parsed, nil)
	return checked, errors.Join(wrong...)
}

// imports finds packages by how a package names them.
type imports struct {
	renamed map[string]string
	known   map[string]*types.Package
}

// Import implements [types.Importer].
func (i imports) Import(path string) (*types.Package, error) {
	if real, is := i.renamed[path]; is {
		path = real
	}
	if p := i.known[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not in the list", path)
}
