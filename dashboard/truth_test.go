package dashboard_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/agentworld"
	"example.com/agentworld/dashboard"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// TestAPageSaysThatItsServerIsGone ends the server of a page: the page says so, with the time of what it
// shows, and takes it back when a server answers there again.
func TestAPageSaysThatItsServerIsGone(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "one"), "minimal", 2, nil)
	s, err := dashboard.New(dashboard.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx) }()
	at := s.URL()
	b := openTab(t, at)
	b.open(t, "#/run?id=one", "Agents after tick 2")
	if _, err := chromedp.Run(b.ctx, until("document.querySelector('.gone') === null")); err != nil {
		t.Errorf("a server that answers is called gone: %v", err)
	}
	end()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	b.wait(t, "The server of this page does not answer.")
	shown, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`/What is shown is of \d\d:\d\d:\d\d/.test(document.querySelector('.gone').innerText)`))
	if err != nil || !shown {
		t.Errorf("the page does not say of when it is: %v", err)
	}
	begin(t, dashboard.Options{Dir: dir, Listen: at[len("http://") : len(at)-1]})
	if _, err := chromedp.Run(b.ctx, until("document.querySelector('.gone') === null")); err != nil {
		t.Errorf("the server is back, and the page does not say so: %v", err)
	}
}

// TestWhatHappenedIsReadFromThePage answers questions about runs from the visible text, within as many clicks
// as a person has patience for.
func TestWhatHappenedIsReadFromThePage(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "good"), "llm_bootstrap", 6, nil)
	record(t, filepath.Join(dir, "spoilt"), "llm_bootstrap", 6, func(s *agentworld.Settings) {
		s.Faults, s.MaxDegradedPct, s.GuardOff = "http_400=30%", 100, []string{"all"}
	})
	record(t, filepath.Join(dir, "capped"), "llm_bootstrap", 20, func(s *agentworld.Settings) { s.Caps.Run.Calls = 12 })
	record(t, filepath.Join(dir, "killed"), "llm_bootstrap", 4, nil)
	kill(t, filepath.Join(dir, "killed"))
	for n := range 41 {
		if err := os.CopyFS(filepath.Join(dir, fmt.Sprint("more-", n)), os.DirFS(filepath.Join(dir, "good"))); err != nil {
			t.Fatal(err)
		}
	}
	b := openTab(t, serve(t, dir))
	b.open(t, "", "45 runs")
	b.click(t, "button", "2 failed") // which of 45 runs failed: one click
	const names = `[...document.querySelectorAll('tbody tr')].map((r) => r.querySelector('a').innerText).sort().join()`
	if _, err := chromedp.Run(b.ctx, until(names+" === 'capped,killed'")); err != nil {
		shown, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](names))
		t.Errorf("the list shows %s of the runs that failed, %v", shown, err)
	}
	b.check(t, "failed runs")
	b.open(t, "#/", "spoilt")
	for _, pill := range []string{"guard off: all", "faults: http_400=30%", "caps: the run 12 calls"} {
		b.wait(t, pill)
	}
	b.click(t, "td a", "spoilt")
	b.wait(t, "turns failed")
	b.wait(t, "the endpoint refused the request")
	b.wait(t, "guard off: all")
	b.click(t, ".summary a", "tick ") // who failed first, and why: two clicks
	b.wait(t, "no answer (the endpoint refused the request)")
	b.wait(t, "The engine had it wait.")
	b.check(t, "a failed turn")
	b.open(t, "#/run?id=capped", "Stopped by a cap")
	b.wait(t, "--cap-calls N")
	b.open(t, "#/run?id=killed", "Not finished")
	b.wait(t, "world_llm_agent_demo resume RUN")
	b.check(t, "killed")
	b.open(t, "#/", "spoilt") // where two runs part, and why: three clicks
	b.click(t, "input", "compare good as A")
	b.click(t, "input", "compare spoilt as B")
	b.click(t, "a", "Compare A (1) with B (1)")
	b.wait(t, "What was set differently")
	b.wait(t, "by agent-")
	b.wait(t, "no answer (the endpoint refused the request)")
	b.check(t, "parted")
}

// TestOnWhoseWordAndAtWhatCost opens what was given, with the guard on and off: on whose word, and what the decision
// cost, is read three clicks from the list.
func TestOnWhoseWordAndAtWhatCost(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	b := openTab(t, serve(t, dir))
	for _, name := range []string{"on", "off"} {
		record(t, filepath.Join(dir, name), "task_cooperation_camp_160", 24, func(s *agentworld.Settings) {
			if name == "off" {
				s.GuardOff = []string{"all"}
			}
		})
		b.open(t, "#/", name)
		b.click(t, "td a", name)
		b.click(t, ".summary a", "something was given")
		b.click(t, ".talk a", "tick 23")
		b.wait(t, "Allowed by: ")
		b.wait(t, "decided by the model · ")
		b.wait(t, " tokens · ")
		b.check(t, "given, guard "+name)
	}
}

// kill makes a run one whose process was killed in its last tick.
func kill(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, run.TraceFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(text, []byte("\n"+`{"type":"tick_end"`))
	if err := os.WriteFile(path, text[:at+1], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, run.ReportFile)); err != nil {
		t.Fatal(err)
	}
}

// TestWhatWasAskedAheadIsShown asks ahead of a run: while it is played the page says how many calls that were, and at
// the end what became of them.
func TestWhatWasAskedAheadIsShown(t *testing.T) {
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
	settings.Ticks, settings.Model, settings.ModelSource, settings.BaseURL = 6, "scripted", trace.SourceScripted, client.URL()
	dir, on, ended := t.TempDir(), make(chan bool), make(chan error, 1)
	go func() {
		_, err := engine.Run(t.Context(), engine.Options{
			Settings: settings, RunDir: dir, Source: engine.Live(client), Concurrency: 8,
			Ahead: engine.Ahead{Depth: 3, WastePermille: 500}, Progress: func(p engine.Progress) {
				if p.Tick == 5 {
					<-on
				}
			},
		})
		ended <- err
	}()
	b := openTab(t, serve(t, dir))
	b.open(t, "#/run?id=.", "Running: tick ")
	b.wait(t, "asked ahead ")
	b.wait(t, " in vain (")
	b.wait(t, " saved")
	b.check(t, "asks ahead")
	close(on)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	record(t, filepath.Join(dir, "other"), "minimal", 2, nil)
	b = openTab(t, serve(t, filepath.Join(dir, "other")))
	b.open(t, "#/run?id=.", "Agents after tick 2")
	const ahead = `(() => {
		const ask = window.fetch;
		window.fetch = async (...a) => {
			const r = await ask(...a);
			if (!String(a[0]).startsWith('api/run?')) return r;
			const run = await r.json();
			run.row.currency = 'USD';
			run.report.timing.ahead = { depth: 4, asked: 90, used: 80, wasted: 9, open: 1, wasted_input_tokens: 700, wasted_output_tokens: 60, wasted_micros: 20000, saved_ms: 4200 };
			return new Response(JSON.stringify(run), { headers: { 'Content-Type': 'application/json' } });
		};
		location.hash = '#/';
		return true;
	})()`
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](ahead)); err != nil {
		t.Fatal(err)
	}
	b.wait(t, "find")
	b.click(t, "td a", "this run")
	b.click(t, "a", "Figures")
	b.wait(t, "Up to 4 ticks ahead: asked ahead 90 calls, 80 used, 9 in vain (760 tokens, 0.0200 USD), 4.2 s saved, 1 open.")
	b.check(t, "asked ahead")
}
