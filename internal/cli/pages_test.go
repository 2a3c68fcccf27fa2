package cli

import (
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
	"github.com/spf13/pflag"

	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/world/scenario"
)

// documented is a command line in a fenced block of a page, with the output shown below it.
type documented struct {
	page, line string
	output     []string
}

// documentedCommands are the calls of this program in the fenced blocks of a page, each on one
// line, without comments.
func documentedCommands(page, text string) (all []documented) {
	fenced, command, output := false, "", false
	text = strings.ReplaceAll(text, clusterProgram, programName) // which has every command of it
	start := regexp.MustCompile(`^(\$ )?([A-Z_]+=\S+ )*(go run \./cmd/)?` + programName + `\b`)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			fenced, command, output = !fenced, "", false
			continue
		case !fenced:
			continue
		case command != "":
			command += "\n" + line
		case start.MatchString(line):
			command = line
		case strings.HasPrefix(line, "$ "): // another program
			output = false
			continue
		default:
			if output {
				all[len(all)-1].output = append(all[len(all)-1].output, line)
			}
			continue
		}
		if strings.HasSuffix(line, `\`) || strings.HasSuffix(line, "|") || strings.Count(command, "'")%2 == 1 {
			continue
		}
		output = strings.HasPrefix(command, "$ ")
		command = strings.TrimPrefix(strings.ReplaceAll(command, "\\\n", " "), "$ ")
		command, _, _ = strings.Cut(command, " # ")
		all = append(all, documented{page: page, line: strings.TrimSpace(command)})
		command = ""
	}
	return all
}

// keepPage compares a page with what it would be after its commands ran now, or rewrites it.
func keepPage(t *testing.T, path, page, ran string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(ran), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(page, ran); diff != "" {
		t.Errorf("%s (-page +run), -update rewrites it:\n%s", path, diff)
	}
}

// pagesSetUp are commands that make what the commands of a page work on.
var pagesSetUp = map[string][]string{
	"README.md":     {"minimal --ticks 3 --run-dir RUN --quiet"},
	"ahead.md":      {"llm_bootstrap --ticks 3 --run-dir RUN --quiet"},
	"ask.md":        {"llm_bootstrap --ticks 12 --run-dir RUN --quiet"},
	"metrics.md":    {"llm_bootstrap --ticks 2 --run-dir second --quiet"},
	"runs.md":       {"llm_bootstrap --ticks 3 --run-dir RUN --model MODEL --quiet"},
	"provenance.md": {"llm_bootstrap --ticks 6 --run-dir RUN --playbook pagebook.toml --quiet"},
	"playbook.md":   {"llm_bootstrap --agents 2 --ticks 12 --scripted-mode needs_bullet --playbook book.toml --learn-every 3 --run-dir second --quiet"},
	"data.md":       {"minimal --ticks 3 --run-dir RUN --quiet", "batch run protocols.toml --dir BATCH"},
	"verdicts.md": {
		"minimal --ticks 2 --run-dir runs/old/1 --quiet", "minimal --ticks 2 --run-dir runs/new/1 --quiet",
		"batch run protocols.toml --dir DIR",
	},
}

// pagesOnlyParsed are the commands that do not run here, by how they begin, and why.
var pagesOnlyParsed = map[string]string{
	"batch run protocols.toml --jobs 2": "needs certificates and an address that others reach; TestScripts/workers runs its like",
	"batch run engines.toml":            "needs a binary of another version; TestAnEngineIsAnArm plays its like",
	"batch run aw-1 --model M --jobs 8": "plays 240 runs; tests of the suite play some of them",
	"suite verify":                      "needs a suite that was played; tests of the suite verify some runs of it",
	"suite table":                       "needs a suite that was played; tests of the suite make tables",
	"worker --nats tls://":              "needs another machine; TestScripts/workers runs its like",
	"guard-eval --checks":               "plays for many minutes, in .ci/run",
	"guard-eval --sample":               "plays for a second; TestScripts/guard_eval plays its like",
	"guard-eval --model":                "asks a real model; TestAModelOfOnesOwnIsAttacked asks one",
	"guard-eval --max-attack":           "plays for a minute, in .ci/run",
	"trace verify RUN --head":           "the head is that of a run on the page; TestTamper verifies heads",
}

// pagesReplaced are words of commands that name what is not here, or take long.
var pagesReplaced = []string{
	"--ticks 30 ", "--ticks 13 ", "--ticks 20 ", "--ticks 8 ", "--ticks 40 ", "--ticks 10 ", "--until-tick 500", "--until-tick 5",
	"--tick 120 ", "--tick 2 ", "--tick 16 ", "--tick 13 ", "--tick 18 ", "--tick 8 ", "http://127.0.0.1:8000/v1", "URL", "main.jsonl", "DIR/results.jsonl", "--model MODEL", "--model m", "127.0.0.1:8080", "127.0.0.1:0",
}

// TestEveryDocumentedCommandRuns runs the commands of README and docs, each page in a directory of
// its own, in their order, against a scripted endpoint for live ones. Where a page shows output,
// each of its lines begins as a line of the real output does.
func TestEveryDocumentedCommandRuns(t *testing.T) {
	slow(t)
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	server, err := stub.Start(t.Context(), stub.DefaultAddr, stub.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	url := server.URL()
	skipped, calls := maps.Clone(pagesOnlyParsed), byte(0)
	for _, path := range pages(t) {
		name := filepath.Base(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		commands := documentedCommands(name, string(text))
		if name == "cost.md" || name == "explain.md" || len(commands) == 0 { // TestCostPage and TestExplainPage compare their output as a whole
			continue
		}
		dir := t.TempDir()
		pageFiles(t, dir)
		call := func(line string) (code int, output string) {
			line, filter, piped := strings.Cut(line, "|\n")
			line = strings.NewReplacer(pagesReplaced...).Replace(line + " ")
			words, env := shellWords(t, line)
			if s, _, embedded := scenario.Embedded(words[0]); embedded && s.Task == nil && !strings.Contains(line, "--ticks") {
				words = append(words, "--ticks", "6")
			}
			for i, w := range words {
				words[i] = strings.ReplaceAll(w, "URL", url)
			}
			env["AGENT_WORLD_LLM_BASE_URL"], env["TINY_KEY"] = url, "tiny-key-0123456789"
			env[chainSteps] = "3"
			p := newProcess(t, env, words...)
			calls++
			p.Getwd, p.Random = func() (string, error) { return dir, nil }, bytes.NewReader([]byte{1, 2, calls})
			ctx := t.Context()
			if slices.Contains([]string{"model-server", "dashboard", "serve"}, words[0]) {
				cancelled, cancel := context.WithCancel(ctx)
				cancel()
				ctx = cancelled
			}
			code = p.Run(ctx)
			if piped {
				if _, q, found := strings.Cut(filter, "'"); found {
					filtered(t, strings.TrimSuffix(strings.TrimSpace(q), "'"), p.stdout.String())
				} else {
					t.Errorf("%s: no filter: %s", name, filter)
				}
			}
			return code, p.output()
		}
		for _, line := range pagesSetUp[name] {
			if code, output := call(programName + " " + line); code != exitCompleted && code != exitUndecided {
				t.Fatalf("%s: set up with %s: exit code %d\n%s", name, line, code, output)
			}
		}
		for _, c := range commands {
			words := strings.TrimSpace(regexp.MustCompile(`^.*?`+programName).ReplaceAllString(c.line, ""))
			begins := func(prefix string) bool { return strings.HasPrefix(words, prefix) }
			only := false
			for prefix := range pagesOnlyParsed {
				if begins(prefix) {
					only = true
					delete(skipped, prefix)
				}
			}
			if only || words == "guard-eval" {
				checkParsed(t, name, words)
				continue
			}
			code, output := call(c.line)
			if code != exitCompleted && !((begins("batch ") || begins("compare ")) && code == exitUndecided) {
				t.Errorf("%s: %s: exit code %d\n%s", name, c.line, code, output)
			}
			for _, line := range c.output {
				if first := strings.Fields(line); len(first) > 0 && !strings.HasPrefix(line, "  ") && !strings.Contains("\n"+output, "\n"+first[0]) {
					t.Errorf("%s: %s: no line of the output begins with %q:\n%s", name, c.line, first[0], output)
				}
			}
		}
	}
	for prefix := range skipped {
		t.Errorf("no page has %q any longer", prefix)
	}
}

// TestReadmeSample runs the first command of README, whose output begins as shown there.
func TestReadmeSample(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(readme), "\n"); lines >= 150 {
		t.Errorf("README has %d lines", lines)
	}
	command := documentedCommands("README.md", string(readme))[0].line
	words, env := shellWords(t, command)
	env[chainSteps] = "3" // what a reader's own run has
	p, dir := newProcess(t, env, words...), t.TempDir()
	p.Getwd = func() (string, error) { return dir, nil }
	if code := p.Run(t.Context()); code != exitCompleted {
		t.Fatalf("exit code %d\n%s", code, p.output())
	}
	_, sample, _ := strings.Cut(string(readme), "Output, shortened:\n\n```\n")
	sample, _, _ = strings.Cut(sample, "```")
	random := regexp.MustCompile(`127\.0\.0\.1:\d+|runs/[0-9TZ]+-llm_bootstrap-[0-9a-f]+`)
	ran := random.ReplaceAllString(p.stderr.String()+p.stdout.String(), "R")
	for line := range strings.Lines(random.ReplaceAllString(sample, "R")) {
		shown, cut := strings.CutSuffix(strings.TrimSuffix(line, "\n"), "...")
		if !cut {
			shown += "\n"
		}
		at := strings.Index("\n"+ran, "\n"+shown)
		if at < 0 {
			t.Fatalf("README shows %q, the rest of the output is\n%s", line, ran)
		}
		_, ran, _ = strings.Cut(ran[at:], "\n")
	}
}

// TestInlineCommandsExist parses what is inline code of a page and begins with a command, and
// finds every flag that is named alone.
func TestInlineCommandsExist(t *testing.T) {
	known := map[string]bool{}
	found := commands(newProcess(t, nil).Main)
	for _, c := range found {
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	}
	root := rootCommand(newProcess(t, nil).Main)
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	inline, flag := regexp.MustCompile("`([^`\n]+)`"), regexp.MustCompile(`^--([a-z][a-z0-9-]*)`)
	seen := 0
	for _, path := range append(pages(t), "../../BENCHMARKS.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		plain := regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(strings.ReplaceAll(string(text), clusterProgram, programName), "")
		for _, code := range inline.FindAllStringSubmatch(plain, -1) {
			line := strings.TrimPrefix(code[1], programName+" ")
			first, _, _ := strings.Cut(line, " ")
			if slices.Contains(names, first) && !strings.Contains(line, " ...") || line != code[1] { // else a heading
				seen++
				checkParsed(t, path, line)
			} else if f := flag.FindStringSubmatch(line); f != nil && filepath.Base(path) != "BENCHMARKS.md" {
				seen++
				if !known[f[1]] {
					t.Errorf("%s: no command has the flag --%s", path, f[1])
				}
			}
		}
	}
	examples, err := filepath.Glob("../../docs/examples/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		calls := regexp.MustCompile(`(?:\./aw|`+programName+`) ([a-z][^|>#\n]*)`).FindAllStringSubmatch(strings.ReplaceAll(string(text), "\\\n", " "), -1)
		if len(calls) == 0 {
			t.Errorf("%s has no commands", path)
		}
		for _, call := range calls {
			checkParsed(t, path, call[1])
		}
	}
	if seen < 100 {
		t.Errorf("%d commands and flags", seen)
	}
}

// checkParsed demands that a command exists, and its flags.
func checkParsed(t *testing.T, page, line string) {
	t.Helper()
	words := strings.Fields(line)
	c, _, err := rootCommand(newProcess(t, nil).Main).Find(words)
	if err != nil {
		t.Errorf("%s: %s: %v", page, line, err)
		return
	}
	c.InitDefaultHelpFlag()
	for _, w := range words {
		name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
		if strings.HasPrefix(w, "--") && c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil {
			t.Errorf("%s: %s: %s has no flag --%s", page, line, c.CommandPath(), name)
		}
	}
	if c.HasSubCommands() && len(words) > 1 && c.HasParent() && regexp.MustCompile(`^[a-z]+$`).MatchString(words[1]) {
		t.Errorf("%s: %s: no such command", page, line)
	}
}

// pages are the files that document the program.
func pages(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(list) < 10 {
		t.Fatal(list, err)
	}
	return append(list, "../../README.md")
}

// shellWords are the words of a command line as a shell reads them, and the variables it sets.
func shellWords(t *testing.T, line string) (words []string, env map[string]string) {
	t.Helper()
	env = map[string]string{}
	for {
		name, rest, ok := strings.Cut(line, "=")
		value, after, more := strings.Cut(rest, " ")
		if !ok || !more || !regexp.MustCompile(`^[A-Z_]+$`).MatchString(name) {
			break
		}
		env[name], line = value, after
	}
	line = strings.Replace(line, "go run ./cmd/"+programName, programName, 1)
	out, err := exec.Command("sh", "-c", programName+`() { for w in "$@"; do printf '%s\0' "$w"; done; }; `+line).Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), env
}

// filtered applies a filter of jq to the lines of an output.
func filtered(t *testing.T, filter, output string) {
	t.Helper()
	query, err := gojq.Parse(filter)
	if err != nil {
		t.Errorf("%s: %v", filter, err)
		return
	}
	for _, v := range values(t, io.Reader(strings.NewReader(output))) {
		results := query.Run(v)
		for r, more := results.Next(); more; r, more = results.Next() {
			if err, failed := r.(error); failed {
				t.Errorf("%s: %v", filter, err)
				return
			}
		}
	}
}

// pageFiles writes the files that pages name: the batch of docs/batch.md with two cells, a
// scenario and a playbook.
func pageFiles(t *testing.T, dir string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/batch.md")
	if err != nil {
		t.Fatal(err)
	}
	_, batch, _ := strings.Cut(string(page), "```toml\n")
	batch, _, _ = strings.Cut(batch, "```")
	small := strings.NewReplacer(`"1-20"`, `"1"`, "repeats = 2", "repeats = 1").Replace(batch)
	if small == batch {
		t.Error("docs/batch.md has another batch")
	}
	_, minimal, _, err := chooseScenario(newProcess(t, nil).Main, namedScenario("minimal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"protocols.toml": small, "mine.toml": string(minimal), "pagebook.toml": pageBook} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
