package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// engineFlags say which programs may play cells of a batch. They are no settings: a batch file may come from somebody
// else, and what it names must start no program.
type engineFlags struct {
	Programs []string `flag:"engine" doc:"program that plays the cells for which the batch file has engine = \"NAME\", as NAME=PROGRAM; may be repeated"`
}

// otherEngine is a program that plays cells in place of this one: this program in another version.
type otherEngine struct {
	// name is what the user calls it, path where it is.
	name, path string
	// hash is the SHA-256 of its file, size and changed what the file was then.
	hash    string
	size    int64
	changed time.Time
}

// engines are those that the user named, by their names.
type engines map[string]otherEngine

// withEngines gives a command the flag of programs, and looks at these before it runs.
func (m *Main) withEngines(c *cobra.Command) *cobra.Command {
	var f engineFlags
	addOptions(c.Flags(), &f)
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		m.engines = engines{}
		for _, text := range f.Programs {
			if err := m.addEngine(text); err != nil {
				return badInput("--engine: %w", err)
			}
		}
		return run(c, args)
	}
	return c
}

// addEngine looks at a program that a flag names. It starts none.
func (m *Main) addEngine(text string) error {
	name, program, _ := strings.Cut(text, "=")
	if name == "" || program == "" {
		return fmt.Errorf("%s: not understood; allowed: NAME=PROGRAM", shown(text))
	}
	if _, twice := m.engines[name]; twice {
		return fmt.Errorf("%s is given twice; allowed: another name for each program", shown(name))
	}
	path := m.path(program)
	if !strings.ContainsRune(program, os.PathSeparator) {
		if found, err := exec.LookPath(program); err == nil {
			path = found
		}
	}
	of, err := programAt(name, path)
	if err != nil {
		return fmt.Errorf("program %s cannot be used: %w; allowed: a program of this kind, in any version", shown(program),
			cause(err))
	}
	m.engines[name] = of
	return nil
}

// programAt reads the program at a path.
func programAt(name, path string) (e otherEngine, err error) {
	if _, err := exec.LookPath(path); err != nil {
		return e, errors.Unwrap(err)
	}
	f, err := run.OpenRegular(path)
	if err != nil {
		return e, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return e, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return e, err
	}
	return otherEngine{name, path, hex.EncodeToString(sum.Sum(nil)), info.Size(), info.ModTime()}, nil
}

// errChanged says that a program is not what it was.
var errChanged = errors.New("the program changed since the batch began")

// unchanged checks that the program is what it was: a cell is named after it.
func (e otherEngine) unchanged() error {
	info, err := os.Stat(e.path)
	if err == nil && info.Size() == e.size && info.ModTime().Equal(e.changed) {
		return nil
	}
	now, err := programAt(e.name, e.path)
	if err == nil && now.hash != e.hash {
		err = errChanged
	}
	if err != nil {
		return fmt.Errorf("engine %s: %w", e.name, err)
	}
	return nil
}

// names are the names of the programs, as a list.
func (all engines) names() string { return strings.Join(slices.Sorted(maps.Keys(all)), ", ") }

// unnamed says that a batch file names a program which the user did not, empty if the user did.
func (all engines) unnamed(name string) string {
	if _, named := all[name]; named {
		return ""
	}
	remedy := ""
	if len(all) > 0 {
		remedy = ", or one of those that were given: " + all.names()
	}
	return fmt.Sprintf("engine %s: a batch file starts no program by itself; allowed: --engine %s=PROGRAM where the "+
		"command is run%s", shown(name), name, remedy)
}

// unused says that the user named a program which no cell is played by, empty for none.
func (all engines) unused(file batch.File) string {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		plays := func(s batch.Setting) bool { return s.Key == batch.EngineKey && s.Text == name }
		if !slices.ContainsFunc(settingsIn(file), plays) {
			return fmt.Sprintf("--engine %s: no cell of the batch is played by it; allowed: engine = %q below a value of an "+
				"axis", shown(name), name)
		}
	}
	return ""
}

// uncapped says that a budget bounds what the runs of an engine do not, empty if these have a cap of their own on all
// that the budget bounds: another program cannot ask the budget before each call.
func uncapped(budget, own trace.Limit) string {
	for _, of := range []struct {
		name          string
		bounded, caps bool
	}{{"calls", budget.Calls > 0, own.Calls > 0}, {"tokens", budget.Tokens > 0, own.Tokens > 0},
		{"cost", budget.Cost > 0, own.Cost > 0}} {
		if of.bounded && !of.caps {
			return fmt.Sprintf("the budget bounds %s, and a run of another program takes its part before it begins; allowed: "+
				"cap_%s under [settings.llm]", of.name, of.name)
		}
	}
	return ""
}
