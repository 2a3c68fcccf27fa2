// Package llmclient is the vocabulary of one exchange with a model over the
// Responses API: items, tools, requests, replies, failures.
//
// It holds no transport. A request goes out, an [Answer] comes back:
//
//	request := llmclient.Request{Model: m, Instructions: policy, Input: items, Tools: tools}
//	answer := client.Respond(ctx, request)   // llmclient/openai, or a recording
//	if answer.Failure != nil { ... }         // recorded, costs one agent one turn
//	items = append(items, answer.Reply.Items...)
//
// Sub-packages: openai is the only HTTP client, stub is the embedded server
// that replaces a model, tokens counts tokens.
package llmclient
