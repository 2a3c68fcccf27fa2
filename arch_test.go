package agentworld_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path that go.mod declares.
var module = func() string {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		if path, found := strings.CutPrefix(line, "module "); found {
			return strings.TrimSpace(path)
		}
	}
	panic("go.mod declares no module")
}()

// policy is who may import whom. It is a statement of policy: a change of it is a
// change of the architecture and belongs in ARCHITECTURE.md.
type policy struct {
	// dir is the package's directory.
	dir string
	// project lists the project packages it may import.
	project []string
	// modules lists the third-party modules it may import.
	modules []string
	// pure packages touch nothing outside: no clock, files, network, goroutines.
	pure bool
}

// everywhere is the one package that any other may import: like strings, it is about
// text and knows nothing of this project.
const everywhere = "plaintext"

var policies = []policy{
	{
		dir: ".",
		project: []string{
			"batch", "behavior/seat", "engine", "explain", "explain/export", "metric", "report", "run", "session", "session/access", "tools", "trace",
		},
	},
	{dir: "plaintext", pure: true, modules: []string{"golang.org/x/text"}},
	{dir: "internal/atomicfile", project: []string{"internal/folder"}},
	{dir: "internal/folder"},
	{dir: "internal/owner", modules: []string{"golang.org/x/sys"}},
	{dir: "internal/document", pure: true, modules: []string{"github.com/pelletier/go-toml/v2"}},
	{dir: "world", pure: true},
	{
		dir: "world/scenario", pure: true,
		project: []string{"world", "internal/document"},
		modules: []string{"github.com/pelletier/go-toml/v2"},
	},
	{dir: "baseline", pure: true, project: []string{"world"}},
	{dir: "llmclient", pure: true},
	{dir: "llmclient/limiter"},
	{
		dir:     "llmclient/openai",
		project: []string{"llmclient", "llmclient/limiter"},
		modules: []string{"github.com/openai/openai-go/v3", "golang.org/x/text"},
	},
	{
		dir:     "llmclient/doctor",
		project: []string{"llmclient", "llmclient/openai"},
		modules: []string{"github.com/google/jsonschema-go"},
	},
	{
		dir:     "llmclient/stub",
		project: []string{"llmclient", "world", "baseline", "behavior/words"},
		modules: []string{"github.com/pelletier/go-toml/v2"},
	},
	{dir: "llmclient/tokens", modules: []string{"github.com/tiktoken-go/tokenizer"}},
	{
		dir: "llmclient/price", pure: true,
		project: []string{"llmclient", "internal/document"},
		modules: []string{"github.com/pelletier/go-toml/v2"},
	},
	{dir: "memory", pure: true, project: []string{"memory/relevance", "trace"}},
	{dir: "memory/relevance", pure: true},
	{dir: "memory/documents", pure: true, project: []string{"world", "memory", "memory/relevance", "trace"}},
	{
		dir: "memory/playbook", pure: true,
		project: []string{"memory", "memory/relevance", "trace", "internal/document"},
		modules: []string{"github.com/pelletier/go-toml/v2"},
	},
	{dir: "behavior/words", pure: true, project: []string{"internal/document"}, modules: []string{"github.com/pelletier/go-toml/v2"}},
	{
		dir: "behavior/answer", pure: true,
		project: []string{"world", "llmclient"},
		modules: []string{"github.com/google/jsonschema-go"},
	},
	{
		dir: "modules", pure: true,
		project: []string{"world", "memory", "memory/documents", "llmclient", "trace", "behavior/answer", "behavior/words"},
		modules: []string{"github.com/google/jsonschema-go"},
	},
	{
		dir: "behavior", pure: true,
		project: []string{
			"world", "memory", "memory/documents", "memory/playbook", "modules", "llmclient", "trace", "behavior/answer",
			"behavior/policy", "behavior/seat", "behavior/words",
		},
		modules: []string{"github.com/google/jsonschema-go"},
	},
	{dir: "behavior/seat", pure: true, project: []string{"world"}},
	{dir: "behavior/policy", pure: true, project: []string{"world", "trace"}},
	{
		dir: "behavior/reflect", pure: true,
		project: []string{
			"world", "memory/playbook", "behavior", "behavior/answer", "behavior/words", "llmclient", "trace",
		},
	},
	{
		dir: "behavior/interview", pure: true,
		project: []string{"world", "behavior", "behavior/answer", "behavior/words", "llmclient", "trace"},
	},
	{dir: "trace", pure: true, project: []string{"world", "llmclient", "llmclient/price"}},
	{dir: "trace/tracetest", pure: true, project: []string{"trace"}},
	{dir: "internal/published", modules: []string{"github.com/google/jsonschema-go"}}, // tests alone
	{dir: "internal/draws", pure: true, modules: []string{"pgregory.net/rapid"}},      // tests alone
	{dir: "run/state", pure: true, project: []string{"trace", "llmclient", "llmclient/price"}},
	{
		dir: "run",
		project: []string{
			"run/state", "trace", "llmclient", "internal/document", "internal/folder", "internal/owner",
		},
		modules: []string{"github.com/klauspost/compress", "golang.org/x/sys"},
	},
	{dir: "run/playback", pure: true, project: []string{"trace", "world", "world/scenario"}},
	{dir: "engine/budget", pure: true, project: []string{"llmclient", "llmclient/price", "trace"}},
	{
		dir: "engine",
		project: []string{
			"world", "baseline", "llmclient", "llmclient/tokens", "memory/documents", "memory/playbook",
			"modules", "behavior", "behavior/reflect", "behavior/seat", "trace", "llmclient/price", "engine/budget", "run",
			"run/playback", "run/state",
			"internal/atomicfile", "engine/ahead",
		},
	},
	{dir: "engine/ahead", project: []string{"world", "behavior", "modules", "llmclient", "llmclient/limiter", "llmclient/price", "trace"}},
	{
		dir: "engine/ask",
		project: []string{
			"behavior", "behavior/interview", "engine", "llmclient", "llmclient/price", "explain", "run", "run/state",
			"trace",
		},
	},
	{
		dir:     "tools",
		project: []string{"llmclient", "modules", "trace"},
	},
	{dir: "internal/child"},
	{
		dir:     "tools/toolserver",
		project: []string{"internal/child", "internal/document", "llmclient", "tools", "trace"},
		modules: []string{
			"github.com/google/jsonschema-go", "github.com/modelcontextprotocol/go-sdk", "github.com/pelletier/go-toml/v2",
		},
	},
	{
		dir: "session/access",
		project: []string{
			"engine", "llmclient", "llmclient/limiter", "llmclient/openai", "llmclient/price", "llmclient/stub", "run",
			"trace",
		},
	},
	{
		dir: "session",
		project: []string{
			"session/access", "explain", "engine", "engine/ask", "engine/budget", "baseline", "behavior",
			"behavior/interview", "behavior/reflect", "behavior/seat", "behavior/words", "memory/playbook", "llmclient",
			"llmclient/openai", "llmclient/stub", "llmclient/tokens", "run", "run/playback", "run/state", "metric", "report", "tools",
			"trace", "world", "world/scenario",
		},
		modules: []string{"golang.org/x/sync"},
	},
	{
		dir: "internal/guardeval",
		project: []string{
			"session", "run", "world", "world/scenario", "llmclient", "llmclient/openai", "llmclient/price",
			"llmclient/stub", "behavior", "behavior/policy", "trace", "engine",
		},
		modules: []string{"github.com/pelletier/go-toml/v2", "golang.org/x/sync", "gonum.org/v1/gonum"},
	},
	{dir: "internal/guardlab", pure: true}, // tests alone
	{dir: "report/wording", pure: true, project: []string{"trace"}},
	{dir: "report/summary", pure: true, project: []string{"llmclient/price", "report", "report/wording", "trace", "world"}},
	{dir: "report/stats", pure: true, modules: []string{"gonum.org/v1/gonum"}},
	{
		dir: "report", pure: true,
		project: []string{
			"internal/document", "world", "baseline", "world/scenario", "llmclient", "llmclient/price", "run/state",
			"run/playback", "memory/playbook", "trace", "report/stats", "report/wording",
		},
	},
	{
		dir: "explain", pure: true,
		project: []string{
			"world", "llmclient", "llmclient/price", "memory", "memory/playbook", "trace", "run/state", "run/playback",
			"report", "report/wording",
		},
	},
	{
		dir: "explain/export", pure: true,
		project: []string{"explain", "llmclient", "llmclient/price", "report", "run/playback", "trace", "world"},
	},
	{dir: "report/plot", pure: true},
	{dir: "internal/jq", modules: []string{"github.com/itchyny/gojq"}},
	{dir: "metric", project: []string{"internal/jq", "llmclient", "report", "run", "trace"}},
	{
		dir: "batch",
		project: []string{
			"metric", "session", "session/access", "engine", "engine/budget", "run", "report", "report/plot", "report/stats",
			"trace", "world", "world/scenario", "baseline", "llmclient", "llmclient/limiter", "llmclient/price", "internal/folder", "internal/owner",
			"internal/document",
		},
		modules: []string{"golang.org/x/sync", "maragu.dev/gomponents"},
	},
	{dir: "batch/storetest", project: []string{"batch"}},
	{
		dir: "batch/suite",
		project: []string{
			"baseline", "batch", "engine", "llmclient/price", "metric", "report/stats", "run", "trace", "world", "world/scenario",
		},
		modules: []string{"golang.org/x/sync"},
	},
	{
		dir:     "extension/jetstream",
		project: []string{".", "batch", "engine", "run", "llmclient", "trace", "internal/folder"},
		modules: []string{
			"github.com/klauspost/compress", "github.com/nats-io/nats-server/v2", "github.com/nats-io/nats.go",
			"github.com/nats-io/nkeys", "github.com/nats-io/nuid",
		},
	},
	{
		dir:     "extension/otel",
		project: []string{".", "engine"},
		modules: []string{"github.com/go-logr/logr", "go.opentelemetry.io/otel"},
	},
	{dir: "serve/catalog", project: []string{"batch", "explain", "internal/folder", "report", "run", "run/state", "trace"}},
	{
		dir: "serve/mcp",
		project: []string{
			"serve", "serve/catalog", "batch", "behavior/answer", "behavior/seat", "behavior/words", "engine", "engine/ask",
			"explain", "llmclient/price", "modules", "report", "run", "session", "session/access", "trace", "world", "world/scenario",
		},
		modules: []string{"github.com/modelcontextprotocol/go-sdk"},
	},
	{
		dir: "dashboard",
		project: []string{
			"serve", "serve/catalog", "explain", "run", "run/state", "run/playback", "report", "report/stats", "report/wording", "trace", "world", "batch", "engine/ahead", "engine/ask", "llmclient",
			"llmclient/price",
		},
	},
	{dir: "serve"},
	{
		dir: "serve/openenv",
		project: []string{
			"serve", "baseline", "behavior/answer", "behavior/seat", "behavior/words", "engine", "explain", "llmclient",
			"modules", "session", "trace", "world", "world/scenario",
		},
		modules: []string{"github.com/coder/websocket", "github.com/google/jsonschema-go"},
	},
	{dir: "cli", project: []string{".", "internal/cli"}},
	{dir: "cmd/world_llm_agent_demo", project: []string{"cli"}},
	{dir: "cmd/agentworld_cluster", project: []string{"cli", "extension/jetstream", "extension/otel"}},
	{
		dir: "internal/settings",
		project: []string{
			"internal/document", "trace", "llmclient", "llmclient/openai", "llmclient/price", "llmclient/stub",
		},
		modules: []string{"github.com/pelletier/go-toml/v2"},
	},
	{
		dir:     "internal/terminal",
		project: []string{"engine", "llmclient/price", "session/access", "trace"},
		modules: []string{"golang.org/x/term"},
	},
	{
		dir: "internal/cli",
		project: []string{
			"explain", "explain/export", "run", "run/state", "run/playback", "engine/ask", "behavior/interview", "world",
			"world/scenario", "llmclient", "llmclient/openai", "llmclient/stub", "llmclient/tokens", "memory", "memory/playbook", "modules",
			"behavior", "behavior/policy", "behavior/reflect", "behavior/words", "trace", "engine", "engine/ahead", "internal/guardeval",
			"report", "report/plot", "report/summary", "report/wording", "llmclient/doctor", "session", "session/access", "baseline", "llmclient/price", "engine/budget",
			"internal/atomicfile", "internal/child", "internal/document", "internal/folder", "internal/settings", "internal/terminal", "batch", "batch/suite", "dashboard", "metric", ".", "serve/openenv",
			"serve", "serve/mcp",
			"tools", "tools/toolserver",
		},
		modules: []string{
			"golang.org/x/term", "github.com/pelletier/go-toml/v2", "github.com/spf13/cobra",
			"github.com/spf13/pflag", "golang.org/x/sync",
		},
	},
}

// effectful are the standard packages that no pure package imports.
var effectful = []string{
	"context", "crypto/rand", "io/ioutil", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http",
	"os", "os/exec", "os/signal", "runtime", "sync", "sync/atomic", "syscall", "time",
}

func TestEveryPackageHasAPolicy(t *testing.T) {
	for dir := range sources(t) {
		if !slices.ContainsFunc(policies, func(p policy) bool { return p.dir == dir }) {
			t.Errorf("package %s has no row in the import table", dir)
		}
	}
}

func TestImports(t *testing.T) {
	all := sources(t)
	for _, p := range policies {
		if len(all[p.dir]) == 0 {
			t.Errorf("the import table names %s, which has no Go files", p.dir)
		}
		for name, file := range all[p.dir] {
			for _, spec := range file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				if why := p.refuses(imported); why != "" {
					t.Errorf("%s imports %s: %s", name, imported, why)
				}
			}
		}
	}
}

// commandOnly are the packages that an importer of the root package does not compile, because only the
// command needs them or nothing does: servers, telemetry, a browser, a page, linear algebra, flags.
var commandOnly = []string{
	module + "/internal/cli", module + "/internal/terminal", module + "/dashboard", module + "/extension",
	"github.com/nats-io", "go.opentelemetry.io", "google.golang.org", "github.com/chromedp", "github.com/spf13",
	"github.com/andybalholm", "gonum.org/v1/gonum/stat", "gonum.org/v1/gonum/mat", "gonum.org/v1/gonum/blas",
	"gonum.org/v1/gonum/lapack",
}

// TestImportersCompileLittle: nothing that the root package leads to is for the command alone.
func TestImportersCompileLittle(t *testing.T) {
	all := sources(t)
	seen := map[string]bool{}
	var follow func(dir string)
	follow = func(dir string) {
		seen[dir] = true
		for name, file := range all[dir] {
			for _, spec := range file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				forCommand := func(p string) bool { return isWithin(imported, p) }
				if slices.ContainsFunc(commandOnly, forCommand) {
					t.Errorf("%s, which the root package leads to, imports %s", name, imported)
				}
				if below, ours := strings.CutPrefix(imported, module+"/"); ours && !seen[below] {
					follow(below)
				}
			}
		}
	}
	follow(".")
	if !seen["engine"] || !seen["world"] {
		t.Errorf("the root package leads to %d packages, and neither to engine nor to world", len(seen))
	}
}

// TestTableNamesWhatIsImported refuses permissions that nobody uses: a row is what its package imports.
func TestTableNamesWhatIsImported(t *testing.T) {
	all := sources(t)
	for _, p := range policies {
		used := func(path string, exactly bool) bool {
			for _, file := range all[p.dir] {
				for _, spec := range file.Imports {
					imported, err := strconv.Unquote(spec.Path.Value)
					if err != nil {
						t.Fatal(err)
					}
					if imported == path || !exactly && isWithin(imported, path) {
						return true
					}
				}
			}
			return false
		}
		for _, dir := range p.project {
			if !used(path.Join(module, dir), true) {
				t.Errorf("the row of %s lets it import %s, which it does not", p.dir, dir)
			}
		}
		for _, m := range p.modules {
			if !used(m, false) {
				t.Errorf("the row of %s lets it import the module %s, which it does not", p.dir, m)
			}
		}
	}
}

// isWithin reports whether an import path is the given one or below it.
func isWithin(imported, path string) bool {
	return imported == path || strings.HasPrefix(imported, path+"/")
}

// refuses says why the package must not import imported, empty when it may.
func (p policy) refuses(imported string) string {
	switch {
	case imported == module && !slices.Contains(p.project, "."):
		return "not in its row of the import table"
	case strings.HasPrefix(imported, module+"/"):
		if dir := strings.TrimPrefix(imported, module+"/"); dir != everywhere && !slices.Contains(p.project, dir) {
			return "not in its row of the import table"
		}
	case imported != module && strings.Contains(strings.SplitN(imported, "/", 2)[0], "."):
		allowed := func(m string) bool { return isWithin(imported, m) }
		if !slices.ContainsFunc(p.modules, allowed) {
			return "this third-party module is not allowed here"
		}
	case p.pure && slices.Contains(effectful, imported):
		return "a pure package has no effects"
	}
	return ""
}

// TestPurePackagesStartNothing refuses what imports cannot show: goroutines and
// channels in pure packages, floating point in the kernel.
func TestPurePackagesStartNothing(t *testing.T) {
	all := sources(t)
	for _, p := range policies {
		if !p.pure {
			continue
		}
		for name, file := range all[p.dir] {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
					t.Errorf("%s: a pure package starts no goroutines and uses no channels (%T)", name, n)
				case *ast.Ident:
					if p.dir == "world" && (n.Name == "float64" || n.Name == "float32") {
						t.Errorf("%s: the kernel uses no floating point", name)
					}
				case *ast.BasicLit:
					if p.dir == "world" && n.Kind == token.FLOAT {
						t.Errorf("%s: the kernel uses no floating point: %s", name, n.Value)
					}
				}
				return true
			})
		}
	}
}

// traceReaders are the packages that read lines of a trace. Whoever wants to know something of a run asks
// these, and loops over no file.
var traceReaders = []string{"run", "trace", "explain", "report"}

// TestWhoReadsTraces finds the readers of traces by their constructor.
func TestWhoReadsTraces(t *testing.T) {
	readers := map[string]bool{}
	for dir, files := range sources(t) {
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				of, _ := call.Fun.(*ast.SelectorExpr)
				if of == nil || of.Sel.Name != "NewReader" {
					return true
				}
				if name, _ := of.X.(*ast.Ident); name != nil && name.Name == "trace" {
					readers[dir] = true
				}
				return true
			})
		}
	}
	for dir := range readers {
		if !slices.Contains(traceReaders, dir) {
			t.Errorf("%s reads the lines of a trace; allowed in %v", dir, traceReaders)
		}
	}
	if !readers["run"] || !readers["report"] {
		t.Errorf("no reader of traces was found in run and report: %v", readers)
	}
}

// sources parses every non-test file of the tree, by directory and file name.
func sources(t *testing.T) map[string]map[string]*ast.File {
	t.Helper()
	parsed := map[string]map[string]*ast.File{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		foreign := strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"
		if d.IsDir() && name != "." && foreign {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Clean(filepath.ToSlash(filepath.Dir(name)))
		if parsed[dir] == nil {
			parsed[dir] = map[string]*ast.File{}
		}
		parsed[dir][name] = file
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// TestMainCommandLinksNoExtension holds that what few need is in extensions alone: no package that the main
// command or an importer of the public face compiles imports NATS or OpenTelemetry.
func TestMainCommandLinksNoExtension(t *testing.T) {
	all := sources(t)
	for _, root := range []string{"cmd/world_llm_agent_demo", "."} {
		seen := map[string]bool{root: true}
		for queue := []string{root}; len(queue) > 0; queue = queue[1:] {
			for name, file := range all[queue[0]] {
				for _, spec := range file.Imports {
					imported, _ := strconv.Unquote(spec.Path.Value)
					if strings.Contains(imported, "nats-io") || strings.HasPrefix(imported, "go.opentelemetry.io") {
						t.Errorf("%s reaches %s, which imports %s", root, name, imported)
					}
					dir, ours := strings.CutPrefix(imported, module+"/")
					if imported == module {
						dir, ours = ".", true
					}
					if ours && !seen[dir] {
						seen[dir] = true
						queue = append(queue, dir)
					}
				}
			}
		}
		if len(seen) < 10 {
			t.Errorf("%s reaches %d packages", root, len(seen))
		}
	}
}
