package dashboard_test

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	browserdomain "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"example.com/agentworld"
	"example.com/agentworld/batch"
	"example.com/agentworld/dashboard"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

//go:embed testdata/axe.min.js
var axe string

// browserPath is the browser of the tests; the test is skipped without one, and with -short.
func browserPath(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("opens the page in a browser")
	}
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("SKIPPED: no chromium-headless-shell is installed, so the page was not looked at")
	return ""
}

// tab is a page in a browser with what it complained of.
type tab struct {
	ctx context.Context
	url string
	mu  sync.Mutex
	// wrong are errors of the console, and requests to anything but the server.
	wrong []string
}

// patience is how long a browser may take for one thing on a busy machine.
const patience = 2 * time.Minute

// long reports whether the tests have their full size.
var long = os.Getenv("AGENT_WORLD_LONG") != ""

// browser is the one of all tests here, with the context that owns it; closeBrowser ends it.
var browser struct {
	once  sync.Once
	ctx   context.Context
	err   error
	close func()
}

// closeBrowser ends the browser, if a test has started it.
func closeBrowser() {
	if browser.close != nil {
		browser.close()
	}
}

// proxyName is a name by which the browser finds this machine, as it would find a proxy.
const proxyName = "runs.example.org"

// startBrowser starts the browser once.
func startBrowser(path string) (context.Context, error) {
	browser.once.Do(func() {
		allocator, end := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(path), chromedp.Headless,
			chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience),
			chromedp.Flag("host-resolver-rules", "MAP "+proxyName+" 127.0.0.1"))
		ctx, quit := chromedp.NewContext(allocator)
		browser.ctx = ctx
		browser.close = func() { quit(); end() }
		browser.err = chromedp.Do(ctx)
	})
	return browser.ctx, browser.err
}

// openTab opens a tab for the page of a server. It shares no storage with those of other tests.
func openTab(t *testing.T, url string) *tab {
	t.Helper()
	owner, err := startBrowser(browserPath(t))
	if err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	ctx, cancel := chromedp.NewContext(owner, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{ctx: ctx, url: url}
	console, requests := chromedp.Console(ctx), chromedp.Events(ctx, network.RequestWillBeSent)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1360, 900)); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			if strings.Contains(m.String(), "Cross-Origin-Opener-Policy header has been ignored") {
				continue // a name of a proxy that does not speak https
			}
			if text := m.String(); m.IsException() || strings.Contains(strings.ToLower(text), "error") || strings.Contains(text, "Refused") {
				b.complain(text)
			}
		}
	}()
	go func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			if at := e.Request.URL; !strings.HasPrefix(at, url) && !strings.HasPrefix(at, "about:") && !strings.HasPrefix(at, "data:") {
				b.complain("a request to " + at)
			}
		}
	}()
	return b
}

func (b *tab) complain(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, what)
}

// check reports what the page complained of, and in a long test what accessible does.
func (b *tab) check(t *testing.T, what string) {
	t.Helper()
	if long {
		b.accessible(t, what)
	}
	b.mu.Lock()
	for _, w := range b.wrong {
		t.Errorf("%s: %s", what, w)
	}
	b.wrong = nil
	b.mu.Unlock()
	if odd, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`(document.body.innerText.match(/.*(\bundefined\b|\bNaN\b|\[object ).*/) || [''])[0]`)); err != nil || odd != "" {
		t.Errorf("%s: the page says %q, %v", what, odd, err)
	}
}

// accessible reports what axe-core finds seriously wrong with the page.
func (b *tab) accessible(t *testing.T, what string) {
	t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](axe+";true")); err != nil {
		t.Fatalf("%s: load axe: %v", what, err)
	}
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(' | '))))`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: run axe: %v", what, err)
	}
	var list []string
	if err := json.Unmarshal([]byte(found), &list); err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		t.Errorf("%s: axe: %s", what, v)
	}
}

// open goes to a route of the page and waits until a text is on it.
func (b *tab) open(t *testing.T, route, text string) {
	t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(b.url+route)); err != nil {
		t.Fatalf("open %s: %v", route, err)
	}
	b.wait(t, text)
}

// until waits for a condition. It looks now and then, since each look lays out the page.
func until(condition string) chromedp.Action[bool] {
	return chromedp.Poll[bool](condition, chromedp.WithPollingInterval(30*time.Millisecond), chromedp.WithPollingTimeout(patience))
}

// wait waits until a text is on the page.
func (b *tab) wait(t *testing.T, text string) {
	t.Helper()
	want, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	has := until(fmt.Sprintf("document.body && document.body.innerText.includes(%s)", want))
	_, err = chromedp.Run(b.ctx, has)
	for n := 0; err != nil && (strings.Contains(err.Error(), "navigated") || strings.Contains(err.Error(), "context")) && n < 100; n++ { // to another page, or to this one again
		time.Sleep(50 * time.Millisecond)
		_, err = chromedp.Run(b.ctx, has)
	}
	if err != nil {
		shown, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		b.keep(t, "failed.png")
		t.Fatalf("the page does not show %q: %v\n%s\ncomplaints: %q", text, err, shown, b.wrong)
	}
}

// click clicks on the first element with a text, among those of a selector.
func (b *tab) click(t *testing.T, selector, text string) {
	t.Helper()
	args, err := json.Marshal([]string{selector, text})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(b.ctx, until(fmt.Sprintf("(([s, t]) => { const e = [...document.querySelectorAll(s)].find((e) => (e.innerText || e.ariaLabel || '').includes(t)); if (e) e.click(); return !!e; })(%s)", args))); err != nil {
		shown, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		t.Fatalf("nothing to click with %q: %v\n%s", text, err, shown)
	}
}

// fill writes a text into the first element of a selector, as a person would.
func (b *tab) fill(t *testing.T, selector, text string) {
	t.Helper()
	args, err := json.Marshal([]string{selector, text})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](fmt.Sprintf("(([s, t]) => { const e = document.querySelector(s); e.focus(); e.select(); return document.execCommand('insertText', false, t); })(%s)", args))); err != nil {
		t.Fatalf("write into %s: %v", selector, err)
	}
}

// drawn waits until the map and the charts are drawn, where there are any.
func (b *tab) drawn(t *testing.T) {
	t.Helper()
	const all = "[...document.querySelectorAll('.map canvas')].every((c) => c.width !== 300) && [...document.querySelectorAll('figure')].every((f) => f.querySelector('.uplot, .empty'))"
	if _, err := chromedp.Run(b.ctx, until(all)); err != nil {
		t.Fatalf("the map or a chart is not drawn: %v", err)
	}
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))", chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
}

// shoot waits until the page is drawn and keeps a picture of it under .tmp, in a long test.
func (b *tab) shoot(t *testing.T, name string) {
	t.Helper()
	b.drawn(t)
	if long || t.Failed() {
		b.keep(t, name)
	}
}

// keep keeps a picture of the page under .tmp.
func (b *tab) keep(t *testing.T, name string) {
	t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatalf("take a picture: %v", err)
	}
	dir := filepath.Join("..", ".tmp", "dashboard")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// serve starts a server over a directory.
func serve(t *testing.T, dir string) string {
	t.Helper()
	return begin(t, dashboard.Options{Dir: dir}).URL()
}

// begin starts a server that ends with the test.
func begin(t *testing.T, o dashboard.Options) *dashboard.Server {
	t.Helper()
	s, err := dashboard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return s
}

// record plays a run of the embedded model.
func record(t *testing.T, dir, scenario string, ticks int64, change func(*agentworld.Settings)) {
	t.Helper()
	settings, err := agentworld.Defaults(scenario)
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = ticks
	settings.ChainSteps = 0 // every tick has a question to show
	if change != nil {
		change(&settings)
	}
	decided := agentworld.Metric{Name: "decided_alone", Version: "1", Unit: "decisions",
		Fold: func(records iter.Seq[agentworld.Record]) (n float64, counted bool) {
			for r := range records {
				if d, is := r.(trace.Decision); is && d.DecidedBy == trace.ByModel {
					n++
				}
			}
			return n, true
		}}
	o := agentworld.Options{Settings: settings, Dir: dir, Metrics: []agentworld.Metric{decided}}
	if _, err := agentworld.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// TestChainInABrowser shows all steps of a chain, each with what it does.
func TestChainInABrowser(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "one"), "minimal", 2, func(s *agentworld.Settings) { s.ChainSteps = 3 })
	b := openTab(t, serve(t, dir))
	b.open(t, "#/run?id=one&tick=1&agent=agent-1&open=1", "mine compound 5,000 g, then refine compound 5,000 g, then mine compound")
}

func TestEveryViewInABrowser(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "hub"), "llm_bootstrap", 20, nil)
	record(t, filepath.Join(dir, "camp"), "task_cooperation_camp_160", 40, nil)
	record(t, filepath.Join(dir, "camp2"), "task_cooperation_camp_160", 40, func(s *agentworld.Settings) { s.Protocol = "lean" })
	b := openTab(t, serve(t, dir))
	b.open(t, "", "task_cooperation_camp_160")
	b.check(t, "runs")
	b.accessible(t, "runs")
	b.shoot(t, "runs.png")
	for _, view := range []struct{ name, route, text string }{
		{"world", "#/run?id=camp", "Agents after tick 40"},
		{"tick", "#/run?id=hub&tick=7", "Agents after tick 7"},
		{"agent", "#/run?id=hub&tick=7&agent=agent-1", "Charge and heat"},
		{"decision", "#/run?id=hub&tick=3&agent=agent-1&open=1", "What it led to"},
		{"figures", "#/run?id=camp&panel=figures", "decided alone"},
		{"log", "#/run?id=camp&panel=log", "action applied"},
		{"about", "#/run?id=camp&panel=about", "How it came about"},
		{"compare", "#/compare?a=camp&b=camp2", "decided alone"},
	} {
		b.open(t, view.route, view.text)
		b.check(t, view.name)
		b.accessible(t, view.name)
		b.shoot(t, view.name+".png")
	}
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(390, 800)); err != nil {
		t.Fatal(err)
	}
	b.open(t, "#/run?id=hub&tick=7&agent=agent-1", "Charge and heat")
	if wide, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth + 1")); err != nil || wide {
		t.Errorf("on a phone the page is wider than the screen: %v, %v", wide, err)
	}
	b.shoot(t, "phone.png")
}

// TestScrubbingEndsWhereItEnds drags the timeline through more ticks than a browser lets a page write
// into its address, and wants the last one shown and in the address.
func TestScrubbingEndsWhereItEnds(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "hub"), "minimal", 10, nil)
	b := openTab(t, serve(t, dir))
	b.open(t, "#/run?id=hub", "Agents after tick 10")
	const drag = `(async () => {
		const slider = document.querySelector('input[type="range"]'), set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
		const to = (tick) => { set.call(slider, tick); slider.dispatchEvent(new Event('input', { bubbles: true })); };
		for (let n = 0; n < 250; n++) { to(n % 10 + 1); await new Promise((f) => setTimeout(f, 2)); }
		to(7);
		return true;
	})()`
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](drag, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	b.wait(t, "Agents after tick 7")
	if _, err := chromedp.Run(b.ctx, until("location.hash.includes('tick=7')")); err != nil {
		t.Errorf("the address is another one: %v", err)
	}
	b.check(t, "dragged")
}

// TestADecisionIsHeadedByItsChoice opens a decision whose choice was refused, in a tick where another
// of its candidates ran.
func TestADecisionIsHeadedByItsChoice(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "hub"), "llm_bootstrap", 75, nil)
	at := serve(t, dir)
	b := openTab(t, at)
	b.open(t, "#/run?id=hub", "Agents after tick 75")
	type lane struct {
		Lane []struct {
			Tick int64
			Kind string
		}
	}
	for n := 1; ; n++ {
		agent := fmt.Sprintf("agent-%d", n)
		for _, e := range read[lane](t, at+"api/agent?run=hub&agent="+agent).Lane {
			if e.Kind != "alternative" {
				continue
			}
			b.open(t, fmt.Sprintf("#/run?id=hub&tick=%d&agent=%s&open=1", e.Tick, agent), "What it led to")
			head, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.querySelector('.details section.step').innerText"))
			if choice, rest, _ := strings.Cut(head, "\n"); err != nil || strings.HasPrefix(choice, "instead") || !strings.Contains(rest, "refused: ") || !strings.Contains(rest, "instead ") || !strings.Contains(rest, "Accepted") {
				t.Errorf("the decision is headed %q, %v", head, err)
			}
			b.check(t, "replaced")
			b.open(t, "#/run?id=hub&panel=log&q=action+refused", "action refused contended")
			if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(390, 800)); err != nil {
				t.Fatal(err)
			}
			b.open(t, "#/run?id=hub", "Agents after tick 75")
			b.click(t, ".marks button", "met ")
			b.wait(t, "Charge and heat")
			if _, err := chromedp.Run(b.ctx, until("document.querySelector('.details').getBoundingClientRect().top < 100")); err != nil {
				t.Errorf("a mark opens something below the screen: %v", err)
			}
			return
		}
		if n == 6 {
			t.Fatal("nobody's choice was replaced; the test needs another run")
		}
	}
}

// TestTheMapIsInTheAddress hides a layer, looks for an agent and follows it: the address that results shows the same.
func TestTheMapIsInTheAddress(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "hub"), "llm_bootstrap", 4, nil)
	b := openTab(t, serve(t, dir))
	b.open(t, "#/run?id=hub&agent=agent-2", "Charge and heat")
	b.click(t, ".filters label", "Jobs")
	b.fill(t, ".filters input[type=search]", "agent-2")
	b.click(t, ".filters label", "Follow agent-2")
	if _, err := chromedp.Run(b.ctx, until("['hide=jobs', 'find=agent-2', 'follow=1'].every((p) => location.hash.includes(p))")); err != nil {
		at, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("location.hash"))
		t.Fatalf("the address is %s: %v", at, err)
	}
	at, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("location.hash"))
	if err != nil {
		t.Fatal(err)
	}
	other := openTab(t, b.url)
	other.open(t, at, "Charge and heat")
	const state = `[...document.querySelectorAll('.filters input')].map((i) => i.type === 'search' ? i.value : i.checked).join()`
	want, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](state))
	if err != nil || want != "true,true,true,false,true,true,true,agent-2,true" {
		t.Errorf("the map shows %s, %v", want, err)
	}
	if _, err := chromedp.Run(other.ctx, until(state+" === '"+want+"'")); err != nil {
		t.Errorf("the same address shows another map: %v", err)
	}
	b.click(t, ".tabs a", "Figures")
	b.wait(t, "Latency of calls")
	b.click(t, ".tabs a", "World")
	if _, err := chromedp.Run(b.ctx, until("document.querySelector('.map') && "+state+" === '"+want+"'")); err != nil {
		t.Errorf("another view and back shows another map: %v", err)
	}
	b.check(t, "map")
}

// TestABusyPlaceIsCounted puts more factories and agents at a place than a map has room for.
func TestABusyPlaceIsCounted(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "hub"), "llm_bootstrap", 12, nil)
	b := openTab(t, serve(t, dir))
	b.open(t, "#/run?id=hub&tick=11", "Agents after tick 11")
	const busy = `(() => {
		window.written = [];
		const ask = window.fetch, write = CanvasRenderingContext2D.prototype.fillText;
		CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { if (this.canvas.closest('.map')) window.written.push(String(text)); return write.call(this, text, x, y); };
		window.fetch = async (...a) => {
			const r = await ask(...a);
			if (!String(a[0]).startsWith('api/world') || !String(a[0]).includes('tick=12')) return r;
			const w = await r.json(), f = w.factories[0], one = w.agents[0];
			w.factories = Array.from({ length: 60 }, (_, i) => ({ ...f, id: 'f' + i }));
			w.agents.push(...Array.from({ length: 40 }, (_, i) => ({ ...one, journey: undefined, place: f.place, id: 'copy-' + i })));
			w.did.push(...Array.from({ length: 40 }, () => w.did[0]));
			return new Response(JSON.stringify(w), { headers: { 'Content-Type': 'application/json' } });
		};
		location.hash = '#/run?id=hub&tick=12';
		return true;
	})()`
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](busy)); err != nil {
		t.Fatal(err)
	}
	b.wait(t, "Agents after tick 12")
	b.wait(t, "copy-39")
	b.drawn(t)
	written, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string]("written"))
	if err != nil || !slices.Contains(written, "+51") && !slices.Contains(written, "+60") {
		t.Errorf("the factories at a place have no count: %q, %v", written, err)
	}
	b.check(t, "busy")
	b.shoot(t, "busy.png")
}

// TestALinkThatIsWrongSaysSo opens addresses that somebody mistyped.
func TestALinkThatIsWrongSaysSo(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "hub"), "minimal", 3, nil)
	b := openTab(t, serve(t, dir))
	b.open(t, "#/run?id=hub&tick=abc&agent=%3Cb%3Enobody&open=1", "abc is no tick: this is the last one. There is no agent <b>nobody in this run.")
	b.wait(t, "Agents after tick 3")
	b.check(t, "a wrong link")
	b.open(t, "#/run?id=hub&tick=4000", "There is no tick 4,000: this is the last one.")
	b.open(t, "#/run?id=hub&tick=0&agent=agent-1", "Charge and heat")
	if wrong, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.querySelector('[role=alert]') !== null")); err != nil || wrong {
		t.Errorf("a good link is called wrong: %v", err)
	}
}

// TestTabsFollowARun watches a run in three tabs of one browser, 12 in a long test, while it is
// played. They share one connection for news: a browser opens no more than six to one server.
func TestTabsFollowARun(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	at := serve(t, dir)
	first := openTab(t, at)
	tabs := []*tab{first}
	more := 2
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		more = 11
	}
	for range more {
		ctx, cancel := chromedp.NewContext(first.ctx)
		t.Cleanup(cancel)
		tabs = append(tabs, &tab{ctx: ctx, url: at})
	}
	var streams atomic.Int64
	for _, b := range tabs {
		b.countStreams(&streams)
		b.open(t, "", "There is no run here yet")
	}
	settings, err := agentworld.Defaults("llm_bootstrap")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = 4
	tick, next, ended := make(chan int64), make(chan bool), make(chan error, 1)
	go func() {
		_, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: filepath.Join(dir, "live"), Progress: func(p agentworld.Progress) { tick <- p.Tick; <-next }})
		ended <- err
	}()
	for n := range int64(4) {
		<-tick
		began := time.Now()
		for i, b := range tabs {
			if n == 0 {
				b.click(t, "a", "live")
			}
			b.wait(t, fmt.Sprintf("Agents after tick %d", n+1))
			b.wait(t, "running")
			if i == 0 && n == 2 {
				b.shoot(t, "live.png")
			}
		}
		t.Logf("%d tabs show tick %d after %v", len(tabs), n+1, time.Since(began))
		next <- true
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, b := range tabs {
		b.wait(t, "completed")
	}
	first.check(t, "live")
	if n := streams.Load(); n != 1 {
		t.Errorf("%d tabs opened %d streams", len(tabs), n)
	}
}

// countStreams counts the connections for news that a tab opens from now on.
func (b *tab) countStreams(n *atomic.Int64) {
	requests := chromedp.Events(b.ctx, network.RequestWillBeSent)
	go func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			if strings.Contains(e.Request.URL, "/api/stream?") {
				n.Add(1)
			}
		}
	}()
}

// strokes counts what is drawn on each canvas of the map from now on.
const strokes = `(() => {
	window.drawn = {};
	const p = CanvasRenderingContext2D.prototype;
	for (const name of ['fill', 'stroke', 'fillRect', 'strokeRect', 'fillText', 'strokeText', 'createRadialGradient']) {
		const draw = window.original?.[name] || p[name];
		(window.original = window.original || {})[name] = draw;
		p[name] = function (...a) { const i = [...document.querySelectorAll('.map canvas')].indexOf(this.canvas); window.drawn[i] = (window.drawn[i] || 0) + 1; return draw.apply(this, a); };
	}
	return true;
})()`

// still waits until ten frames in a row draw nothing: what was begun before is drawn by then, also on a
// slow machine. It counts from zero afterwards.
const still = `new Promise((r) => {
	let last = -1, same = 0, left = 2000;
	const frame = () => {
		const sum = (window.drawn[0] || 0) + (window.drawn[1] || 0);
		same = sum === last ? same + 1 : 0;
		last = sum;
		if (same < 10 && left-- > 0) return requestAnimationFrame(frame);
		window.drawn = {};
		r(true);
	};
	requestAnimationFrame(frame);
})`

// drawsMax bounds what one frame of a map draws, whatever the world holds.
const drawsMax = 4000

// TestALargeBeltIsClustered shows a belt of far more places, and far more agents, than a map can
// name. A frame draws little, and only the layer that changed.
func TestALargeBeltIsClustered(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	agents := 40
	if long {
		agents = 120
	}
	record(t, filepath.Join(dir, "belt"), "asteroid_fragment_bootstrap", 3, func(s *agentworld.Settings) {
		s.ScenarioTOML = strings.Replace(s.ScenarioTOML, "count = 60\n", "count = 6000\n", 1)
		s.AgentsOverride, s.Protocol = agents, "lean"
	})
	b := openTab(t, serve(t, dir))
	b.open(t, "#/run?id=belt", "Agents after tick 3")
	b.drawn(t)
	draws := func(what, act, shown string) (back, front int) {
		t.Helper()
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](strokes)); err != nil {
			t.Fatal(err)
		}
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](still, chromedp.EvalAwaitPromise)); err != nil {
			t.Fatal(err)
		}
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](act)); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		b.wait(t, shown)
		of, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]int](`new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r([drawn[0] || 0, drawn[1] || 0]))))`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s draws %d strokes of places and %d of what moves", what, of[0], of[1])
		if of[0]+of[1] > drawsMax {
			t.Errorf("%s draws %v strokes, at most %d", what, of, drawsMax)
		}
		return of[0], of[1]
	}
	b.check(t, "belt")
	b.shoot(t, "belt.png")
	b.wait(t, "fragments as density")
	if back, front := draws("another tick", "location.hash = '#/run?id=belt&tick=2'; 0", "Agents after tick 2"); back > 0 || front == 0 {
		t.Errorf("another tick draws %d strokes of places and %d of what moves", back, front)
	}
	if back, front := draws("a hidden layer", "[...document.querySelectorAll('.filters label')].find((e) => e.innerText.trim() === 'Agents').querySelector('input').click()", "Agents"); back > 0 || front > 50 {
		t.Errorf("without agents %d strokes of places and %d of what moves are drawn", back, front)
	}
	for _, look := range []string{"a closer look", "a second one", "a third one"} {
		if back, _ := draws(look, "document.querySelector('.map .tools button').click()", "Agents"); back == 0 {
			t.Errorf("%s does not draw the places", look)
		}
	}
	b.shoot(t, "closer.png")
	b.readByKeyboard(t)
	dark := "document.querySelector('header button').click()"
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](dark)); err != nil {
		t.Fatal(err)
	}
	b.open(t, "#/run?id=belt&agent=agent-1", "Charge and heat")
	b.check(t, "dark")
	b.accessible(t, "dark")
	b.shoot(t, "dark.png")
}

// pageNodesMax bounds the elements of a page, whatever the world holds.
const pageNodesMax = 4000

// TestManyAgentsAreReached shows a world of a thousand agents, ten thousand in a long test: the last
// one is on the last page of the list beside the map, the last place on that of its table, both by
// keyboard, and the page stays small.
func TestManyAgentsAreReached(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	agents := 1000
	if long {
		agents = 10_000
	}
	settings, err := agentworld.Defaults("asteroid_fragment_bootstrap")
	if err != nil {
		t.Fatal(err)
	}
	settings.ScenarioTOML = strings.Replace(settings.ScenarioTOML, "count = 60\n", "count = 6000\n", 1)
	settings.Ticks = 1
	settings.AgentsOverride = agents
	settings.Protocol = "lean"
	settings.Caps.Run.Calls = 20 // the others wait
	if _, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: filepath.Join(dir, "many")}); err != nil {
		t.Fatal(err)
	}
	b := openTab(t, serve(t, dir))
	b.open(t, "#/run?id=many", "Agents after tick 1")
	small := func(what string) {
		t.Helper()
		n, err := chromedp.Run(b.ctx, chromedp.Evaluate[int]("document.querySelectorAll('*').length"))
		if err != nil || n > pageNodesMax {
			t.Errorf("%s: the page has %d elements, at most %d: %v", what, n, pageNodesMax, err)
		}
	}
	press := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			if err := chromedp.Do(b.ctx, chromedp.KeyEvent(key)); err != nil {
				t.Fatal(err)
			}
		}
	}
	focus := func(label string) {
		t.Helper()
		if err := chromedp.Do(b.ctx, chromedp.Focus(chromedp.CSS(fmt.Sprintf("[aria-label=%q]", label)))); err != nil {
			t.Fatal(err)
		}
	}
	small("agents")
	all := fmt.Sprintf("%d,%03d", agents/1000, agents%1000)
	b.wait(t, "1 to 100 of "+all)
	focus("Next page of Agents")
	press(kb.Enter, kb.Enter)
	b.wait(t, "agent-250")
	b.wait(t, "201 to 300 of "+all)
	focus("Page of Agents")
	press(kb.Backspace)
	press(strings.Split(fmt.Sprint(agents/100), "")...)
	press(kb.Enter)
	b.wait(t, fmt.Sprintf("agent-%d", agents))
	small("the last page")
	focus("Next page of Agents")
	press(kb.Enter, kb.Enter)
	b.wait(t, fmt.Sprintf(" to %s of %s", all, all))
	b.click(t, "summary", "Places")
	b.wait(t, "1 to 100 of ")
	b.click(t, "summary", "Fragments as density")
	small("tables")
	b.check(t, "many")
	b.shoot(t, "many.png")
	b.open(t, "#/run?id=many&panel=about", "How it came about")
	small("about")
}

// readByKeyboard goes to the table of places beside the map and into its rows, by keys alone.
func (b *tab) readByKeyboard(t *testing.T) {
	t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Focus(chromedp.CSS(".map-focus"))); err != nil {
		t.Fatal(err)
	}
	at := func(script string) bool {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("(() => { const e = document.activeElement; return "+script+"; })()"))
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	press := func(key string) {
		if err := chromedp.Do(b.ctx, chromedp.KeyEvent(key)); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; !at("e.tagName === 'SUMMARY' && e.innerText.startsWith('Places')"); n++ {
		if n > 30 {
			t.Fatal("30 tabs do not lead from the map to the table of places")
		}
		press(kb.Tab)
	}
	press(kb.Enter)
	if _, err := chromedp.Run(b.ctx, until("!!document.querySelector('[role=region][aria-label=Places]')")); err != nil {
		t.Fatalf("Enter does not open the table of places: %v", err)
	}
	press(kb.Tab)
	if !at("e.ariaLabel === 'Places' && e.querySelectorAll('tbody tr').length > 50 && e.scrollHeight > e.clientHeight") {
		t.Error("the rows of the table of places are not reached by keyboard")
	}
	press(kb.End)
	if _, err := chromedp.Run(b.ctx, until("document.activeElement.scrollTop > 0")); err != nil {
		t.Errorf("the table of places does not scroll by keyboard: %v", err)
	}
}

// TestABatchInABrowser shows a batch of two arms with its verdicts, and compares their runs as two
// sides.
func TestABatchInABrowser(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	at := playBatch(t, filepath.Join(dir, "arms"), "arms", func(*batch.Result) {})
	b := openTab(t, serve(t, dir))
	b.open(t, "", "arms")
	b.wait(t, "protocol=lean")
	b.click(t, "a", "arms")
	b.wait(t, "Arms, means over cells")
	b.wait(t, "against")
	b.check(t, "batch")
	b.accessible(t, "batch")
	b.shoot(t, "batch.png")
	b.wait(t, "intervals as SVG")
	status, header, svg := request(t, b.url+"api/batch?batch=arms&plot=intervals", nil)
	if status != http.StatusOK || header.Get("Content-Disposition") != "attachment; filename=arms-intervals.svg" || !bytes.HasPrefix(svg, []byte("<svg ")) {
		t.Errorf("the picture: status %d, %v\n%.200s", status, header, svg)
	}
	if status, _, _ := request(t, b.url+"api/batch?batch=arms&plot=ranks", nil); status != http.StatusBadRequest {
		t.Errorf("a picture of nothing: status %d", status)
	}
	playBatch(t, filepath.Join(dir, "other"), "other", func(*batch.Result) {})
	if err := os.WriteFile(filepath.Join(dir, "other", "batch.toml"), []byte("no batch"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, text := request(t, b.url+"api/batch?batch=other&plot=intervals", nil); status != http.StatusBadRequest || !bytes.Contains(text, []byte("no summary")) {
		t.Errorf("a picture of a batch without a summary: status %d, %s", status, text)
	}
	sides := ""
	for i, path := range at {
		sides += "&" + string("ab"[i%2]) + "=" + "arms/" + filepath.ToSlash(path)
	}
	b.open(t, "#/compare?"+sides[1:], "Verdict")
	b.wait(t, "Pairs")
	b.wait(t, "intervals as a picture: SVG")
	b.check(t, "sides")
	b.accessible(t, "sides")
}

// TestABatchIsWatched follows a batch while it is played, opens a cell and comes back.
func TestABatchIsWatched(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	b := openTab(t, serve(t, dir))
	b.open(t, "", "There is no run here yet")
	began, next, ended := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		playBatch(t, filepath.Join(dir, "live"), "live", func(r *batch.Result) {
			began <- true
			<-next
			if r.Cell.Seed == 2 {
				r.Status, r.Reason = trace.RunProviderFailed, "<b>no</b> answer"
			}
		})
	}()
	select {
	case <-began: // the first cell is played, and its result not written
	case <-ended:
		t.Fatal("the batch ended before its first cell")
	}
	b.wait(t, "live")
	b.click(t, ".card a", "live")
	b.wait(t, "Batch live")
	b.wait(t, "4 to play")
	b.wait(t, "playing")
	b.wait(t, "tick 2 of 2") // of the cell that is played
	b.check(t, "batch begun")
	next <- true
	<-began
	b.wait(t, "3 to play") // without a hand
	b.click(t, "[aria-label=Cells] td a", "")
	b.wait(t, "Agents after tick 2")
	b.click(t, "a", "batch live")
	b.wait(t, "Arms, means over cells")
	for range 3 {
		next <- true
		select {
		case <-began:
		case <-ended:
		}
	}
	<-ended
	b.wait(t, "2 scored, 2 failed")
	b.wait(t, "<b>no</b> answer")
	b.check(t, "batch ended")
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(390, 800)); err != nil {
		t.Fatal(err)
	}
	if wide, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth + 1")); err != nil || wide {
		t.Errorf("on a phone the batch is wider than the screen: %v, %v", wide, err)
	}
	b.shoot(t, "batch-phone.png")
}

// playBatch plays a batch of two arms with a name, changes its results, and returns where its runs
// are, arms in turn.
func playBatch(t *testing.T, dir, name string, change func(*batch.Result)) (runs []string) {
	t.Helper()
	text := fmt.Sprintf("name = %s\nscenarios = ['minimal']\nseeds = [1, 2]\n[settings.run]\nticks = 2\n[axes.protocol.full.run]\nprotocol = 'full'\n[axes.protocol.lean.run]\nprotocol = 'lean'\n[compare]\nprimary = 'calls'\n[[gates]]\nmetric = 'calls'\nat_least = 1.0\n", llmclient.Marshal(name))
	file, err := batch.Parse([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var cells batch.Planned
	for c := range file.Combinations() {
		settings, err := agentworld.Defaults("minimal")
		if err != nil {
			t.Fatal(err)
		}
		settings.Ticks, settings.Seed, settings.Protocol = 2, c.Cell.Seed, c.Cell.Label("protocol")
		cells.Add(c.Cell, batch.TemplateOf(settings, trace.Limit{}), batch.SeedsOf(settings))
	}
	d := batch.Dir(dir)
	if err := d.Create(file.Name, cells.Cells); err != nil {
		t.Fatal(err)
	}
	if err := d.KeepFile([]byte(text)); err != nil {
		t.Fatal(err)
	}
	_, err = batch.Play(t.Context(), batch.Options{Dir: d, Cells: cells.Cells, Settings: cells.Settings, Jobs: 1, Shard: batch.Shard{Index: 1, Of: 1}, Play: func(ctx context.Context, a batch.Attempt) (batch.Result, error) {
		ended, err := agentworld.Run(ctx, agentworld.Options{Settings: a.Settings, Dir: a.Dir})
		result := batch.ResultOf(a.Cell, a.Number, ended.Report, "")
		change(&result)
		return result, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells.Cells {
		paths, err := d.Runs(c.ID)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, paths...)
	}
	return runs
}

// harmless reports what of evil became anything but text.
func (b *tab) harmless(t *testing.T, what string) {
	t.Helper()
	hacked, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`[window.hacked, document.querySelectorAll('#app img:not(header img), #app script').length, /[\u202a-\u202e\u2066-\u2069\u0007\u001b\u2028]/.test(document.getElementById('app').textContent)].join()`))
	if err != nil || hacked != ",0,false" {
		t.Errorf("%s: scripts, elements or control characters on the page: %s, %v", what, hacked, err)
	}
}

// TestARunInOneFile opens the page of a run as a file: it loads nothing.
func TestARunInOneFile(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "hub"), "llm_bootstrap", 12, nil)
	evilTrace(t, filepath.Join(dir, "evil"))
	for name, texts := range map[string][]string{"hub": {"Agents after tick 12", "hub: one run in one file, with prompts"}, "evil": {"There is no world", "evil: one run in one file, without its prompts", `onerror="window.hacked=1"`}} {
		path := filepath.Join(dir, name+".html")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := dashboard.WriteFile(t.Context(), run.Dir(filepath.Join(dir, name)).As(nil), name == "hub", f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		b := openTab(t, "file://"+path)
		for _, text := range texts {
			b.open(t, "", text)
		}
		if name == "hub" {
			b.click(t, "button", "agent-1")
			b.wait(t, "Charge and heat")
			b.click(t, "button", "Open the decision")
			b.wait(t, "What it led to")
			b.click(t, "summary", "The exact prompt")
			b.wait(t, "Tokens at most")
			b.open(t, "#/run?panel=about", "The page of the run hub: 60 of 60 decisions, with their prompts; the world after each tick; the log up to tick 12.")
			b.open(t, "#/run?panel=log&q=factory", "build factory")
			b.open(t, "#/run?panel=figures", "Tokens")
		}
		b.harmless(t, name+".html")
		b.check(t, name+".html")
		b.shoot(t, "file-"+name+".png")
	}
	// Of a long run the file has not all of the log, and nothing to ask for the rest.
	path := filepath.Join(dir, "hub.html")
	shortenLog(t, path, 5)
	b := openTab(t, "file://"+path)
	b.open(t, "#/run?panel=log&q=nothing+at+all", "This file holds the log up to tick 5 of 12.")
	if more, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("[...document.querySelectorAll('button')].some((e) => e.innerText === 'More')")); err != nil || more {
		t.Errorf("the file offers more than it has: %v", err)
	}
}

// TestTwoRunsInOneFile opens what the page says of two runs as a file: it loads nothing, and leads nowhere.
func TestTwoRunsInOneFile(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	a, z := filepath.Join(dir, "first", "x"), filepath.Join(dir, "<i>other", "x")
	record(t, a, "llm_bootstrap", 4, nil)
	record(t, z, "llm_bootstrap", 4, func(s *agentworld.Settings) { s.Faults, s.MaxDegradedPct = "http_400=50%", 100 })
	var of [2]dashboard.Compared
	for i, dir := range []string{a, z} {
		of[i].Run = run.Dir(dir).As(nil)
		var err error
		of[i].Report, err = report.Of(of[i].Run)
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "pair.html")
	write := func() {
		t.Helper()
		var page bytes.Buffer
		if err := dashboard.WriteComparison(t.Context(), of, 0, &page); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, page.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	b := openTab(t, "file://"+path)
	b.open(t, "", "first/x against <i>other/x, in one file")
	b.wait(t, "What was set differently")
	b.wait(t, "by agent-")
	b.wait(t, "Metrics, those that differ first")
	b.wait(t, "No other run beside them has the settings of one of them")
	if links, err := chromedp.Run(b.ctx, chromedp.Evaluate[int]("document.querySelectorAll('main a').length")); err != nil || links != 0 {
		t.Errorf("the file has %d links to what it does not hold, %v", links, err)
	}
	// Repeats beside a run show what is noise.
	record(t, filepath.Join(dir, "first", "y"), "llm_bootstrap", 4, func(s *agentworld.Settings) { s.ScriptedSeed = 99 })
	write()
	b.open(t, "", "as far as 2 runs beside each other show")
	b.wait(t, "beyond the noise")
	b.harmless(t, "pair.html")
	b.check(t, "pair.html")
	b.shoot(t, "file-pair.png")
}

// TestWhatLeavesThePage saves tables, canvases and charts: all of a table, with numbers that a program reads and no
// text that a spreadsheet takes for a formula, under names that say run and part.
func TestWhatLeavesThePage(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "sub", "hub"), "asteroid_fragment_bootstrap", 3, func(s *agentworld.Settings) {
		s.AgentsOverride, s.Protocol = 120, "lean"
	})
	evilTrace(t, filepath.Join(dir, "evil"))
	b := openTab(t, serve(t, dir))
	files := t.TempDir()
	_, err := chromedp.Call(b.ctx, browserdomain.SetDownloadBehavior, browserdomain.SetDownloadBehaviorParams{
		Behavior: browserdomain.SetDownloadBehaviorBehaviorAllow, DownloadPath: files,
		BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID,
	})
	if err != nil {
		t.Fatal(err)
	}
	save := func(label, name string, want func(text string) bool) {
		t.Helper()
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](fmt.Sprintf("document.querySelector('[aria-label=\"%s\"]').click()", label))); err != nil {
			t.Fatalf("%s: %v", label, err)
		}
		var text []byte
		err := errors.New("not yet")
		// A file can be read before the browser has written it whole.
		for began := time.Now(); (err != nil || !want(string(text))) && time.Since(began) < patience; time.Sleep(20 * time.Millisecond) {
			text, err = os.ReadFile(filepath.Join(files, name))
		}
		if err != nil || !want(string(text)) {
			all, _ := filepath.Glob(filepath.Join(files, "*"))
			t.Errorf("%s: %s is not as it should be, of %q: %v\n%.2000s", label, name, all, err, text)
		}
	}
	b.open(t, "#/run?id=sub%2Fhub", "Agents after tick 3")
	b.drawn(t)
	save("Save as CSV: Agents", "sub-hub-Agents.csv", func(text string) bool {
		lines := strings.Split(strings.TrimSpace(text), "\r\n")
		return len(lines) == 121 && lines[0] == "\ufeffAgent,Where,Charge,Did" && strings.HasPrefix(lines[120], "agent-120 ")
	})
	picture := func(text string) bool {
		of, err := png.DecodeConfig(strings.NewReader(text))
		return err == nil && of.Width > 100 && of.Height > 30
	}
	save("Save as PNG: map-tick-3", "sub-hub-map-tick-3.png", picture)
	save("Save as PNG: timeline", "sub-hub-timeline.png", picture)
	b.open(t, "#/run?id=sub%2Fhub&panel=figures", "Latency of calls")
	b.drawn(t)
	save("Save as PNG: Tokens", "sub-hub-Tokens.png", picture)
	save("Save as SVG: Tokens", "sub-hub-Tokens.svg", func(text string) bool {
		var of struct {
			Lines []struct {
				Points string `xml:"points,attr"`
			} `xml:"polyline"`
			Texts []string `xml:"text"`
		}
		err := xml.Unmarshal([]byte(text), &of)
		return err == nil && len(of.Lines) == 4 && strings.Count(of.Lines[0].Points, ",") == 3 && slices.Contains(of.Texts, "cached")
	})
	b.click(t, "summary", "Table")
	save("Save as CSV: Table of Tokens", "sub-hub-Table-of-Tokens.csv", func(text string) bool {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		return err == nil && len(rows) == 4 && regexp.MustCompile(`^[0-9]{4,}$`).MatchString(rows[1][1])
	})
	b.open(t, "#/run?id=evil&panel=about", "How it came about")
	save("Save as CSV: Agents of the run", "evil-Agents-of-the-run.csv", func(text string) bool {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		return err == nil && len(rows) > 1 && !regexp.MustCompile(`(?m)(^|,)"?[=+@-]`).MatchString(text)
	})
	b.open(t, "#/compare?a=sub%2Fhub&b=sub%2Fhub", "Metrics, those that differ first")
	save("Save as CSV: Metrics", "sub-hub-against-sub-hub-Metrics.csv", func(text string) bool { return strings.Contains(text, "\r\ncalls,") })
	b.check(t, "saved")
}

// shortenLog makes a file one whose log ends with a tick, as that of a long run does.
func shortenLog(t *testing.T, path string, last int64) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data := regexp.MustCompile(`(?s)(<script id="data"[^>]*>)([^<]*)`)
	packed, err := base64.StdEncoding.DecodeString(string(data.FindSubmatch(page)[2]))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var of map[string]any
	if err := json.NewDecoder(z).Decode(&of); err != nil {
		t.Fatal(err)
	}
	if of["log_to"] != float64(12) {
		t.Errorf("the file holds the log to tick %v of 12", of["log_to"])
	}
	of["log"], of["log_to"] = slices.DeleteFunc(of["log"].([]any), func(row any) bool { return row.(map[string]any)["tick"].(float64) > float64(last) }), last
	var changed bytes.Buffer
	w := gzip.NewWriter(&changed)
	if err := errors.Join(json.NewEncoder(w).Encode(of), w.Close()); err != nil {
		t.Fatal(err)
	}
	page = data.ReplaceAll(page, []byte("${1}"+base64.StdEncoding.EncodeToString(changed.Bytes())))
	if err := os.WriteFile(path, page, 0o600); err != nil {
		t.Fatal(err)
	}
}
