package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/internal/folder"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// documentEndings are the names of files that are documents.
var documentEndings = []string{".md", ".markdown", ".txt"}

// entriesMax bounds how many files and directories are looked at.
const entriesMax = 100_000

// takeDocuments reads the files that the scenario names and those of the directory of documents.
// A fork has the former from its parent, and the latter unless it names a directory.
func (p *plan) takeDocuments(m *Main) error {
	s, err := scenario.Parse(p.Scenario, []byte(p.ScenarioTOML))
	if err != nil && p.fork != nil {
		return nil // the session says why
	}
	if err != nil {
		return wrongSettings(err)
	}
	named := func(name string) bool {
		return slices.ContainsFunc(s.Documents, func(d world.Document) bool { return d.Path != "" && d.Name == name })
	}
	var files []trace.Document
	if p.fork != nil {
		files = slices.DeleteFunc(slices.Clone(p.fork.settings.Documents),
			func(d trace.Document) bool { return !named(d.Name) })
	}
	var wrong []string
	if p.fork == nil {
		named, err := m.namedDocuments(p.Scenario, s)
		wrong, files = linesOf(scenario.Placed(p.Scenario, []byte(p.ScenarioTOML), err)), named
	}
	if v := p.Values.Find("run.documents"); v.Text != "" {
		list, problems := readDocuments(m.path(v.Text))
		for _, problem := range problems {
			wrong = append(wrong, fmt.Sprintf("%s: the documents %s: %v", v.Where(), shown(v.Text), problem))
		}
		files = append(files, list...)
	} else {
		for _, d := range p.Documents { // those of the parent, unless a flag takes them away
			if !named(d.Name) {
				files = append(files, d)
			}
		}
	}
	missing := withoutText(s, files)
	wrong = append(wrong, linesOf(scenario.Placed(p.Scenario, []byte(p.ScenarioTOML), missing))...)
	if len(wrong) > 0 {
		return badInputs(wrong)
	}
	total := 0
	for i, d := range files {
		total += len(d.Text)
		if i >= world.DocumentsMax || total > world.DocumentsBytesMax {
			return badInput("documents: there are too many; allowed: %d files of %d bytes together", world.DocumentsMax,
				world.DocumentsBytesMax)
		}
		if slices.ContainsFunc(files[:i], func(e trace.Document) bool { return e.Name == d.Name }) {
			return badInput("documents: %s is the name of two files; allowed: another name in the scenario", shown(d.Name))
		}
	}
	p.Documents = files
	return nil
}

// namedDocuments reads the files that a scenario of the file names. What cannot be read is named by
// its field.
func (fl *files) namedDocuments(file string, s world.Scenario) (files []trace.Document, err error) {
	var all []error
	for i, d := range s.Documents {
		if d.Path == "" {
			continue
		}
		text := ""
		root, err := folder.OpenRoot(filepath.Dir(fl.path(file)))
		if err == nil {
			text, err = readDocument(root, filepath.FromSlash(d.Path))
			root.Close()
		}
		if err != nil {
			all = append(all, fmt.Errorf("documents[%d].path: %s %w", i, shown(d.Path), cause(err)))
		}
		files = append(files, trace.Document{Name: d.Name, Text: text})
	}
	return files, errors.Join(all...)
}

// withoutText names the documents of a scenario that have no text, also not among some files.
func withoutText(s world.Scenario, files []trace.Document) error {
	var all []error
	for i, d := range s.Documents {
		if d.Text == "" && !slices.ContainsFunc(files, func(f trace.Document) bool { return f.Name == d.Name }) {
			all = append(all, fmt.Errorf(
				"documents[%d].text: %s has no text; allowed: text, path, or a file of that name in the directory of --documents",
				i, shown(d.Name)))
		}
	}
	return errors.Join(all...)
}

// readDocuments reads the Markdown and text files of a directory and of those in it, in the order
// of their paths. Names with a dot in front are left out. A link may lead to a file within the
// directory and nowhere else. Each file that cannot be a document is a problem of its own.
func readDocuments(dir string) (list []trace.Document, problems []error) {
	root, err := folder.OpenRoot(dir)
	if err != nil {
		return nil, []error{fmt.Errorf("%w; allowed: a directory with files %s", cause(err),
			strings.Join(documentEndings, ", "))}
	}
	defer root.Close()
	entries, total := 0, 0
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		wrong := func(err error) error {
			problems = append(problems, fmt.Errorf("%s %w", shown(name), err))
			return nil
		}
		ending := strings.ToLower(path.Ext(name))
		entries++
		switch {
		case err != nil:
			return wrong(cause(err))
		case entries > entriesMax || len(list)+len(problems) > world.DocumentsMax || total > world.DocumentsBytesMax:
			return fmt.Errorf("there are too many; allowed: %d files of %d bytes together", world.DocumentsMax,
				world.DocumentsBytesMax)
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || !slices.Contains(documentEndings, ending):
			return nil
		case !utf8.ValidString(name):
			return wrong(errors.New("has a name that is not valid UTF-8"))
		}
		text, err := readDocument(root, name)
		if err != nil {
			return wrong(err)
		}
		total += len(text)
		list = append(list, trace.Document{Name: name, Text: text})
		return nil
	})
	if err == nil && len(list)+len(problems) == 0 {
		err = fmt.Errorf("there are none; allowed: a directory with files %s", strings.Join(documentEndings, ", "))
	}
	if err != nil {
		problems = append(problems, err)
	}
	slices.SortFunc(list, func(a, b trace.Document) int { return strings.Compare(a.Name, b.Name) })
	return list, problems
}

// readDocument reads a text file below root. It looks at the file before it opens it, since opening
// a pipe would wait for a writer.
func readDocument(root *os.Root, name string) (string, error) {
	if info, err := root.Stat(name); err != nil {
		err = cause(err)
		if _, ofSystem := errors.AsType[syscall.Errno](err); !ofSystem { // what an os.Root refuses has no error of its own
			err = errors.New("it is outside of the directory, or a link that leads out of it")
		}
		return "", fmt.Errorf("cannot be read: %w", err)
	} else if !info.Mode().IsRegular() {
		return "", errors.New("is no regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return "", fmt.Errorf("cannot be read: %w", cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, world.DocumentBytesMax+1))
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot be read: %w", cause(err))
	case len(data) > world.DocumentBytesMax:
		return "", fmt.Errorf("has more than the %d bytes that are allowed", world.DocumentBytesMax)
	case document.CheckEncoding(data) != nil:
		return "", fmt.Errorf("cannot be read: %w", document.CheckEncoding(data))
	case !utf8.Valid(data):
		return "", errors.New("is not valid UTF-8")
	case len(bytes.TrimSpace(data)) == 0:
		return "", errors.New("is empty")
	}
	return string(data), nil
}
