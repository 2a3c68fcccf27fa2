package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// jsonLimits bound a file with a JSON list.
var jsonLimits = document.Limits{Bytes: 4 << 20, Values: 100_000}

// wireSwitch is a switch as written in JSON:
//
//	[{"tick": 10, "short_term_goal": "Build a second factory."},
//	 {"tick": 20, "agent": "agent-2", "system_prompt": "Trade first."}]
//
// A text that is left out stays as it is; "" as system_prompt goes back to the
// built-in one. No agent means all of them. Each text may also carry the prefix
// llm_, which older files use.
type wireSwitch struct {
	Tick             *int64  `json:"tick"`
	SystemPrompt     *string `json:"system_prompt"`
	ShortTermGoal    *string `json:"short_term_goal"`
	LongTermGoal     *string `json:"long_term_goal"`
	LLMSystemPrompt  *string `json:"llm_system_prompt"`
	LLMShortTermGoal *string `json:"llm_short_term_goal"`
	LLMLongTermGoal  *string `json:"llm_long_term_goal"`
	Persona          *string `json:"persona"`
	Agent            string  `json:"agent"`
}

// switchKeys are the keys a switch may have, for errors.
const switchKeys = "tick, system_prompt, short_term_goal, long_term_goal (these three also with llm_ in front), " +
	"persona, agent"

// loadSwitches reads the prompt switches that v names: a JSON list, or a file
// that holds one.
func (m *Main) loadSwitches(c *config, v settings.Value) error {
	data, where, err := m.jsonText(v)
	if err != nil {
		return err
	}
	c.places[v.Setting.Key] = where
	c.PromptSwitches, err = parseSwitches(data)
	if err != nil {
		return badInput("%s: %v", where, err)
	}
	return nil
}

// jsonText is a JSON list that v holds, or the file that it names, and where that is.
func (fl *files) jsonText(v settings.Value) (data []byte, where string, err error) {
	if strings.HasPrefix(v.Text, "[") || strings.HasPrefix(v.Text, "{") {
		data, where = []byte(v.Text), v.Where()
	} else {
		data, err = readBounded(fl.path(v.Text), jsonLimits.Bytes)
		if err != nil {
			return nil, "", badInput("%s: %s cannot be read: %w; allowed: a JSON list or the path of a file with one",
				v.Where(), shown(v.Text), cause(err))
		} else {
			where = v.Where() + ": " + v.Text
		}
	}
	if err := document.CheckJSON(data, jsonLimits); err != nil {
		return nil, "", badInput("%s: %w", where, err)
	}
	return data, where, nil
}

// parseSwitches reads a JSON list of switches. Unknown keys, ticks below 1 and
// ticks out of order are errors that name the switch, counted from 1. The
// same tick for different agents is how one moment is described.
func parseSwitches(data []byte) ([]trace.Switch, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil || raw == nil {
		return nil, errors.New("not a JSON list; allowed: a list of objects with the keys " + switchKeys)
	}
	switches := make([]trace.Switch, len(raw))
	last, switched := int64(0), map[[2]any]bool{}
	for i, element := range raw {
		s, err := parseSwitch(element)
		if err != nil {
			return nil, fmt.Errorf("switch %d: %w", i+1, err)
		}
		if s.Tick < last {
			return nil, fmt.Errorf("switch %d: tick %d comes after tick %d; allowed: ticks in rising order", i+1, s.Tick, last)
		}
		if at := [2]any{s.Tick, s.AgentID}; switched[at] {
			return nil, fmt.Errorf("switch %d: tick %d is switched twice for the same agents; allowed: ticks in rising order",
				i+1, s.Tick)
		}
		switches[i] = s
		last = s.Tick
		switched[[2]any{s.Tick, s.AgentID}] = true
	}
	return switches, nil
}

// parseSwitch reads one switch. The error says what is wrong with it and which keys
// there are; the caller adds which switch it is.
func parseSwitch(raw json.RawMessage) (trace.Switch, error) {
	var w *wireSwitch
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return trace.Switch{}, fmt.Errorf("%s is a %s; allowed: tick is a whole number, everything else a text",
				mismatch.Field, mismatch.Value)
		}
		return trace.Switch{}, fmt.Errorf("%s; allowed keys: %s", strings.TrimPrefix(err.Error(), "json: "), switchKeys)
	}
	if w == nil || w.Tick == nil || *w.Tick < 1 {
		return trace.Switch{}, errors.New("no usable tick; allowed: a whole number from 1")
	}
	s := trace.Switch{Tick: *w.Tick, AgentID: w.Agent}
	for _, text := range []struct {
		key             string
		to              **string
		plain, prefixed *string
	}{
		{"system_prompt", &s.SystemPrompt, w.SystemPrompt, w.LLMSystemPrompt},
		{"short_term_goal", &s.ShortTermGoal, w.ShortTermGoal, w.LLMShortTermGoal},
		{"long_term_goal", &s.LongTermGoal, w.LongTermGoal, w.LLMLongTermGoal},
		{"persona", &s.Persona, w.Persona, nil},
	} {
		if text.plain != nil && text.prefixed != nil {
			// Also when they agree: one of them is a leftover.
			return s, fmt.Errorf("%s is given twice, with and without llm_; allowed: once", text.key)
		}
		given := cmp.Or(text.plain, text.prefixed)
		if given != nil && text.to != &s.SystemPrompt && strings.TrimSpace(*given) == "" {
			// There is no built-in goal or persona to go back to.
			return s, fmt.Errorf("%s is empty; allowed: a text, or leave it out to keep what there is", text.key)
		}
		*text.to = given
	}
	if s.SystemPrompt == nil && s.ShortTermGoal == nil && s.LongTermGoal == nil && s.Persona == nil {
		// Most likely a key is missing: it would be recorded as a change that never was.
		return s, errors.New("changes nothing; allowed keys: " + switchKeys)
	}
	return s, nil
}

// readBounded reads a text that a user names, of at most limit bytes, without the byte order mark that some editors
// begin a file with.
func readBounded(path string, limit int) ([]byte, error) {
	data, err := run.ReadRegular(path, int64(limit))
	if p, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, run.ErrIrregular) {
		err = p.Err // whoever names the file says which it is
	}
	if err == nil {
		err = document.CheckEncoding(data)
	}
	return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), err
}

// samplingKeys are the keys an entry may have, for errors.
const samplingKeys = "agent or model, max_output_tokens, reasoning_effort, service_tier, temperature, top_p, extra_body"

// loadSampling reads how agents and models are asked that the settings name one by one, if
// they do.
func (m *Main) loadSampling(c *config, keys []openai.Secret) error {
	v := c.Values.Find("llm.sampling_json")
	if v.Text == "" {
		return nil
	}
	data, where, err := m.jsonText(v)
	if err != nil {
		return err
	}
	c.places[v.Setting.Key] = where
	if settings.JSONHoldsKey(string(data), append(keys, c.APIKey)) {
		return badInput("%s holds what looks like a key, which does not belong there; a key is set in %s", where,
			settings.KeyPlaces)
	}
	c.Sampling = nil
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c.Sampling); err != nil || c.Sampling == nil || !json.Valid(data) {
		return badInput("%s: %v; allowed: a JSON list of objects with the keys %s", where,
			cmp.Or(err, errors.New("it is no JSON list")), samplingKeys)
	}
	for i, f := range c.Sampling {
		if f.ExtraBody != nil {
			c.Sampling[i].ExtraBody = llmclient.Marshal(f.ExtraBody)
		}
	}
	return nil
}
