package dashboard

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/run"
	"example.com/agentworld/serve/catalog"
)

// WriteFile writes the page of a run, read in its way, as one HTML file that loads nothing: figures, log, the
// world and decisions, of a long run some of them, with their prompts if wanted. The error says that the run
// cannot be read.
func WriteFile(ctx context.Context, of run.Source, prompts bool, w io.Writer) error {
	c, err := catalog.Open(string(of.Dir))
	if err != nil {
		return err
	}
	defer c.Close()
	s := &Server{catalog: c, hub: newHub(), open: map[string]*history{}}
	if _, err := c.Run("."); err != nil {
		return err
	}
	h, err := openHistory(of, func() {})
	if err != nil {
		return err
	}
	defer h.cancel()
	select {
	case <-h.readOnce:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := h.failed(); err != nil {
		return err
	}
	promptBytes := 0
	if prompts {
		promptBytes = filePromptsMax
	}
	bundle, held, err := s.bundle(ctx, h, promptBytes)
	if err != nil {
		return err
	}
	return writeBundle(w, bundle, "run", held.about())
}

// WriteComparison writes what the page says of two runs, compared after a tick, as one HTML file that loads nothing.
// How much of a difference is noise it takes from the runs beside them. The error says which run cannot be read.
func WriteComparison(ctx context.Context, of [2]Compared, after int64, w io.Writer) error {
	a, b := namesOf(string(of[0].Run.Dir), string(of[1].Run.Dir))
	v := compareView{A: []string{a}, B: []string{b}}
	if err := v.compare(ctx, of, after); err != nil {
		return err
	}
	var among [2]runList
	for i, one := range of {
		c, id, err := catalog.Beside(string(one.Run.Dir))
		if err != nil {
			return err
		}
		defer c.Close()
		among[i] = runList{catalog: c, id: id}
		among[i].rows, _ = c.Runs()
	}
	var err error
	v.Noise, err = noise(ctx, of, among)
	if err != nil {
		return err
	}
	bundle := &fileBundle{Answers: map[string]json.RawMessage{}, Every: 1, Log: []logRow{}}
	if err := cmp.Or(bundle.put(wording.All(), "words"), bundle.put(v, "compare")); err != nil {
		return err
	}
	return writeBundle(w, bundle, "compare", a+" against "+b+", in one file")
}

// nameOf is the name of a directory.
func nameOf(dir string) string { return filepath.Base(wholePath(dir)) }

// namesOf are the names of two directories, with as much of their paths before as tells them apart.
func namesOf(a, b string) (string, string) {
	a, b = wholePath(a), wholePath(b)
	nameA, nameB := filepath.Base(a), filepath.Base(b)
	for nameA == nameB && a != b {
		a, b = filepath.Dir(a), filepath.Dir(b)
		nameA, nameB = path.Join(filepath.Base(a), nameA), path.Join(filepath.Base(b), nameB)
	}
	return nameA, nameB
}

// wholePath is the path of a directory from the root, or the one given where nobody knows.
func wholePath(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		return whole
	}
	return dir
}

// writeBundle writes the page that shows what is in a bundle, in a view. about says in a line what it is.
func writeBundle(w io.Writer, bundle *fileBundle, view, about string) error {
	text, err := json.Marshal(bundle)
	if err != nil {
		return err
	}
	var data bytes.Buffer
	z := gzip.NewWriter(&data)
	_, _ = z.Write(text)
	_ = z.Close()
	static, err := fs.Sub(files, "static")
	if err != nil {
		return err
	}
	return writePage(w, static, data.Bytes(), view, about)
}

// moduleImport is an import of one of our modules or of a library.
var moduleImport = regexp.MustCompile(`from '(?:\./|\.\./vendor/)([a-z-]+\.js)'`)

// writePage writes the page of a view with its scripts and data in it. Modules find each other by an
// import map; the policy allows the scripts by their hashes, and modules as data, which nothing
// but this page can put there.
func writePage(w io.Writer, static fs.FS, data []byte, view, about string) error {
	read := func(name string) (text string) {
		b, err := fs.ReadFile(static, name)
		if err != nil {
			panic("dashboard: the page is missing: " + err.Error())
		}
		return string(b)
	}
	as := func(kind, text string) string {
		return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(text))
	}
	icon, imports := as("image/svg+xml", read("icon.svg")), map[string]string{}
	names, err := fs.Glob(static, "js/*.js")
	if err != nil {
		return err
	}
	for _, name := range append(names, "vendor/htm-preact.js") {
		text := moduleImport.ReplaceAllString(read(name), "from 'page/$1'")
		imports["page/"+path.Base(name)] = as("text/javascript", strings.ReplaceAll(text, `"icon.svg"`, `"`+icon+`"`))
	}
	importMap, err := json.Marshal(map[string]any{"imports": imports})
	if err != nil {
		return err
	}
	start, said := `import 'page/app.js';`, html.EscapeString(plaintext.Line(about))
	hashes := ""
	for _, script := range []string{read("vendor/uplot.js"), string(importMap), start} {
		if strings.Contains(script, "</script") {
			panic("dashboard: a script ends its own element")
		}
		sum := sha256.Sum256([]byte(script))
		hashes += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	_, err = fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src data:%s; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<title>%s</title>
<link rel="icon" href="%s">
<style>%s
%s</style>
<script>%s</script>
<script type="importmap">%s</script>
</head>
<body>
<div id="app"><p class="empty">Loading the page. It needs JavaScript.</p></div>
<script id="data" type="application/gzip" data-view="%s" data-saying="%s">%s</script>
<script type="module">%s</script>
</body>
</html>
`, hashes, said, icon, read("vendor/uplot.css"), read("style.css"), read("vendor/uplot.js"), importMap, view, said,
		base64.StdEncoding.EncodeToString(data), start)
	return err
}
