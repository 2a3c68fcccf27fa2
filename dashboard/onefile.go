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
	"maps"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/explain"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/serve/catalog"
)

// The bounds of what a single file holds.
const (
	fileWorldsMax = 400
	fileTurnsMax  = 500
	fileAgentsMax = 100
	fileLogMax    = 20_000
	// filePromptsMax bounds the prompts in bytes before they are compressed: a browser reads all of them.
	filePromptsMax = 64 << 20
)

// fileBundle is what the page asks for when it is a single file.
type fileBundle struct {
	// Answers are by what is asked: the path, and its parameters but run in order, between
	// spaces.
	Answers map[string]json.RawMessage `json:"answers"`
	// Every is the distance in ticks of the worlds that it holds.
	Every int64 `json:"every"`
	// Log has the lines of the log up to the tick LogTo.
	Log   []logRow `json:"log"`
	LogTo int64    `json:"log_to"`
}

// WriteFile writes the page of a run as one HTML file that loads nothing: figures, log, the
// world and decisions, of a long run some of them, with their prompts if wanted. The error says that the run
// cannot be read.
func WriteFile(ctx context.Context, dir string, prompts bool, w io.Writer) error {
	c, err := catalog.Open(dir)
	if err != nil {
		return err
	}
	defer c.Close()
	s := &Server{catalog: c, hub: newHub(), open: map[string]*history{}}
	dirOfRun, err := c.Run(".")
	if err != nil {
		return err
	}
	h, err := openHistory(dirOfRun, func() {})
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

// WriteComparison writes what the page says of two runs in their directories, compared after a tick, as one HTML file
// that loads nothing. The error says which of them cannot be read.
func WriteComparison(ctx context.Context, dirs [2]string, after int64, w io.Writer) error {
	a, b := namesOf(dirs[0], dirs[1])
	v := compareView{A: []string{a}, B: []string{b}}
	var of [2]comparedRun
	for i, dir := range dirs {
		c, err := catalog.Open(dir)
		if err != nil {
			return err
		}
		defer c.Close()
		of[i].report, of[i].dir, err = c.ReportOf(ctx, ".")
		if err != nil {
			return err
		}
	}
	if err := v.compare(ctx, of, after); err != nil {
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

// put puts an answer into the bundle under what is asked.
func (b *fileBundle) put(v any, name string, params ...string) error {
	for i := 1; i < len(params); i += 2 {
		name += " " + params[i]
	}
	text, err := json.Marshal(v)
	b.Answers[name] = text
	return err
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

// bundle asks for everything that the page of h asks for, with at most some bytes of prompts, and says what of it there
// is.
func (s *Server) bundle(ctx context.Context, h *history, promptBytes int) (*fileBundle, *heldView, error) {
	b := &fileBundle{Answers: map[string]json.RawMessage{}, Every: 1, Log: []logRow{}}
	held := &heldView{Name: nameOf(string(h.dir)), Agents: []heldAgent{}, Prompts: promptBytes > 0}
	last := h.reached().Tick
	ask := func(name string, get func(*history, *http.Request) (any, error), params ...string) error {
		q := url.Values{"run": {"."}}
		for i := 0; i < len(params); i += 2 {
			q.Set(params[i], params[i+1])
		}
		v, err := get(h, (&http.Request{URL: &url.URL{RawQuery: q.Encode()}}).WithContext(ctx))
		err = cmp.Or(err, ctx.Err())
		if err != nil {
			return err
		}
		return b.put(v, name, params...)
	}
	err := cmp.Or(ask("run", s.getRun), ask("asks", s.getAsks), ask("contacts", s.getContacts),
		b.put(wording.All(), "words"))
	if err != nil {
		return nil, held, err
	}
	for b.Every = 1; last/b.Every > fileWorldsMax; b.Every *= 2 {
	}
	if to := h.reached().World; to >= 0 {
		if err := ask("chart", s.getChart); err != nil {
			return nil, held, err
		}
		for tick := int64(0); tick <= to; tick += b.Every {
			if err := ask("world", s.getWorld, "tick", number(tick)); err != nil {
				return nil, held, err
			}
		}
	}
	ids := h.agents.IDs()
	ids = ids[:min(len(ids), fileAgentsMax)]
	for _, id := range h.agents.IDs() {
		held.Decisions += int64(len(h.agents.Of(id)))
	}
	for _, id := range ids {
		if err := ask("agent", s.getAgent, "agent", id); err != nil {
			return nil, held, err
		}
	}
	chosen := h.worthALook(ids)
	for _, tick := range slices.Sorted(maps.Keys(chosen)) {
		agents := chosen[tick]
		turns, err := h.turns(tick, agents)
		if err != nil {
			return nil, held, err
		}
		for i, id := range agents {
			shown := h.shownTurn(turns[i], tick, id)
			if err := cmp.Or(b.put(shown, "turn", "tick", number(tick), "agent", id), ctx.Err()); err != nil {
				return nil, held, err
			}
			held.add(id, tick)
			if promptBytes <= 0 {
				continue
			}
			took, err := b.putPrompts(turns[i], tick, id, promptBytes)
			if err != nil {
				return nil, held, err
			}
			promptBytes -= took
			if promptBytes >= 0 {
				held.Prompted++
			}
		}
	}
	for from := int64(1); from > 0 && len(b.Log) < fileLogMax; {
		v, err := s.getLog(h, &http.Request{URL: &url.URL{RawQuery: url.Values{"from": {number(from)}}.Encode()}})
		if err != nil {
			return nil, held, err
		}
		page, is := v.(logPage)
		if !is {
			panic("dashboard: the log is no page")
		}
		b.Log = append(b.Log, page.Rows...)
		b.LogTo = page.Last
		from = page.Next
	}
	held.Every, held.LogTo = b.Every, b.LogTo
	return b, held, cmp.Or(b.put(held, "held"), ctx.Err())
}

// putPrompts puts the prompt of each call of a turn into the bundle, none if they take more than some bytes. It returns
// what they take.
func (b *fileBundle) putPrompts(t *explain.Turn, tick int64, agent string, most int) (took int, err error) {
	of := &fileBundle{Answers: map[string]json.RawMessage{}}
	for _, call := range t.Calls {
		prompt, err := promptOf(t, call.Step)
		if err != nil {
			return took, err
		}
		err = of.put(prompt, "prompt", "tick", number(tick), "agent", agent, "step", strconv.Itoa(call.Step))
		if err != nil {
			return took, err
		}
	}
	for _, text := range of.Answers {
		took += len(text)
	}
	if took <= most {
		maps.Copy(b.Answers, of.Answers)
	}
	return took, nil
}

// worthALook are the decisions that a file holds, the agents by tick, at most fileTurnsMax: those at
// marks are chosen first, then what was refused or degraded, then the earliest.
func (h *history) worthALook(ids []string) map[int64][]string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	type ranked struct {
		explain.Origin
		rank int
	}
	marked := map[explain.Origin]bool{}
	for _, m := range h.marks {
		marked[explain.Origin{Agent: m.Agent, Tick: m.Tick}] = true
	}
	var all []ranked
	for _, id := range ids {
		for _, e := range h.agents.Of(id) {
			r := ranked{explain.Origin{Agent: id, Tick: e.Tick}, 2}
			if !e.Accepted || e.Kind != "model" && e.Kind != "standing" {
				r.rank = 1
			}
			if marked[r.Origin] {
				r.rank = 0
			}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all,
		func(a, b ranked) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.Tick, b.Tick)) })
	agents := map[int64][]string{}
	for _, r := range all[:min(len(all), fileTurnsMax)] {
		agents[r.Tick] = append(agents[r.Tick], r.Agent)
	}
	return agents
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
