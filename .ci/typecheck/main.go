// Command typecheck shows that all packages and their tests compile for other systems. It checks types from the
// sources, of packages of others without the bodies of their functions, which takes seconds: to build them for
// each system would take minutes.
//
//	go run ./.ci/typecheck windows/amd64 darwin/arm64
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("typecheck: ")
	for _, target := range os.Args[1:] {
		system, arch, found := strings.Cut(target, "/")
		if !found {
			log.Fatalf("%s is no system; allowed: SYSTEM/ARCHITECTURE, such as windows/amd64", target)
		}
		list, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax |
				packages.NeedTypesInfo | packages.NeedTypesSizes,
			Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
			Tests: true,
		}, "./...")
		if err != nil {
			log.Fatalf("%s: list the packages: %v", target, err)
		}
		if wrong := packages.PrintErrors(list); wrong > 0 {
			log.Fatalf("%s: %d errors", target, wrong)
		}
		fmt.Printf("%s: %d packages of this module, tests included\n", target, len(list))
	}
}
