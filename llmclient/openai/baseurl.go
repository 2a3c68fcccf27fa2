package openai

import (
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
	s, err := withScheme(strings.TrimSpace(s))
	if err != nil {
		return BaseURL{}, err
	}
	u, err := url.Parse(s)
	if err != nil {
		return BaseURL{}, errors.New("base URL cannot be read: write scheme://host[:port][/path][?query], such as " + BaseURLDefault)
	}
	if err := admissible(u, strings.Contains(s, "#")); err != nil {
		return BaseURL{}, err
	}
	origin := url.URL{Scheme: u.Scheme, Host: u.Host}
	return BaseURL{place: origin.String() + apiPath(u.EscapedPath()), query: NewSecret(u.RawQuery)}, nil
}

// withScheme returns s with a scheme, which may be absent for loopback hosts only.
func withScheme(s string) (string, error) {
	switch {
	case s == "":
		return "", errors.New("base URL is empty: write scheme://host[:port][/path][?query], such as " + BaseURLDefault)
	case schemed.MatchString(s):
		return s, nil
	case loopback(s):
		return "http://" + s, nil
	}
	return "", errors.New("base URL has no scheme: write http:// or https:// before the host (it may be left out only for localhost, 127.x.x.x and [::1])")
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

// admissible says why u cannot be a base URL.
func admissible(u *url.URL, fragment bool) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("base URL has the scheme %.20q: only http and https are allowed", u.Scheme)
	case u.User != nil:
		return errors.New("base URL holds a user or password: only host, path and query are allowed, a key belongs in the API key setting")
	case fragment:
		return errors.New("base URL holds a fragment (#): only host, path and query are allowed")
	case u.Hostname() == "":
		return errors.New("base URL has no host: write scheme://host[:port][/path][?query], such as " + BaseURLDefault)
	case !validPort(u.Port()):
		return errors.New("base URL has a port out of range: 1 to 65535 are allowed")
	case !printable(u.RawQuery):
		return errors.New("base URL has a query with spaces or special characters: only percent-encoded text is allowed")
	}
	return nil
}

// validPort reports whether port is absent or a TCP port; url.Parse checks no
// more than that it has digits.
func validPort(port string) bool {
	n, err := strconv.Atoi(port)
	return port == "" || err == nil && n >= 1 && n <= 65535
}

// printable reports whether s holds nothing but visible ASCII characters.
func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// apiPath returns the path below which the API lies, without a trailing slash.
// Only an absent path gets "/v1": many servers have the API elsewhere, and whoever
// wrote a path meant it.
func apiPath(path string) string {
	path = strings.TrimRight(path, "/")
	path = strings.TrimRight(operation.ReplaceAllString(path, ""), "/")
	if path == "" {
		return "/v1"
	}
	return path
}

// String returns the effective base URL for printing: query values that look like
// secrets are masked.
func (b BaseURL) String() string { return b.place + maskedQuery(b.query.Reveal()) }

// Equal reports whether both lead to the same place, query included.
func (b BaseURL) Equal(other BaseURL) bool {
	return b.place == other.place && b.query.Reveal() == other.query.Reveal()
}

// Format writes what String returns, whatever the verb.
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

// endpointText returns the endpoint for printing.
func (b BaseURL) endpointText() string {
	return b.place + "/responses" + maskedQuery(b.query.Reveal())
}
