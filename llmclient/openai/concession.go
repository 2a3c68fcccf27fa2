package openai

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// concession is something that every request asks for unasked, and that is given up when
// the endpoint refuses it. What a user has set is never given up: its refusal is a failure.
type concession struct {
	// name is what is given up, member the member of a request that a refusal names.
	name, member string
}

// RepairWithout begins the name under which a reply counts what its request went without.
const RepairWithout = "without_"

// concessions are in the order in which those of a member are tried. What may be called is
// checked here as well, so that a tool_choice is help and no more.
var concessions = []concession{
	{"prompt_cache_key", "prompt_cache_key"}, {"include", "include"}, {"parallel_tool_calls", "parallel_tool_calls"}, {"store", "store"},
	{"strict", "strict"}, {"allowed_tools", "tool_choice"}, {"tool_choice", "tool_choice"}, {"reasoning_items", "input"},
}

// gives takes it out of a request, and reports whether it was there.
func (g concession) gives(r *llmclient.Request) (there bool) {
	switch g.name {
	case "strict":
		r.Tools = slices.Clone(r.Tools)
		for i, t := range r.Tools {
			told := false
			r.Tools[i], told = t.WithoutStrict()
			there = there || told
		}
	case "allowed_tools":
		there = r.Choice.Allowed != nil && r.Choice.Mode != llmclient.ChoiceNone
		r.Choice.Allowed = nil
	case "reasoning_items": // some servers write them and do not read them
		dropped := 0
		r.Input, dropped = llmclient.WithoutReasoning(r.Input)
		there = dropped > 0
	default:
		extra := map[string]json.RawMessage{}
		_ = json.Unmarshal(r.Sampling.ExtraBody, &extra) // none has no members
		if _, set := extra[g.member]; !set {
			extra[g.member], there = json.RawMessage("null"), true
			r.Sampling.ExtraBody = llmclient.Marshal(extra)
		}
	}
	return there
}

// refusal is a concession that a model's endpoint made necessary.
type refusal struct{ model, name string }

// conceded is a request without what its model's endpoint has refused so far, and the names
// of what it goes without.
func (c *Client) conceded(r llmclient.Request) (llmclient.Request, []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, g := range concessions {
		if c.refusals[refusal{r.Model, g.name}] && g.gives(&r) {
			names = append(names, RepairWithout+g.name)
		}
	}
	return r, names
}

// concedes reports whether a refused request can be sent without what the endpoint refused,
// and remembers that for those to come. sent is the request as it was sent.
func (c *Client) concedes(sent llmclient.Request, got outcome) bool {
	for _, g := range concessions {
		if r := sent; slices.Contains(got.refuses, g.member) && g.gives(&r) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.refusals[refusal{sent.Model, g.name}] = true
			return true
		}
	}
	return false
}

// saysMember finds the names of members in a refusal. It accepts a name that is an everyday
// word only in quotes or next to a word such as "parameter". saysItems finds words about
// reasoning that is sent back. A name that is there for another reason costs one request.
var (
	saysMember = regexp.MustCompile(`\b(prompt cache key|parallel tool calls|tool choice|allowed tools|temperature|top p|reasoning effort|max output tokens)\b|'?((?:reasoning.)?encrypted content)\b|` +
		"(?:['\"`.]|[:,] |\\b(?:parameter|field|argument|property|option)s?:? )(include|store|strict|reasoning)\\b|" + `\b(include|store|strict) (?:parameter|field|option|is|must)\b`)
	saysItems = regexp.MustCompile(`reasoning (item|content)|type.{0,4}reasoning|\.type.{0,40}'reasoning|encrypted content.{0,200}verif`)
)

// refuses are the members of a request that a server does not take, as far as it names them.
func (x exchange) refuses(p problem) (members []string) {
	if !slices.Contains([]int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented}, x.status) {
		return nil
	}
	path, body := plainWords("'"+p.param+"' "), plainWords(string(x.body)) // some put what they mean beside the message
	for i, words := range []string{path, plainWords(p.code + " " + p.message), body} {
		if i > 0 && saysItems.MatchString(path+words) {
			return []string{"input"}
		}
		settings := 0
		for _, found := range saysMember.FindAllStringSubmatch(words, -1) {
			name := strings.ReplaceAll(cmp.Or(found[1:]...), " ", "_")
			switch name {
			case "allowed_tools":
				name = "tool_choice"
			case "encrypted_content", "reasoning.encrypted_content":
				name = "include"
			case "temperature", "top_p", "reasoning", "reasoning_effort", "max_output_tokens":
				settings++
			}
			if !slices.Contains(members, name) {
				members = append(members, name)
			}
		}
		switch {
		case len(members) > 1 && (settings > 0 || i == 2): // a list of what there is, or a repetition of the request
			return nil
		case len(members) > 0:
			return members
		}
	}
	return nil
}
