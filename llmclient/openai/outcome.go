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
		reply, failure := c.decode(x)
		return outcome{reply: reply, failure: failure}
	case ended(ctx) != nil:
		return outcome{failure: ended(ctx)}
	case x.timedOut:
		return outcome{failure: &llmclient.Failure{Kind: llmclient.ErrTimeout, Message: "no answer within the request timeout"}}
	case x.cut > 0:
		return outcome{failure: &llmclient.Failure{
			Kind: llmclient.ErrTooLarge, Status: x.status,
			Message: fmt.Sprintf("HTTP %d with a body of more than %d bytes, which no answer within the context window has", x.status, x.cut),
		}}
	}
	return c.lost(x.err)
}

// Codes of the error objects that decide a kind.
const (
	codeModel = "model_not_found"
	codeQuota = "insufficient_quota"
)

// refused judges a response whose status is not a success. Some gateways know
// that a retry is useless and say so in a header; they are believed.
func (c *Client) refused(x exchange) outcome {
	problem := readProblem(x.body)
	kind, passing := statusKind(x.status, problem)
	text := cmp.Or(problem.message, problem.name())
	if text == "" {
		text = x.describe()
	}
	message, place := fmt.Sprintf("HTTP %d: %s", x.status, text), x.header.Get("Location")
	switch {
	case x.status < 400 && place != "":
		// Query and userinfo are left out, because servers put keys there.
		leads := "a place that is no URL"
		if u, err := c.base.endpoint().Parse(place); err == nil {
			leads = u.Scheme + "://" + u.Host + u.EscapedPath()
		}
		message = fmt.Sprintf("HTTP %d leads to %s, which is not followed: set the base URL to the final place", x.status, leads)
	case x.status == http.StatusNotFound && !problem.is(codeModel):
		// The URL is part of the text only where it is the likely cause, so that texts of
		// equal failures are equal in every run.
		message = fmt.Sprintf("HTTP 404 from %s: %s", cmp.Or(c.config.ShownURL, c.URL()), text)
	}
	return outcome{
		failure: &llmclient.Failure{Kind: kind, Status: x.status, Code: c.scrub.label(problem.name()), Message: c.scrub.message(message)},
		passing: passing && x.header.Get("X-Should-Retry") != "false",
		asked:   askedWait(x.header, time.Now()),
	}
}

// statusKind classifies a refused request by its status, and by the server's code
// where one status stands for several causes, and says whether the refusal may pass by
// itself. Servers outside OpenAI use 402 for an account without credit.
func statusKind(status int, p problem) (kind llmclient.ErrorKind, passing bool) {
	switch {
	case status == http.StatusUnauthorized:
		return llmclient.ErrAuth, false
	case status == http.StatusForbidden:
		return llmclient.ErrForbidden, false
	case (status == http.StatusNotFound || status == http.StatusBadRequest) && p.is(codeModel):
		return llmclient.ErrModelNotFound, false
	case status == http.StatusPaymentRequired, status == http.StatusTooManyRequests && p.is(codeQuota):
		return llmclient.ErrQuota, false
	case status == http.StatusTooManyRequests:
		return llmclient.ErrRateLimited, true
	case status >= 500:
		return llmclient.ErrServer, true
	}
	return llmclient.ErrBadRequest, status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooEarly
}
