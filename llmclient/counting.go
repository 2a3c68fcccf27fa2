package llmclient

import "encoding/json"

// itemTokens and requestTokens are for what endpoints put around an item and around a request when they
// make one text of it.
const (
	itemTokens    = 4
	requestTokens = 64
)

// Tokens counts everything of the request that a model may be made to read, with a count of texts.
func (r Request) Tokens(count func(text string) int) int64 {
	n := count(r.Instructions) + count(string(ToolList(r.Tools))) + count(string(r.Choice.Wire())) + requestTokens
	for _, it := range r.Input {
		text, more := it.Counted()
		n += count(text) + more + itemTokens
	}
	return int64(n)
}

// Tokens counts what of the reply is text: reasoning that was not shown is no part of it.
func (r Reply) Tokens(count func(text string) int) (n int64) {
	for _, it := range r.Items {
		if it.Kind == KindMessage || it.Kind == KindFunctionCall {
			n += int64(count(it.Name + it.Text + it.Refusal))
		}
	}
	return n
}

// Counted is what of the item takes room in a model's window: a text, and about as many
// tokens more as encrypted reasoning has, which the model reads as it wrote it.
func (it Item) Counted() (text string, more int) {
	var w struct {
		Encrypted json.RawMessage `json:"encrypted_content"`
	}
	if it.Kind != KindReasoning || json.Unmarshal(it.Raw, &w) != nil || len(strictString(w.Encrypted)) == 0 {
		return string(it.Raw), 0
	}
	const encryptedBytesPerToken = 6 // four or five letters, of which encoding makes six bytes
	return string(Marshal(it.without("encrypted_content"))), len(w.Encrypted) / encryptedBytesPerToken
}
