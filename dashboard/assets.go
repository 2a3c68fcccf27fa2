package dashboard

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"example.com/agentworld/llmclient"
)

// assets are the files of the page, compressed once.
type assets map[string]asset

type asset struct {
	kind         string
	etag         string
	plain, small []byte
}

// newAssets reads the files of the page. It panics if one cannot be read: they are embedded.
func newAssets(from fs.FS) assets {
	all := assets{}
	err := fs.WalkDir(from, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			return err
		}
		_, _ = z.Write(data)
		_ = z.Close()
		kind := mime.TypeByExtension(path.Ext(name))
		switch path.Ext(name) { // whatever this machine thinks
		case ".js":
			kind = "text/javascript; charset=utf-8"
		case ".css":
			kind = "text/css; charset=utf-8"
		case ".html":
			kind = "text/html; charset=utf-8"
		case ".svg":
			kind = "image/svg+xml"
		}
		if kind == "" {
			kind = "text/plain; charset=utf-8"
		}
		all["/"+name] = asset{kind, `"` + llmclient.Hash(data)[:32] + `"`, data, b.Bytes()}
		return nil
	})
	if err != nil {
		panic("dashboard: the page cannot be read: " + err.Error())
	}
	return all
}

func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	if name == "/" {
		name = "/index.html"
	}
	of, ok := a[name]
	if !ok {
		problem(w, http.StatusNotFound, errNoSuch.Error())
		return
	}
	h := w.Header()
	h.Set("Content-Type", of.kind)
	h.Set("Cache-Control", "no-cache") // asked for each time, answered by the tag
	h.Set("Etag", of.etag)
	if r.Header.Get("If-None-Match") == of.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := of.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && len(of.small) < len(of.plain) {
		h.Set("Content-Encoding", "gzip")
		body = of.small
	}
	if r.Method == http.MethodGet {
		_, _ = w.Write(body)
	}
}
