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
	top := llmclient.MembersOf(body)
	if list, _ := llmclient.Elements(body, itemsMax); len(list) > 0 {
		top = llmclient.MembersOf(list[0]) // some servers wrap the object in a list
	}
	if errors, _ := llmclient.Elements(top["errors"], itemsMax); len(errors) > 0 && !llmclient.Given(top["error"]) {
		top["error"] = errors[0]
	}
	if p := errorValue(top["error"]); p != (problem{}) {
		return p
	}
	return errorObject(top)
}

// errorValue reads the value of an "error" field: null, a text or an object.
func errorValue(raw json.RawMessage) problem {
	if object := llmclient.MembersOf(raw); object != nil {
		return errorObject(object)
	}
	return problem{message: llmclient.TextOf(raw)}
}

// errorObject reads the members of an error object; any of them may be missing.
func errorObject(m llmclient.Members) problem {
	message := ""
	for _, name := range []string{"message", "detail", "msg", "error_message", "error_msg", "status_msg"} {
		message = cmp.Or(message, llmclient.TextOf(m[name]))
	}
	return problem{code: llmclient.TextOf(m["code"]), kind: llmclient.TextOf(m["type"]), param: llmclient.TextOf(m["param"]), message: message}
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
