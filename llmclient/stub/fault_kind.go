package stub

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"

	"example.com/agentworld/plaintext"
)

// transportFault is a kind of fault below or beside the model's answer: a status,
// a body that is no answer, a connection that breaks, a server that says nothing.
// What a client is expected to do about it is said in effect, for the docs.
type transportFault struct {
	// name is the kind's name in a specification and in the counts.
	name string
	// doc is one sentence about what the client gets.
	doc string
	// effect is one sentence about what the client of this project makes of it.
	effect string
	// send gives the fault to the client instead of response, the proper answer.
	send func(w http.ResponseWriter, r *http.Request, response []byte)
}

// The effects of faults, as the table below names them.
const (
	effectRetried = "tried again after a wait, up to three times"
	effectTurn    = "ends the turn in a wait"
	effectRead    = "read as it was meant, and counted"
	effectRun     = "ends the run before the first answer, and when three turns in a row get it; else ends the turn " +
		"in a wait"
	effectPatience = "the request timeout, then one more attempt with 180 s; or the decision deadline"
)

// The bodies of some faults. They are what gateways and other APIs send in reality,
// shortened.
const (
	htmlPage = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>Bad " +
		"gateway</h1></body></html>\n"
	otherAPIBody = `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}`
	failedBody   = `{"id":"resp_1","object":"response","status":"failed","error":{"code":"server_error","message":"The model failed to answer."},"output":[]}`
	errorBody    = `{"error":{"message":"The engine is overloaded.","type":"server_error","code":"overloaded"}}`
)

// transportFaults are all kinds that are not shapes of the corpus, in the order
// they are listed to users.
var transportFaults = []transportFault{
	{"hang", "no answer, until the client goes away", effectPatience, hang},
	{"reset", "the connection is reset before the answer begins", effectRetried, reset},
	{"truncated_body", "a status of 200 whose body ends halfway", effectRetried, truncateBody},
	{"empty_body", "a status of 200 with an empty body", effectTurn, body(http.StatusOK, "application/json", "")},
	{"not_json", "a status of 200 whose JSON body is cut off", effectTurn,
		body(http.StatusOK, "application/json", `{"id":"resp_1","object":"response","output":[{"type":"mess`)},
	{"null_body", "a status of 200 with the body null", effectTurn, body(http.StatusOK, "application/json", "null")},
	{"byte_order_mark", "the answer behind a byte order mark", effectRead,
		dressed("", func(answer []byte) []byte { return append([]byte("\xef\xbb\xbf"), answer...) })},
	{"event_stream", "the answer as an event stream that nobody asked for", effectRead,
		dressed("text/event-stream", func(answer []byte) []byte {
			return fmt.Appendf(nil, "event: response.created\ndata: {\"type\":\"response.created\"}\n\nevent: "+
				"response.completed\ndata: {\"type\":\"response.completed\",\"response\":%s}\n\n", answer)
		})},
	{"huge_arguments", "a call with arguments of 5 MB", effectTurn,
		huge(`{"type":"function_call","call_id":"c","name":"decision","arguments":"%s"}`, "a", 5)},
	{"huge_digits", "a call with a number of two million digits", effectTurn,
		huge(`{"type":"function_call","call_id":"c","name":"decision","arguments":"{\"decision\":\"wait\",\"ticks\":%s}"}`,
			"9", 2)},
	{"huge_text", "a text of 4 MB", effectTurn,
		huge(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"%s"}]}`, "word ", 4)},
	{"wrong_type", "a status of 200 with an answer of Chat Completions", effectTurn,
		body(http.StatusOK, "application/json", otherAPIBody)},
	{"html", "a status of 200 with a web page", effectTurn, body(http.StatusOK, "text/html; charset=utf-8", htmlPage)},
	{"html_502", "a status of 502 with a web page", effectRetried,
		body(http.StatusBadGateway, "text/html; charset=utf-8", htmlPage)},
	{"error_object", "a status of 200 with an error object", effectTurn,
		body(http.StatusOK, "application/json", errorBody)},
	{"failed_response", "a response that says it failed", effectTurn, body(http.StatusOK, "application/json", failedBody)},
	{"http_400", "a bad request", effectTurn, refusal(http.StatusBadRequest, "invalid_request_error")},
	{"http_401", "a refused key", effectRun, refusal(http.StatusUnauthorized, "invalid_api_key")},
	{"http_403", "a forbidden request", effectRun, refusal(http.StatusForbidden, "forbidden")},
	{"http_404", "an unknown address", effectTurn, refusal(http.StatusNotFound, "unknown_url")},
	{"http_404_model", "an unknown model", effectRun, refusal(http.StatusNotFound, "model_not_found")},
	{"http_408", "a request that took the server too long", effectRetried,
		refusal(http.StatusRequestTimeout, "request_timeout")},
	{"http_409", "a conflict", effectRetried, refusal(http.StatusConflict, "conflict")},
	{"http_425", "a request that came too early", effectRetried, refusal(http.StatusTooEarly, "too_early")},
	{"http_429", "too many requests", effectRetried, refusal(http.StatusTooManyRequests, "rate_limit_exceeded")},
	{"http_429_retry_after", "too many requests, with Retry-After: 1", effectRetried,
		refusal(http.StatusTooManyRequests, "rate_limit_exceeded", "Retry-After", "1")},
	{"http_429_retry_after_ms", "too many requests, with Retry-After-Ms: 20", effectRetried,
		refusal(http.StatusTooManyRequests, "rate_limit_exceeded", "Retry-After-Ms", "20")},
	{"http_429_retry_after_long", "too many requests, with Retry-After: 3600, which is ignored", effectRetried,
		refusal(http.StatusTooManyRequests, "rate_limit_exceeded", "Retry-After", "3600")},
	{"http_429_quota", "an account without credit", effectRun, refusal(http.StatusTooManyRequests, "insufficient_quota")},
	{"http_500", "an internal error", effectRetried, refusal(http.StatusInternalServerError, "server_error")},
	{"http_502", "a bad gateway", effectRetried, refusal(http.StatusBadGateway, "bad_gateway")},
	{"http_503", "an overloaded server", effectRetried, refusal(http.StatusServiceUnavailable, "overloaded")},
	{"http_503_retry_after", "an overloaded server, with Retry-After: 1", effectRetried,
		refusal(http.StatusServiceUnavailable, "overloaded", "Retry-After", "1")},
	{"http_529", "an overloaded server, with a status some providers use", effectRetried,
		refusal(529, "overloaded_error")},
}

// TransportFaults lists the kinds of fault below or beside the model's answer, in the
// order of the documentation. All other kinds are shapes of the [Corpus] or groups of
// them.
func TransportFaults() []string {
	kinds := make([]string, len(transportFaults))
	for i, f := range transportFaults {
		kinds[i] = f.name
	}
	return kinds
}

// findTransport returns the transport fault with a name.
func findTransport(name string) (transportFault, bool) {
	for _, f := range transportFaults {
		if f.name == name {
			return f, true
		}
	}
	return transportFault{}, false
}

// body returns a fault that sends a fixed body.
func body(status int, contentType, text string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

// dressed returns a fault that sends the proper answer in another form.
func dressed(contentType string, dress func([]byte) []byte) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, r *http.Request, response []byte) {
		body(http.StatusOK, cmp.Or(contentType, "application/json"), string(dress(response)))(w, r, response)
	}
}

// huge returns a fault that sends an answer of one item, with filling of that many MB.
func huge(item, filling string, megabytes int) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, r *http.Request, _ []byte) {
		item := fmt.Sprintf(item, strings.Repeat(filling, megabytes*1_000_000/len(filling)))
		body(http.StatusOK, "application/json", `{"object":"response","status":"completed","output":[`+item+`]}`)(w, r, nil)
	}
}

// refusal returns a fault that refuses the request with an error object and the
// given pairs of header name and value. The error says that it is a fault made on
// purpose, so that no one searches a log for its cause.
func refusal(status int, code string, header ...string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		refused := RequestError{Status: status, Code: code,
			Message: fmt.Sprintf("Fault injected on purpose: status %d.", status)}
		writeJSON(w, status, refused.object())
	}
}

// hang says nothing until the client has gone or the server closes. A client that is
// still there then sees its connection end, and not an empty answer.
func hang(_ http.ResponseWriter, r *http.Request, _ []byte) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// reset breaks the connection so that the client sees a reset rather than an orderly
// end: with a linger time of zero the system sends RST. Where there is no connection
// of its own to break, the answer is aborted, which looks the same to most clients.
func reset(w http.ResponseWriter, _ *http.Request, _ []byte) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}

// truncateBody promises the whole answer and sends half of it. The server then
// closes the connection, because it cannot keep the promise.
func truncateBody(w http.ResponseWriter, _ *http.Request, response []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(response)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(response[:len(response)/2])
	panic(http.ErrAbortHandler)
}

// exampleParts fill the templates of a listing.
var exampleParts = Placeholders{
	Name: "decision_draft", Arguments: []byte(`{"candidates":[{"action":"mine_compound","amount":5000}]}`),
	Decision: []byte(`{"decision":"mine_compound","compound_mass_g":5000}`),
	Action:   []byte(`{"action":"mine_compound","compound_mass_g":5000}`),
	Here:     "llm-hub", Place: "frag-amber", PlaceName: "Amber Fragment",
}

// WriteFaults lists every kind of fault: groups, faults of the transport, and each
// shape of the corpus with how it ends and an example.
func WriteFaults(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, g := range shapeGroups {
		plaintext.Fprintf(t, "%s\t%s, each as likely as any other\t%s\n", g.name, g.doc, g.effect)
	}
	for _, f := range transportFaults {
		plaintext.Fprintf(t, "%s\t%s\t%s\n", f.name, f.doc, f.effect)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range Corpus() {
		star := ""
		if s.Universal {
			star = " *"
		}
		plaintext.Fprintf(t, "\n%s%s: %s\n    %s\n", s.Name, star,
			strings.Join(append(strings.Fields(s.Ends+" "+s.Error), s.Repairs...), " "), s.Doc)
		for line := range strings.Lines(s.Render(exampleParts)) {
			plaintext.Fprintf(t, "    | %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return t.Flush()
}
