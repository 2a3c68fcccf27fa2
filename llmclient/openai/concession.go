package openai

import (
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
	{"prompt_cache_key", "prompt_cache_key"}, {"include", "include"}, {"parallel_tool_calls", "parallel_tool_calls"}, {"store", "store"}, {"strict", "strict"},
	{"allowed_tools", "tool_choice"}, {"tool_choice_required", "tool_choice"}, {"tool_choice_none", "tool_choice"}, {"tool_choice", "tool_choice"},
	{"reasoning_items", "input"},
}

// gives takes it out of a request, and reports whether it was there.
func (g concession) gives(r *llmclient.Request) (there bool) {
	switch g.name {
	case "strict":
		r.Tools = slices.Clone(r.Tools)
		for i, t := range r.Tools {
			r.Tools[i], there = t.WithoutStrict()
		}
	case "allowed_tools":
		there = r.Choice.Allowed != nil && r.Choice.Mode != llmclient.ChoiceNone
		r.Choice.Allowed = nil
	case "reasoning_items": // some servers write them and do not read them
		dropped := 0
		r.Input, dropped = llmclient.WithoutReasoning(r.Input)
		there = dropped > 0
	case "tool_choice_required", "tool_choice_none":
		if there = g.name == "tool_choice_"+string(r.Choice.Mode); there {
			r.Choice = llmclient.ToolChoice{Mode: llmclient.ChoiceAuto}
		}
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

// conceded is a request without what its model's endpoint has refused so far, and the names
// of what it goes without.
func (c *Client) conceded(r llmclient.Request) (llmclient.Request, []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, given := range concessions {
		if slices.Contains(c.refusals[r.Model], given.name) && given.gives(&r) {
			names = append(names, RepairWithout+given.name)
		}
	}
	return r, names
}

// concedes reports whether a refused request can be sent without what the endpoint refused,
// and remembers that for those to come. sent is the request as it was sent.
func (c *Client) concedes(sent llmclient.Request, got outcome) bool {
	at := slices.IndexFunc(concessions, func(given concession) bool {
		r := sent
		return slices.Contains(got.refuses, given.member) && given.gives(&r)
	})
	if at < 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if name := concessions[at].name; !slices.Contains(c.refusals[sent.Model], name) {
		c.refusals[sent.Model] = append(c.refusals[sent.Model], name)
	}
	return true
}

// saysRefused are the words of a server that does not take a member or its value.
var saysRefused = regexp.MustCompile(`un(supported|known|recognized|expected)|not (be )?(currently )?(supported|permitted|allowed|recognized|accepted|valid|implemented|available|work)|` +
	`(does|do) ?n.t (support|accept)|does not (support|accept)|extra (input|field)|invalid|forbidden|must be|should be|only .{0,40}(support|allow)|additional propert|too large|above|below|at (most|least)`)

// saysMember tells by its words which member a refusal is about, the concessions first. A
// name that is a word of every day has to be quoted, or called what it is.
var saysMember = func() (all []memberWords) {
	for _, member := range [][2]string{
		{"prompt_cache_key"}, {"include", "|encrypted content.{0,20} not (supported|available|allowed)"}, {"parallel_tool_calls"}, {"store"}, {"strict"}, {"tool_choice", "|allowed tools"},
		{"input", "reasoning (item|content)|type.{0,4}reasoning|encrypted content.{0,200}verif"}, {"temperature", "|temperature"}, {"top_p"}, {"reasoning", "|reasoning[. ]effort"}, {"max_output_tokens"},
	} {
		name := strings.ReplaceAll(member[0], "_", " ")
		words := `\b` + name + `\b`
		if name == member[0] {
			words = "['\"`]" + name + `\b|\b(parameter|field|argument|property|option)s?:? ` + name + `\b|[:,] ` + name + `([,.;]|$)|\b` + name + ` (parameter|field|option|is|must|should|can ?not)\b`
		}
		if member[1] != "" && member[1][0] != '|' { // its name alone says nothing
			words = ""
		}
		all = append(all, memberWords{member[0], regexp.MustCompile(words + member[1])})
	}
	return all
}()

type memberWords struct {
	member string
	words  *regexp.Regexp
}

// refuses are the members of a request that a server does not take, as far as it names them.
func (x exchange) refuses(p problem) (members []string) {
	if x.status != http.StatusBadRequest && x.status != http.StatusUnprocessableEntity && x.status != http.StatusNotImplemented {
		return nil
	}
	path := strings.FieldsFunc(p.param, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	if len(path) > 0 && (path[0] == "body" || path[0] == "None") {
		path = path[1:]
	}
	named := func(m memberWords, words string, refused bool) bool {
		switch {
		case len(path) == 0:
			return refused && m.words.MatchString(words)
		case m.member == "strict":
			return slices.Contains(path, m.member)
		case m.member == "input": // most of what is wrong with it is no refusal of reasoning
			return path[0] == m.member && refused && saysReasoning.MatchString(words)
		}
		return path[0] == m.member
	}
	said := plainWords(p.code + " " + p.message)
	for i, words := range []string{said, plainWords(string(x.body))} { // some put what they mean beside the message
		refused := saysRefused.MatchString(words)
		for _, m := range saysMember {
			if named(m, words, refused) {
				members = append(members, m.member)
			}
		}
		if i > 0 && len(members) > 1 {
			return nil // a repetition of the request
		}
		if len(members) > 0 {
			break
		}
	}
	setting := func(member string) bool {
		return !slices.ContainsFunc(concessions, func(given concession) bool { return given.member == member })
	}
	if len(members) > 1 && slices.ContainsFunc(members, setting) || // a list of what there is
		slices.Contains(members, "max_output_tokens") && saysInput.MatchString(said) { // both together are too long
		return nil
	}
	return members
}

var (
	saysInput     = regexp.MustCompile(`context|prompt|input|window|messages`)
	saysReasoning = regexp.MustCompile(`reasoning|encrypted content`)
)
