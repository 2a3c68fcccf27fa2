//go:build unix

package dashboard_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/agentworld"
	"example.com/agentworld/dashboard"
	"example.com/agentworld/engine"
)

// toldWithin is after what time a page says at the latest that something ended or is silent, on a quiet machine:
// the page has timers, and shares the machine with what it watches. So the time is judged at full size alone, with
// several tries, and else only that it is told.
const (
	toldWithin = 2 * time.Second
	toldTries  = 4
)

// toldSoon does what a page then tells, with a text, until it was told soon enough.
func toldSoon(t *testing.T, try func() (told time.Duration)) {
	t.Helper()
	for n := 1; ; n++ {
		took := try()
		t.Logf("told after %v", took.Round(time.Millisecond))
		if took <= toldWithin || os.Getenv("AGENT_WORLD_LONG") == "" {
			return
		}
		if n == toldTries {
			t.Fatalf("told after %v, in each of %d tries too late", took, n)
		}
	}
}

// playStuck plays a run in this process, says after its second tick that it was played, and plays no further. If it
// is served, it prints the address of the page before.
func playStuck(dir string, served bool) {
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if served {
		s, err := dashboard.New(dashboard.Options{Dir: filepath.Dir(dir)})
		if err != nil {
			fail(err)
		}
		go func() { fail(s.Serve(context.Background())) }()
		fmt.Println(s.URL())
	}
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		fail(err)
	}
	settings.Ticks = 5
	_, err = agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir, Progress: func(p agentworld.Progress) {
		if p.Tick == 2 {
			fmt.Println("stuck")
			_, _ = io.Copy(io.Discard, os.Stdin)
			select {}
		}
	}})
	fail(fmt.Errorf("the run ended: %w", err))
}

// TestAKilledRunIsNoLongerRunning kills the process of a run, which leaves its files as they are: the page of a
// server beside it says so at once, and that of the process itself says that its server is gone.
func TestAKilledRunIsNoLongerRunning(t *testing.T) {
	browserPath(t)
	for _, c := range []struct{ how, text string }{
		{"beside", "Not finished"}, {"served", "The server of this page does not answer."},
	} {
		toldSoon(t, func() time.Duration {
			dir := t.TempDir()
			process, first, _ := part(t, "stuck", filepath.Join(dir, "live"), c.how)
			at := ""
			if c.how == "served" {
				at = first()
			} else {
				at = serve(t, dir)
			}
			first()
			b := openTab(t, at)
			b.open(t, "#/run?id=live", "Running: tick 3 of 5 is played.")
			began := time.Now()
			if err := process.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = process.Wait() // it was killed
			b.wait(t, c.text)
			took := time.Since(began)
			if c.how == "served" {
				b.wait(t, "last seen running")
				b.wait(t, "What is shown is of ")
				return took
			}
			b.wait(t, "world_llm_agent_demo resume RUN")
			b.check(t, "killed")
			return took
		})
	}
}

// relay passes on the bytes between clients and a server, until it is frozen.
type relay struct {
	net.Listener
	mu sync.RWMutex
}

// relayTo begins to pass on what it gets to the server of an address.
func relayTo(t *testing.T, at string) (r *relay, url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r = &relay{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	host := strings.TrimSuffix(strings.TrimPrefix(at, "http://"), "/")
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", host)
			if err != nil {
				_ = client.Close()
				continue
			}
			go r.pass(client, server)
			go r.pass(server, client)
		}
	}()
	return r, "http://" + l.Addr().String() + "/"
}

// pass passes on what it reads, but nothing while the relay is frozen.
func (r *relay) pass(to io.WriteCloser, from io.Reader) {
	defer to.Close()
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		r.mu.RLock()
		_, wrong := to.Write(piece[:n])
		r.mu.RUnlock()
		if err != nil || wrong != nil {
			return
		}
	}
}

// TestAServerThatHangsIsNamed freezes what is between a page and its server: connections stay open, and nothing
// is answered.
func TestAServerThatHangsIsNamed(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "one"), "minimal", 2, nil)
	r, at := relayTo(t, serve(t, dir))
	b := openTab(t, at)
	b.open(t, "#/run?id=one", "Agents after tick 2")
	toldSoon(t, func() time.Duration {
		r.mu.Lock()
		began := time.Now()
		b.wait(t, "The server of this page does not answer.")
		took := time.Since(began)
		b.wait(t, "What is shown is of ")
		r.mu.Unlock()
		if _, err := chromedp.Run(b.ctx, until("document.querySelector('.gone') === null")); err != nil {
			t.Errorf("the server answers again, and the page does not say so: %v", err)
		}
		return took
	})
}

// proxied is a server behind a reverse proxy that passes on whole blocks of 4 KiB alone, and the rest where an
// answer ends. It ends what is silent for as long as that of nginx does.
func proxied(t *testing.T, at string) string {
	t.Helper()
	const block, silentMax = 4 << 10, time.Minute
	to, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := r.Clone(r.Context())
		out.RequestURI = ""
		out.URL.Scheme, out.URL.Host = to.Scheme, to.Host
		answer, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.StatusCode)
		piece := make([]byte, block)
		for {
			late := time.AfterFunc(silentMax, func() { _ = answer.Body.Close() })
			n, err := io.ReadFull(answer.Body, piece)
			late.Stop()
			_, _ = w.Write(piece[:n])
			_ = http.NewResponseController(w).Flush()
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(func() { proxy.CloseClientConnections(); proxy.Close() })
	return proxy.URL + "/"
}

// TestTheStreamPassesABufferingProxy follows and controls a run under way through a proxy that keeps back what is no
// whole block, under the name of the proxy.
func TestTheStreamPassesABufferingProxy(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	controls := engine.NewControls()
	s := begin(t, dashboard.Options{Dir: dir, Hosts: []string{proxyName}, Control: controlled{controls}})
	at := proxied(t, s.URL())
	stream, err := http.Get(at + "api/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	next := func(text string) {
		t.Helper()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data: "+text) {
				return
			}
		}
		t.Fatalf("the stream ends without %s: %v", text, lines.Err())
	}
	next("[]") // that there is no news
	next("[]")
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = 3
	on, ended := make(chan bool), make(chan error, 1)
	go func() {
		_, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: filepath.Join(dir, "live"), Progress: func(agentworld.Progress) { <-on }})
		ended <- err
	}()
	next(`["*"`) // a run that begins
	b := openTab(t, strings.Replace(at, "127.0.0.1", proxyName, 1))
	_, entrance, _ := strings.Cut(s.ControlURL(), "#")
	b.open(t, "#"+strings.Replace(entrance, "id=.", "id=live", 1), "Running: tick 2 of 3 is played.")
	b.click(t, ".control button", "Pause the run")
	if _, err := chromedp.Run(b.ctx, until("document.querySelector('.control').innerText.includes('pause')")); err != nil || len(controls.Status().Requests) != 1 {
		t.Errorf("the run got %+v, %v", controls.Status().Requests, err)
	}
	on <- true
	b.wait(t, "Running: tick 3 of 3 is played.")
	on <- true
	on <- true
	b.wait(t, "Completed: all 3 ticks were played.")
	b.check(t, "through a proxy")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// TestAServerThatAnswersChangesNothing keeps the stream back: the page asks whether its server is there, and asks for
// nothing else then.
func TestAServerThatAnswersChangesNothing(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "one"), "minimal", 2, nil)
	to, err := url.Parse(serve(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/stream" {
			pass.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(func() { proxy.CloseClientConnections(); proxy.Close() })
	b := openTab(t, proxy.URL+"/")
	b.open(t, "#/run?id=one", "Agents after tick 2")
	const asks = `new Promise((r) => { let looks = 0, asked = 0; const ask = window.fetch; window.fetch = (...a) => { if (String(a[0]).startsWith('icon')) looks++; else asked++; if (looks === 3) r(asked); return ask(...a); }; })`
	if asked, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](asks, chromedp.EvalAwaitPromise)); err != nil || asked != 0 {
		t.Errorf("the page asks %d times for what did not change, %v", asked, err)
	}
	if _, err := chromedp.Run(b.ctx, until("document.querySelector('.gone') === null")); err != nil {
		t.Errorf("a server that answers is called gone: %v", err)
	}
}
