package stub

import (
	"encoding/json"
	"regexp"
	"strings"

	"example.com/agentworld/llmclient"
)

// An errand is a request that says word for word what to answer, so that a client can
// try out what a server does with tools without a world to decide in. Its instructions
// begin with errandMark, and lines of its last user message say what to do:
//
//	Call NAME with {...}              a call, if NAME may be called now
//	Say TEXT                          the text, if nothing is to be called
//	Say the code of the last result   what the last function output has as "code"
//
// In both, <keyword> is the word after "keyword:" in the first user message.
// Nothing else is read, so a text of an agent cannot send the policy on an errand.
const errandMark = "Errand."

var (
	errandCall    = regexp.MustCompile(`(?m)^Call (\w+) with (\{.*\})$`)
	errandText    = regexp.MustCompile(`(?m)^Say (.+)$`)
	errandKeyword = regexp.MustCompile(`keyword: (\w+)`)
)

// sayResult asks for the code of the last function output.
const sayResult = "the code of the last result"

// errand is a request of that kind, as far as it is read.
type errand struct {
	request request
	keyword string
	// asked is the last user message, result the function output after it.
	asked, result string
}

// newErrand reads a request; ok is false when it is none.
func newErrand(r request) (e errand, ok bool) {
	if !strings.HasPrefix(llmclient.TextOf(r.sent["instructions"]), errandMark) {
		return e, false
	}
	e.request = r
	for _, it := range r.input {
		switch {
		case it.Kind == llmclient.KindFunctionOutput:
			e.result = it.Text
		case it.Kind == llmclient.KindMessage && it.Role == "user":
			if found := errandKeyword.FindStringSubmatch(it.Text); found != nil && e.keyword == "" {
				e.keyword = found[1]
			}
			e.asked = it.Text
		}
	}
	e.asked = strings.ReplaceAll(e.asked, "<keyword>", e.keyword)
	return e, true
}

// answer makes the calls that the errand asks for, as far as the request's tools and its
// tool choice allow.
func (e errand) answer() answer {
	var calls []toolCall
	for _, found := range errandCall.FindAllStringSubmatch(e.asked, -1) {
		var arguments object
		if (stage{allowed: e.request.allowed()}).may(found[1]) && json.Unmarshal([]byte(found[2]), &arguments) == nil {
			calls = append(calls, toolCall{name: found[1], arguments: arguments})
		}
	}
	if len(calls) > 0 {
		if !e.request.parallel() {
			calls = calls[:1]
		}
		return answer{calls: calls}
	}
	found := errandText.FindStringSubmatch(e.asked)
	if found == nil {
		return answer{text: "There is nothing to say."}
	}
	if found[1] != sayResult {
		return answer{text: found[1]}
	}
	var result struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal([]byte(e.result), &result) // a result without a code has nothing to say
	return answer{text: result.Code}
}
