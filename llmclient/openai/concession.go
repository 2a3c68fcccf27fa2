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
	// gives takes it out of a request, and reports whether it was there.
	gives func(*llmclient.Request) bool
}

// RepairWithout begins the name under which a reply counts what its request went without.
const RepairWithout = "without_"

// concessions are in the order in which those of a member are tried.
var concessions = []concession{
	{"prompt_cache_key", "prompt_cache_key", leftOut("prompt_cache_key")},
	{"include", "include", leftOut("include")},
	{"parallel_tool_calls", "parallel_tool_calls", leftOut("parallel_tool_calls")},
	{"store", "store", leftOut("store")},
	{"strict", "strict", func(r *llmclient.Request) (told bool) {
		r.Tools = slices.Clone(r.Tools)
		for i, t := range r.Tools {
			r.Tools[i], told = t.WithoutStrict()
		}
		return told
	}},
	// What may be called is checked here as well, so that narrowing is help and no more.
	{"allowed_tools", "tool_choice", func(r *llmclient.Request) bool {
		narrowed := r.Choice.Allowed != nil && r.Choice.Mode != llmclient.ChoiceNone
		r.Choice.Allowed = nil
		return narrowed
	}},
	{"tool_choice_required", "tool_choice", auto(llmclient.ChoiceRequired)},
	{"tool_choice_none", "tool_choice", auto(llmclient.ChoiceNone)},
	{"tool_choice", "tool_choice", leftOut("tool_choice")},
}

func auto(from llmclient.ChoiceMode) func(*llmclient.Request) bool {
	return func(r *llmclient.Request) bool {
		if r.Choice.Mode != from || len(r.Tools) == 0 {
			return false
		}
		r.Choice = llmclient.ToolChoice{Mode: llmclient.ChoiceAuto}
		return true
	}
}

func leftOut(member string) func(*llmclient.Request) bool {
	return func(r *llmclient.Request) bool {
		extra := map[string]json.RawMessage{}
		_ = json.Unmarshal(r.Sampling.ExtraBody, &extra) // none has no members
		if _, set := extra[member]; set {
			return false
		}
		extra[member] = json.RawMessage("null")
		r.Sampling.ExtraBody = llmclient.Marshal(extra)
		return true
	}
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
		{"prompt_cache_key"}, {"include", "|encrypted content"}, {"parallel_tool_calls"}, {"store"}, {"strict"}, {"tool_choice", "|allowed tools"},
		{"temperature", "|temperature"}, {"top_p"}, {"reasoning", "|reasoning[. ]effort"}, {"max_output_tokens"},
	} {
		name := strings.ReplaceAll(member[0], "_", " ")
		words := `\b` + name + `\b`
		if name == member[0] {
			words = "['\"`]" + name + `\b|\b(parameter|field|argument|property|option)s?:? ` + name + `\b|[:,] ` + name + `([,.;]|$)|\b` + name + ` (parameter|field|option|is|must|should|can ?not)\b`
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
	said := plainWords(cmp.Or(p.message, string(x.body)))
	path := strings.FieldsFunc(p.param, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	listed := saysRefused.MatchString(plainWords(p.code) + " " + said)
	for _, m := range saysMember {
		switch {
		case len(path) == 0 && listed && m.words.MatchString(said), len(path) > 0 && path[0] == m.member, m.member == "strict" && slices.Contains(path, m.member):
			members = append(members, m.member)
		}
	}
	setting := func(member string) bool {
		return !slices.ContainsFunc(concessions, func(given concession) bool { return given.member == member })
	}
	if len(members) > 1 && slices.ContainsFunc(members, setting) || // a list of what there is, or a repetition of the request
		slices.Contains(members, "max_output_tokens") && saysInput.MatchString(said) { // both together are too long
		return nil
	}
	return members
}

var saysInput = regexp.MustCompile(`context|prompt|input|window|messages`)
