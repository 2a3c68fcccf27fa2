package stub

import (
	"fmt"
	"maps"
	"net/http"

	"example.com/agentworld/llmclient"
)

// deltaRunes is how much of a text one event holds.
const deltaRunes = 48

// events is a Responses object as the API streams it: what it is at first, each item as it
// begins, grows and ends, and the whole at the end. Every event has the next number.
func events(response []byte) []object {
	var whole, begun object
	if decode(response, &whole) != nil || decode(response, &begun) != nil {
		panic("stub: a response is not a JSON object")
	}
	begun["status"], begun["output"], begun["incomplete_details"] = "in_progress", []any{}, nil
	delete(begun, "usage")
	var all []object
	add := func(kind string, fields object) {
		fields["type"], fields["sequence_number"] = "response."+kind, len(all)
		all = append(all, fields)
	}
	add("created", object{"response": begun})
	add("in_progress", object{"response": begun})
	output, _ := whole["output"].([]any)
	for i, item := range output {
		fields, _ := item.(object)
		at := func(more object) object {
			more["item_id"], more["output_index"] = fields["id"], i
			return more
		}
		first := maps.Clone(fields)
		if fields["status"] != nil {
			first["status"] = "in_progress"
		}
		content, _ := fields["content"].([]any)
		if content != nil {
			first["content"] = []any{}
		}
		if fields["arguments"] != nil {
			first["arguments"] = ""
		}
		add("output_item.added", object{"output_index": i, "item": first})
		if fields["arguments"] != nil {
			for _, delta := range deltas(fields["arguments"]) {
				add("function_call_arguments.delta", at(object{"delta": delta}))
			}
			add("function_call_arguments.done", at(object{"name": fields["name"], "arguments": fields["arguments"]}))
		}
		for n, part := range content {
			text, ok := part.(object)
			if !ok { // only a fault puts that there
				continue
			}
			empty := maps.Clone(text)
			empty["text"] = ""
			add("content_part.added", at(object{"content_index": n, "part": empty}))
			for _, delta := range deltas(text["text"]) {
				add("output_text.delta", at(object{"content_index": n, "delta": delta, "logprobs": []any{}}))
			}
			add("output_text.done", at(object{"content_index": n, "text": text["text"], "logprobs": []any{}}))
			add("content_part.done", at(object{"content_index": n, "part": part}))
		}
		add("output_item.done", object{"output_index": i, "item": item})
	}
	add(fmt.Sprint(whole["status"]), object{"response": whole})
	return all
}

// deltas are the pieces in which a text is sent.
func deltas(value any) (pieces []string) {
	text, _ := value.(string)
	for runes := []rune(text); len(runes) > 0; {
		n := min(deltaRunes, len(runes))
		pieces, runes = append(pieces, string(runes[:n])), runes[n:]
	}
	return pieces
}

// writeEvents sends a response as server-sent events.
func writeEvents(w http.ResponseWriter, response []byte) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	control := http.NewResponseController(w)
	for _, e := range events(response) {
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], llmclient.Marshal(e)); err != nil {
			return // the client has gone
		}
		_ = control.Flush()
	}
}
