package llmclient

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Sampling is how a model is asked to answer. A zero member is not sent. Numbers keep
// their text, so that a replay sends the same bytes.
type Sampling struct {
	// MaxOutputTokens bounds an answer, reasoning included.
	MaxOutputTokens int `json:"max_output_tokens,omitempty"`
	// ReasoningEffort is a word of the provider, such as "low".
	ReasoningEffort string      `json:"reasoning_effort,omitempty"`
	Temperature     json.Number `json:"temperature,omitempty"`
	TopP            json.Number `json:"top_p,omitempty"`
	// ServiceTier is the provider's word for how it processes the request, such as "flex". A tier that is
	// full is left for the default one, call by call.
	ServiceTier string `json:"service_tier,omitempty"`
	// ExtraBody is a JSON object whose members are added to the request. One that the
	// request has already is replaced, and left out if it is null.
	ExtraBody json.RawMessage `json:"extra_body,omitempty"`
}

// notExtra are the members that ExtraBody may not set: the engine decides them, or they
// would change unnoticed what is asked.
var notExtra = []string{
	"model", "input", "instructions", "tools", "tool_choice", "stream", "store", "previous_response_id",
	"max_output_tokens", "background", "conversation", "prompt",
}

// MaxOutputTokensLeast is the least bound on an answer that the API takes.
const MaxOutputTokensLeast = 16

const extraBodyBytesMax = 64 << 10

// word is a value in one word of the provider.
var word = regexp.MustCompile(`^[A-Za-z0-9_-]{0,40}$`)

// Validate names the first member that cannot be sent, and what is allowed.
func (s Sampling) Validate() error {
	if n := s.MaxOutputTokens; n != 0 && n < MaxOutputTokensLeast {
		return fmt.Errorf("max_output_tokens %d: allowed is a number from %d", n, MaxOutputTokensLeast)
	}
	if !word.MatchString(s.ReasoningEffort) {
		return fmt.Errorf("reasoning_effort %.60q: allowed is one word, such as low, medium or high", s.ReasoningEffort)
	}
	if !word.MatchString(s.ServiceTier) {
		return fmt.Errorf("service_tier %.60q: allowed is one word, such as default, flex or priority", s.ServiceTier)
	}
	for _, n := range []struct {
		name  string
		value json.Number
		most  float64
	}{{"temperature", s.Temperature, 2}, {"top_p", s.TopP, 1}} {
		v, err := strconv.ParseFloat(string(n.value), 64)
		if n.value != "" && (err != nil || !json.Valid([]byte(n.value)) || v < 0 || v > n.most) {
			return fmt.Errorf("%s %.60q: allowed is a number from 0 to %v", n.name, string(n.value), n.most)
		}
	}
	if s.ExtraBody == nil {
		return nil
	}
	var extra map[string]json.RawMessage
	if len(s.ExtraBody) > extraBodyBytesMax || json.Unmarshal(s.ExtraBody, &extra) != nil || extra == nil {
		return fmt.Errorf("extra_body: allowed is a JSON object of at most %d bytes", extraBodyBytesMax)
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		// As the most lenient reader of JSON compares names.
		if slices.ContainsFunc(notExtra, func(not string) bool { return strings.EqualFold(name, not) }) {
			return fmt.Errorf("extra_body may not set %q; it may set anything but %s", name, strings.Join(notExtra, ", "))
		}
	}
	return nil
}

// Over returns s with what it leaves open taken from below.
func (s Sampling) Over(below Sampling) Sampling {
	s.MaxOutputTokens = cmp.Or(s.MaxOutputTokens, below.MaxOutputTokens)
	s.ReasoningEffort = cmp.Or(s.ReasoningEffort, below.ReasoningEffort)
	s.ServiceTier = cmp.Or(s.ServiceTier, below.ServiceTier)
	s.Temperature, s.TopP = cmp.Or(s.Temperature, below.Temperature), cmp.Or(s.TopP, below.TopP)
	if s.ExtraBody == nil {
		s.ExtraBody = below.ExtraBody
	}
	return s
}

// Tier is the service tier that is asked for, also by ExtraBody, and empty for none.
func (s Sampling) Tier() string {
	extra := MembersOf(s.ExtraBody)
	if value, set := extra[tierMember]; set {
		return TextOf(value)
	}
	return s.ServiceTier
}

// WithTier returns s with another service tier, whatever ExtraBody says of it.
func (s Sampling) WithTier(tier string) Sampling {
	s.ServiceTier = tier
	extra := MembersOf(s.ExtraBody)
	if _, set := extra[tierMember]; set {
		delete(extra, tierMember)
		s.ExtraBody = Marshal(extra)
	}
	return s
}

const tierMember = "service_tier"

// extended adds ExtraBody to the members of a request.
func (s Sampling) extended(request json.RawMessage) json.RawMessage {
	if s.ExtraBody == nil {
		return request
	}
	var members map[string]json.RawMessage
	for _, object := range []json.RawMessage{request, s.ExtraBody} {
		if err := json.Unmarshal(object, &members); err != nil {
			panic("llmclient: a request with an extra body that is no object: " + err.Error())
		}
	}
	maps.DeleteFunc(members, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return Marshal(members)
}
