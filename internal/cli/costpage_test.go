package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// withoutFigures returns a text without numbers, text in brackets and line breaks.
func withoutFigures(text string) string {
	return regexp.MustCompile(`\d+|\.\d+|\s+\([^)]*\)|\s+`).ReplaceAllString(text, "")
}

// pageCommand returns the command at the head of a console block. The command continues on
// the next line after a backslash or an open quotation mark.
func pageCommand(block string) string {
	command := ""
	for line := range strings.Lines(block) {
		command += line
		if !strings.HasSuffix(line, "\\\n") && strings.Count(command, "'")%2 == 0 {
			break
		}
	}
	return strings.TrimSuffix(command, "\n")
}

// foldedPage breaks lines of over 96 characters at spaces, as the pages of docs/ show them.
func foldedPage(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for len(line) > 97 {
			cut := strings.LastIndexByte(line[:97], ' ')
			if cut < 4 {
				break
			}
			b.WriteString(line[:cut] + "\n")
			line = "    " + line[cut+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// TestCostPage runs every command on the page, with the table of prices that stands
// there, and compares the output with the page's. Figures change with every word of a
// prompt and are not compared; -update puts the present ones into the page.
func TestCostPage(t *testing.T) {
	const path = "../../docs/cost.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```toml\n")
	table, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("%s has no table of prices", path)
	}
	run := ""
	blocks := strings.Split(string(page), "```console\n")
	for i, block := range blocks[1:] {
		old, rest, _ := strings.Cut(block, "```")
		command := pageCommand(old)
		output := ""
		if words, own := strings.CutPrefix(strings.ReplaceAll(command, "\\\n", " "), "$ "+programName+" "); own {
			p := newProcess(t, nil, strings.Fields(words)...)
			p.Now = func() time.Time { return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC) } // no price is old then
			if err := os.WriteFile(filepath.Join(p.dir, "mine.toml"), []byte(table), 0o600); err != nil {
				t.Fatal(err)
			}
			code := p.run(t)
			if output = p.stdout.String(); !strings.Contains(words, "--estimate-only") {
				run = filepath.Join(p.dir, "RUN")
				output = "...\n" + output[strings.Index(output, "\ncost ")+1:]
				output, _, _ = strings.Cut(output, "trace ")
				said := strings.TrimRight(p.stderr.String(), "\n")
				output += "...\n" + said[strings.LastIndex(said, "\n"+programName+": ")+1:] + "\n"
			}
			if code != 0 && code != 4 {
				t.Fatalf("%s: exit code %d:\n%s", command, code, p.output())
			}
		} else {
			output = jq(t, run, command)
		}
		if output == "" {
			t.Errorf("no output: %s", command)
		}
		blocks[i+1] = command + "\n" + foldedPage(output) + "```" + rest
	}
	got := strings.Join(blocks, "```console\n")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(withoutFigures(string(page)), withoutFigures(got)); diff != "" || len(blocks) != 6 {
		t.Errorf("%s with %d commands (-page +run), -update rewrites it:\n%s", path, len(blocks)-1, diff)
	}
}
