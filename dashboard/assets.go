package dashboard

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"example.com/agentworld/serve"
	"example.com/agentworld/serve/catalog"
)

// kinds are the content types of the files of the page, whatever this machine thinks.
var kinds = map[string]string{
	".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
}

// assets serves the files of the page.
func assets(from fs.FS) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			serve.Problem(w, http.StatusNotFound, catalog.ErrNoSuch.Error())
			return
		}
		kind := kinds[path.Ext(name)]
		if kind == "" {
			kind = "text/plain"
		}
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		if r.Method == http.MethodGet {
			_, _ = w.Write(data)
		}
	}
}
