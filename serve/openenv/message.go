package openenv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"

	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/serve"
)

// Observation is what the client is told. It is one flat object.
type Observation struct {
	// Text is the situation of the agent in words, as the prompt of a model has it.
	Text string `json:"text"`
	// Result is the outcome of the last action, nil after a reset.
	Result *Result `json:"result"`
	// Tick is the tick that the agent decides in, Ticks the length of the episode, and Score the score of the task.
	Tick  int64 `json:"tick"`
	Ticks int64 `json:"ticks"`
	Score int64 `json:"score"`
	// Seat is the typed value that the text is made of, nil once the episode is over.
	Seat *seat.Observation `json:"seat"`
}

// Result is the outcome of an action.
type Result struct {
	// Tick is when it was carried out or refused.
	Tick int64 `json:"tick"`
	// Accepted says that the world carried it out. Otherwise Code says why not: a code of the world, of the rules
	// of the scenario, or malformed.
	Accepted bool   `json:"accepted"`
	Code     string `json:"code,omitempty"`
	// Adjusted says that an amount was moved into what is possible.
	Adjusted bool `json:"adjusted,omitempty"`
	// Text says it in words, with the numbers.
	Text string `json:"text"`
}

// Step is what the client gets for a reset or a step.
type Step struct {
	Observation any   `json:"observation"`
	Reward      int64 `json:"reward"`
	Done        bool  `json:"done"`
}

// State says where a session is.
type State struct {
	// EpisodeID is nil before the first reset.
	EpisodeID *string `json:"episode_id"`
	StepCount int64   `json:"step_count"`
	Split     string  `json:"split,omitempty"`
	Index     int64   `json:"index"`
	Seed      *uint64 `json:"seed,omitempty"`
	Agent     string  `json:"agent"`
	Tick      int64   `json:"tick"`
	Ticks     int64   `json:"ticks"`
	Score     int64   `json:"score"`
	Done      bool    `json:"done"`
	// Deadlines counts the answers of other agents that were not awaited.
	Deadlines int64 `json:"deadlines"`
}

// Outcome is how an episode came out.
type Outcome struct {
	EpisodeID string `json:"episode_id"`
	Split     string `json:"split"`
	Index     int64  `json:"index"`
	Seed      uint64 `json:"seed"`
	// Status is that of its run, or abandoned if its client left it; Reason says more for people.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Tick is the last whole one, Score the score after it, and Steps the moves of the client.
	Tick  int64 `json:"tick"`
	Score int64 `json:"score"`
	Steps int64 `json:"steps"`
	// Deadlines counts the answers of other agents that were not awaited.
	Deadlines int64 `json:"deadlines"`
	// Run is the directory of its run, empty if that is not kept. Clients are told its name alone.
	Run string `json:"run,omitempty"`
}

// forClients is the outcome without where files are on this machine.
func (o Outcome) forClients() Outcome {
	o.Reason = serve.Pathless(o.Reason)
	if o.Run != "" {
		o.Run = filepath.Base(o.Run)
	}
	return o
}

// problem is an error that a client is told of.
type problem struct {
	// Code is one of the protocol's.
	Code    string `json:"code"`
	Message string `json:"message"`
	// Errors are the faults of what was sent.
	Errors []fault `json:"errors,omitempty"`
	// Factory is what could not be made.
	Factory string `json:"factory_name,omitempty"`
	// The numbers of a full server.
	Active int `json:"active_sessions,omitempty"`
	Most   int `json:"max_sessions,omitempty"`
	// closes says that the session ends with it.
	closes bool
}

// fault is one thing that is wrong with what was sent.
type fault struct {
	Type  string   `json:"type"`
	At    []string `json:"loc"`
	Text  string   `json:"msg"`
	Input any      `json:"input,omitempty"`
}

// The codes of errors.
const (
	codeJSON      = "INVALID_JSON"
	codeType      = "UNKNOWN_TYPE"
	codeInvalid   = "VALIDATION_ERROR"
	codeExecution = "EXECUTION_ERROR"
	codeCapacity  = "CAPACITY_REACHED"
	codeFactory   = "FACTORY_ERROR"
	codeSession   = "SESSION_ERROR"
)

// invalid is the problem of a member of a message.
func invalid(at, text string) *problem {
	return &problem{Code: codeInvalid, Message: clip(at + ": " + text),
		Errors: []fault{{Type: "value_error", At: []string{at}, Text: clip(text)}}}
}

// resetRequest is what a client says of the episode that it wants.
type resetRequest struct {
	Seed      *uint64 `json:"seed"`
	EpisodeID *string `json:"episode_id"`
	Split     *string `json:"split"`
	Index     *int64  `json:"index"`
}

// episodeIDMax bounds the id of an episode, in bytes.
const episodeIDMax = 255

// readReset reads a reset. What a client cannot choose is refused: to drop it silently would look like a choice.
func readReset(data json.RawMessage) (r resetRequest, p *problem) {
	if len(data) == 0 {
		return r, nil
	}
	if err := strictly(data, &r); err != nil {
		p := invalid("data", err.Error())
		p.Message += "; a reset takes seed, episode_id, split and index"
		return r, p
	}
	if r.EpisodeID != nil && (len(*r.EpisodeID) > episodeIDMax || plaintext.Line(*r.EpisodeID) != *r.EpisodeID) {
		return r, invalid("episode_id", fmt.Sprintf("allowed is one line of at most %d bytes", episodeIDMax))
	}
	return r, nil
}

// strictly decodes one JSON value whose members are all known.
func strictly(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		_, err = d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		return errors.New("more than one value")
	}
	if of, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return mismatch(of)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// mismatch says which member has another type than it has to, in the words of a client.
func mismatch(of *json.UnmarshalTypeError) error {
	at, allowed := "", "another type"
	if of.Field != "" {
		at = of.Field + ": "
	}
	switch of.Type.Kind() {
	case reflect.Uint64:
		allowed = "a whole number from 0"
	case reflect.Int64:
		allowed = "a whole number"
	case reflect.String:
		allowed = "a text"
	case reflect.Struct, reflect.Map:
		allowed = "an object"
	}
	return fmt.Errorf("%sgot %s; allowed: %s", at, of.Value, allowed)
}

// textMax bounds a text about what a client sent, in characters.
const textMax = 500

// clip is a text for a client, one short line.
func clip(text string) string { return plaintext.Line(plaintext.Clip(text, textMax)) }
