package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// BodyBytesMax is the largest response body that is read from a model of any window,
// decompressed. It protects memory from a server that never stops sending.
const BodyBytesMax = 8 << 20

// An answer within the context window is no larger than its tokens, what the response
// repeats of the request, and the JSON around both. Larger ones are not read to their end,
// nor are those of megabytes, which no model says in one answer.
const (
	answerBytesPerToken = 8
	answerBytesMax      = 2 << 20
	envelopeBytes       = 64 << 10
)

// bodyBytesMax bounds the response to a request of that many bytes.
func (c Config) bodyBytesMax(request int) int {
	if c.WindowTokens <= 0 {
		return BodyBytesMax
	}
	return min(BodyBytesMax, request+envelopeBytes+min(answerBytesMax, answerBytesPerToken*c.WindowTokens))
}

// The repairs of a body. Each is counted under its name.
const (
	repairMark    = "byte_order_mark"
	repairStream  = "event_stream"
	repairWrapped = "response_wrapped"
)

// read takes the response's parts and closes its body. Reading stops one byte
// beyond the bound, which tells a body of exactly that size from a longer one.
func (x *exchange) read(response *http.Response, bytesMax int) {
	defer func() { _ = response.Body.Close() }()
	x.status, x.header = response.StatusCode, response.Header
	if response.ContentLength > int64(bytesMax) {
		x.cut = bytesMax
		return
	}
	x.body, x.err = io.ReadAll(io.LimitReader(response.Body, int64(bytesMax)+1))
	x.whole = x.err == nil
	// Only gzip is asked for, by the transport, which undoes it and takes its name away.
	encodings := strings.ToLower(strings.Join(response.Header.Values("Content-Encoding"), ", "))
	if x.whole && encodings != "" && encodings != "identity" {
		x.body, x.unread = nil, "a body in the content encoding "+encodings+", which was not asked for"
		return
	}
	if len(x.body) > bytesMax {
		x.body = x.body[:min(bytesMax, cleanBytesMax)]
		x.whole = false
		x.cut = bytesMax
		return
	}
	if head := x.body[:min(len(x.body), 3)]; bytes.HasPrefix(head, []byte("\xfe\xff")) ||
		bytes.HasPrefix(head, []byte("\xff\xfe")) || string(head) == "\xef\xbb\xbf" {
		if text, _, err := transform.Bytes(unicode.BOMOverride(encoding.Nop.NewDecoder()), x.body); err == nil {
			x.body, x.repairs = text, append(x.repairs, repairMark)
		}
	}
}

// streamedMax bounds the events of a stream that are read. The pieces of an answer, which are
// passed over, do not count.
const streamedMax = 1024

// unstream puts the final response of an event stream in the place of the body. A body
// that is no stream stays as it is. A stream that breaks off is never pieced together.
func (x *exchange) unstream() {
	body := bytes.TrimLeft(x.body, " \t\r\n")
	field, _, found := bytes.Cut(body[:min(len(body), 8)], []byte(":"))
	text := ""
	switch {
	// no JSON begins like that
	case found && slices.Contains([]string{"", "event", "data", "id", "retry"}, string(field)) &&
		bytes.Contains(body, []byte("data:")):
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(body))
	case bytes.Contains(body, []byte("}\n{")) && !json.Valid(body): // an event a line
		text = "data:" + strings.ReplaceAll(string(body), "}\n{", "}\n\ndata:{")
	default:
		return
	}
	read := 0
	for event := range strings.SplitSeq(text, "\n\n") {
		if strings.Contains(event, `.delta"`) {
			continue
		}
		read++
		if read > streamedMax {
			break
		}
		var data bytes.Buffer
		for line := range strings.SplitSeq(event, "\n") {
			if value, ok := strings.CutPrefix(line, "data:"); ok {
				data.WriteString(value)
			}
		}
		var e struct {
			Type, Object, Status   string
			Response, Item, Output json.RawMessage
		}
		if json.Unmarshal(data.Bytes(), &e) != nil {
			continue // "[DONE]", or words of the server's own
		}
		switch {
		case strings.HasPrefix(e.Object, "chat."):
			x.body = data.Bytes()
		case e.Type == "error":
			x.body = fmt.Appendf(nil, `{"error":%s}`, data.Bytes())
		case e.Type == "response.output_item.done" && llmclient.Given(e.Item):
			x.items = append(x.items, e.Item)
			continue
		case slices.Contains([]string{"response.completed", "response.incomplete", "response.failed", "response.done"},
			e.Type) && llmclient.Given(e.Response):
			x.body, x.repairs = e.Response, append(x.repairs, repairStream)
		case e.Object == "response" && llmclient.Given(e.Output) && e.Status != "in_progress" && e.Status != "queued":
			x.body, x.repairs = data.Bytes(), append(x.repairs, repairStream)
		default:
			continue
		}
		return
	}
	x.body, x.unread = nil, "an event stream without a final response"
}

// unwrap removes what gateways put around a response, and reports whether there was
// anything. It handles text before and after the response, a list of one, an object that
// holds it in one field, and items without a response around them.
func (x *exchange) unwrap() bool {
	body, top := x.body, llmclient.Members(nil)
	if start, end := bytes.IndexByte(body, '{'), bytes.LastIndexByte(body, '}'); !json.Valid(body) && start >= 0 &&
		end > start {
		body = body[start : end+1]
	}
	elements, _ := llmclient.Elements(body, itemsMax)
	for _, one := range elements[:min(len(elements), 1)] {
		top = llmclient.MembersOf(one)
		if llmclient.Given(top["type"]) && !llmclient.Given(top["output"]) {
			top = llmclient.Members{"output": body}
		} else if len(elements) > 1 {
			return false
		}
	}
	if object := llmclient.MembersOf(body); object != nil {
		top = object // unless it is a list
	}
	for _, key := range []string{"response", "data", "result", "body"} {
		if inner := llmclient.MembersOf(top[key]); !llmclient.Given(top["output"]) && llmclient.Given(inner["output"]) {
			if !llmclient.Given(inner["usage"]) {
				inner["usage"] = top["usage"] // which some have beside the response
			}
			top = inner
		}
	}
	for _, key := range []string{"items", "tool_calls"} {
		if !llmclient.Given(top["output"]) && bytes.HasPrefix(top[key], []byte("[")) {
			top["output"] = top[key]
		}
	}
	if !llmclient.Given(top["output"]) {
		return false
	}
	x.body, x.repairs = llmclient.Marshal(top), append(x.repairs, repairWrapped)
	return true
}
