package agentworld_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The bounds of what a new reader reads in an afternoon: files, lines in all, lines of a file.
const (
	readingFiles    = 20
	readingLinesMax = 5500
	readingFileMax  = 400
)

// section returns the text of ARCHITECTURE below a heading.
func section(t *testing.T, heading string) string {
	t.Helper()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, below, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("ARCHITECTURE has no section %q", heading)
	}
	body, _, _ := strings.Cut(below, "\n## ")
	return body
}

// TestAfternoonsReading holds the list of files that are the core to what can be read.
func TestAfternoonsReading(t *testing.T) {
	var files []string
	sum := 0
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
	for _, found := range row.FindAllStringSubmatch(section(t, "An afternoon's reading"), -1) {
		name := found[1]
		if slices.Contains(files, name) {
			t.Errorf("%s is listed twice", name)
		}
		files = append(files, name)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		lines := strings.Count(string(text), "\n")
		if lines > readingFileMax {
			t.Errorf("%s has %d lines, at most %d can be read in one go", name, lines, readingFileMax)
		}
		sum += lines
	}
	if len(files) != readingFiles || sum > readingLinesMax {
		t.Errorf("the reading is %d files with %d lines, want %d with at most %d", len(files), sum, readingFiles,
			readingLinesMax)
	}
}

// TestImportRulesAreInOrder holds the order of packages in ARCHITECTURE: it names each once, and none imports
// one that follows.
func TestImportRulesAreInOrder(t *testing.T) {
	block := strings.Split(section(t, "Import rules"), "```")[1]
	var order []string
	for line := range strings.Lines(block) {
		words := strings.Fields(strings.ReplaceAll(line, " (agentworld)", ""))
		if len(words) > 0 {
			order = append(order, words[1:]...)
		}
	}
	for _, p := range policies {
		at := slices.Index(order, p.dir)
		if at < 0 {
			t.Errorf("the import rules do not name %s", p.dir)
		}
		for _, imported := range p.project {
			if slices.Index(order, imported) >= at {
				t.Errorf("%s imports %s, which the import rules name after it", p.dir, imported)
			}
		}
	}
	if len(order) != len(policies) {
		t.Errorf("the import rules name %d packages, the import table %d", len(order), len(policies))
	}
}
