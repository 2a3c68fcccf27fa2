package serve

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestGate: a request is let through under the names of the server, from no page or its own, and with the token
// where one is asked for. The handler behind it sees the path without the token.
func TestGate(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8123}
	for _, c := range []struct {
		token, url, header string
		want               int
	}{
		{"", "http://127.0.0.1:8123/a", "", 200},
		{"", "http://localhost:8123/a", "", 200},
		{"", "http://LOCALHOST:8123/a", "", 200},
		{"", "http://127.0.0.1:8124/a", "", 200},
		{"", "http://localhost:8124/a", "Origin: http://localhost:8124", 200},
		{"", "http://localhost:8124/a", "Origin: http://localhost:8123", http.StatusForbidden},
		{"", "http://[::1]:8124/a", "", 200},
		{"", "http://evil.example:8123/a", "", http.StatusMisdirectedRequest},
		{"", "http://127.0.0.1:8123/a", "Origin: http://127.0.0.1:8123", 200},
		{"", "http://127.0.0.1:8123/a", "Origin: http://evil.example", http.StatusForbidden},
		{"", "http://127.0.0.1:8123/a", "Origin: null", http.StatusForbidden},
		{"", "http://127.0.0.1:8123/a", "Sec-Fetch-Site: cross-site", http.StatusForbidden},
		{"", "http://127.0.0.1:8123/a", "Sec-Fetch-Site: none", 200},
		{"", "http://runs.example.org/a", "", 200},
		{"", "http://RUNS.example.org:8443/a", "Origin: https://runs.example.org:8443", 200},
		{"", "http://runs.example.org/a", "Origin: http://runs.example.org", 200},
		{"", "http://runs.example.org/a", "Origin: https://evil.example", http.StatusForbidden},
		{"", "http://runs.example.org/a", "Origin: https://runs.example.org:8443", http.StatusForbidden},
		{"", "http://runs.example.org/a", "Origin: http://127.0.0.1:8123", http.StatusForbidden},
		{"", "http://evil.runs.example.org/a", "", http.StatusMisdirectedRequest},
		{"", "http://localhost:8123/a", "Origin: https://localhost:8123", http.StatusForbidden},
		{"secret", "http://127.0.0.1:8123/a", "", http.StatusUnauthorized},
		{"secret", "http://127.0.0.1:8123/secre/a", "", http.StatusUnauthorized},
		{"secret", "http://127.0.0.1:8123/a/secret", "", http.StatusUnauthorized},
		{"secret", "http://127.0.0.1:8123/secret/a", "", 200},
		{"secret", "http://127.0.0.1:8123/a", "Authorization: Bearer secret", 200},
		{"secret", "http://127.0.0.1:8123/a", "Authorization: Bearer other", http.StatusUnauthorized},
		{"secret", "http://127.0.0.1:8123/a", "Authorization: secret", http.StatusUnauthorized},
		{"secret", "http://127.0.0.1:8123/secret/a", "Origin: http://evil.example", http.StatusForbidden},
		{"secret", "http://evil.example:8123/secret/a", "", http.StatusMisdirectedRequest},
	} {
		r := httptest.NewRequest(http.MethodGet, c.url, nil)
		if name, value, is := strings.Cut(c.header, ": "); is {
			r.Header.Set(name, value)
		}
		path := ""
		next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { path = r.URL.Path })
		w := httptest.NewRecorder()
		NewGate(at, c.token, "runs.example.org").Handler(next).ServeHTTP(w, r)
		if w.Code != c.want || (path == "/a") != (c.want == 200) || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s with token %q: %d, and the handler sees %q, want %d", c.url, c.header, c.token, w.Code, path, c.want)
		}
		if body := w.Body.String(); c.token != "" && strings.Contains(body, c.token) && c.want != 200 {
			t.Errorf("%s: the refusal has the token: %s", c.url, body)
		}
	}
	if got := NewGate(at, "secret").Address(at); got != "http://127.0.0.1:8123/secret" {
		t.Errorf("the address is %s", got)
	}
}

// TestHostName: a name that a proxy passes on has no scheme, port or path.
func TestHostName(t *testing.T) {
	for text, want := range map[string]bool{
		"runs.example.org": true, "x": true, "10.0.0.5": true, "": false, "https://runs.example.org": false, "runs.example.org:80": false,
		"runs.example.org/": false, "*.example.org": false, "a b": false, "-x": false, "runs.example.org\n": false,
	} {
		if HostName(text) != want {
			t.Errorf("%q is a name of a host: %v", text, !want)
		}
	}
}
