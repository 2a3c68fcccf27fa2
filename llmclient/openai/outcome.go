package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"example.com/agentworld/llmclient"
)

// outcome is what one attempt means: a reply or a failure, never both.
type outcome struct {
	reply   *llmclient.Reply
	failure *llmclient.Failure
	passing bool           // the failure may pass: another attempt makes sense
	asked   *time.Duration // wait the server asked for; nil when it did not
	refuses []string       // the members of the request that the server does not take
	// tierFull says that the service tier that was asked for has no room.
	tierFull bool
}

// outcome judges an exchange. A complete response counts even when ctx or the
// timeout ended in the same moment: it is there, and it was paid for.
func (c *Client) outcome(ctx context.Context, x exchange) outcome {
	if x.whole {
		x.unstream()
		if c.config.Response != nil {
			c.config.Response(x.body)
		}
	}
	switch {
	case x.status >= 300:
		return c.refused(x)
	case x.whole:
		reply, failure := c.decode(x)
		got := outcome{reply: reply, failure: failure}
		if failure != nil && failure.Kind == llmclient.ErrErrorObject { // some servers refuse under a success status
			x.status = http.StatusBadRequest
			got.refuses = x.refuses(readProblem(x.body))
		}
		return got
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

// refused judges a response whose status is not a success. Some gateways know
// that a retry is useless and say so in a header; they are believed.
func (c *Client) refused(x exchange) outcome {
	problem := readProblem(x.body)
	kind, passing := x.kind(problem)
	text := cmp.Or(problem.message, problem.name())
	if text == "" {
		text = x.describe()
	}
	if p := problem.param; p != "" && !strings.Contains(text, p) {
		text += " (" + p + ")" // it may be a setting, which users know by this name
	}
	message, place := fmt.Sprintf("HTTP %d: %s", x.status, text), x.header.Get("Location")
	switch {
	case x.status < 400 && place != "":
		// Query and userinfo are left out, because servers put keys there.
		leads := "a place that is no URL"
		if u, err := c.target().Parse(place); err == nil {
			leads = u.Scheme + "://" + u.Host + u.EscapedPath()
		}
		message = fmt.Sprintf("HTTP %d leads to %s, which is not followed: set the base URL to the final place", x.status, leads)
	case kind == llmclient.ErrWrongPath:
		// The URL is part of the text only where it is the likely cause, so that texts of
		// equal failures are equal in every run.
		message = fmt.Sprintf("HTTP %d from %s: %s", x.status, cmp.Or(c.config.ShownURL, c.URL()), text)
	}
	return outcome{
		failure: &llmclient.Failure{Kind: kind, Status: x.status, Code: c.scrub.label(problem.name()), Message: c.scrub.message(message)},
		passing: passing && x.header.Get("X-Should-Retry") != "false",
		asked:   askedWait(x.header, time.Now()), refuses: x.refuses(problem), tierFull: x.tierFull(problem),
	}
}

// What servers write about a refusal, in their code, type and message. Every dialect has
// its own words, so that none of them decides alone: status, field and model count too.
var (
	saysScheme  = regexp.MustCompile(`plain http request|http request to an https`)
	saysQuota   = regexp.MustCompile(`insufficient (quota|credit|balance|fund)|credit (balance|limit)|out of credit|used all available credit|any credits|budget (has been )?exceeded|spending limit|billing (hard|not)`)
	saysKey     = regexp.MustCompile(`\b(api|access|subscription) ?key\b`)
	saysModel   = regexp.MustCompile(`\b(model|deployment)s?\b`)
	saysMissing = regexp.MustCompile(`not (be )?(a valid|found|exist|available|loaded|supported by any)|(does ?n.t|do not|does not) exist|inaccessible|decommissioned|unable to access|not have access|no (such|models?|endpoints?|allowed providers|deployments?)\b|try pulling`)
	codeModel   = regexp.MustCompile(`model ?(not|is not|decommissioned|unavailable|deprecated)|(invalid|unknown) ?model|deployment ?not ?found`)
	sureModel   = regexp.MustCompile(`\bmodel (not|does not|does ?n.t) (exist|found)|(invalid|unknown|no such|not a valid) model|models? (is |are )?(not )?loaded`)
	saysLong    = regexp.MustCompile(`context ?(length|window|size)|(maximum|max) (model |sequence |input |context )*(length|len|tokens)|reduce the length|too many (input )?tokens|(prompt|inputs?|request|messages?)\b.{0,80}(too (long|large)|exceed|longer than|less than)|tokens?\b.{0,60}(exceed|<= \d)`)
	saysTokens  = regexp.MustCompile(`token|context|prompt|window|too long for`)
	saysPath    = regexp.MustCompile(`not ?found|no route|cannot post|url|path|endpoint|page|resource|method`)
)

// kind classifies a refused request, and says whether the refusal may pass by itself.
func (x exchange) kind(p problem) (kind llmclient.ErrorKind, passing bool) {
	words, status := p.message, x.status
	page := strings.HasPrefix(strings.TrimSpace(string(x.body[:min(len(x.body), hintBytesMax)])), "<")
	if strings.HasPrefix(words, "[") || strings.HasPrefix(words, "{") || words == "" && page {
		words = "" // a page, or a repetition of the request
	} else if words == "" {
		words = string(x.body)
	}
	said := plainWords(p.code + " " + p.kind + " " + words[:min(len(words), hintBytesMax)])
	named := 0 // hints that this is about the model
	for _, hint := range []bool{saysModel.MatchString(said), p.param == "model", len(x.model) > 2 && strings.Contains(said, plainWords(x.model))} {
		if hint {
			named++
		}
	}
	coded := codeModel.MatchString(plainWords(p.code)) || codeModel.MatchString(plainWords(p.kind))
	missing := coded || sureModel.MatchString(said) || saysMissing.MatchString(said) && (named > 1 || named > 0 && status == http.StatusNotFound)
	long := status == http.StatusRequestEntityTooLarge || saysLong.MatchString(said) && saysTokens.MatchString(said)
	invalid := status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
	switch {
	case !coded && !long && len(x.refuses(p)) > 0:
		return llmclient.ErrBadRequest, false
	case status < 400, status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		return llmclient.ErrWrongPath, false
	case status == http.StatusProxyAuthRequired:
		return llmclient.ErrProxy, false
	case status == http.StatusPaymentRequired, status < 500 && saysQuota.MatchString(said):
		return llmclient.ErrQuota, false
	case status == http.StatusUnauthorized:
		return llmclient.ErrAuth, false
	case status == http.StatusTooManyRequests && !strings.Contains(said, "request too large"):
		return llmclient.ErrRateLimited, true
	case status == http.StatusTooManyRequests, long && (status == http.StatusInternalServerError || status == http.StatusRequestEntityTooLarge || invalid):
		return llmclient.ErrContext, false
	case status >= 500:
		return llmclient.ErrServer, true
	case invalid && saysScheme.MatchString(plainWords(string(x.body))):
		return llmclient.ErrTLS, false
	case missing && (invalid || status == http.StatusNotFound || status == http.StatusForbidden):
		return llmclient.ErrModelNotFound, false
	case status == http.StatusForbidden:
		return llmclient.ErrForbidden, false
	case invalid && saysKey.MatchString(said):
		return llmclient.ErrAuth, false
	case status == http.StatusNotFound && (p.message == "" || p.param == "" && saysPath.MatchString(said)):
		return llmclient.ErrWrongPath, false
	}
	return llmclient.ErrBadRequest, status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooEarly
}

// plainWords are the beginning of a text in small letters, with blanks between its words.
func plainWords(text string) string {
	return strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(text[:min(len(text), hintBytesMax)]))
}

// hintBytesMax bounds the words that are searched: a server may repeat the request, which
// holds texts of agents.
const hintBytesMax = 600
