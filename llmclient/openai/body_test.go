package openai

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/llmclient"
)

func TestContentEncodings(t *testing.T) {
	zipped := func(text string) string {
		var b strings.Builder
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return b.String()
	}
	for encoding, body := range map[string]string{"gzip": zipped(goodOne), "identity": goodOne} { // the transport asks for gzip
		answer, _, _ := ask(t, says(200, body, "Content-Encoding", encoding))
		if answer.Reply == nil || len(answer.Reply.Repairs) > 0 || answer.Reply.ID != "resp_1" {
			t.Errorf("%s: %+v %+v, want the answer", encoding, answer.Reply, answer.Failure)
		}
	}
	for _, encoding := range []string{"br", "Deflate", "zstd", "deflate, br"} {
		answer, _, _ := ask(t, says(200, goodOne, "Content-Encoding", encoding))
		want := "content encoding " + strings.ToLower(encoding) + ", which was not asked for"
		if kindOf(answer) != llmclient.ErrMalformed || !strings.Contains(answer.Failure.Message, want) {
			t.Errorf("%s: %+v, want what names it", encoding, answer.Failure)
		}
	}
	answer, _, _ := ask(t, says(401, "?", "Content-Encoding", "br"))
	if kindOf(answer) != llmclient.ErrAuth || !strings.Contains(answer.Failure.Message, "content encoding br") {
		t.Errorf("an encoded refusal: %+v", answer.Failure)
	}
	bomb := zipped(strings.Repeat("0", BodyBytesMax+1))
	if answer, _, _ := ask(t, says(200, bomb, "Content-Encoding", "gzip")); kindOf(answer) != llmclient.ErrTooLarge {
		t.Errorf("%d bytes that unpack to %d: %+v", len(bomb), BodyBytesMax+1, answer.Failure)
	}
}

func TestByteOrderMarks(t *testing.T) {
	wide := []byte{0xff, 0xfe}
	for _, b := range []byte(goodOne) {
		wide = append(wide, b, 0)
	}
	for _, body := range []string{"\xef\xbb\xbf" + goodOne, string(wide)} {
		answer, _, _ := ask(t, says(200, body))
		if answer.Reply == nil || !slices.Equal(answer.Reply.Repairs, []string{repairMark}) || answer.Reply.ID != "resp_1" {
			t.Errorf("%.20q: %+v %+v", body, answer.Reply, answer.Failure)
		}
	}
}

func TestEventStreams(t *testing.T) {
	event := func(kind, more string) string {
		return "event: " + kind + "\r\ndata: {\"type\":\"" + kind + "\"," + more + "}\r\n\r\n"
	}
	const call = `{"type":"function_call", "call_id":"c1","name":"act","arguments":"{}"}`
	created := ": keep-alive\n\n" + event("response.created", `"response":{"status":"in_progress","output":[]}`)
	for _, c := range []struct {
		name, body string
		kind       llmclient.ErrorKind
		status     string
		items      int
		part       string
	}{
		{"whole", created + event("response.completed", `"response":`+goodOne) + "data: [DONE]\n\n", "", "completed", 1, ""},
		{"responses without a type", `data: {"object":"response","status":"in_progress","output":[]}` + "\n\ndata: " + goodOne + "\n\n", "", "completed", 1, ""},
		{"another name of the end", created + event("response.done", `"response":`+goodOne), "", "completed", 1, ""},
		{"one line", `data: {"type":"response.completed","response":` + goodOne + `}`, "", "completed", 1, ""},
		{"items before the end", created + event("response.output_item.done", `"item":`+call) + event("response.completed", `"response":{"id":"r","output":[]}`), "", "completed", 1, ""},
		{"incomplete", created + event("response.incomplete", `"response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`), "", "incomplete", 0, ""},
		{"failed", created + event("response.failed", `"response":{"object":"response","status":"failed","error":{"message":"broke"}}`), llmclient.ErrFailedResponse, "", 0, "broke"},
		{"error", created + event("error", `"code":"x","message":"no more"`), llmclient.ErrErrorObject, "", 0, "no more"},
		{"cut", created + event("response.output_item.done", `"item":`+call), llmclient.ErrMalformed, "", 0, "without a final response"},
		{"Chat Completions", `data: {"object":"chat.completion.chunk","choices":[]}` + "\n\ndata: [DONE]\n\n", llmclient.ErrChatCompletions, "", 0, "Chat Completions"},
	} {
		answer, _, _ := ask(t, says(200, c.body, "Content-Type", "text/event-stream"))
		if kindOf(answer) != c.kind {
			t.Errorf("%s: %+v, want %q", c.name, answer.Failure, c.kind)
			continue
		}
		if c.kind != "" {
			if !strings.Contains(answer.Failure.Message, c.part) {
				t.Errorf("%s: %q, want %q", c.name, answer.Failure.Message, c.part)
			}
			continue
		}
		if r := answer.Reply; r.Status != c.status || len(r.Items) != c.items || !slices.Equal(r.Repairs, []string{repairStream}) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// TestWhatCannotFitIsNotRead sends answers beyond a window in every way a size can be
// hidden, and holds what they cost.
func TestWhatCannotFitIsNotRead(t *testing.T) {
	const window, megabyte = 128_000, 1 << 20
	piece := bytes.Repeat([]byte("9"), 64<<10)
	for name, length := range map[string]bool{"announced": true, "unannounced": false} {
		sent := 0
		p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
			if length {
				w.Header().Set("Content-Length", "5242880")
			}
			for sent = 0; sent < 5*megabyte; sent += len(piece) {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		})
		c, _ := newClient(t, Config{BaseURL: p.URL, WindowTokens: window})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		answer := c.Respond(t.Context(), request())
		runtime.ReadMemStats(&after)
		if kindOf(answer) != llmclient.ErrTooLarge || answer.Attempts != 1 {
			t.Errorf("%s: %+v after %d attempts", name, answer.Failure, answer.Attempts)
		}
		// Read to its end a body of 5 MB takes 16 MB, twice that with the race detector, which copies
		// once more where a buffer grows.
		if took := after.TotalAlloc - before.TotalAlloc; took > 10*megabyte {
			t.Errorf("%s: %d bytes allocated", name, took)
		}
	}
	within := `{"output":[{"type":"message","role":"assistant","content":"` + strings.Repeat("word ", window) + `"}]}`
	p := newProvider(t, says(200, within))
	c, _ := newClient(t, Config{BaseURL: p.URL, WindowTokens: window})
	if answer := c.Respond(t.Context(), request()); answer.Reply == nil {
		t.Errorf("an answer that fits: %+v", answer.Failure)
	}
}

// bodies are those that grow without end, as functions of what is repeated in them.
var bodies = map[string]struct{ head, piece, tail string }{
	"a string of arguments":   {`{"output":[{"type":"function_call","name":"act","arguments":"`, "x", `"}]}`},
	"keys of arguments":       {`{"output":[{"type":"function_call","name":"act","arguments":{`, `"a":1,`, `"b":1}}]}`},
	"digits":                  {`{"output":[{"type":"function_call","name":"act","arguments":{"a":`, "9", `}}]}`},
	"nested arrays":           {`{"output":[{"type":"function_call","name":"act","arguments":`, "[", ``},
	"arrays in arrays":        {`{"output":[`, strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + ",", `1]}`},
	"escapes":                 {`{"output":[{"type":"message","content":"`, `\"`, `"}]}`},
	"null characters":         {`{"output":[{"type":"message","content":"`, `\u0000`, `"}]}`},
	"surrogates without pair": {`{"output":[{"type":"message","content":"`, `\ud800`, `"}]}`},
	"words":                   {`{"output":[{"type":"message","content":"`, `word `, `"}]}`},
	"parts":                   {`{"output":[{"type":"message","content":[`, `{"type":"output_text","text":"a"},`, `{}]}]}`},
	"calls in a message":      {`{"output":[{"type":"message","content":[`, `{"type":"tool_use"},`, `{}]}]}`},
	"space before":            {``, " ", goodOne},
	"space behind":            {goodOne, "\n", ``},
	"braces behind":           {goodOne, "}", ``},
	"calls":                   {`{"output":[`, `{"type":"function_call","name":"act","arguments":"{}"},`, `{}]}`},
	"items":                   {`{"output":[`, `{},`, `{}]}`},
	"a call id":               {`{"output":[{"type":"function_call","name":"act","arguments":"{}","call_id":"`, "c", `"}]}`},
	"a name":                  {`{"output":[{"type":"function_call","arguments":"{}","name":"`, "functions.", `"}]}`},
	"a status":                {`{"output":[],"status":"`, "s", `"}`},
	"a count":                 {`{"output":[],"usage":{"input_tokens":`, "9", `}}`},
	"an error":                {`{"error":{"message":"`, "the api key is ", `"}}`},
	"a page":                  {`<html>`, "<p>", ``},
	"a list":                  {`[`, `{"type":1},`, `{}]`},
	"events":                  {``, "data: {\"type\":\"a\"}\n\n", ``},
	"events that are errors":  {``, "data: \"error\"\n\n", ``},
	"events of items":         {``, "data: {\"type\":\"response.output_item.done\",\"item\":{}}\n\n", ``},
	"events without data":     {`:`, "\n\n", ``},
	"an event a line":         {``, "{\"type\":\"error\"}\n", ``},
	"two bytes a character":   {"\xff\xfe", " \x00", ``},
}

// cpuTime returns the CPU time of the process so far, and always 0 on a system without it.
var cpuTime = func() time.Duration { return 0 }

// TestBodiesCostWhatTheyAreLong reads each body at two lengths: one of twice the length takes
// about twice the memory, a few bytes for each of its own. At full size (AGENT_WORLD_LONG)
// the largest that a window of any size lets in takes under 0.2 s of CPU and 64 MB.
func TestBodiesCostWhatTheyAreLong(t *testing.T) {
	body := ""
	p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	c, _ := newClient(t, Config{BaseURL: p.URL, WindowTokens: 10_000_000})
	for name, b := range bodies {
		taken := func(size, readings int) (least int64, spent time.Duration) {
			body = b.head + strings.Repeat(b.piece, max(1, (size-len(b.head)-len(b.tail))/len(b.piece))) + b.tail
			least, spent = math.MaxInt64, math.MaxInt64
			for range readings {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := cpuTime()
				answer := c.Respond(t.Context(), request())
				spent = min(spent, cpuTime()-began)
				runtime.ReadMemStats(&after)
				least = min(least, int64(after.TotalAlloc-before.TotalAlloc))
				if answer.Attempts != 1 {
					t.Fatalf("%s: %+v", name, answer.Failure)
				}
			}
			return least, spent
		}
		var half, whole int64
		dear := func() bool { return whole > 9*half/4+(64<<10) || whole > 96*(16<<10)+(64<<10) }
		for _, readings := range []int{10, 100} { // with -race, buffers are now and then not reused
			half, _ = taken(8<<10, readings)
			if whole, _ = taken(16<<10, readings); !dear() {
				break
			}
		}
		if dear() {
			t.Errorf("%s: %d bytes for a body, %d for half of it", name, whole, half)
		}
		if os.Getenv("AGENT_WORLD_LONG") != "" {
			for _, size := range []int{answerBytesMax, 5 << 20} {
				bytes, spent := taken(size, 5)
				t.Logf("%s of %d bytes: %d bytes and %s", name, size, bytes, spent)
				if bytes > 64<<20 || spent > 200*time.Millisecond {
					t.Errorf("%s of %d bytes: %d bytes and %s", name, size, bytes, spent)
				}
			}
		}
	}
}
