package access

import (
	"fmt"
	"strings"

	"example.com/agentworld/llmclient/openai"
)

// Problem says why settings cannot be played. It knows settings by their keys, as "llm.faults"; who
// shows it puts in what its users call them.
type Problem struct {
	// Key is the setting that is wrong, empty where no single one is.
	Key string
	// format has settings in braces: {llm.model} is the setting, {from llm.model} the place that its
	// value came from.
	format string
	args   []any
	cause  error
}

// Refuse returns a problem with a setting. The format takes arguments as [fmt.Sprintf] does, and
// names other settings in braces.
func Refuse(key, format string, args ...any) *Problem {
	p := &Problem{Key: key, format: format, args: args}
	for _, a := range args {
		if err, ok := a.(error); ok {
			p.cause = err
		}
	}
	return p
}

// Error names settings by their keys.
func (p *Problem) Error() string {
	text := p.Text(func(name string) string { return strings.TrimPrefix(name, "from ") })
	if p.Key != "" {
		return p.Key + ": " + text
	}
	return text
}

// Text is the problem without the setting that is wrong. called returns what other settings are
// called: for "llm.model" the setting, for "from llm.model" where its value came from.
func (p *Problem) Text(called func(name string) string) string {
	var format strings.Builder
	rest := p.format
	for {
		before, inside, open := strings.Cut(rest, "{")
		name, after, closed := strings.Cut(inside, "}")
		if !open || !closed {
			break
		}
		format.WriteString(before + strings.ReplaceAll(called(name), "%", "%%"))
		rest = after
	}
	return fmt.Errorf(format.String()+rest, p.args...).Error() // a format may wrap
}

// Unwrap returns the error that the problem quotes, nil without one.
func (p *Problem) Unwrap() error { return p.cause }

// UnknownError says that a setting is about an agent that the scenario does not have, or about a model
// that is not asked.
type UnknownError struct {
	// Key is the setting. Entry is where in it, such as "switch 2", if it is a list.
	Key, Entry string
	// Model says that Name is that of a model, and not the id of an agent. Names are those there are.
	Model bool
	Name  string
	Names []string
}

// Error implements error.
func (e *UnknownError) Error() string {
	if e.Key == "" {
		return e.Text()
	}
	return e.Key + ": " + e.Text()
}

// Text is the error without the setting.
func (e *UnknownError) Text() string {
	text := fmt.Sprintf("no agent %s in the scenario", openai.Quoted(e.Name))
	if e.Model {
		text = fmt.Sprintf("no model %s is asked", openai.Quoted(e.Name))
	}
	if e.Entry != "" {
		return e.Entry + ": " + text
	}
	return text
}
