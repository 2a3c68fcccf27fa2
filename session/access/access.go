package access

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// Key is a key with the one endpoint that it was given for.
type Key struct {
	// Endpoint is a base URL, as [openai.ParseBaseURL] takes it. Its query tells no endpoints apart.
	Endpoint string
	// Name is the key_env of the agents whose key it is, empty for the key of the run.
	Name string
	// Secret is the key. An empty one says that the endpoint may have it and that there is none, or
	// one that is Wrong.
	Secret openai.Secret
	Wrong  error
}

// NewKey returns a key for an endpoint. name is that of [Key], empty for the key of the run.
func NewKey(endpoint, name, secret string) Key {
	return Key{Endpoint: endpoint, Name: name, Secret: openai.NewSecret(secret)}
}

// Config is what a caller hands over beside the settings of a run. The zero value sends no key and
// takes the prices of the program.
type Config struct {
	// Keys are all that may be sent. The first one without a name is of the endpoint that the caller
	// named, if it named one: an endpoint of a recorded run that is the same place is asked as it is
	// written there, with its query, which no run records.
	Keys []Key
	// Offline has the embedded model answer, whatever model the settings name.
	Offline bool
	// Unsent says that nothing will be sent, so that no key is missed.
	Unsent bool
	// Prices is the caller's table, nil for what the settings hold and the built-in one.
	Prices *price.Table
	// InFlightMax bounds the calls to an endpoint at once; 0 is 8.
	InFlightMax int
	// RequestsPerMinute and TokensPerMinute bound what is sent to an endpoint; 0 is no bound.
	RequestsPerMinute, TokensPerMinute int64
	// Backoff is the longest wait before the first retry of a call; 0 is that of [openai.Config].
	Backoff time.Duration
	// AllowStore is that of [openai.Config].
	AllowStore bool
	// Limiters are those of several runs, nil for a run by itself.
	Limiters *Limiters
	// Now is the clock of the waits that a run directory shows; nil is [time.Now].
	Now func() time.Time
	// Tell, when set, is called with what is worth knowing, from several goroutines.
	Tell func(Notice)
}

// Notice is something that a run's user should know: [Withheld], [Wait], [Change] or [Remark].
type Notice interface{ notice() }

// Withheld says that a key is not sent to an endpoint, since it was not given for it.
type Withheld struct {
	// Name is that of the [Key].
	Name string
	// Place is the endpoint without its query, URL with it.
	Place, URL string
	// Agent is the agent whose key it is, nil for the key of the run.
	Agent *trace.AgentModel
}

func (Withheld) notice() {}

// Remark is a notice in words.
type Remark struct{ Text string }

func (Remark) notice() {}

// Agent is how one agent reaches a model of its own.
type Agent struct {
	trace.AgentModel
	url openai.BaseURL
	key openai.Secret
}

// Access is how the models of a run are reached. Make one with [Choose].
type Access struct {
	config   Config
	settings trace.Settings
	// endpoint is where a live model is, as it was written, and url the same.
	endpoint string
	url      openai.BaseURL
	key      openai.Secret
	agents   []Agent
	clients
}

// ErrNoKey is the cause of a refused model that would be complete with a key.
var ErrNoKey = errors.New("needs a key")

// Place is an endpoint without its query, which may hold a secret.
func Place(url openai.BaseURL) string {
	place, _, _ := strings.Cut(url.String(), "?")
	return place
}

// IsDefault reports whether a URL is the endpoint of runs that name none, which wants a key.
func IsDefault(text string) bool {
	url, err := openai.ParseBaseURL(text)
	standard, _ := openai.ParseBaseURL(openai.BaseURLDefault)
	return err == nil && url.Equal(standard)
}

// Choose decides between a live and an embedded model and completes the settings with it, as a trace
// records them:
//
//	model  endpoint  key    run
//	no     any       any    scripted
//	yes    yes       any    live; an endpoint of one's own may want no key
//	yes    no        yes    live, at OpenAI
//	yes    no        no     refused with [ErrNoKey]
//
// Offline makes any of them scripted. Settings with a source of answers are complete already.
func Choose(s *trace.Settings, c Config) (*Access, error) {
	a := &Access{config: c}
	planned := s.ModelSource != ""
	named := s.BaseURL
	switch {
	case planned && !s.Live(), !planned && (c.Offline || s.Model == ""):
		if !planned {
			s.Model, s.BaseURL = stub.ModelName, stub.EmbeddedURL
			s.ModelSource = trace.SourceScripted
		}
		a.settings = *s
		return a, nil
	}
	a.endpoint = c.written("", cmp.Or(named, openai.BaseURLDefault))
	url, err := openai.ParseBaseURL(a.endpoint)
	if err != nil {
		return a, Refuse("", "%w", err)
	}
	a.url = url
	for _, k := range c.Keys {
		if _, err := openai.ParseBaseURL(k.Endpoint); err != nil {
			return a, Refuse("", "endpoint of a key: %w", err)
		}
	}
	if !planned {
		s.ModelSource, s.BaseURL = trace.SourceLive, url.String()
	}
	a.takeKey()
	a.settings = *s
	keyless := named != "" && !IsDefault(named)
	if a.key.Empty() && !planned && !c.Unsent && !keyless {
		return a, Refuse("", "model %s ({from llm.model}) at %s %w: set {llm.api_key}; or name another endpoint with "+
			"{llm.base_url}, or use {llm.offline}", openai.Quoted(s.Model), openai.BaseURLDefault, ErrNoKey)
	}
	return a, nil
}

// Serve takes the settings of the run that the models are asked for, where they are not those of
// [Choose]: a run that is continued has them recorded.
func (a *Access) Serve(s trace.Settings) { a.settings = s }

// written is an endpoint as the caller wrote it for a key, if it did: a run records it without what may
// be a secret in its query.
func (c Config) written(name, text string) string {
	for _, k := range c.Keys {
		url, err := openai.ParseBaseURL(k.Endpoint)
		if err == nil && k.Name == name && (Place(url) == text || url.String() == text) {
			return k.Endpoint
		}
	}
	return text
}

// given returns the key of a name that was given for an endpoint; ok is false if none was.
func (c Config) given(name string, url openai.BaseURL) (key Key, ok bool) {
	for _, k := range c.Keys {
		of, err := openai.ParseBaseURL(k.Endpoint)
		if err == nil && k.Name == name && Place(of) == Place(url) {
			return k, true
		}
	}
	return Key{}, false
}

// takeKey finds the key of the run's endpoint.
func (a *Access) takeKey() {
	key, given := a.config.given("", a.url)
	a.key = key.Secret
	some := func(k Key) bool { return k.Name == "" && !k.Secret.Empty() }
	if given || !slices.ContainsFunc(a.config.Keys, some) {
		return
	}
	a.tell(Withheld{Place: Place(a.url), URL: a.url.String()})
}

// tell passes a notice on.
func (a *Access) tell(n Notice) {
	if a.config.Tell != nil {
		a.config.Tell(n)
	}
}

// ChooseAgents finds endpoint and key of every agent with a model of its own, and completes the
// settings with them. agents are those of the scenario; key names the setting in refusals. A
// run that is offline or asks no model has none.
func (a *Access) ChooseAgents(s *trace.Settings, key string, agents []string) error {
	list := s.AgentModels
	s.AgentModels = nil
	if len(list) > 0 && !a.config.Offline && s.ModelSource != trace.SourceRecorded {
		if !s.Live() {
			return Refuse(key, "agents with models of their own need a live run for the others: set {llm.model}, or leave "+
				"this out")
		}
		for _, of := range list {
			if !slices.Contains(agents, of.Agent) {
				return &UnknownError{Key: key, Name: of.Agent, Names: agents}
			}
			own, err := a.agent(of)
			if missing, ok := errors.AsType[*MissingKeyError](err); ok {
				missing.Key = key
				return missing
			}
			if err != nil {
				return Refuse(key, "agent %s: %w", openai.Quoted(of.Agent), err)
			}
			a.agents = append(a.agents, own)
			if own.BaseURL != "" {
				of.BaseURL = own.url.String()
			}
			s.AgentModels = append(s.AgentModels, of)
		}
	}
	a.settings.AgentModels = s.AgentModels
	return nil
}

// agent finds one agent's endpoint and key. The run's key goes to the run's endpoint and nowhere else.
func (a *Access) agent(of trace.AgentModel) (Agent, error) {
	own := Agent{AgentModel: of, url: a.url}
	if of.BaseURL != "" {
		own.BaseURL = a.config.written(of.KeyEnv, of.BaseURL)
		url, err := openai.ParseBaseURL(own.BaseURL)
		if err != nil {
			return own, err
		}
		own.url = url
	}
	if of.KeyEnv != "" {
		key, given := a.config.given(of.KeyEnv, own.url)
		switch {
		case !given:
			a.tell(Withheld{Name: of.KeyEnv, Place: Place(own.url), URL: own.url.String(), Agent: &of})
		case key.Wrong != nil:
			return own, key.Wrong
		case key.Secret.Empty() && !a.config.Unsent:
			return own, &MissingKeyError{Agent: of.Agent, Name: of.KeyEnv}
		}
		own.key = key.Secret
	} else if own.url.Equal(a.url) {
		own.key = a.key
	}
	if IsDefault(own.url.String()) && own.key.Empty() && !a.config.Unsent {
		return own, &MissingKeyError{Agent: of.Agent}
	}
	return own, nil
}

// MissingKeyError says that an agent's endpoint may have a key and that there is none.
type MissingKeyError struct {
	// Key is the setting, Agent the agent.
	Key, Agent string
	// Name is that of the [Key]; empty where the agent names none and its endpoint wants one.
	Name string
}

// Error implements error.
func (e *MissingKeyError) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("%s: agent %q: %s needs a key", e.Key, e.Agent, openai.BaseURLDefault)
	}
	return fmt.Sprintf("%s: agent %q: there is no key of the name %s", e.Key, e.Agent, e.Name)
}

// Request returns how the model of an agent is reached, empty for the run's: endpoint and key. It is
// for examining an endpoint.
func (a *Access) Request(agent string) (baseURL string, key openai.Secret) {
	for _, own := range a.agents {
		if own.Agent == agent {
			return cmp.Or(own.BaseURL, a.endpoint), own.key
		}
	}
	return a.endpoint, a.key
}
