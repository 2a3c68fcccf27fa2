package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
)

// samplingKeys are the keys an entry may have, for errors.
const samplingKeys = "agent or model, max_output_tokens, reasoning_effort, temperature, top_p, extra_body"

// loadSampling reads how agents and models are asked that the settings name one by one, if
// they do. An agent has to be one of agents, unless that is nil, and a model one that a
// live run asks.
func (m *Main) loadSampling(c *config, agents []string, keys []openai.Secret) error {
	v := find(c.values, "llm.sampling_json")
	if v.text == "" {
		return nil
	}
	data, where, err := m.jsonText(v)
	if err != nil {
		return err
	}
	if jsonHoldsKey(string(data), append(keys, c.APIKey)) {
		return badInput("%s holds what looks like a key, which does not belong there; a key is set in %s", where, keySettings)
	}
	c.Sampling = nil
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c.Sampling); err != nil || c.Sampling == nil || !json.Valid(data) {
		return badInput("%s: %v; allowed: a JSON list of objects with the keys %s", where, cmp.Or(err, errors.New("it is no JSON list")), samplingKeys)
	}
	for i, f := range c.Sampling {
		if f.ExtraBody != nil {
			c.Sampling[i].ExtraBody = llmclient.Marshal(f.ExtraBody)
		}
		switch {
		case f.Agent != "" && agents != nil && !slices.Contains(agents, f.Agent):
			err = fmt.Errorf("no agent %s in the scenario; allowed: %s", shown(f.Agent), listed(agents))
		case f.Model != "" && c.Live() && !slices.Contains(c.Models(), f.Model):
			err = fmt.Errorf("no model %s is asked; allowed: %s", shown(f.Model), listed(c.Models()))
		}
		if err != nil {
			return badInput("%s: entry %d: %w", where, i+1, err)
		}
	}
	if err := c.ValidateSampling(); err != nil {
		return badInput("%s: %w", where, err)
	}
	return nil
}
