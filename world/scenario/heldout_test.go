package scenario

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// statedSeed matches the ways in which a text states the seed of an instance.
var statedSeed = regexp.MustCompile(`(?i)(?:--seed[ =]|\bseed"?\s*:?=?\s*[:=]\s*|\bInstance\()"?([0-9][0-9_]{6,18})\b`)

// heldOut lists the held-out seeds that a file states, in a column of a table or in its text.
func heldOut(name string, text []byte) (list []string) {
	var stated []string
	if rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll(); filepath.Ext(name) == ".csv" && err == nil && len(rows) > 0 {
		if column := slices.Index(rows[0], "seed"); column >= 0 {
			for _, row := range rows[1:] {
				stated = append(stated, row[column])
			}
		}
	}
	for _, match := range statedSeed.FindAllSubmatch(text, -1) {
		stated = append(stated, string(match[1]))
	}
	for _, seed := range stated {
		if n, err := strconv.ParseUint(strings.ReplaceAll(seed, "_", ""), 10, 64); err == nil && n >= HeldOutSeeds && n < SuiteSeeds {
			list = append(list, seed)
		}
	}
	return list
}

// TestHeldOutSeedsAreNotUsed reads the whole tree.
func TestHeldOutSeedsAreNotUsed(t *testing.T) {
	read := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == ".tmp"):
			return filepath.SkipDir
		case !slices.Contains([]string{".go", ".md", ".toml", ".txtar", ".csv", ".yml", ".sh"}, filepath.Ext(path)), d.Name() == "heldout_test.go":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for _, seed := range heldOut(path, text) {
			t.Errorf("%s uses the held-out seed %s", path, seed)
		}
		return nil
	})
	if err != nil || read < 500 {
		t.Errorf("%d files read: %v", read, err)
	}
}

// TestHeldOutSeedsAreFound: the forms in which a seed may be stated.
func TestHeldOutSeedsAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"seed = 1_000_000":            1,
		"Seed: 1000001,":              1,
		"seed := uint64(5)":           0,
		"run --seed 1_999_999":        1,
		"run --seed 2000000":          0,
		`{"seed":1234567}`:            1,
		"s.Instance(1_000_000)":       1,
		"seed = 999999":               0,
		"a sample made of seed 12345": 0,
	} {
		if got := heldOut("x.txt", []byte(text)); len(got) != want {
			t.Errorf("%q: %v, want %d", text, got, want)
		}
	}
	if got := heldOut("x.csv", []byte("task,seed\na,3\nb,1000000\n")); len(got) != 1 {
		t.Errorf("a table: %v", got)
	}
}
