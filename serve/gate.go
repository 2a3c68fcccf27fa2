package serve

import (
	"crypto/subtle"
	"net"
	"net/http"
	"regexp"
	"strings"
)

// Gate says which requests a server answers.
type Gate struct {
	// hosts are the names under which the server is asked, at any port: a tunnel has one of its own. It is true
	// of those that a proxy passes on, which browsers may ask by https.
	hosts map[string]bool
	// token is what a request has to have, empty for none.
	token string
}

// NewGate returns the gate of a server that listens at an address. With a token it lets through only requests
// that have it: as "Authorization: Bearer TOKEN", or as the first part of the path, which [Gate.Handler] takes
// off, for clients that are given nothing but an address. proxied are further names, which a proxy before the
// server is asked under and passes on; see [HostName].
func NewGate(at net.Addr, token string, proxied ...string) Gate {
	g := Gate{hosts: map[string]bool{}, token: token}
	for _, name := range proxied {
		g.hosts[strings.ToLower(name)] = true
	}
	for _, name := range []string{hostOf(at.String()), "localhost", "127.0.0.1", "::1"} {
		g.hosts[name] = false
	}
	return g
}

// hostName is a name or an IPv4 address, without a port.
var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$`)

// HostName reports whether a text is the name of a host, without scheme, port and path.
func HostName(text string) bool { return hostName.MatchString(text) }

// hostOf is the name in a host that a request names, with or without a port.
func hostOf(named string) string {
	host, _, err := net.SplitHostPort(named)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(named, "["), "]")
	}
	return strings.ToLower(host)
}

// FromPage reports whether a request comes from a page of this server: of the host and port that it asks, since
// another port of this machine is anybody's.
func (g Gate) FromPage(r *http.Request) bool {
	proxied, known := g.hosts[hostOf(r.Host)]
	scheme, origin, _ := strings.Cut(r.Header.Get("Origin"), "://")
	return known && (scheme == "http" || proxied && scheme == "https") && strings.EqualFold(origin, r.Host)
}

// Refusal says why a request is not for this server, with the status to answer; it is empty if it is. Without it
// any site that the user visits could ask: by a name of its own that it lets point here, or from its own origin.
func (g Gate) Refusal(r *http.Request) (status int, why string) {
	_, known := g.hosts[hostOf(r.Host)]
	switch {
	case !known:
		return http.StatusMisdirectedRequest, "this server does not answer for that host"
	case r.Header.Get("Origin") != "" && !g.FromPage(r):
		return http.StatusForbidden, "this server does not answer pages of other origins"
	}
	return 0, ""
}

// Guard sets the headers that keep an answer from pages of others and from caches.
func Guard(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// Handler lets through what the gate does not refuse. It is for programs, not for pages: a browser asks
// nothing of it but from an address that the user typed.
func (g Gate) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Guard(w.Header())
		status, why := g.Refusal(r)
		site := r.Header.Get("Sec-Fetch-Site")
		if status == 0 && site != "" && site != "same-origin" && site != "none" {
			status, why = http.StatusForbidden, "this server does not answer pages of other origins"
		}
		if status == 0 {
			r, status, why = g.admit(r)
		}
		if status != 0 {
			Problem(w, status, why)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// admit looks for the token, and returns the request without one in its path.
func (g Gate) admit(r *http.Request) (bare *http.Request, status int, why string) {
	if g.token == "" {
		return r, 0, ""
	}
	bearer, given := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if given && g.isToken(bearer) {
		return r, 0, ""
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !g.isToken(first) {
		return r, http.StatusUnauthorized, "this server asks for its token: use the address that it printed"
	}
	bare = r.Clone(r.Context())
	bare.URL.Path, bare.URL.RawPath = "/"+rest, ""
	return bare, 0, ""
}

// isToken reports whether a text is the token, in a time that says nothing about it.
func (g Gate) isToken(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(g.token)) == 1
}

// Address is what a client is given for a server at an address: with the token, if there is one.
func (g Gate) Address(at net.Addr) string {
	if g.token == "" {
		return "http://" + at.String()
	}
	return "http://" + at.String() + "/" + g.token
}
