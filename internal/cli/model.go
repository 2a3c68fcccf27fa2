package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// scriptedModel is the model name a scripted run records.
const scriptedModel = "scripted"

// modelAccess says what decides for the agents.
type modelAccess struct {
	// live is false for the embedded scripted stub.
	live bool
	// offline says that the user asked for the stub.
	offline bool
	// model is the name sent with every request.
	model string
	// baseURL is the live endpoint as the user wrote it; empty when scripted.
	baseURL string
	// key may be empty for an endpoint that wants none.
	key openai.Secret
	// keyFrom and modelFrom say where the settings came from, for messages.
	keyFrom, modelFrom origin
	// unused are remarks about settings that a scripted run leaves aside.
	unused []string
}

// source is the model source that a trace records.
func (a modelAccess) source() trace.ModelSource {
	if a.live {
		return trace.SourceLive
	}
	return trace.SourceScripted
}

// recordedURL is the endpoint that a trace records. The embedded server has
// another port in every run, which must not make equal runs differ.
func (a modelAccess) recordedURL() string {
	if !a.live {
		return embeddedURL
	}
	url, err := openai.ParseBaseURL(a.baseURL)
	if err != nil {
		panic("the base URL was parsed before: " + err.Error())
	}
	return url.String()
}

// embeddedURL stands for the embedded server in a trace.
const embeddedURL = "embedded:scripted"

// keySettings names the places that can hold a key.
const keySettings = envPrefix + "API_KEY, OPENAI_API_KEY, or api_key under [llm] in " + configName

// chooseModel decides between a live and a scripted model. A live run is always
// the user's explicit choice: a key alone never starts one.
//
//	model  endpoint  key    run
//	no     any       any    scripted, and what is not used is said
//	yes    yes       any    live; an endpoint of one's own may want no key
//	yes    no        yes    live, at OpenAI
//	yes    no        no     refused
//
// Offline makes any of them scripted.
func chooseModel(c config, values []value) (modelAccess, error) {
	key, model, url := find(values, "llm.api_key"), find(values, "llm.model"), find(values, "llm.base_url")
	if c.Offline || c.Model == "" {
		unused := unusedSettings(c, find(values, "llm.offline"), key, model, url, find(values, agentsTable))
		return modelAccess{offline: c.Offline, model: scriptedModel, unused: unused}, nil
	}
	access := modelAccess{live: true, model: c.Model, baseURL: c.BaseURL, key: c.APIKey, keyFrom: key.origin, modelFrom: model.origin}
	if access.baseURL == "" {
		access.baseURL = openai.BaseURLDefault
		if c.APIKey.Empty() {
			return modelAccess{}, badInput("model %s (%s) at %s needs a key: set %s; or name another endpoint with --base-url, or use --offline",
				shown(c.Model), model.origin, openai.BaseURLDefault, keySettings)
		}
	}
	return access, nil
}

// unusedSettings lists what a user may believe to be in use in a scripted run.
func unusedSettings(c config, offline, key, model, url, agents value) []string {
	remedy := "a live run needs a model: --model or " + envPrefix + "MODEL"
	if c.Offline {
		remedy = "the run is offline (" + offline.origin.String() + ")"
	}
	var unused []string
	for _, s := range []struct {
		what string
		v    value
	}{{"API key", key}, {"endpoint", url}, {"model", model}, {"list of agents' models", agents}} {
		if s.v.text != "" {
			unused = append(unused, fmt.Sprintf("the %s from %s is not used: %s", s.what, s.v.origin, remedy))
		}
	}
	return unused
}

// chooseFaults reads the plan of faults, which may be about some of the agents only.
// A live model is never spoilt: its answers cost money, and what goes wrong with
// them is what a user wants to see.
func chooseFaults(access modelAccess, faults value, agents []string) (stub.FaultPlan, error) {
	plan, err := stub.ParseFaults(faults.text)
	if err != nil {
		return plan, badInput("%s: %w", faults.where(), err)
	}
	if access.live && !plan.Empty() {
		return plan, badInput("%s: faults are for the scripted stub, and the model is live (%s); leave out one of them, or use --offline",
			faults.where(), access.modelFrom)
	}
	for _, id := range plan.Agents() {
		if !slices.Contains(agents, id) {
			return plan, badInput("%s: no agent %s in the scenario; allowed: %s", faults.where(), shown(id), listed(agents))
		}
	}
	return plan, nil
}

// announceScripted says aloud that no real model takes part.
func (a modelAccess) announceScripted(w io.Writer, url string) {
	fmt.Fprintf(w, "model: scripted stub at %s (embedded, no network, no cost); results check the wiring and say nothing about models\n", url)
	for _, remark := range a.unused {
		fmt.Fprintf(w, "note: %s\n", oneLine(remark))
	}
}

// announceLive says what will be called and how often. It comes before the first call.
func (a modelAccess) announceLive(w io.Writer, url string, calls fmt.Stringer) {
	key := "no key"
	if !a.key.Empty() {
		key = "key from " + a.keyFrom.String()
	}
	fmt.Fprintf(w, "model: live, %s (%s) at %s, %s\n", oneLine(a.model), a.modelFrom, url, key)
	fmt.Fprintf(w, "calls: %s\n", calls)
}

// providerHint tells, after the provider ended a run, which settings were used
// and where a key is set.
func (a modelAccess) providerHint() string {
	if !a.live {
		return "the embedded scripted server failed; no setting of yours was involved"
	}
	parts := []string{"check the endpoint (--base-url)", fmt.Sprintf("the model (%s)", a.modelFrom)}
	if a.key.Empty() {
		return strings.Join(append(parts, "and the key: none is set; set "+keySettings), ", ")
	}
	return strings.Join(append(parts, fmt.Sprintf("and the key (%s; it may be set in %s)", a.keyFrom, keySettings)), ", ")
}

// callRange is how many model calls a run can make.
type callRange struct {
	ticks, agents int64
	// perDecision is the most calls of one decision.
	perDecision int64
	// learning is the most calls of looking back, over the whole run.
	learning int64
	// expected is what the run will probably take, nil where that was not estimated. All
	// figures are its own then, so that no two lines tell different ones.
	expected *trace.Estimate
}

// String gives the range with the factors behind it.
func (r callRange) String() string {
	figures := fmt.Sprintf("at most %d", r.ticks*r.agents*r.perDecision+r.learning)
	if e := r.expected; e != nil {
		figures = fmt.Sprintf("%d to %d, likely %d", e.Least.Calls, e.Most.Calls, e.Likely.Calls)
	}
	text := fmt.Sprintf("%s (%d ticks x %d agents x up to %d per decision; fewer where agents wait or continue)",
		figures, r.ticks, r.agents, r.perDecision)
	if r.learning > 0 {
		text += fmt.Sprintf(", up to %d of them to learn", r.learning)
	}
	return text
}
