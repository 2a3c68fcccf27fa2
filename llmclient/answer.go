package llmclient

import (
	"slices"
	"strings"
)

// Answer is what ended one request: a reply or a failure, never both. It is
// the only thing a turn learns from outside, so it is recorded and replayed.
type Answer struct {
	// Reply is the provider's response; nil when Failure is set.
	Reply *Reply
	// Failure says why there is no reply; nil when Reply is set.
	Failure *Failure
	// Attempts counts the HTTP requests sent for this answer; 0 when none was.
	Attempts int
	// FailedAttempts are the failures of the requests that brought no reply, in the order they were
	// sent, even if a later request succeeded. There are at most Attempts.
	FailedAttempts []ErrorKind
	// LatencyMS is the wall-clock time spent, in milliseconds. It is reported and
	// never influences a turn.
	LatencyMS int64
	// Recorded says that the answer was read from a recording and nothing was sent
	// or paid for. Like the latency it never influences a turn.
	Recorded bool
}

// Reply is a decoded response.
type Reply struct {
	// ID is the provider's response id.
	ID string
	// Model is the model the provider says answered.
	Model string
	// Status is "completed", "incomplete", "failed" or what the provider sent.
	Status string
	// IncompleteReason is "max_output_tokens", "content_filter" or another word of
	// the provider when Status is "incomplete".
	IncompleteReason string
	// Items is the output, verbatim and in order.
	Items []Item
	// NonObjects counts the elements of the output that are no JSON objects. Items leaves them out.
	NonObjects int
	// Repairs name what was corrected in the body, and what was left out of the request because the
	// endpoint refuses it.
	Repairs []string
	// Usage is what the provider billed; zero fields were not reported.
	Usage Usage
}

// Usage counts tokens as the provider bills them.
type Usage struct {
	// Input includes Cached and Written; Output includes Reasoning. Total is the provider's own sum,
	// 0 where it reports none.
	Input     int64 `json:"input"`
	Cached    int64 `json:"cached"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"`
	Total     int64 `json:"total"`
	// Written are the input tokens that the provider wrote to its prompt cache. WrittenLong are those of
	// them that it keeps for more than half an hour, which most providers bill higher.
	Written     int64 `json:"written,omitempty"`
	WrittenLong int64 `json:"written_long,omitempty"`
	// ServiceTier is the tier that served the call, in the provider's word. It is empty if the provider
	// did not say one, or said "default" to a call that asked for none. A sum has none.
	ServiceTier string `json:"service_tier,omitempty"`
}

// Add returns the sum of the counts of both usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:       u.Input + v.Input,
		Cached:      u.Cached + v.Cached,
		Output:      u.Output + v.Output,
		Reasoning:   u.Reasoning + v.Reasoning,
		Total:       u.Total + v.Total,
		Written:     u.Written + v.Written,
		WrittenLong: u.WrittenLong + v.WrittenLong,
	}
}

// Counted reports whether the provider reported any count.
func (u Usage) Counted() bool {
	u.ServiceTier = ""
	return u != Usage{}
}

// Underreported reports whether a provider reports tokens, but fewer than half of those counted here.
func Underreported(reported, counted int64) bool { return reported > 0 && 2*reported < counted }

// Overreported reports whether a provider reports more than one and a half times the tokens counted here.
// It is false if none were counted.
func Overreported(reported, counted int64) bool { return counted > 0 && 2*reported > 3*counted }

// Summed reports whether the provider's total is the sum of input and output, or is missing.
func (u Usage) Summed() bool { return u.Total == 0 || u.Total == u.Input+u.Output }

// RepairTierFallback names the repair of a request that was sent again at the default service tier,
// because the tier that is set was full.
const RepairTierFallback = "tier_fallback"

// Failure is the end of a request without a reply.
type Failure struct {
	// Kind classifies the failure.
	Kind ErrorKind `json:"kind"`
	// Status is the HTTP status, 0 when there was no HTTP response.
	Status int `json:"status,omitempty"`
	// Code is the provider's own error code, such as "insufficient_quota".
	Code string `json:"code,omitempty"`
	// Message explains the failure in at most 300 characters, without secrets.
	Message string `json:"message,omitempty"`
	// Unsent says that no attempt got a connection, so that no provider can have read the
	// request or bill it.
	Unsent bool `json:"unsent,omitempty"`
	// WindowTokens and PromptTokens are the sizes that the server names when a prompt is too
	// long for it, in tokens; 0 for unknown.
	WindowTokens int `json:"window_tokens,omitempty"`
	PromptTokens int `json:"prompt_tokens,omitempty"`
}

// ErrorKind classifies failures by what a caller can do about them.
type ErrorKind string

// The error kinds. Each is counted under its own name in the report.
const (
	// ErrTimeout: no answer within the request timeout, the retry included.
	ErrTimeout ErrorKind = "timeout"
	// ErrDeadline: the turn's decision deadline passed.
	ErrDeadline ErrorKind = "deadline"
	// ErrCap: a budget cap refused the request; nothing was sent.
	ErrCap ErrorKind = "cap"
	// ErrAbandoned: a resume ended the turns of the run's open tick.
	ErrAbandoned ErrorKind = "abandoned"
	// ErrInterrupted: the run was asked to stop.
	ErrInterrupted ErrorKind = "interrupted"
	// ErrNotRecorded: a recording was to answer and holds no answer to the request.
	ErrNotRecorded ErrorKind = "not_recorded"
	// ErrRecordingDamaged: the rest of a recording cannot be read. Whether it has an answer is unknown.
	ErrRecordingDamaged ErrorKind = "recording_damaged"
	// ErrAuth: HTTP 401.
	ErrAuth ErrorKind = "auth"
	// ErrForbidden: HTTP 403.
	ErrForbidden ErrorKind = "forbidden"
	// ErrModelNotFound: the endpoint does not know the model.
	ErrModelNotFound ErrorKind = "model_not_found"
	// ErrQuota: the account has no credit left (insufficient_quota).
	ErrQuota ErrorKind = "insufficient_quota"
	// ErrRateLimited: HTTP 429 that persisted through the retries.
	ErrRateLimited ErrorKind = "rate_limited"
	// ErrContext: the prompt is longer than the endpoint takes.
	ErrContext ErrorKind = "context_overflow"
	// ErrWrongPath: there is no Responses API at this address.
	ErrWrongPath ErrorKind = "wrong_path"
	// ErrProxy: a proxy of the environment refused, or was not there.
	ErrProxy ErrorKind = "proxy"
	// ErrMalformedCall: the server cannot read what its own model wrote, or refuses its call.
	ErrMalformedCall ErrorKind = "malformed_call"
	// ErrPromptFilter: a filter of the provider stopped the prompt.
	ErrPromptFilter ErrorKind = "prompt_filter"
	// ErrStoreRefused: the endpoint takes no request that forbids it to store answers.
	ErrStoreRefused ErrorKind = "store_refused"
	// ErrBadRequest: any other HTTP 4xx.
	ErrBadRequest ErrorKind = "bad_request"
	// ErrServer: HTTP 5xx that persisted through the retries.
	ErrServer ErrorKind = "server_error"
	// ErrDNS: the host name does not resolve.
	ErrDNS ErrorKind = "dns"
	// ErrTLS: the certificate or handshake was refused.
	ErrTLS ErrorKind = "tls"
	// ErrConnection: refused, reset or closed before a complete response.
	ErrConnection ErrorKind = "connection"
	// ErrMalformed: a 200 whose body is not a response: HTML, null, cut JSON.
	ErrMalformed ErrorKind = "malformed_body"
	// ErrErrorObject: a 200 whose body is an error object that names no status or cause.
	ErrErrorObject ErrorKind = "error_object"
	// ErrTooLarge: a body larger than any answer within the model's context window.
	ErrTooLarge ErrorKind = "body_too_large"
	// ErrChatCompletions: a 200 with an answer of the Chat Completions API.
	ErrChatCompletions ErrorKind = "chat_completions"
	// ErrForeignObject: a 200 of another API.
	ErrForeignObject ErrorKind = "foreign_object"
	// ErrFailedResponse: a response with status "failed", or with an error in it, that names no
	// status or cause.
	ErrFailedResponse ErrorKind = "failed_response"
	// ErrCancelledResponse: a response with status "cancelled".
	ErrCancelledResponse ErrorKind = "cancelled_response"
	// ErrUnfinishedResponse: a response with status "in_progress" or "queued". It
	// was not asked to run in the background, so nothing more will come of it.
	ErrUnfinishedResponse ErrorKind = "unfinished_response"
	// ErrSeat: no model was asked but a seat, which made no move. The code of the failure says why.
	ErrSeat ErrorKind = "seat"
)

// Text is a failure on one line. The status of a response is in its message.
func (f *Failure) Text() string { return strings.TrimSuffix(string(f.Kind)+": "+f.Message, ": ") }

// Came reports whether the endpoint took the request and its model answered, but not with a response.
func (f *Failure) Came() bool {
	return f != nil && (f.Status >= 200 && f.Status < 300 || f.Kind == ErrMalformedCall)
}

// Neutral reports whether the failure says nothing about the endpoint: it is about this one prompt.
func (f *Failure) Neutral() bool { return f != nil && f.Kind == ErrPromptFilter }

// Fatal reports whether no later call can succeed, if the endpoint has not answered yet. The run should
// then stop. From an endpoint that has answered, the failure may pass.
func (k ErrorKind) Fatal() bool {
	switch k {
	case ErrAuth, ErrForbidden, ErrModelNotFound, ErrQuota, ErrDNS, ErrTLS, ErrStoreRefused:
		return true
	}
	return false
}

// Outage reports whether the failure is about the way to the model (a server that is down, a refused key,
// a timeout) and not about the request or the answer.
func (k ErrorKind) Outage() bool {
	return k.Fatal() || slices.Contains([]ErrorKind{ErrTimeout, ErrRateLimited, ErrWrongPath, ErrProxy, ErrServer,
		ErrConnection}, k)
}

// Failed returns an answer that is a failure.
func Failed(kind ErrorKind, message string) Answer {
	return Answer{Failure: &Failure{Kind: kind, Message: message}}
}
