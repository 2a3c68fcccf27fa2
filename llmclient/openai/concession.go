package openai

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// RepairWithout begins the name under which a reply counts what its request went without.
const RepairWithout = llmclient.RepairWithout

// field is something that every request asks for unasked, and that is given up when the endpoint
// refuses it. What a user has set is never given up: its refusal is a failure.
type field struct {
	name string
	// gives takes it out of a request, and reports whether it was there.
	gives func(r *llmclient.Request) (there bool)
}

// fields are all of them, in the order in which they are taken out. What may be called is checked
// here as well, so that a tool_choice is help and no more.
var fields = []field{
	{fieldCacheKey, member(fieldCacheKey)},
	{fieldLength, func(r *llmclient.Request) (there bool) {
		there = r.OwnLength && r.Sampling.MaxOutputTokens > 0
		if there {
			r.Sampling.MaxOutputTokens = 0
		}
		return there
	}},
	{fieldBreakpoints, withoutBreakpoints},
	{fieldOutputLists, withoutOutputLists},
	{fieldInclude, member(fieldInclude)},
	{fieldParallel, member(fieldParallel)},
	{fieldStore, member("store")},
	{fieldArrayBounds, inTools(llmclient.Tool.WithoutArrayBounds)},
	{fieldStrict, inTools(llmclient.Tool.WithoutStrict)},
	{fieldOtherTools, withoutOtherTools},
	{fieldAllowedTools, func(r *llmclient.Request) bool {
		there := r.Choice.Allowed != nil && r.Choice.Mode != llmclient.ChoiceNone
		r.Choice.Allowed = nil
		return there
	}},
	{fieldRequired, func(r *llmclient.Request) bool {
		if r.Choice.Mode != llmclient.ChoiceRequired {
			return false
		}
		r.Choice.Mode = llmclient.ChoiceAuto
		return true
	}},
	{fieldToolChoice, func(r *llmclient.Request) bool {
		if r.Choice.Mode == llmclient.ChoiceNone { // without tools nothing can be called
			return withoutOtherTools(r)
		}
		return member("tool_choice")(r)
	}},
	{fieldRole, withoutRoles},
	{fieldCallIDs, func(r *llmclient.Request) (there bool) {
		r.Input, there = llmclient.WithPlainCallIDs(r.Input)
		return there
	}},
	{fieldCommon, withoutCommon},
	{fieldReasoningIDs, func(r *llmclient.Request) (there bool) {
		r.Input, there = llmclient.WithoutReasoningIDs(r.Input)
		return there
	}},
	{fieldItemIDs, func(r *llmclient.Request) (there bool) {
		r.Input, there = llmclient.WithoutItemIDs(r.Input)
		return there
	}},
	{fieldReasoning, func(r *llmclient.Request) bool { // some servers write it and do not read it
		without, dropped := r.WithoutReasoning()
		*r = without
		return dropped > 0
	}},
}

// The fields that are named in more than one place.
const (
	fieldStore        = "store"
	fieldOtherTools   = llmclient.PartOtherTools
	fieldAllowedTools = llmclient.PartAllowedTools
	fieldRequired     = llmclient.PartRequired
	fieldToolChoice   = "tool_choice"
	fieldRole         = "developer_role"
	fieldCallIDs      = "foreign_call_ids"
	fieldReasoningIDs = "reasoning_ids"
	fieldItemIDs      = "item_ids"
	fieldReasoning    = "reasoning_items"
	fieldInclude      = "include"
	fieldStrict       = "strict"
	fieldArrayBounds  = "array_bounds"
	fieldLength       = "max_output_tokens"
	fieldParallel     = "parallel_tool_calls"
	fieldCacheKey     = "prompt_cache_key"
)

// member takes out a member of the body that no user set.
func member(name string) func(r *llmclient.Request) bool {
	return func(r *llmclient.Request) bool {
		extra := map[string]json.RawMessage{}
		_ = json.Unmarshal(r.Sampling.ExtraBody, &extra) // none has no members
		if _, set := extra[name]; set {
			return false
		}
		extra[name] = json.RawMessage("null")
		r.Sampling.ExtraBody = llmclient.Marshal(extra)
		return true
	}
}

// inTools takes something out of every tool.
func inTools(without func(llmclient.Tool) (llmclient.Tool, bool)) func(r *llmclient.Request) bool {
	return func(r *llmclient.Request) (there bool) {
		r.Tools = slices.Clone(r.Tools)
		for i, t := range r.Tools {
			told := false
			r.Tools[i], told = without(t)
			there = there || told
		}
		return there
	}
}

// withoutOtherTools leaves only the tools that may be called.
func withoutOtherTools(r *llmclient.Request) bool {
	before := len(r.Tools)
	switch {
	case r.Choice.Mode == llmclient.ChoiceNone:
		r.Tools = nil
	case r.Choice.Allowed != nil:
		r.Tools = slices.DeleteFunc(slices.Clone(r.Tools), func(t llmclient.Tool) bool {
			return !slices.Contains(r.Choice.Allowed, t.Name)
		})
		r.Choice.Allowed = nil
	}
	return len(r.Tools) < before
}

// withoutRoles gives the engine's messages the role user. The instructions are the first message of
// role system or developer where there are any; else the first item may stay.
func withoutRoles(r *llmclient.Request) (there bool) {
	r.Input = slices.Clone(r.Input)
	for i, it := range r.Input {
		engines := it.Kind == llmclient.KindMessage && (it.Role == "developer" || it.Role == "system")
		if engines && (i > 0 || r.Instructions != "") {
			r.Input[i], there = it.WithRole("user"), true
		}
	}
	return there
}

// wording is how servers refuse something: what they say, with which status, and the steps that may
// mend it, narrowest first. Each step gives up all its fields; the next one is tried in its place if
// the same refusal comes again.
type wording struct {
	name     string
	statuses []int
	says     *regexp.Regexp
	steps    [][]string
}

// The statuses of refusals. Some servers report a template that refuses a role as a fault of theirs.
var (
	refusing = []int{
		http.StatusBadRequest, http.StatusNotAcceptable, http.StatusPreconditionFailed, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity, http.StatusFailedDependency, http.StatusNotImplemented,
	}
	failing = append([]int{http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError}, refusing...)
)

// wordings is the table. Places and words are in small letters with blanks between the words; the
// place of a fault comes first, in quotes. The steps of all wordings that fit are tried, in this order.
// One without steps says what nothing that is given up can mend.
var wordings = []wording{
	{"what an account may not do", failing, regexp.MustCompile(`\borgani[sz]ation must be verified`), nil},
	{"a length that nobody set", refusing, regexp.MustCompile(`\bmax output tokens\b`), [][]string{{fieldLength}}},
	{"bounds of lists in a schema", failing, regexp.MustCompile(`\b(min|max) items\b|\b(min|max)items\b`),
		[][]string{{fieldArrayBounds}, {fieldStrict}, {fieldArrayBounds, fieldStrict}}},
	{"requests that nothing is kept of", refusing, regexp.MustCompile(
		`\b(store|stateless)\b.{0,30}\bfalse\b.{0,20}(not |un)(supported|allowed|permitted)|` +
			`\bstateless\b.{0,40}(not |un)(supported|allowed|permitted)`),
		[][]string{{fieldStore}}},
	{"the form of a call id", refusing, regexp.MustCompile(
		`\b(call|tool use)[ .]id\b.{0,100}(must|should|too long|length|maximum|invalid|pattern|characters|exceed|constraint)|` +
			`(invalid|bad) (tool )?call id`),
		[][]string{{fieldCallIDs}}},
	{"an unknown item id", failing, anyOf(
		`\bitem\b.{0,40}\b(not found|does not exist|unknown|not persisted|expired)`,
		`\brs [\w ]{0,60}(not found|does not exist)`,
		`\bno (reasoning )?items? (with|for) (the )?id`, `\bfind (the )?(reasoning )?item\b`),
		[][]string{{fieldReasoningIDs}, {fieldReasoning}, {fieldItemIDs}}},
	{"the form of an item id", refusing, anyOf(`\binput[\[.]\d{1,4}\]?\.id\b`, `\bduplicate items? (found )?with id\b`),
		[][]string{{fieldReasoningIDs}, {fieldItemIDs}, {fieldReasoning}}},
	{"an item that wants its reasoning", refusing, regexp.MustCompile(
		`\b(function call|message|item)\b.{0,20} without its required ['"]?reasoning`), [][]string{{fieldItemIDs}}},
	{"an include of reasoning", refusing, regexp.MustCompile(`\breasoning\.encrypted content\b`),
		[][]string{{fieldInclude}, {fieldReasoning}}},
	{"reasoning back", failing, anyOf(
		`reasoning (item|content|summar|block|part)`,
		`(summar|thinking|thought).{0,40}(not (supported|allowed|permitted)|unsupported|unknown|invalid)`,
		"type.{0,4}reasoning|'reasoning'.{0,60}'(message|function call)'|\\.type.{0,40}'reasoning",
		"\\b(tag|variant|kind|value)s?:? ['\"`]reasoning['\"`]",
		`\[['"]?content['"]?\] is not an array`,
		`encrypted (content|reasoning).{0,200}(verif|decrypt|issued|belong|match|expired|corrupt|tampered)`,
		`not issued (to|for|by)`, `(decrypt|decode|verify) (the |this )?(encrypted )?(reasoning|thinking|thought)`,
		`\bsignature.{0,60}(invalid|not valid|verif|mismatch|corrupt|expired)`,
		`(invalid|corrupt\w*|expired|bad) .{0,20}\bsignature`,
		`thinking.{0,80}cannot be modified`, `不支持.{0,20}(reasoning|思考|推理)`),
		[][]string{{fieldReasoning}, {fieldInclude}}},
	{"marks of the prompt cache", failing, saysBreakpoint,
		[][]string{{fieldBreakpoints}, {fieldCacheKey}, {fieldBreakpoints, fieldCacheKey}}},
	{"several calls in an answer", refusing, regexp.MustCompile(`\bparallel (tool|function) (call|use|invocation)`),
		[][]string{{fieldParallel}}},
	{"a call that is forced", refusing, regexp.MustCompile(
		`\b(forced|forcing|forces) (a )?(tool|function)|\btool use.{0,40}\bforc|\ballowed function names\b`), choiceSteps},
	{"roles that alternate", append([]int{http.StatusInternalServerError}, refusing...), saysAlternate,
		[][]string{{fieldRole}, {fieldRole, fieldCommon}}},
	{"the role of a message", refusing, saysRole, [][]string{{fieldRole}}},
	{"a template that refuses a role", []int{http.StatusInternalServerError}, saysTemplate, [][]string{{fieldRole}}},
	{"encrypted content", refusing, regexp.MustCompile(`(?:reasoning.)?encrypted (content|reasoning)`),
		[][]string{{fieldReasoning}, {fieldInclude}}},
	{"an output that is a list", failing, saysOutputList, [][]string{{fieldOutputLists}, {fieldBreakpoints}}},
	{"a text that is a list", failing, saysList,
		[][]string{{fieldOutputLists}, {fieldBreakpoints}, {fieldRole}, {fieldReasoning}}},
}

// saysRole finds a refusal of a role, and saysTemplate one of those that a server reports as its own
// fault: there the word role alone may be about anything.
var (
	saysRole = anyOf(
		`\broles?\b`, `角色`, `\bsystem (message|prompt|instruction|turn)`, `\bdeveloper\b`, `system.{0,12}消息`,
		`システム`,
		`\bmessages?\b.{0,60}(beginning|must alternate|come first|be the first|at the start)`,
	)
	saysTemplate = anyOf(
		`\b(messages?|conversation|template|jinja|unexpected|unknown|unsupported|invalid|supported|only)\b.{0,60}\broles?\b`,
		`\broles?\b.{0,60}\b(alternate|supported|allowed|template|developer|message)`, `角色`,
		`\bsystem (message|prompt|instruction|turn)`, `\bdeveloper\b`,
		`\bmessages?\b.{0,60}(beginning|must alternate|come first|be the first|at the start)`,
	)
)

// demandsReasoning finds that a server wants reasoning back. That is no refusal of it.
var demandsReasoning = anyOf(
	`(reasoning|thinking|thought).{0,120}\b(must|should|has to|have to|needs? to) (always )?be `+
		`(passed|sent|provided|included|returned|given|preserved|kept|present|echoed)`,
	`(reasoning|thinking|thought).{0,120}\b(is|are) (missing|required)\b`,
	`(must|should|has to|have to|needs? to) (always )?(start with|pass|send|include|return|preserve|keep|provide|echo)`+
		`.{0,60}(reasoning|thinking|thought)`,
	`(missing|requires?|lacks?|without its required|expected) ['"a-z ]{0,30}(reasoning|thinking|thought)`,
	`\b(pass|send|give|hand|echo) (it |them )?back\b.{0,60}(reasoning|thinking|thought)`,
	`(回传|传回|保留).{0,60}(reasoning|thinking|thought)`,
	`(reasoning|thinking|thought).{0,60}必须`, `必须.{0,60}(reasoning|thinking|thought)`,
)

// saysMember finds the names of members in a refusal. It accepts a name that is an everyday
// word only in quotes or next to a word such as "parameter".
var saysMember = anyOf(
	`\b(prompt cache key|parallel tool calls|tool choice|allowed tools|`+
		`temperature|top p|reasoning effort|max output tokens)\b`,
	"(?:['\"`.]|[:,] |\\b(?:parameter|field|argument|property|option)s?:? )(include|store|strict|reasoning)\\b",
	`\b(include|store|strict) (?:parameter|field|option|is|must)\b`,
)

// notStored finds words that mention the member store and do not refuse it.
var notStored = regexp.MustCompile("(not persisted|when|because|since) .{0,40}store|store.{0,12} (is )?(set to )?false")

// choiceSteps are the forms of a tool_choice that is refused, the next one after the other: a list,
// a word, "auto", nothing.
var choiceSteps = [][]string{
	{fieldAllowedTools}, {fieldAllowedTools, fieldRequired}, {fieldAllowedTools, fieldRequired, fieldToolChoice},
}

// refuses are the steps that may mend a refused request, as far as the server's words tell.
func (x exchange) refuses(p problem) (steps [][]string) {
	path := plainWords("'" + p.param + "' ")
	said := plainWords(p.names + " " + unrepeated(p.message))
	body := plainWords(unrepeated(string(x.body))) // some put what they mean beside the message
	wanted := demandsReasoning.MatchString(said)
	if strings.Contains(path, "'include") {
		return [][]string{{fieldInclude}}
	}
	byName := x.refusesByName(p, path, said, body)
	for _, w := range wordings {
		switch {
		case !slices.Contains(w.statuses, p.status),
			wanted && slices.ContainsFunc(w.steps, func(s []string) bool { return slices.Contains(s, fieldReasoning) }),
			byName != nil && w.name == "a text that is a list": // which may be the named member
			continue
		}
		if w.says.MatchString(path+said) || p.message == "" && w.says.MatchString(body) {
			if w.steps == nil {
				return nil
			}
			steps = append(steps, w.steps...)
		}
	}
	return append(steps, byName...)
}

// refusesByName are the steps for the members that a refusal names.
func (x exchange) refusesByName(p problem, path, said, body string) [][]string {
	if !slices.Contains(refusing, p.status) {
		return nil
	}
	for i, words := range []string{path, said, body} {
		words = unlisted(words)
		members, settings := membersIn(words)
		switch {
		case len(members) > 0 && len(essential.FindAllString(words, 2)) > 1: // a list of what was sent
			return nil
		case len(members) > 1 && (settings > 0 || i == 2): // a list of what there is, or a repetition of the request
			return nil
		case len(members) == 1 && members[0] == fieldToolChoice:
			return choiceSteps
		case len(members) > 0:
			// Of settings alone this is an empty step, which mends nothing.
			return [][]string{slices.DeleteFunc(members, isSetting)}
		}
	}
	return nil
}

// repetition matches the beginning of a request that a server repeats, in JSON or as another language
// writes it. What texts of agents are in it says nothing.
var repetition = regexp.MustCompile(`[{(]\s*['"]?(model|instructions)['"]?\s*[:=]`)

// unrepeated is a text up to a request that it repeats.
func unrepeated(text string) string {
	text = text[:min(len(text), hintBytesMax)]
	if at := repetition.FindStringIndex(text); at != nil {
		return text[:at[0]]
	}
	return text
}

// essential matches the names of members that no server refuses, as they stand in a list.
var essential = regexp.MustCompile("['\"`,:({\\[] ?(model|input|instructions|tools)['\"`]? ?[,:=)\\]}]")

// listing matches what begins a list of what a server takes.
var listing = regexp.MustCompile(
	`\b(not )?(supported|allowed|valid|available|accepted|permitted|known)\b[a-z ]{0,30}(\bare\b|:|\bone of\b)`)

// unlisted are words up to a list of what the server takes, which names much that it does not refuse.
func unlisted(words string) string {
	for _, at := range listing.FindAllStringSubmatchIndex(words, -1) {
		if at[2] < 0 { // not "not supported:"
			return words[:at[0]]
		}
	}
	return words
}

// membersIn are the members of a request that words name, and how many of them only a user sets.
func membersIn(words string) (members []string, settings int) {
	stored := notStored.MatchString(words)
	for _, found := range saysMember.FindAllStringSubmatch(words, -1) {
		name := ""
		for _, part := range found[1:] {
			if part != "" {
				name = strings.ReplaceAll(part, " ", "_")
			}
		}
		switch name {
		case fieldAllowedTools:
			name = fieldToolChoice
		case fieldStore:
			if stored {
				continue
			}
		}
		if isSetting(name) {
			settings++
		}
		if !slices.Contains(members, name) {
			members = append(members, name)
		}
	}
	return members, settings
}

// isSetting reports whether only a user sets a member.
func isSetting(name string) bool {
	return slices.Contains([]string{"temperature", "top_p", "reasoning", "reasoning_effort", "max_output_tokens"}, name)
}

// refusal is a field that the endpoint of a model makes requests go without.
type refusal struct{ model, name string }

// standing is how sure it is that a field has to be given up.
type standing int

const (
	// onTrial: no reply came without it yet.
	onTrial standing = iota + 1
	// proven: a request without it was answered.
	proven
)
