package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// errNoKey is the cause of a refused model that would be complete with a key.
var errNoKey = errors.New("needs a key")

// chooseModel decides between a live and a scripted model and completes the settings with
// it, as a trace records them. A live run is always the user's explicit choice: a key alone
// never starts one.
//
//	model  endpoint  key    run
//	no     any       any    scripted, and what is not used is said
//	yes    yes       any    live; an endpoint of one's own may want no key
//	yes    no        yes    live, at OpenAI
//	yes    no        no     refused
//
// Offline makes any of them scripted. An estimate sends nothing and needs no key.
func (c *config) chooseModel() error {
	if c.Offline || c.Model == "" {
		c.Model = stub.ModelName
		c.ModelSource = trace.SourceScripted
		c.BaseURL = stub.EmbeddedURL
		return nil
	}
	url, err := openai.ParseBaseURL(c.endpoint())
	if err != nil {
		return badInput("%w", err)
	}
	keyless := c.BaseURL != "" && !isDefault(c.BaseURL)
	c.ModelSource, c.BaseURL = trace.SourceLive, url.String()
	if c.APIKey.Empty() && !c.estimateOnly && !keyless {
		return badInput("model %s (%s) at %s %w: set %s; or name another endpoint with --base-url, or use --offline",
			shown(c.Model), c.Values.Find("llm.model").Origin, openai.BaseURLDefault, errNoKey, settings.KeyPlaces)
	}
	return nil
}

// endpoint is where a live model is, as the user wrote it: with a query, which a trace
// leaves out, since it may hold a key.
func (c config) endpoint() string {
	return cmp.Or(c.Values.Find("llm.base_url").Text, openai.BaseURLDefault)
}

// isDefault reports whether a URL is the endpoint of runs that name none, which wants a key.
func isDefault(text string) bool {
	url, err := openai.ParseBaseURL(text)
	standard, _ := openai.ParseBaseURL(openai.BaseURLDefault)
	return err == nil && url.Equal(standard)
}

// stubOnly are the settings that change what the scripted stub answers, by what they are
// called. A live model is never spoilt: its answers cost money, and what goes wrong with
// them is what a user wants to see.
var stubOnly = map[string]string{"llm.faults": "faults", "llm.stub_manner": "manners"}

// chooseFaults reads the faults and manners of the stub, which may be about some of the
// agents only.
func (p *plan) chooseFaults() error {
	faults, manner := p.Values.Find("llm.faults"), p.Values.Find("llm.stub_manner")
	var faultsErr, mannerErr error
	p.faults, faultsErr = stub.ParseFaults(faults.Text)
	p.manners, mannerErr = stub.ParseManners(manner.Text)
	for _, of := range []struct {
		settings.Value
		err    error
		agents []string
	}{{faults, faultsErr, p.faults.Agents()}, {manner, mannerErr, p.manners.Agents()}} {
		if of.err != nil {
			return badInput("%s: %w", of.Where(), of.err)
		}
		if p.Live() && strings.TrimSpace(of.Text) != "" {
			return badInput("%s: %s are for the scripted stub, and the model is live (%s); leave out one of them, or use "+
				"--offline",
				of.Where(), stubOnly[of.Setting.Key], p.Values.Find("llm.model").Origin)
		}
		for _, id := range of.agents {
			if !slices.Contains(p.agentIDs, id) {
				return badInput("%s: no agent %s in the scenario; %s", of.Where(), shown(id), offered(id, p.agentIDs))
			}
		}
	}
	return nil
}

// announceScripted prints that no real model takes part.
func (c config) announceScripted(w io.Writer, url string) {
	plaintext.Fprintf(w, "model: scripted stub at %s (embedded, no network, no cost); results check the wiring and say "+
		"nothing about models\n", url)
	// What a user may believe to be in use is said.
	remedy := "a live run needs a model: --model or " + settings.EnvPrefix + "MODEL"
	if c.Offline {
		remedy = "the run is offline (" + c.Values.Find("llm.offline").Origin.String() + ")"
	}
	for _, s := range [][2]string{{"API key", "llm.api_key"}, {"endpoint", "llm.base_url"}, {"model", "llm.model"},
		{"list of agents' models", settings.AgentsTable}} {
		if v := c.Values.Find(s[1]); v.Text != "" {
			plaintext.Fprintf(w, "note: %s\n", fmt.Sprintf("the %s from %s is not used: %s", s[0], v.Origin, remedy))
		}
	}
}

// announceLive says what will be called and how often. It comes before the first call.
func (c config) announceLive(w io.Writer, url, calls string) {
	key := "no key"
	if !c.APIKey.Empty() {
		key = "key from " + c.Values.Find("llm.api_key").Origin.String()
	}
	plaintext.Fprintf(w, "model: live, %s (%s) at %s, %s\n", c.Model, c.Values.Find("llm.model").Origin, url, key)
	plaintext.Fprintf(w, "calls: %s\n", calls)
}

// modelHint returns the settings that were used and where a key is set, for a run that the
// provider ended.
func (c config) modelHint() string {
	if !c.Live() {
		return "the embedded scripted server failed; correct a setting of yours if the message names one"
	}
	hint := fmt.Sprintf("check the endpoint (--base-url), the model (%s), and the key", c.Values.Find("llm.model").Origin)
	switch {
	case c.withheld != "":
		return hint + ": " + c.withheld
	case c.APIKey.Empty():
		return hint + ": none is set; set " + settings.KeyPlaces
	}
	return fmt.Sprintf("%s (%s; it may be set in %s)", hint, c.Values.Find("llm.api_key").Origin, settings.KeyPlaces)
}

// calls renders how many model calls the run can make after a tick, and the factors of that
// number. If there is an estimate, all figures are from the estimate, so that no two lines
// disagree.
func (p plan) calls(after int64) string {
	limits := behavior.Config{Settings: p.Settings}
	ticks := p.Ticks - after
	agents := int64(len(p.agentIDs))
	perDecision := int64(limits.CallsMax())
	learning := int64(0)
	if p.Learns() {
		learning = ticks / p.LearnEvery * agents * int64(reflect.NewRuntime(limits, 1).CallsMax())
	}
	figures := fmt.Sprintf("at most %d", ticks*agents*perDecision+learning)
	if e := p.Estimate; e != nil {
		figures = fmt.Sprintf("%d to %d, likely %d", e.Least.Calls, e.Most.Calls, e.Likely.Calls)
	}
	text := fmt.Sprintf("%s (%s x %s x up to %d per decision; fewer where agents wait or continue)", figures,
		plaintext.Count(ticks, "tick"), plaintext.Count(agents, "agent"), perDecision)
	if learning > 0 {
		text += fmt.Sprintf(", up to %d of them to learn", learning)
	}
	return text
}
