package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/world"
)

const wordsHelp = `Work with what the program says to models.

"words export DIR" writes all texts, a file for each language. Keep of a file what you
change, and give the directory to a run (--words DIR): a text replaces the program's of
the same name. Places such as {amount} stay, each as often and in the same order.
"scenarios lint SCENARIO --words DIR" says what in it looks wrong.`

// wordsCommand groups what is done with texts to models.
func wordsCommand(m *Main) *cobra.Command {
	export := &cobra.Command{
		Use:   "export DIR",
		Short: "write the texts to models into a directory, a file for each language",
		Args:  oneArgument("a directory"),
		RunE:  func(_ *cobra.Command, args []string) error { return exportWords(m, args[0]) },
	}
	c := group("words", "write what the program says to models, to change it", export)
	c.Long = wordsHelp
	return c
}

// exportWords writes the files of all languages. It replaces none, since somebody may have changed it.
func exportWords(m *Main, dir string) error {
	at := m.path(dir)
	if err := os.MkdirAll(at, 0o755); err != nil {
		return badInput("the directory %s cannot be made: %w", shown(dir), cause(err))
	}
	for _, code := range words.Languages() {
		name, _ := words.File(code)
		if _, err := os.Lstat(filepath.Join(at, name)); !errors.Is(err, fs.ErrNotExist) {
			return badInput("%s has %s already, which stays as it is; allowed: a directory without it", shown(dir), name)
		}
	}
	for _, code := range words.Languages() {
		name, data := words.File(code)
		if err := atomicfile.Write(filepath.Join(at, name), data); err != nil {
			return fmt.Errorf("write the texts: %w", err)
		}
		plaintext.Fprintf(m.Stdout, "%s\n", filepath.Join(dir, name))
	}
	return nil
}

// readWords reads the file of a language in a directory of texts, and checks it. A file of another language
// that is there is checked too, since it is wrong for other runs.
func (fl *files) readWords(dir, language string) (text string, err error) {
	var found, names []string
	for _, code := range words.Languages() {
		name, _ := words.File(code)
		names = append(names, name)
		data, err := readBounded(filepath.Join(fl.path(dir), name), words.ReplacementBytesMax)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			_, err = words.With(code, string(data))
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", shown(filepath.Join(dir, name)), cause(err))
		}
		found = append(found, name)
		if code == language {
			text = string(data)
		}
	}
	entries, _ := os.ReadDir(fl.path(dir)) // what cannot be listed has no file that was found
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".toml" && !slices.Contains(names, e.Name()) {
			return "", fmt.Errorf("%s is the file of no language; allowed: %s", shown(filepath.Join(dir, e.Name())),
				strings.Join(names, ", "))
		}
	}
	if name, _ := words.File(language); !slices.Contains(found, name) {
		return "", fmt.Errorf("the directory %s has no file %s; allowed: a directory that \"words export\" wrote, or some "+
			"of its texts in files of the same names", shown(dir), name)
	}
	return text, nil
}

// lintWords says which texts name what those that they replace do not: agents, places, resources of a
// scenario, numbers. Rules that hold in one world only are read in all, and by every agent.
func lintWords(list []words.Replacement, s world.Scenario) (doubts []string) {
	names := map[string]string{}
	for _, id := range s.AgentIDs() {
		names[id] = "an agent"
	}
	for _, p := range s.Personas {
		names[p.Name] = "an agent"
	}
	for _, p := range s.Places {
		names[p.ID], names[p.Name] = "a place", "a place"
	}
	for _, r := range s.Industry().Resources {
		names[r] = "a resource"
	}
	for _, r := range list {
		was, is := spelled(r.Was), spelled(r.Is)
		if slices.ContainsFunc([]rune(strings.ReplaceAll(r.Is, "\n", "")), plaintext.Hidden) {
			doubts = append(doubts, r.Name+": it has characters that a reader does not see")
		}
		for _, id := range agentID.FindAllString(is, -1) {
			names[id] = "an agent"
		}
		before := numbersIn(was)
		for _, n := range numbersIn(is) {
			if !slices.Contains(before, n) {
				doubts = append(doubts, fmt.Sprintf("%s: it has the number %s, which the program's text has not", r.Name, n))
			}
		}
		for name, what := range names {
			if name != "" && has(is, spelled(name)) && !has(was, spelled(name)) {
				doubts = append(doubts, fmt.Sprintf("%s: it names %s, %s, which the program's text does not", r.Name,
					shown(name), what))
			}
		}
	}
	slices.Sort(doubts)
	return slices.Compact(doubts)
}

var (
	number  = regexp.MustCompile(`\p{Nd}+([.,]\p{Nd}+)*`)
	agentID = regexp.MustCompile(`\bagent-[0-9]+\b`)
)

// spelled is a text, its places left out, in the form that names are found in, however they are written there.
func spelled(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' || unicode.Is(unicode.Pd, r) {
			return '-'
		}
		return r
	}, plaintext.Fold(formPlace.ReplaceAllString(text, " ")))
}

// numbersIn are the numbers of a spelled text in digits, those of ids of agents left out, of a range or beside a
// unit too.
func numbersIn(spelled string) []string {
	return number.FindAllString(agentID.ReplaceAllString(spelled, ""), -1)
}

var formPlace = regexp.MustCompile(`\{[a-z0-9_]+\}`)

// has reports whether a text has a name with no letter or number beside it.
func has(text, name string) bool {
	return regexp.MustCompile(`(^|[^a-z0-9])` + regexp.QuoteMeta(name) + `($|[^a-z0-9])`).MatchString(text)
}
