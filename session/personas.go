package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"example.com/agentworld/world/scenario"
)

// WholeScenario returns the text of a scenario with the personas of the file that it names, if it names one.
// path is the scenario's file, beside or below which that file is; name is what errors call it. What runs
// and records hold is the whole text.
func WholeScenario(path, name string, text []byte) ([]byte, error) {
	file := scenario.PersonasFile(text)
	if file == "" {
		return text, nil
	}
	data, err := readBeside(path, file)
	if err != nil {
		err = fmt.Errorf("personas_file: %q: %w", file, err)
		return nil, scenario.Placed(name, text, err)
	}
	whole, err := scenario.WithPersonas(text, file, data)
	return whole, scenario.Placed(name, text, err)
}

// readBeside reads a regular file in the folder of another one or below it. No link leads out of there.
func readBeside(path, name string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err != nil {
		if cause, ofSystem := errors.AsType[syscall.Errno](err); ofSystem {
			return nil, cause
		}
		return nil, errors.New("it is outside of the scenario's folder, or a link that leads out of it")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is no regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, scenario.PersonasBytesMax+1))
}
