package stub

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

// BodyBytesMax is the largest request body the server reads. A larger one is
// refused with status 413.
const BodyBytesMax = 4 << 20

// ModelName is the model the server lists, and the one it names in an answer to a
// request that names none. Any other model name is accepted and echoed.
const ModelName = "scripted"

// EmbeddedURL is what a trace calls a server that a run has started for itself, whose
// port means nothing.
const EmbeddedURL = "embedded:scripted"

// NewHandler returns the server's routes, for callers that bring their own
// listener: POST /v1/responses, GET /v1/models (both also without /v1) and GET
// /healthz. Everything else is answered by an error object in OpenAI's shape.
func NewHandler(o Options) http.Handler {
	if o.Now == nil {
		o.Now = func() time.Time { return time.Unix(epoch, 0) }
	}
	b := &books{report: o.OnUsage}
	if o.Caching {
		b.cache = newPromptCache(o.Now)
	}
	says := func(text string) route {
		return route{http.MethodGet, func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, []byte(text))
		}}
	}
	routes := map[string]route{"/healthz": says(`{"status":"ok"}`)}
	for _, prefix := range []string{"", "/v1"} {
		routes[prefix+"/responses"] = route{http.MethodPost, func(w http.ResponseWriter, r *http.Request) {
			o.respond(w, r, b)
		}}
		routes[prefix+"/models"] = says(`{"object":"list","data":[{"id":"` + ModelName + `","object":"model",` +
			`"created":` + strconv.FormatInt(epoch, 10) + `,"owned_by":"` + ModelName + `"}]}`)
	}
	patience := cmp.Or(o.patience, patienceDefault)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A recorder in place of a connection has no deadlines.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(patience))
		found, ok := routes[r.URL.Path]
		switch {
		case !ok:
			writeError(w, &RequestError{Status: http.StatusNotFound, Code: "unknown_url",
				Message: "There is nothing at this address."})
		case r.Method != found.method:
			w.Header().Set("Allow", found.method)
			writeError(w, &RequestError{Status: http.StatusMethodNotAllowed, Code: "method_not_supported",
				Message: "This address takes " + found.method + " only."})
		default:
			found.serve(w, r)
		}
	})
}

// route is what answers one path, and the one method it takes. Paths are looked
// up in a table rather than registered with ServeMux because its own 404 and 405
// answers are plain text, which a client of the API cannot read.
type route struct {
	method string
	serve  http.HandlerFunc
}

// respond answers one Responses request: read, observe, bill, hold back, decide, spoil
// where a fault is due, send. The body is read whole before anything else because
// the answer is a function of it.
func (o Options) respond(w http.ResponseWriter, r *http.Request, b *books) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, BodyBytesMax))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		writeError(w, &RequestError{Status: http.StatusRequestEntityTooLarge, Code: "request_too_large",
			Message: "The request body is larger than 4 MiB."})
		return
	case errors.Is(err, os.ErrDeadlineExceeded):
		writeError(w, &RequestError{Status: http.StatusRequestTimeout, Code: "request_timeout",
			Message: "The request body took too long."})
		return
	case err != nil:
		writeError(w, &RequestError{Status: http.StatusBadRequest, Code: "body_unreadable",
			Message: "The request body ended before it was complete."})
		return
	}
	// From here on the client waits, and may do so as long as it likes.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if o.OnRequest != nil {
		o.OnRequest(body)
	}
	asked, refused := parseRequest(body)
	if refused != nil {
		writeError(w, refused)
		return
	}
	f := o.Faults.next(asked, r.Header.Get(retryCount))
	asked.created = o.Now().Unix()
	var billed entry
	if f.transport == nil { // or no provider would have read the request
		billed = b.open(asked)
		asked.cache = billed.use
	}
	if f.hold > 0 {
		pause(r, f.hold)
	}
	asked.completed = o.Now().Unix()
	result := o.decide(asked)
	if f.spoils(result) {
		o.Faults.count(f.shape.Name)
		result = f.shape.Fill(result)
	}
	if f.transport != nil {
		o.Faults.count(f.transport.name)
		f.transport.send(w, r, result.Response)
		return
	}
	if result.exchange.answer.late {
		hang(w, r, nil)
	}
	b.close(billed, asked, result.Usage)
	w.Header().Set("X-Request-Id", result.ID)
	if string(asked.sent["stream"]) == "true" {
		writeEvents(w, result.Response)
		return
	}
	writeJSON(w, http.StatusOK, result.Response)
}

// pause waits for d. When the client goes or the server closes meanwhile, it ends the
// request there and then: a client that is still there sees its connection end, and
// not an empty answer.
func pause(r *http.Request, d time.Duration) {
	timer := time.NewTimer(max(0, d))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

// writeError sends a refusal as an error object.
func writeError(w http.ResponseWriter, refused *RequestError) {
	writeJSON(w, refused.Status, refused.object())
}

// writeJSON sends one JSON value. A failed write means that the client has gone;
// no one is left to answer.
func writeJSON(w http.ResponseWriter, status int, value []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(value, '\n'))
}
