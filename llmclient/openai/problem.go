package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"example.com/agentworld/llmclient"
)

// problem is what a server says about a failure. All fields may be empty. A gateway often passes on
// what the server below it said, as an object or as a text that is JSON: then code, param and
// message are of the innermost level that has them.
type problem struct {
	code    string
	kind    string // the "type" of an error object
	param   string
	message string
	// names are the codes and types of all levels, around the messages that a deeper one replaced.
	names, around string
	// status is the HTTP status that the error itself names, 0 for none; inner says that a level
	// below the first named it.
	status int
	inner  bool
	// window and prompt are the sizes in tokens that the server names, 0 for none.
	window, prompt int
}

// nestedMax bounds the levels of an error within an error.
const nestedMax = 5

// readProblem reads the error from a body. Servers write it as an object or a
// text under "error", as "detail", or with its fields at the top level.
func readProblem(body []byte) problem {
	p := problemIn(body, 0)
	p.readSizes()
	return p
}

// problemIn reads the error of one level and those below it.
func problemIn(raw json.RawMessage, level int) problem {
	top := llmclient.MembersOf(raw)
	if list, _ := llmclient.Elements(raw, itemsMax); len(list) > 0 {
		top = llmclient.MembersOf(list[0]) // some servers wrap the object in a list
	}
	if errors, _ := llmclient.Elements(top["errors"], itemsMax); len(errors) > 0 && !llmclient.Given(top["error"]) {
		top["error"] = errors[0]
	}
	p := errorObject(top, level)
	if llmclient.Given(top["error"]) {
		if inner := errorValue(top["error"], level); inner.says() {
			p = p.over(inner, false)
		}
	}
	return p
}

// errorValue reads the value of an "error" field: null, a text or an object.
func errorValue(raw json.RawMessage, level int) problem {
	if object := llmclient.MembersOf(raw); object != nil {
		p := errorObject(object, level)
		if llmclient.Given(object["error"]) && level < nestedMax {
			p = p.over(errorValue(object["error"], level+1), true)
		}
		return p
	}
	return errorText(llmclient.TextOf(raw), level)
}

// below are the members in which gateways pass on the error of the server below them.
var below = []string{
	"raw", "metadata", "innererror", "inner_error", "cause", "upstream", "upstream_error", "provider_error",
	"original_error",
}

// errorObject reads the members of an error object; any of them may be missing.
func errorObject(m llmclient.Members, level int) problem {
	p := problem{
		code: llmclient.TextOf(m["code"]), kind: llmclient.TextOf(m["type"]),
		param: cmp.Or(llmclient.TextOf(m["param"]), pathOf(m)),
	}
	p.names = p.code + " " + p.kind
	for _, name := range []string{"code", "status", "status_code", "http_status", "http_code"} {
		if n, _ := strconv.Atoi(llmclient.TextOf(m[name])); p.status == 0 && isFailing(n) {
			p.status = n
		} else if n == 0 && name == "status" {
			p.names += " " + llmclient.TextOf(m[name])
		}
	}
	p.window, p.prompt = int(count(m["n_ctx"])), int(count(m["n_prompt_tokens"]))
	for _, name := range []string{"message", "detail", "msg", "error_message", "error_msg", "status_msg"} {
		if text := llmclient.TextOf(m[name]); text != "" {
			p = p.over(errorText(text, level), false)
			break
		}
	}
	for _, name := range below {
		if llmclient.Given(m[name]) && level < nestedMax {
			p = p.over(errorValue(m[name], level+1), true)
		}
	}
	return p
}

// pathOf is the place of a fault in the request, where a server lists its steps.
func pathOf(m llmclient.Members) string {
	for _, name := range []string{"loc", "path"} {
		steps, _ := llmclient.Elements(m[name], itemsMax)
		var words []string
		for _, step := range steps {
			words = append(words, llmclient.TextOf(step))
		}
		if len(words) > 0 {
			return strings.Join(words, ".")
		}
	}
	return ""
}

// statusFront matches the HTTP status at the beginning of a text, and statusWithin one that is
// named as such further on. statusBelow matches the refusal of a server below, which some gateways report as
// a failure of theirs.
var (
	statusFront = regexp.MustCompile(
		`(?i)^\s*(?:error|http|status|api)?(?:[ _](?:error|status|code))*[: (\[]*([45]\d\d)\b\)?[\s:,.\]-]*`)
	statusBelow = regexp.MustCompile(
		`(?i)\b(?:upstream|provider|backend|server|response)\b[^.0-9]{0,30}\b(?:returned|responded|replied|status|code|http|error)\b[^0-9.]{0,20}\b(400|422)\b`)
	statusWithin = regexp.MustCompile(
		`(?i)\b(?:http|status|error)(?:[ _/.](?:error|status|code|1\.1|2))*[: =(]{1,3}([45]\d\d)\b`)
)

// isFailing reports whether n is a status of HTTP, or of a large gateway, that is a failure.
func isFailing(n int) bool {
	if n >= 400 && http.StatusText(n) != "" {
		return true
	}
	return n == 499 || n >= 520 && n <= 530
}

// errorText reads an error that is a text. A status at its beginning and JSON within it are read as
// if they stood in fields of their own.
func errorText(text string, level int) problem {
	text = text[:min(len(text), cleanBytesMax)]
	p := problem{message: text}
	rest := text
	if found := statusFront.FindStringSubmatch(text); found != nil {
		if n, _ := strconv.Atoi(found[1]); isFailing(n) {
			p.status, p.inner = n, true
			rest = text[len(found[0]):]
		}
	}
	if p.status == 0 {
		if found := statusWithin.FindStringSubmatch(text); found != nil {
			if n, _ := strconv.Atoi(found[1]); isFailing(n) {
				p.status = n // it may be about something else, so that a status of its own goes before it
			}
		}
		if found := statusBelow.FindStringSubmatch(text); found != nil {
			p.status, _ = strconv.Atoi(found[1])
			p.inner = true
		}
	}
	at := strings.IndexAny(rest, "{[")
	if at < 0 || level >= nestedMax {
		return p
	}
	json := bytes.TrimSpace([]byte(rest[at:]))
	if end := bytes.LastIndexAny(json, "}]"); end >= 0 {
		json = json[:end+1]
	}
	if inner := problemIn(json, level+1); inner.says() || inner.param != "" {
		return p.over(inner, true)
	}
	return p
}

// over is p with what a deeper level, or a text of p, says more exactly.
func (p problem) over(inner problem, deeper bool) problem {
	if inner.message != "" && p.message != "" {
		front, _, _ := strings.Cut(p.message, "{") // what is JSON was read, or repeats the request
		front, _, _ = strings.Cut(front, "[")
		p.around += " " + front
	}
	p.message = cmp.Or(inner.message, p.message)
	if _, err := strconv.Atoi(p.code); p.code == "" || err == nil && inner.code != "" {
		p.code = inner.code
	}
	p.kind = cmp.Or(p.kind, inner.kind)
	p.param = cmp.Or(inner.param, p.param)
	p.names = strings.TrimSpace(p.names + " " + inner.names)
	p.around += inner.around
	if inner.status != 0 {
		p.status, p.inner = inner.status, deeper || inner.inner
	}
	p.window, p.prompt = cmp.Or(inner.window, p.window), cmp.Or(inner.prompt, p.prompt)
	return p
}

// says reports whether anything was said.
func (p problem) says() bool { return p.message != "" || p.code != "" || p.kind != "" || p.status != 0 }

// name returns the code, or the type where there is no code.
func (p problem) name() string { return cmp.Or(p.code, p.kind) }

// words are what is searched for hints: all codes, and the messages, in small letters with blanks
// between the words. A message that is JSON is a repetition of the request, and left out.
func (p problem) words() string {
	message := p.message
	if strings.HasPrefix(message, "[") || strings.HasPrefix(message, "{") {
		message = ""
	}
	return plainWords(p.names + " " + message[:min(len(message), hintBytesMax)] + " " + p.around)
}

// statusWords are the words by which an error without a status is known, in their order.
var statusWords = []struct {
	status int
	words  *regexp.Regexp
}{
	{http.StatusTooManyRequests, regexp.MustCompile(
		`rate limit|too many requests|resource (exhausted|unavailable)|capacity exceeded|at capacity|throttl`)},
	{http.StatusGatewayTimeout, regexp.MustCompile(`gateway time ?out|deadline exceeded|\btimed? ?out\b`)},
	{http.StatusServiceUnavailable,
		regexp.MustCompile(`overloaded|(service|temporarily|currently) unavailable|^unavailable\b|server (is )?busy`)},
	{http.StatusBadGateway, regexp.MustCompile(`bad gateway|upstream (connect )?error`)},
	{http.StatusInternalServerError, regexp.MustCompile(`server error|internal error|internal server|^internal\b`)},
	{http.StatusUnauthorized, regexp.MustCompile(`invalid api key|authentication error|unauthenticated|unauthorized`)},
	{http.StatusForbidden, regexp.MustCompile(`permission (denied|error)|^forbidden\b`)},
}

// statusOf is the HTTP status that an error under a success status is, 0 where nothing says it.
// Codes go before words.
func (p problem) statusOf() int {
	if p.status != 0 {
		return p.status
	}
	return p.statusByWords()
}

// statusByWords is the status that codes and words of an error say it has, 0 for none.
func (p problem) statusByWords() int {
	for _, words := range []string{plainWords(strings.TrimSpace(p.names)), plainWords(p.message)} {
		for _, s := range statusWords {
			if s.words.MatchString(words) {
				return s.status
			}
		}
	}
	return 0
}

// The sizes of a window and of a prompt in the words of servers.
var (
	saysWindow = regexp.MustCompile(
		`(?:context ?(?:length|size|window)|maximum(?: number of tokens)?(?: allowed)?|\blimit|>)[^0-9]{0,40}?(\d{3,9})\b`)
	saysPrompt = regexp.MustCompile(
		`(?:requested|resulted in|contains|too long:|request|prompt|inputs?(?: token count)?|messages?|keep the first)` +
			`[^0-9]{0,40}?(\d{3,9})\b`)
)

// readSizes reads the sizes from the message where no field has them. A prompt that is no longer
// than the window is none.
func (p *problem) readSizes() {
	text := plainWords(strings.ReplaceAll(p.message, ",", ""))
	number := func(says *regexp.Regexp) int {
		for _, found := range says.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(found[1]) // at most nine digits
			return n
		}
		return 0
	}
	if p.window == 0 && saysTokens.MatchString(text) && saysLong.MatchString(text) {
		p.window = number(saysWindow)
	}
	if p.prompt == 0 && p.window > 0 {
		p.prompt = number(saysPrompt)
	}
	if p.prompt <= p.window {
		p.prompt = 0
	}
}

// describe says what a body looks like, for a reader who expected a response.
func (x exchange) describe() string {
	kind := cmp.Or(x.header.Get("Content-Type"), "no content type")
	if x.unread != "" {
		return x.unread
	}
	if len(x.body) == 0 {
		return fmt.Sprintf("an empty body (%s)", kind)
	}
	return fmt.Sprintf("a body of %d bytes (%s) that begins with %s", len(x.body), kind,
		x.body[:min(len(x.body), cleanBytesMax)])
}
