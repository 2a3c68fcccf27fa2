package dashboard

import (
	"encoding/json"
	"mime"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
)

// policy is what a page of this server may do: load its own files and ask its own server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guarded lets through only requests that are meant for this server and come from its own page
// or from no page. Otherwise any site that the user visits could read runs: by a name of its own
// that it lets point here, or by asking from its own origin. Only the paths in posts are posted to,
// as JSON and by the page itself, which says where it comes from.
func guarded(hosts, posts []string, next http.Handler) http.Handler {
	allowed := map[string]bool{}
	for _, host := range hosts {
		allowed[host] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		origin, fromPage := strings.CutPrefix(r.Header.Get("Origin"), "http://")
		site := r.Header.Get("Sec-Fetch-Site")
		posting := r.Method == http.MethodPost && slices.Contains(posts, r.URL.Path)
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		switch {
		case !posting && r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			problem(w, http.StatusMethodNotAllowed, "this server only shows; allowed: GET")
		case !allowed[strings.ToLower(r.Host)]:
			problem(w, http.StatusMisdirectedRequest, "this server does not answer for that host")
		case r.Header.Get("Origin") != "" && !(fromPage && allowed[strings.ToLower(origin)]):
			problem(w, http.StatusForbidden, "this server does not answer pages of other origins")
		case posting && !fromPage:
			problem(w, http.StatusForbidden, "only the page of this server may ask for a change")
		case posting && kind != "application/json":
			problem(w, http.StatusUnsupportedMediaType, "a change is asked for as application/json")
		case strings.HasPrefix(r.URL.Path, "/api/") && site != "" && site != "same-origin" && site != "none":
			problem(w, http.StatusForbidden, "this server does not answer pages of other origins")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// hostsOf are the names under which a listener on an address is asked.
func hostsOf(addr net.Addr) []string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return []string{addr.String()}
	}
	hosts := []string{net.JoinHostPort(host, port)}
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		hosts = append(hosts, net.JoinHostPort(name, port))
	}
	if port == "80" {
		hosts = append(hosts, host, "localhost", "127.0.0.1", "[::1]")
	}
	return hosts
}

// absolute is the path of a file on this machine, in quotes or up to a space, but no part of an
// address.
var absolute = regexp.MustCompile(`(^|[\s('=])(?:/|[A-Za-z]:[\\/])[^\s"':;,)]*[\\/]|(")(?:/|[A-Za-z]:[\\/])[^"]*[\\/]`)

// problem answers with one line for people. Where files are on this machine is no one's business.
func problem(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	line, err := json.Marshal(map[string]string{"error": plaintext.Line(absolute.ReplaceAllString(text, "$1$2…/"))})
	if err != nil {
		panic("dashboard: a problem cannot be encoded: " + err.Error())
	}
	_, _ = w.Write(line) // a client that is gone needs none
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		problem(w, http.StatusInternalServerError, "the answer cannot be encoded: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(body) // a client that is gone needs none
}
