package openai

import (
	"cmp"
	"encoding/json"
	"fmt"

	"example.com/agentworld/llmclient"
)

// problem is what a server says about a failure. All fields may be empty.
type problem struct {
	code    string
	kind    string // the "type" of an error object
	param   string
	message string
}

// readProblem reads the error from a body. Servers write it as an object or a
// text under "error", as "detail", or with its fields at the top level.
func readProblem(body []byte) problem {
	var top fields
	if json.Unmarshal(body, &top) != nil {
		// Some servers wrap the object in a list.
		var list []fields
		if json.Unmarshal(body, &list) != nil || len(list) == 0 {
			return problem{}
		}
		top = list[0]
	}
	var errors []json.RawMessage
	if json.Unmarshal(top["errors"], &errors) == nil && len(errors) > 0 && !llmclient.Given(top["error"]) {
		top["error"] = errors[0]
	}
	if p := errorValue(top["error"]); p != (problem{}) {
		return p
	}
	return top.problem()
}

// errorValue reads the value of an "error" field: null, a text or an object.
func errorValue(raw json.RawMessage) problem {
	var object fields
	if json.Unmarshal(raw, &object) == nil {
		return object.problem()
	}
	return problem{message: llmclient.TextOf(raw)}
}

// fields are the fields of a JSON object, not decoded further. They are looked up
// by name and never walked through, so their order cannot show.
type fields map[string]json.RawMessage

// problem reads the fields of an error object; any of them may be missing.
func (f fields) problem() problem {
	message := ""
	for _, name := range []string{"message", "detail", "msg", "error_message", "error_msg", "status_msg"} {
		message = cmp.Or(message, llmclient.TextOf(f[name]))
	}
	return problem{code: llmclient.TextOf(f["code"]), kind: llmclient.TextOf(f["type"]), param: llmclient.TextOf(f["param"]), message: message}
}

// name returns the code, or the type where there is no code.
func (p problem) name() string { return cmp.Or(p.code, p.kind) }

// describe says what a body looks like, for a reader who expected a response.
func (x exchange) describe() string {
	kind := cmp.Or(x.header.Get("Content-Type"), "no content type")
	if x.unread != "" {
		return x.unread
	}
	if len(x.body) == 0 {
		return fmt.Sprintf("an empty body (%s)", kind)
	}
	return fmt.Sprintf("a body of %d bytes (%s) that begins with %s", len(x.body), kind, x.body[:min(len(x.body), cleanBytesMax)])
}
