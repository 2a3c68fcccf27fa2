package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
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
	refused problem        // what the server says about a request that it does not take
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
		return c.decode(x)
	case ended(ctx) != nil:
		return outcome{failure: ended(ctx)}
	case x.timedOut:
		return outcome{failure: &llmclient.Failure{Kind: llmclient.ErrTimeout,
			Message: "no answer within the request timeout"}}
	case x.cut > 0:
		return outcome{failure: &llmclient.Failure{
			Kind: llmclient.ErrTooLarge, Status: x.status,
			Message: fmt.Sprintf("HTTP %d with a body of more than %d bytes, which no answer within the context window has",
				x.status, x.cut),
		}}
	}
	return c.lost(x.err)
}

// refused judges a response whose status is not a success. Some gateways know
// that a retry is useless and say so in a header; they are believed.
func (c *Client) refused(x exchange) outcome {
	p := readProblem(x.body)
	text := cmp.Or(p.message, p.name())
	if text == "" {
		text = x.describe()
	}
	if p.param != "" && !strings.Contains(text, p.param) {
		text += " (" + p.param + ")" // it may be a setting, which users know by this name
	}
	got := c.judged(x, p, fmt.Sprintf("HTTP %d: %s", x.status, text))
	place := x.header.Get("Location")
	switch {
	case got.failure == nil:
	case x.status < 400 && place != "":
		// Query and userinfo are left out, because servers put keys there.
		leads := "a place that is no URL"
		if u, err := c.target().Parse(place); err == nil {
			leads = u.Scheme + "://" + u.Host + u.EscapedPath()
		}
		got.failure.Message = c.scrub.message(fmt.Sprintf(
			"HTTP %d leads to %s, which is not followed: set the base URL to the final place", x.status, leads))
	case got.failure.Kind == llmclient.ErrProxy && x.fromProxy():
		got.failure.Message = c.scrub.message(fmt.Sprintf(
			"HTTP %d from %s in the server's place: %s", x.status, x.proxyName(), text))
	case got.failure.Kind == llmclient.ErrWrongPath:
		// The URL is part of the text only where it is the likely cause, so that texts of
		// equal failures are equal in every run.
		got.failure.Message = c.scrub.message(fmt.Sprintf(
			"HTTP %d from %s: %s", x.status, cmp.Or(c.config.ShownURL, c.URL()), text))
	}
	return got
}

// judged is what an error amounts to, whether it has the status of a response or stands in one of a
// success. message explains it. An error that says that the answer was cut is an answer that was.
func (c *Client) judged(x exchange, p problem, message string) outcome {
	status := x.status
	switch {
	case status < 300:
		status = p.statusOf()
	case p.inner && (status == http.StatusBadRequest || status >= 500):
		status = p.status // of the server below, which the gateway repeats
	case status == http.StatusBadRequest && saysLater.MatchString(p.words()):
		if by := p.statusByWords(); by == http.StatusTooManyRequests || by == http.StatusServiceUnavailable {
			status = by
		}
	}
	p.status = cmp.Or(status, http.StatusBadRequest)
	kind, passing := x.kind(p)
	if kind == llmclient.ErrMalformedCall && saysCut.MatchString(p.words()) {
		cut := &llmclient.Reply{Status: "incomplete", IncompleteReason: reasonLength, Repairs: []string{repairCutError}}
		return outcome{reply: cut}
	}
	f := &llmclient.Failure{Kind: kind, Status: p.status, Code: c.scrub.label(p.name())}
	if kind == llmclient.ErrContext {
		f.WindowTokens, f.PromptTokens = p.window, p.prompt
		message += sizesText(p)
	}
	f.Message = c.scrub.message(message)
	return outcome{
		failure: f, passing: passing && x.header.Get("X-Should-Retry") != "false",
		asked: askedWait(x.header, time.Now()), refused: p, tierFull: x.tierFull(p),
	}
}

// sizesText names the sizes that a server sent and that its message lacks.
func sizesText(p problem) (text string) {
	for _, size := range []struct {
		what string
		n    int
	}{{"prompt", p.prompt}, {"window", p.window}} {
		if size.n > 0 && !strings.Contains(p.message, fmt.Sprint(size.n)) {
			text += fmt.Sprintf("; %s of %d tokens", size.what, size.n)
		}
	}
	return text
}

// repairCutError names an answer that was cut and that its server could only report as an error.
const repairCutError = "cut_as_error"

// What servers write about a refusal, in their code, type and message. Every dialect has
// its own words, so that none of them decides alone: status, field and model count too.
var (
	saysScheme = regexp.MustCompile(`plain http request|http request to an https`)
	saysQuota  = regexp.MustCompile(
		`insufficient (user )?(quota|credit|balance|fund)|balance (is )?insufficient|额度不足|余额不足|欠费|key limit exceeded|(monthly|weekly) (usage |spend\w* )?limit|credit (balance|limit)|out of credit|used all available credit|any credits|budget (has been )?exceeded|spending limit|billing (hard|not)`)
	saysKey     = regexp.MustCompile(`\b(api|access|subscription) ?key\b`)
	saysModel   = regexp.MustCompile(`\b(model|deployment)s?\b|模型`)
	saysMissing = regexp.MustCompile(
		`not (be )?(a valid|found|exist|available|loaded|supported by any)|(does ?n.t|do not|does not) exist|inaccessible|decommissioned|not a supported model|not deployed|\bretired\b|discontinued|不存在|unable to access|not have access|no (such|models?|endpoints?|allowed providers|deployments?)\b|try pulling`)
	codeModel = regexp.MustCompile(
		`model ?(not|is not|decommissioned|unavailable|deprecated)|(invalid|unknown) ?model|deployment ?not ?found`)
	sureModel = regexp.MustCompile(
		`模型不存在|\bmodel (not|does not|does ?n.t) (exist|found)|(invalid|unknown|no such|not a valid) model|models? (is |are )?(not )?loaded`)
	saysLong = regexp.MustCompile(
		`range of input length|上下文|长度超|context ?(length|window|size)|(maximum|max) (model |sequence |input |context )*(length|len|tokens)|reduce the length|too many (input )?tokens|(prompt|inputs?|request|messages?)\b.{0,80}(too (long|large)|exceed|longer than|less than)|tokens?\b.{0,60}(exceed|<= \d)`)
	saysTokens = regexp.MustCompile(`token|input length|长度|context|prompt|window|too long for`)
	saysPath   = regexp.MustCompile(`not ?found|no route|cannot post|url|path|endpoint|page|resource|method`)

	// saysRoom finds that the length which an answer may have is refused, unless saysPrompted finds that
	// it is too much together with the prompt.
	saysRoom = regexp.MustCompile(
		"\\bmax (output |completion |new )?tokens\\b['\"`]? ?(must|should|cannot|has to|is too|exceeds)")
	saysPrompted = regexp.MustCompile(`\b(prompt|inputs?|messages?|your request|context length)\b`)
	// saysLater finds that the same request may be taken later.
	saysLater = regexp.MustCompile(`\b(try|retry) (it |this |the request )?(again|later|in \d)|\btry again\b`)

	// saysCall finds what servers say that cannot read the output of their own model, or that checked
	// its call and refuse it. saysCut finds that this output ended too early.
	saysCall = anyOf(
		`tool use failed`, `failed generation`, `failed to call a function`, `tool call validation failed`,
		`did not call a tool`,
		`attempted to call tool`, `peg native`, `output .{0,40}(does not|did not|doesn.t) match`,
		`failed to parse (input at pos|(the )?(tool|function|model|assistant|generat|output|response|argument|fc|llm))`,
		`error parsing (tool|function|the (model|output))`, `could not parse .{0,30}(tool|function|model|output)`,
		`(invalid|malformed|unparsable|failed to (make|generate|create|produce) an? (valid )?)\s?(tool|function) call`,
		`unexpected tokens? .{0,40}message header`, `unexpected tool call`, `tool choice is \w+,? but`,
		`output is not valid json`,
		`validation errors? for list\[function wrap`, `harmony ?(error|pars)`,
	)
	saysCut = anyOf(`unexpected (end|eof)`, `end of (json )?input`, `eof while parsing`, `unterminated string`,
		`premature end`)

	// saysFilter finds that a filter stopped the prompt.
	saysFilter = anyOf(
		`content (filter|policy|management policy)`, `responsible ?ai ?policy`, `data inspection failed`,
		`invalid prompt([^ ]|$| [^c])`,
		`prompt ?(was |has been )?(flagged|blocked|filtered)`,
		`(requires|input|prompt|content|request).{0,40}(moderation|flagged)`,
		`safety (filter|system|policy)`, `guardrail`, `content exists risk`, `(prohibited|inappropriate) content`,
		`(violat|against)\w* .{0,30}(usage|content|safety) (polic|guideline)`, `不安全|敏感内容`,
	)
)

// anyOf matches what any of some expressions matches.
func anyOf(expressions ...string) *regexp.Regexp {
	return regexp.MustCompile(strings.Join(expressions, "|"))
}

// missingStatuses are those of models that are not there, apart from those of any bad request.
var missingStatuses = []int{http.StatusNotFound, http.StatusForbidden, http.StatusGone}

// kind classifies an error with its status, and says whether it may pass by itself.
func (x exchange) kind(p problem) (kind llmclient.ErrorKind, passing bool) {
	said, status := p.words(), p.status
	isJSON := strings.HasPrefix(p.message, "[") || strings.HasPrefix(p.message, "{") // a repetition of the request
	page := x.isPage()
	if p.message == "" && !isJSON && !page {
		said = plainWords(p.names + " " + string(x.body[:min(len(x.body), hintBytesMax)]))
	}
	sized := strings.ReplaceAll(said, "prompt cache", "cache") // whose key may be too long
	named := 0                                                 // hints that this is about the model
	for _, hint := range []bool{saysModel.MatchString(said), p.param == "model", len(x.model) > 2 &&
		strings.Contains(said, plainWords(x.model))} {
		if hint {
			named++
		}
	}
	coded := codeModel.MatchString(plainWords(p.names))
	missing := coded || sureModel.MatchString(said) || saysMissing.MatchString(said) &&
		(named > 1 || named > 0 && status == http.StatusNotFound)
	if saysRoom.MatchString(sized) && !saysPrompted.MatchString(sized) {
		sized = "" // it is about how long the answer may be
	}
	long := status == http.StatusRequestEntityTooLarge || saysLong.MatchString(sized) && saysTokens.MatchString(sized)
	invalid := status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
	blocked := invalid || status == http.StatusForbidden || status == http.StatusUnavailableForLegalReasons
	switch {
	case status >= 400 && x.fromProxy():
		passing := []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
		return llmclient.ErrProxy, slices.Contains(passing, status)
	case (invalid || status == http.StatusInternalServerError) && saysCall.MatchString(said):
		return llmclient.ErrMalformedCall, false
	case blocked && saysFilter.MatchString(said):
		return llmclient.ErrPromptFilter, false
	case !coded && !long && slices.Contains(refusing, status) && len(x.refuses(p)) > 0,
		status == http.StatusNotFound && len(x.refuses(p)) > 0:
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
	case status == http.StatusTooManyRequests, long &&
		(status == http.StatusInternalServerError || status == http.StatusRequestEntityTooLarge || invalid):
		return llmclient.ErrContext, false
	case status >= 500:
		return llmclient.ErrServer, true
	case invalid && saysScheme.MatchString(plainWords(string(x.body))):
		return llmclient.ErrTLS, false
	case missing && (invalid || slices.Contains(missingStatuses, status)):
		return llmclient.ErrModelNotFound, false
	case status == http.StatusForbidden:
		return llmclient.ErrForbidden, false
	case invalid && saysKey.MatchString(said):
		return llmclient.ErrAuth, false
	case status == http.StatusNotFound && (p.message == "" || p.param == "" && saysPath.MatchString(said)):
		return llmclient.ErrWrongPath, false
	}
	return llmclient.ErrBadRequest, status == http.StatusRequestTimeout || status == http.StatusConflict ||
		status == http.StatusTooEarly
}

// plainWords are the beginning of a text in small letters, with blanks between its words: those of a
// name are told by underscores, dashes or capitals.
func plainWords(text string) string {
	text = humps.ReplaceAllString(text[:min(len(text), hintBytesMax)], "$1 $2")
	return strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(text))
}

var humps = regexp.MustCompile(`([a-z])([A-Z])`)

// hintBytesMax bounds the words that are searched: a server may repeat the request, which
// holds texts of agents.
const hintBytesMax = 600
