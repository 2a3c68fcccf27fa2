package cli

import (
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// runsRoot is where run directories are made when the user names none, below the
// working directory.
const runsRoot = ".tmp/runs"

// scenarioCharsMax bounds the scenario's share of a run directory's name, in
// characters; file systems allow 255 bytes for the whole.
const scenarioCharsMax = 40

// nameRunDir returns the run directory: the one named, or a new name under
// runsRoot made of the UTC time, the scenario and three random bytes, so that
// runs started in the same second stay apart and listings sort by time.
func (m *Main) nameRunDir(named, scenario string) (string, error) {
	if named != "" {
		return named, nil
	}
	var random [3]byte
	if _, err := io.ReadFull(m.Random, random[:]); err != nil {
		return "", fmt.Errorf("name the run directory: %w", err)
	}
	// Of the scenario's last path element the letters, digits and underscores are kept.
	word := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, strings.TrimSuffix(filepath.Base(scenario), ".toml"))
	stamp := m.Now().UTC().Format("20060102T150405Z")
	return filepath.Join(runsRoot, stamp+"-"+word[:min(len(word), scenarioCharsMax)]+"-"+hex.EncodeToString(random[:])), nil
}
