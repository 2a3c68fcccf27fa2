package world

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// The limits of documents.
const (
	// DocumentsMax bounds the documents of a run.
	DocumentsMax = 1000
	// DocumentBytesMax bounds the text of one, DocumentsBytesMax the texts of all together.
	DocumentBytesMax  = 1 << 20
	DocumentsBytesMax = 4 << 20
)

// Document is a text in which agents look things up. Nothing in the world depends on it.
type Document struct {
	// Name is what prompts and reports call it, one line, used once.
	Name string `toml:"name"`
	// Text is the document, in Markdown or plain. It is empty in a scenario whose document is a
	// file.
	Text string `toml:"text"`
	// Path is the file, relative to that of the scenario. A document without text and path is
	// the file of its name among those given for the run.
	Path string `toml:"path"`
	// Trusted says that the scenario vouches for the text: agents may plan by it. Without, it
	// is untrusted like a message.
	Trusted bool `toml:"trusted"`
	// Agents are the ids of the agents that may read it; empty means all.
	Agents []string `toml:"agents"`
}

// checkDocuments checks that names are unique and that each document has one text at most.
func (s Scenario) checkDocuments() error {
	if len(s.Documents) > DocumentsMax {
		return fmt.Errorf("documents: %d, want at most %d", len(s.Documents), DocumentsMax)
	}
	var all []error
	total := 0
	for i, d := range s.Documents {
		field := fmt.Sprintf("documents[%d]", i)
		total += len(d.Text)
		if d.Name == "" {
			all = append(all, fmt.Errorf("%s.name: is missing; it is needed unless there is a path", field))
		}
		all = append(all, checkName(field+".name", d.Name), checkName(field+".path", d.Path))
		switch {
		case d.Text != "" && d.Path != "":
			all = append(all, fmt.Errorf("%s: has text and path; want one of them", field))
		case len(d.Text) > DocumentBytesMax || total > DocumentsBytesMax:
			all = append(all, fmt.Errorf("%s.text: is too long; documents have at most %d bytes each and %d together", field,
				DocumentBytesMax, DocumentsBytesMax))
		case !utf8.ValidString(d.Text):
			all = append(all, fmt.Errorf("%s.text: is not valid UTF-8", field))
		case slices.ContainsFunc(s.Documents[:i], func(e Document) bool { return d.Name != "" && e.Name == d.Name }):
			all = append(all, fmt.Errorf("%s.name: %q is used twice", field, d.Name))
		}
		for _, id := range d.Agents {
			if _, known := s.agentNumber(id); !known && !s.planning(id) {
				all = append(all, fmt.Errorf("%s.agents: there is no agent %q", field, cleanText(id, idLengthMax)))
			}
		}
	}
	return errors.Join(all...)
}
