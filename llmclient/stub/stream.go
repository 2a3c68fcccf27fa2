package stub

import (
	"fmt"
	"maps"
	"net/http"

	"example.com/agentworld/llmclient"
)

// deltaRunes is how much of a text one event holds.
const deltaRunes = 48

// stream is the list of events of one answer, each with the next number.
type stream []object

// add appends an event. fields are its members but for type and number.
func (s *stream) add(kind string, fields object) {
	fields["type"], fields["sequence_number"] = "response."+kind, len(*s)
	*s = append(*s, fields)
}

// events is a Responses object as the API streams it: what it is at first, each item as it
// begins, grows and ends, and the whole at the end.
func events(response []byte) stream {
	var whole, begun object
	if decode(response, &whole) != nil || decode(response, &begun) != nil {
		panic("stub: a response is not a JSON object")
	}
	begun["status"], begun["output"] = "in_progress", []any{}
	begun["completed_at"], begun["incomplete_details"] = nil, nil
	// Open Responses wants a usage in every snapshot, and the API's description one that is not
	// null: nothing is answered so far.
	if used, ok := begun["usage"].(object); ok {
		used["output_tokens"], used["total_tokens"] = 0, used["input_tokens"]
		used["output_tokens_details"] = object{"reasoning_tokens": 0}
	}
	var s stream
	s.add("created", object{"response": begun})
	s.add("in_progress", object{"response": begun})
	output, _ := whole["output"].([]any)
	for i, item := range output {
		s.addItem(i, item)
	}
	s.add(fmt.Sprint(whole["status"]), object{"response": whole})
	return s
}

// addItem adds the events of the item at an index: begun without its text, then piece by piece,
// then whole.
func (s *stream) addItem(index int, item any) {
	fields, _ := item.(object)
	first := maps.Clone(fields)
	if fields["status"] != nil {
		first["status"] = "in_progress"
	}
	for _, list := range []string{"content", "summary"} {
		if _, listed := fields[list].([]any); listed {
			first[list] = []any{}
		}
	}
	if fields["arguments"] != nil {
		first["arguments"] = ""
	}
	s.add("output_item.added", object{"output_index": index, "item": first})
	at := func(more object) object {
		more["item_id"], more["output_index"] = fields["id"], index
		return more
	}
	if fields["arguments"] != nil {
		for _, delta := range deltas(fields["arguments"]) {
			s.add("function_call_arguments.delta", at(object{"delta": delta}))
		}
		s.add("function_call_arguments.done", at(object{"name": fields["name"], "arguments": fields["arguments"]}))
	}
	for n, part := range listOf(fields["summary"]) {
		s.addPart(part, "reasoning_summary_part", func(more object) object {
			more["summary_index"] = n
			return at(more)
		})
	}
	for n, part := range listOf(fields["content"]) {
		s.addPart(part, "content_part", func(more object) object {
			more["content_index"] = n
			return at(more)
		})
	}
	s.add("output_item.done", object{"output_index": index, "item": item})
}

// listOf are the elements of a list, none of what is no list.
func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

// streamed says for a type of part which member has its text, and how the events of the text are
// called.
var streamed = map[string]struct{ member, event string }{
	"output_text":    {"text", "output_text"},
	"refusal":        {"refusal", "refusal"},
	"summary_text":   {"text", "reasoning_summary_text"},
	"reasoning_text": {"text", "reasoning_text"},
}

// addPart adds the events of a part of an item. kind is how they are called, at adds where the
// part is.
func (s *stream) addPart(part any, kind string, at func(object) object) {
	fields, ok := part.(object)
	if !ok { // only a fault puts that there
		return
	}
	how, known := streamed[fmt.Sprint(fields["type"])]
	if !known {
		how = streamed["output_text"] // for a fault's sake
	}
	empty := maps.Clone(fields)
	empty[how.member] = ""
	text := func(more object) object {
		if how.event == "output_text" {
			more["logprobs"] = []any{}
		}
		return at(more)
	}
	s.add(kind+".added", at(object{"part": empty}))
	for _, delta := range deltas(fields[how.member]) {
		s.add(how.event+".delta", text(object{"delta": delta}))
	}
	s.add(how.event+".done", text(object{how.member: fields[how.member]}))
	s.add(kind+".done", at(object{"part": part}))
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

// writeEvents sends a response as server-sent events, with the line after the last that Open
// Responses asks for.
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
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}
