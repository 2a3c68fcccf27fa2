package dashboard

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"example.com/agentworld/serve"
)

// policy is what a page of this server may do: load its own files and ask its own server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guarded lets through only requests that are meant for this server and come from its own page
// or from no page. Only the paths in posts are posted to, as JSON and by the page itself, which says where
// it comes from.
func guarded(gate serve.Gate, posts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		serve.Guard(h)
		site := r.Header.Get("Sec-Fetch-Site")
		posting := r.Method == http.MethodPost && slices.Contains(posts, r.URL.Path)
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		status, why := gate.Refusal(r)
		switch {
		case !posting && r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			serve.Problem(w, http.StatusMethodNotAllowed, "this server only shows; allowed: GET")
		case status != 0:
			serve.Problem(w, status, why)
		case posting && !gate.FromPage(r):
			serve.Problem(w, http.StatusForbidden, "only the page of this server may ask for a change")
		case posting && kind != "application/json":
			serve.Problem(w, http.StatusUnsupportedMediaType, "a change is asked for as application/json")
		case strings.HasPrefix(r.URL.Path, "/api/") && site != "" && site != "same-origin" && site != "none":
			serve.Problem(w, http.StatusForbidden, "this server does not answer pages of other origins")
		default:
			next.ServeHTTP(w, r)
		}
	})
}
