package dashboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/agentworld"
	"example.com/agentworld/dashboard"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// controlled are the controls of a run for the page, as the command line hands them over.
type controlled struct{ *engine.Controls }

func (c controlled) Status() dashboard.ControlStatus {
	s := c.Controls.Status()
	to := dashboard.ControlStatus{Tick: s.Tick, Caps: s.Caps, Paused: s.Paused, Ended: s.Ended, Requests: []dashboard.ControlRequest{}}
	for _, r := range s.Requests {
		to.Requests = append(to.Requests, dashboard.ControlRequest{Number: r.Number, What: r.Control.What(), Text: r.Control.Text, Tick: r.Control.Tick, Refused: r.Refused})
	}
	return to
}

// tokenOf is the token in an address.
func tokenOf(t *testing.T, entrance string) string {
	t.Helper()
	_, token, found := strings.Cut(entrance, "control=")
	if !found || len(token) < 20 {
		t.Fatalf("the address %s has no token", entrance)
	}
	return token
}

// poster posts like a page of an origin.
type poster struct {
	http.Client
	at, origin string
}

func (p *poster) post(t *testing.T, path, body string, change func(*http.Request)) (status int, cookies []*http.Cookie) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.at+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", p.origin)
	if change != nil {
		change(r)
	}
	answer, err := p.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var of map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&of); err != nil {
		t.Errorf("the answer is no JSON: %v", err)
	}
	return answer.StatusCode, answer.Cookies()
}

// TestOnlyItsPageControlsARun tries to control a run from everywhere else.
func TestOnlyItsPageControlsARun(t *testing.T) {
	t.Parallel()
	controls := engine.NewControls()
	s := begin(t, dashboard.Options{Dir: t.TempDir(), Control: controlled{controls}})
	at, entrance := s.URL(), s.ControlURL()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	const pause = `{"kind":"pause"}`
	stranger, page := &poster{at: at, origin: strings.TrimSuffix(at, "/")}, &poster{http.Client{Jar: jar}, at, strings.TrimSuffix(at, "/")}
	enter := `{"token":"` + tokenOf(t, entrance) + `"}`
	refused := func(what string, p *poster, path, body string, want int, change func(*http.Request)) {
		t.Helper()
		if got, _ := p.post(t, path, body, change); got != want {
			t.Errorf("%s: status %d, want %d", what, got, want)
		}
	}
	foreign := func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }
	refused("a wrong token", page, "api/control/enter", `{"token":"x"}`, http.StatusForbidden, nil)
	refused("no token", page, "api/control/enter", `{}`, http.StatusForbidden, nil)
	refused("the token from a foreign page", page, "api/control/enter", enter, http.StatusForbidden, foreign)
	refused("before the token", page, "api/control", pause, http.StatusForbidden, nil)
	status, cookies := page.post(t, "api/control/enter", enter, nil)
	if status != http.StatusOK || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || strings.Contains(entrance, cookies[0].Value) {
		t.Fatalf("the token: status %d, cookies %v", status, cookies)
	}
	refused("the token again", page, "api/control/enter", enter, http.StatusForbidden, nil)
	refused("no cookie", stranger, "api/control", pause, http.StatusForbidden, nil)
	refused("a cookie made up", stranger, "api/control", pause, http.StatusForbidden, func(r *http.Request) { r.AddCookie(&http.Cookie{Name: cookies[0].Name, Value: "x"}) })
	refused("a foreign page", page, "api/control", pause, http.StatusForbidden, foreign)
	refused("no page", page, "api/control", pause, http.StatusForbidden, func(r *http.Request) { r.Header.Del("Origin") })
	refused("another port", page, "api/control", pause, http.StatusForbidden, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") })
	refused("another host", page, "api/control", pause, http.StatusMisdirectedRequest, func(r *http.Request) { r.Host = "evil.example" })
	refused("a form", page, "api/control", pause, http.StatusUnsupportedMediaType, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") })
	refused("a foreign site", page, "api/control", pause, http.StatusForbidden, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") })
	refused("another path", page, "api/runs", pause, http.StatusMethodNotAllowed, nil)
	refused("another method", page, "api/control", pause, http.StatusMethodNotAllowed, func(r *http.Request) { r.Method = http.MethodPut })
	refused("a huge body", page, "api/control", `{"kind":"message","text":"`+strings.Repeat("x", 20<<10)+`"}`, http.StatusRequestEntityTooLarge, nil)
	for _, body := range []string{``, `[]`, `{`, `{"kind":"pause"} {}`, `{"kind":"pause"}]`, `{"kind":"pause","more":1}`, `{"kind":"caps","caps":{"run":{"cost":"much"}}}`} {
		refused(body, page, "api/control", body, http.StatusBadRequest, nil)
	}
	for _, body := range []string{`{}`, `{"kind":"stop"}`, `{"kind":"message"}`, `{"kind":"message","text":"` + strings.Repeat("x", 500) + `"}`} {
		refused(body, page, "api/control", body, http.StatusUnprocessableEntity, nil)
	}
	if n := len(controls.Status().Requests); n != 0 {
		t.Fatalf("%d requests came through", n)
	}
	if status, _ := page.post(t, "api/control", pause, nil); status != http.StatusOK || len(controls.Status().Requests) != 1 {
		t.Errorf("its own page: status %d", status)
	}
	if status, _ := page.post(t, "api/control", `{"kind":"caps","caps":{"run":{"calls":5,"cost":"0.25"},"agent":{},"tick":{}}}`, nil); status != http.StatusOK || controls.Status().Requests[1].Control.Caps.Run.Cost.Micros() != 250_000 {
		t.Errorf("caps: status %d, %+v", status, controls.Status())
	}
	// Another browser takes over with the next token, and the first one only looks on.
	other, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	next := &poster{http.Client{Jar: other}, at, page.origin}
	if status, _ := next.post(t, "api/control/enter", `{"token":"`+tokenOf(t, s.ControlURL())+`"}`, nil); status != http.StatusOK {
		t.Errorf("the next token: status %d", status)
	}
	refused("the browser before", page, "api/control", pause, http.StatusForbidden, nil)
	if status, _ := next.post(t, "api/control", pause, nil); status != http.StatusOK {
		t.Errorf("the next browser: status %d", status)
	}
	type state struct{ Control, Allowed bool }
	if s := read[state](t, at+"api/control"); s != (state{true, false}) {
		t.Errorf("a page that was not let in is told %+v", s)
	}
}

// TestAPageThatOnlyShows refuses every change.
func TestAPageThatOnlyShows(t *testing.T) {
	t.Parallel()
	at := serve(t, t.TempDir())
	p := &poster{at: at, origin: strings.TrimSuffix(at, "/")}
	for _, path := range []string{"api/control", "api/control/enter", "api/runs", ""} {
		if status, _ := p.post(t, path, `{"kind":"pause"}`, nil); status != http.StatusMethodNotAllowed {
			t.Errorf("POST /%s: status %d", path, status)
		}
	}
	if s := read[struct{ Control bool }](t, at+"api/control"); s.Control {
		t.Error("a page that only shows says that it controls")
	}
}

// TestTheAddressIsTakenByATabThatLooksOn puts the address with a token into a tab that shows the page
// already, where only the part after the # changes: it is let in with a good one, told why not with a
// used one, and keeps neither. A silent server is asked ever less.
func TestTheAddressIsTakenByATabThatLooksOn(t *testing.T) {
	browserPath(t)
	dir, controls := t.TempDir(), engine.NewControls()
	record(t, dir, "minimal", 2, nil)
	s, err := dashboard.New(dashboard.Options{Dir: dir, Control: controlled{controls}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	used := s.ControlURL()
	b := openTab(t, s.URL())
	b.open(t, "#/run?id=.", "This browser only looks on")
	into := func(address, text string) {
		t.Helper()
		quoted, err := json.Marshal(address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("window.stayed = true; location.href = "+string(quoted)+"; true")); err != nil {
			t.Fatal(err)
		}
		b.wait(t, text)
		if clean, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("window.stayed && !location.href.includes('control=')")); err != nil || !clean {
			t.Errorf("the tab was loaded again, or keeps the token: %v", err)
		}
	}
	into(used, "Pause the run")
	into(used, "an address lets in one browser, once")
	b.mu.Lock()
	b.wrong = nil // the browser counts what is refused as an error
	b.mu.Unlock()
	b.check(t, "let in")
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	const waits = `new Promise((r) => { const at = [], ask = window.fetch; window.fetch = (...a) => { if (String(a[0]).startsWith('api/control')) at.push(performance.now()); if (at.length === 3) r(at[2] - at[1] > 1.5 * (at[1] - at[0])); return ask(...a); }; })`
	if slower, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](waits, chromedp.EvalAwaitPromise)); err != nil || !slower {
		t.Errorf("the page asks a silent server as often as before: %v", err)
	}
}

// gated asks a model, and in one tick not before it may.
type gated struct {
	engine.Source
	tick int64
	open chan struct{}
}

func (g gated) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if key.Tick == g.tick {
		<-g.open
	}
	return g.Source.Respond(ctx, key, r)
}

// TestARunIsControlledInABrowser pauses a run under way, plays two ticks by themselves, changes a
// goal, writes to an agent and lets the run go on. It is then played again without anybody.
func TestARunIsControlledInABrowser(t *testing.T) {
	browserPath(t)
	settings, err := agentworld.Defaults("llm_bootstrap")
	if err != nil {
		t.Fatal(err)
	}
	server, err := stub.Start(t.Context(), "127.0.0.1:0", stub.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	client, err := openai.New(openai.Config{BaseURL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	settings.Ticks, settings.Model, settings.ModelSource, settings.BaseURL = 7, "scripted", trace.SourceScripted, client.URL()
	dir, controls := t.TempDir(), engine.NewControls()
	model := gated{engine.Live(client), 2, make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		result, err := engine.Run(t.Context(), engine.Options{Settings: settings, RunDir: dir, Source: model, Controls: controls})
		if err == nil && result.Status != trace.RunCompleted {
			err = errors.New(result.Reason)
		}
		ended <- err
	}()
	s := begin(t, dashboard.Options{Dir: dir, Control: controlled{controls}})
	at, entrance := s.URL(), s.ControlURL()
	b := openTab(t, at)
	if err := chromedp.Do(b.ctx, chromedp.Navigate(entrance)); err != nil {
		t.Fatal(err)
	}
	b.wait(t, "Playing tick 2.")
	if hash, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("location.href")); err != nil || strings.Contains(hash, "control=") {
		t.Errorf("the token stays in the address %s, %v", hash, err)
	}
	b.click(t, ".control button", "Pause the run")
	b.wait(t, "waits for the next tick")
	b.wait(t, "Pause asked for: it begins when tick 2 is played, which waits for agent-")
	b.wait(t, "agents are waited for")
	b.wait(t, "asked, no answer yet")
	close(model.open)
	b.wait(t, "Paused before tick 3.")
	b.wait(t, "taken before tick 3")
	for _, next := range []string{"4", "5"} {
		b.click(t, ".control button", "Step one tick")
		b.wait(t, "Paused before tick "+next+".")
	}
	fill := func(label, text string) {
		t.Helper()
		script := fmt.Sprintf(`(([l, v]) => { const e = [...document.querySelectorAll('.control label')].find((e) => e.textContent.startsWith(l)).querySelector('input, textarea, select'); e.value = v; e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true })); return e.value === v; })(%s)`, llmclient.Marshal([]string{label, text}))
		if set, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](script)); err != nil || !set {
			t.Fatalf("fill in %s: %v, %v", label, set, err)
		}
	}
	b.click(t, ".control summary", "Message as operator")
	// What a form has to say is beside its button, which sends nothing that is empty.
	form := func(script string) {
		t.Helper()
		if is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("(() => { const form = document.querySelector('.control form'), button = form.querySelector('button'); return "+script+"; })()")); err != nil || !is {
			t.Errorf("the form of a message: %s: %v, %v", script, is, err)
		}
	}
	form("button.disabled")
	fill("To", "agent-2")
	fill("Text", evil[:64])
	b.click(t, ".control button", "Send the message")
	b.wait(t, "message to agent-2")
	form("button.disabled && /Request [0-9]+ was accepted/.test(button.parentElement.innerText)")
	fill("Text", strings.Repeat("x", 201))
	b.click(t, ".control button", "Send the message")
	b.wait(t, "201 characters")
	form("!button.disabled && button.parentElement.innerText.includes('201 characters')")
	if told, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.querySelector('.control form [role=alert]') !== null")); err != nil || !told {
		t.Errorf("a refusal is no alert: %v", err)
	}
	b.mu.Lock()
	b.wrong = nil // the browser counts what is refused as an error
	b.mu.Unlock()
	b.click(t, ".control summary", "Goals and system prompt")
	fill("Short-term goal", "Make motors.")
	b.click(t, ".control button", "Change the texts")
	b.wait(t, "other short-term goal to all agents")
	b.click(t, ".control summary", "Caps")
	fill("calls of the run", "1")
	b.wait(t, "calls already: this cap ends it")
	b.wait(t, "Change the caps and end the run")
	fill("calls of the run", "4000")
	b.click(t, ".control button", "Change the caps")
	b.wait(t, "other caps")
	b.wait(t, "taken before tick 5")
	b.check(t, "control")
	b.harmless(t, "control")
	b.shoot(t, "control.png")
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(390, 800)); err != nil {
		t.Fatal(err)
	}
	if wide, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth + 1")); err != nil || wide {
		t.Errorf("on a phone the page is wider than the screen: %v, %v", wide, err)
	}
	b.shoot(t, "control-phone.png")
	other := openTab(t, at)
	other.open(t, "#/run?id=.", "This browser only looks on")
	other.check(t, "looking on")
	b.click(t, ".control button", "Resume the run")
	b.wait(t, "The run has ended: completed")
	s.AwaitShown(time.Hour) // which the browser says without being asked
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	b.check(t, "the end")
	var kinds []string
	for _, r := range controls.Status().Requests {
		kinds = append(kinds, fmt.Sprint(r.Control.Tick, " ", r.Control.Kind, r.Refused))
	}
	if got := strings.Join(kinds, ", "); got != "3 pause, 3 step, 4 step, 5 message, 5 switch, 5 caps, 5 resume" {
		t.Errorf("the run took %s", got)
	}
	again, err := engine.Replay(t.Context(), dir, engine.ReplayOptions{})
	if err != nil || !again.Equal || again.Ticks != 7 {
		t.Errorf("replay: %+v, %v", again, err)
	}
}

// TestARunIsControlledBehindAProxy lets a browser in under the name that a proxy passes on, which speaks https to it,
// and nobody under another name.
func TestARunIsControlledBehindAProxy(t *testing.T) {
	t.Parallel()
	controls := engine.NewControls()
	s := begin(t, dashboard.Options{Dir: t.TempDir(), Control: controlled{controls}, Hosts: []string{"runs.example.org"}})
	p := &poster{at: s.URL(), origin: "https://runs.example.org"}
	as := func(host string, cookies ...*http.Cookie) func(*http.Request) {
		return func(r *http.Request) {
			r.Host = host
			for _, c := range cookies {
				r.AddCookie(c)
			}
		}
	}
	enter := `{"token":"` + tokenOf(t, s.ControlURL()) + `"}`
	if status, _ := p.post(t, "api/control/enter", enter, as("evil.example")); status != http.StatusMisdirectedRequest {
		t.Errorf("another name: status %d", status)
	}
	if status, _ := p.post(t, "api/control/enter", enter, nil); status != http.StatusForbidden {
		t.Errorf("the page of the name asks for this machine: status %d", status)
	}
	status, cookies := p.post(t, "api/control/enter", enter, as("runs.example.org"))
	if status != http.StatusOK || len(cookies) != 1 || !cookies[0].Secure || !cookies[0].HttpOnly {
		t.Fatalf("status %d, cookies %v", status, cookies)
	}
	if status, _ := p.post(t, "api/control", `{"kind":"pause"}`, as("runs.example.org", cookies...)); status != http.StatusOK {
		t.Errorf("a pause: status %d", status)
	}
	p.origin = "https://evil.example"
	if status, _ := p.post(t, "api/control", `{"kind":"resume"}`, as("runs.example.org", cookies...)); status != http.StatusForbidden {
		t.Errorf("a page of others: status %d", status)
	}
	if n := len(controls.Status().Requests); n != 1 {
		t.Errorf("%d requests came through", n)
	}
}
