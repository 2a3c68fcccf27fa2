package toolserver

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/trace"
)

// FileLimits bound the user's file of servers.
var FileLimits = document.Limits{Bytes: 1 << 20, Values: 20_000}

// entry is a server in the user's file:
//
//	[servers.notes]
//	command = ["notes-server", "--dir", "/home/me/notes"]   # or url = "https://notes.example/mcp"
//	env = ["NOTES_DIR"]                                     # variables that the program gets
//	headers = { Authorization = "NOTES_AUTHORIZATION" }     # headers, by the variables that hold them
//	agents = ["agent-1"]
//	trusted = true
//
//	[servers.notes.tools.search]                            # if there are any, only these are offered
//	description = "Searches my notes."
//	open = ["query"]
type entry struct {
	Command   []string              `toml:"command"`
	URL       string                `toml:"url"`
	Env       []string              `toml:"env"`
	Headers   map[string]string     `toml:"headers"`
	Agents    []string              `toml:"agents"`
	Trusted   bool                  `toml:"trusted"`
	TimeoutMS int64                 `toml:"timeout_ms"`
	BytesMax  int                   `toml:"bytes_max"`
	CallsMax  int64                 `toml:"calls_max"`
	Tools     map[string]toolChoice `toml:"tools"`
}

type toolChoice struct {
	Description string   `toml:"description"`
	Hash        string   `toml:"hash"`
	Open        []string `toml:"open"`
}

// UnknownError says that the user's file has no server of a name.
type UnknownError struct {
	Name  string
	Names []string
}

// Error says which there are.
func (e *UnknownError) Error() string {
	if len(e.Names) == 0 {
		return fmt.Sprintf("there is no tool server %q", e.Name)
	}
	return fmt.Sprintf("there is no tool server %q; there are %s", e.Name, strings.Join(e.Names, ", "))
}

// Configured reads a server from the user's file, with the values of the variables that it names. The error
// says what is wrong with the file or the server, and repeats no value.
func Configured(data []byte, name string, lookup func(variable string) (string, bool)) (Server, error) {
	if err := document.CheckTOML(data, FileLimits); err != nil {
		return Server{}, err
	}
	var file struct {
		Servers map[string]entry `toml:"servers"`
	}
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&file); err != nil {
		return Server{}, plain(err)
	}
	e, known := file.Servers[name]
	if !known {
		return Server{}, &UnknownError{name, slices.Sorted(maps.Keys(file.Servers))}
	}
	s := Server{Name: name, Command: e.Command, URL: e.URL, Agents: e.Agents, Trusted: e.Trusted,
		ToolLimits: trace.ToolLimits{TimeoutMS: e.TimeoutMS, BytesMax: e.BytesMax, CallsMax: e.CallsMax}}
	for _, variable := range e.Env {
		value, set := lookup(variable)
		if !set {
			return Server{}, fmt.Errorf("servers.%s.env: the variable %s is not set", name, tidy(variable))
		}
		s.Env = append(s.Env, variable+"="+value)
	}
	for _, header := range slices.Sorted(maps.Keys(e.Headers)) {
		value, set := lookup(e.Headers[header])
		if !set {
			return Server{}, fmt.Errorf("servers.%s.headers: the variable that %s names is not set", name, tidy(header))
		}
		if s.Headers == nil {
			s.Headers = map[string]string{}
		}
		s.Headers[header] = value
	}
	for theirs, choice := range e.Tools {
		if s.Tools == nil {
			s.Tools = map[string]Choice{}
		}
		s.Tools[theirs] = Choice(choice)
	}
	return s, s.Check()
}

// plain is an error of the decoder by line, without the text of the file, which may hold a secret.
func plain(err error) error {
	if strict, is := errors.AsType[*toml.StrictMissingError](err); is && len(strict.Errors) > 0 {
		line, _ := strict.Errors[0].Position()
		return fmt.Errorf("line %d: %s is no setting of a tool server", line, strings.Join(strict.Errors[0].Key(), "."))
	}
	if decode, is := errors.AsType[*toml.DecodeError](err); is {
		line, _ := decode.Position()
		return fmt.Errorf("line %d: %s", line, strings.TrimPrefix(decode.Error(), "toml: "))
	}
	return errors.New("it is no TOML")
}

// Parse reads NAME=COMMAND or NAME=URL. A command is a program and its arguments, between spaces. ok is false
// for a name alone.
func Parse(text string) (s Server, ok bool, err error) {
	name, place, ok := strings.Cut(text, "=")
	if !ok {
		return Server{Name: name}, false, nil
	}
	s.Name = name
	if strings.HasPrefix(place, "http://") || strings.HasPrefix(place, "https://") {
		s.URL = place
	} else {
		s.Command = strings.Fields(place)
	}
	return s, true, s.Check()
}
