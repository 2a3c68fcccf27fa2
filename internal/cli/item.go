package cli

import (
	"fmt"
	"strings"

	"example.com/agentworld/llmclient"
)

// itemTitle names an item: its kind and who or what it belongs to, such as
// "message user" or "function_call plan call_17". The words may come from a
// provider; callers print them escaped.
func itemTitle(it llmclient.Item) string {
	words := []string{string(it.Kind), it.Role, it.Name, it.CallID}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// itemText is what an item says: a message's text, a call's arguments, an output's
// text, all as they were written. An item without text of its own, such as
// encrypted reasoning or a kind of a later API, is shown as it is on the wire.
func itemText(it llmclient.Item) string {
	switch {
	case it.Refusal != "":
		return strings.TrimSpace(it.Text + "\nrefusal: " + it.Refusal)
	case it.Text != "":
		return it.Text
	}
	return string(it.Raw)
}

// failureText describes a failed call on one line, such as "rate_limited, HTTP
// 429, slow_down, try again in 2 s". The client has removed secrets from the
// provider's message; control characters are escaped here.
func failureText(f *llmclient.Failure) string {
	text := string(f.Kind)
	if f.Status != 0 {
		text += fmt.Sprintf(", HTTP %d", f.Status)
	}
	for _, more := range []string{f.Code, f.Message} {
		if more != "" {
			text += ", " + more
		}
	}
	return oneLine(text)
}
