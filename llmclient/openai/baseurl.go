package openai

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// BaseURLDefault is where requests go when no base URL is configured.
const BaseURLDefault = "https://api.openai.com/v1"

// BaseURL is a normalized place of a Responses API. Make one with [ParseBaseURL].
//
// Invariants:
//  1. The scheme is http or https and the host is not empty.
//  2. There is no userinfo, no fragment and no trailing slash.
//  3. The query, which may hold a key, is printed only with its secrets masked.
type BaseURL struct {
	place string // scheme, host and escaped path
	query Secret // raw query without the question mark
}

var (
	schemed   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	operation = regexp.MustCompile(`(/chat/completions|/responses)$`)
)

// ParseBaseURL normalizes what a user wrote. Surrounding space is ignored;
// "http://" is assumed for localhost, 127.x.x.x and [::1]; one trailing
// "/chat/completions" or "/responses" is cut; "/v1" is appended when no path is
// left; any other path and the query are kept.
//
// An error is one line, says what is allowed and never repeats the text, which
// may hold a secret.
func ParseBaseURL(s string) (BaseURL, error) {
	const form = ": write scheme://host[:port][/path][?query], such as " + BaseURLDefault
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return BaseURL{}, errors.New("base URL is empty" + form)
	case schemed.MatchString(s):
	case loopback(s):
		s = "http://" + s
	default:
		return BaseURL{}, errors.New(
			"base URL has no scheme: write http:// or https:// before the host (it may be left out only for localhost, " +
				"127.x.x.x and [::1])")
	}
	u, err := url.Parse(s)
	if err != nil {
		return BaseURL{}, errors.New("base URL cannot be read" + form)
	}
	// url.Parse checks no more of a port than that it has digits.
	port, badPort := strconv.Atoi(cmp.Or(u.Port(), "80"))
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return BaseURL{}, fmt.Errorf("base URL has the scheme %.20q: only http and https are allowed", u.Scheme)
	case u.User != nil:
		return BaseURL{}, errors.New(
			"base URL holds a user or password: only host, path and query are allowed, a key belongs in the API key setting")
	case strings.Contains(s, "#"):
		return BaseURL{}, errors.New("base URL holds a fragment (#): only host, path and query are allowed")
	case u.Hostname() == "":
		return BaseURL{}, errors.New("base URL has no host" + form)
	case badPort != nil || port < 1 || port > 65535:
		return BaseURL{}, errors.New("base URL has a port out of range: 1 to 65535 are allowed")
	case !printable(u.RawQuery):
		return BaseURL{}, errors.New(
			"base URL has a query with spaces or special characters: only percent-encoded text is allowed")
	}
	// Only an absent path gets "/v1". Many servers have the API elsewhere, so a path that
	// the user wrote is kept.
	path := strings.TrimRight(u.EscapedPath(), "/")
	path = cmp.Or(strings.TrimRight(operation.ReplaceAllString(path, ""), "/"), "/v1")
	origin := url.URL{Scheme: u.Scheme, Host: u.Host}
	return BaseURL{place: origin.String() + path, query: NewSecret(u.RawQuery)}, nil
}

// loopback reports whether s, which has no scheme, begins with a loopback host.
func loopback(s string) bool {
	host, _, _ := strings.Cut(s, "/")
	host, _, _ = strings.Cut(host, "?")
	host, _, _ = strings.Cut(host, "#")
	// Userinfo is refused later, with an error of its own.
	host = host[strings.LastIndex(host, "@")+1:]
	u := url.URL{Host: host}
	if strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.IsLoopback() && (addr.Is4() || strings.HasPrefix(host, "["))
}

// printable reports whether s holds nothing but visible ASCII characters.
func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// String returns the effective base URL for printing: query values that look like
// secrets are masked.
func (b BaseURL) String() string { return b.shown("") }

// shown is String with an operation after the path.
func (b BaseURL) shown(operation string) string {
	masked, _ := maskedQuery(b.query.Reveal())
	return b.place + operation + masked
}

// Equal reports whether both lead to the same place, query included.
func (b BaseURL) Equal(other BaseURL) bool {
	return b.place == other.place && b.query.Reveal() == other.query.Reveal()
}

// Format writes what String returns, for every verb.
func (b BaseURL) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, b.String()) }

// endpoint returns the URL that requests are posted to, secrets included.
func (b BaseURL) endpoint() *url.URL {
	u, err := url.Parse(b.place + "/responses")
	if err != nil {
		panic("openai: a normalized base URL must be a URL: " + b.place)
	}
	u.RawQuery = b.query.Reveal()
	return u
}

// plainValueMax is the longest query value that is printed: versions and
// deployment names are shorter, keys are longer.
const plainValueMax = 24

// secretName matches the names under which gateways take keys. A harmless value
// that is masked costs little, a key that is printed costs much, so it is wide.
var secretName = regexp.MustCompile(`(?i)key|token|secret|pass|pwd|sig|auth|cred|sas|code`)

// maskedQuery returns a raw query with its question mark, every value that looks like a
// secret replaced, and those values, as written and decoded. A parameter looks like a
// secret by its name, by its value or, when it has none, by its own length. The order of
// the parameters is kept.
func maskedQuery(raw string) (masked string, secrets []string) {
	if raw == "" {
		return "", nil
	}
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		name, value, named := strings.Cut(pair, "=")
		switch {
		case !named && len(name) > plainValueMax:
			value, pairs[i] = name, secretMark
		case named && value != "" && (secretName.MatchString(unescaped(name)) || len(value) > plainValueMax ||
			tokenText.MatchString(value)):
			pairs[i] = name + "=" + secretMark
		default:
			continue
		}
		secrets = append(secrets, value, unescaped(value))
	}
	return "?" + strings.Join(pairs, "&"), secrets
}

// unescaped returns s decoded, or as it is when it cannot be decoded.
func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}
