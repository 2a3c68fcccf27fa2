package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"example.com/agentworld/llmclient"
)

// outcome is what one attempt means: a reply or a failure, never both.
type outcome struct {
	reply   *llmclient.Reply
	failure *llmclient.Failure
	passing bool           // the failure may pass: another attempt makes sense
	asked   *time.Duration // wait the server asked for; nil when it did not
}

// outcome judges an exchange. A complete response counts even when ctx or the
// timeout ended in the same moment: it is there, and it was paid for.
func (c *Client) outcome(ctx context.Context, x exchange) outcome {
	switch {
	case x.status >= 300:
		return c.refused(x)
	case x.whole:
		reply, failure := decoder{c.scrub}.decode(x)
		return outcome{reply: reply, failure: failure}
	case ended(ctx) != nil:
		return outcome{failure: ended(ctx)}
	case x.timedOut:
		return outcome{failure: &llmclient.Failure{Kind: llmclient.ErrTimeout, Message: "no answer within the request timeout"}}
	case x.cut:
		return outcome{failure: &llmclient.Failure{
			Kind: llmclient.ErrMalformed, Status: x.status,
			Message: fmt.Sprintf("HTTP %d with a body of more than %d bytes", x.status, BodyBytesMax),
		}}
	}
	return c.lost(x.err)
}

// refused judges a response whose status is not a success. Some gateways know
// that a retry is useless and say so in a header; they are believed.
func (c *Client) refused(x exchange) outcome {
	problem := readProblem(x.body)
	failure := &llmclient.Failure{
		Kind: statusKind(x.status, problem), Status: x.status,
		Code:    c.scrub.label(problem.name()),
		Message: c.scrub.message(c.refusal(x, problem)),
	}
	return outcome{
		failure: failure,
		passing: passing(x.status, failure.Kind) && x.header.Get("X-Should-Retry") != "false",
		asked:   askedWait(x.header, time.Now()),
	}
}

// refusal explains a refused request. A URL is part of it only where the URL is
// the likely cause, so that texts of equal failures are equal in every run.
func (c *Client) refusal(x exchange, p problem) string {
	leads := c.redirection(x)
	switch {
	case leads != "":
		return fmt.Sprintf("HTTP %d leads to %s, which is not followed: set the base URL to the final place", x.status, leads)
	case x.status == http.StatusNotFound && !p.is(codeModel):
		return fmt.Sprintf("HTTP 404 from %s: %s", cmp.Or(c.config.ShownURL, c.URL()), p.text(x))
	}
	return fmt.Sprintf("HTTP %d: %s", x.status, p.text(x))
}

// redirection returns where a redirect leads, "" for any other response. Query
// and userinfo are left out, because servers put keys there.
func (c *Client) redirection(x exchange) string {
	place := x.header.Get("Location")
	if x.status >= 400 || place == "" {
		return ""
	}
	u, err := c.base.endpoint().Parse(place)
	if err != nil {
		return "a place that is no URL"
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// Codes of the error objects that decide a kind.
const (
	codeModel = "model_not_found"
	codeQuota = "insufficient_quota"
)

// statusKind classifies a refused request by its status, and by the server's code
// where one status stands for several causes. Servers outside OpenAI use 402 for
// an account without credit.
func statusKind(status int, p problem) llmclient.ErrorKind {
	switch {
	case status == http.StatusUnauthorized:
		return llmclient.ErrAuth
	case status == http.StatusForbidden:
		return llmclient.ErrForbidden
	case (status == http.StatusNotFound || status == http.StatusBadRequest) && p.is(codeModel):
		return llmclient.ErrModelNotFound
	case status == http.StatusPaymentRequired, status == http.StatusTooManyRequests && p.is(codeQuota):
		return llmclient.ErrQuota
	case status == http.StatusTooManyRequests:
		return llmclient.ErrRateLimited
	case status >= 500:
		return llmclient.ErrServer
	}
	return llmclient.ErrBadRequest
}

// passing reports whether a refusal may pass by itself. The kind is asked first:
// of the two kinds behind 429 only one passes.
func passing(status int, kind llmclient.ErrorKind) bool {
	switch kind {
	case llmclient.ErrRateLimited, llmclient.ErrServer:
		return true
	}
	return status == http.StatusRequestTimeout || status == http.StatusConflict
}
