package cli

import (
	"fmt"
	"io"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session/access"
)

// announce says what will be called, by whom, how often and at what cost, before the first call. It
// remembers the endpoints that get a key. No endpoint is said of a run whose answers are all recorded.
func (m *Main) announce(w io.Writer, c config, reached []access.Endpoint, calls string, s spending) {
	for i, e := range reached {
		key := "no key"
		switch {
		case e.HasKey && e.Name == "":
			key = "key from " + c.Values.Find("llm.api_key").Origin.String()
		case e.HasKey:
			key = "key from environment " + e.Name
		}
		switch {
		case i > 0:
			plaintext.Fprintf(w, "model of %s: %s at %s, %s\n", e.Agent, e.Model, e.URL, key)
		case c.Live():
			plaintext.Fprintf(w, "model: live, %s (%s) at %s, %s\ncalls: %s\n", c.Model,
				c.Values.Find("llm.model").Origin, e.URL, key, calls)
		default:
			c.announceScripted(w, e.URL)
		}
		if e.HasKey {
			m.rememberEndpoint(e)
		}
		if i == 0 {
			s.announce(w, m.Now())
		}
	}
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

// modelHint returns the settings that were used and where a key is set, for a run that the
// provider ended.
func (p plan) modelHint() string {
	if !p.Live() {
		return "the embedded scripted server failed; correct a setting of yours if the message names one"
	}
	hint := fmt.Sprintf("check the endpoint (--base-url), the model (%s), and the key",
		p.Values.Find("llm.model").Origin)
	switch {
	case p.hears.withheld != "":
		return hint + ": " + p.hears.withheld
	case p.APIKey.Empty():
		return hint + ": none is set; set " + settings.KeyPlaces
	}
	return fmt.Sprintf("%s (%s; it may be set in %s)", hint, p.Values.Find("llm.api_key").Origin,
		settings.KeyPlaces)
}

// calls renders how many model calls the run can make, and the factors of that number. If there is an
// estimate, all figures are from the estimate, so that no two lines disagree.
func (p plan) calls() string {
	c := p.session.Calls()
	figures := fmt.Sprintf("at most %d", c.Most)
	if e := p.Estimate; e != nil {
		figures = fmt.Sprintf("%d to %d, likely %d", e.Least.Calls, e.Most.Calls, e.Likely.Calls)
	}
	text := fmt.Sprintf("%s (%s x %s x up to %d per decision; fewer where agents wait or continue)", figures,
		plaintext.Count(c.Ticks, "tick"), plaintext.Count(c.Agents, "agent"), c.PerDecision)
	if c.Learning > 0 {
		text += fmt.Sprintf(", up to %d of them to learn", c.Learning)
	}
	return text
}
