package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/agentworld/dashboard"
	"example.com/agentworld/llmclient"
)

// TestFiveQuestions answers from the visible text of the page, click by click, what happened in
// the run of docs/explain.md: which agent failed first, when, why, on whose word, and what it cost.
func TestFiveQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many runs")
	}
	browser, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Skip("SKIPPED: no chromium-headless-shell is installed, so the page was not asked")
	}
	p := newProcess(t, nil)
	text, err := os.ReadFile("testdata/lent_charge.toml")
	if err == nil {
		err = os.WriteFile(filepath.Join(p.dir, "lent_charge.toml"), text, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(p.dir, "prices.toml"), []byte("currency = 'USD'\nas_of = '2026-01-01'\nsource = 'a test'\n[[price]]\nmodels = ['m']\ninput = '10'\noutput = '100'\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	play := []string{"lent_charge.toml", "--ticks", "60", "--model", "m", "--base-url", lending(t), "--price-table", "prices.toml", "--quiet", "--run-dir"}
	p.played(t, append(play, "runs/RUN")...)
	p.played(t, append(play, "runs/UNGUARDED", "--guard-off", "plan,policy")...)
	server, err := dashboard.New(dashboard.Options{Dir: filepath.Join(p.dir, "runs")})
	if err != nil {
		t.Fatal(err)
	}
	serving, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(serving) }()
	t.Cleanup(func() { stop(); <-ended })
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(browser), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1300, 900), chromedp.Navigate(server.URL())); err != nil {
		t.Fatal(err)
	}
	poll := func(what, script string, args ...string) {
		t.Helper()
		late, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		if _, err := chromedp.Run(late, chromedp.Poll[bool](fmt.Sprintf("((a) => %s)(%s)", script, llmclient.Marshal(args)))); err != nil {
			shown, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText"))
			t.Fatalf("%s: %q: %v\n%s", what, args, err, shown)
		}
	}
	clicks := 0
	click := func(text string) {
		t.Helper()
		clicks++
		poll("nothing to click", "{ const e = [...document.querySelectorAll('a, button, summary')].find((e) => e.checkVisibility() && e.innerText.includes(a[0])); if (e) e.click(); return !!e; }", text)
	}
	shows := func(texts ...string) {
		t.Helper()
		poll("the page does not show", "a.every((t) => document.body.innerText.includes(t))", texts...)
	}
	click("RUN")
	shows("First shutdown: tick 43, agent-1") // which agent failed first, and when
	click("First shutdown")
	shows("agent-1, tick 43", "power state", "Its last decision was in tick 38")
	click("Its last decision was in tick 38")
	shows("agent-1, tick 38", "agent-2 owes me charge and brings it, so I wait.") // why
	click("tick 3, agent-1")
	shows("agent-1, tick 3", "-40 electricity", "agent-2 brings back twice as much", "msg-2-agent-2-1", "Lend me 40 electricity", "0.0040 USD") // what it cost
	click("tick 2, agent-2")
	shows("agent-2, tick 2", "send message", "I bring you 80 before you run out.") // on whose word
	within := func(most int, what string) {
		t.Helper()
		if clicks > most {
			t.Errorf("%s: it took %d clicks, at most %d", what, clicks, most)
		}
		clicks = 0
		if err := chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL())); err != nil {
			t.Fatal(err)
		}
	}
	within(12, "all of them")
	click("RUN")
	click("1 time something was given")
	shows("gave 40 electricity")
	click("tick 3")
	shows("a rule of the scenario, on the word of agent-2 (msg-2-agent-2-1")
	within(4, "on whose word something was given")
	shows("guard off: plan, policy")
	click("UNGUARDED")
	click("1 time something was given")
	click("tick 3")
	shows("a check of the guard was off", "In view were texts of agent-2")
	within(4, "on whose word something was given without a guard")
	click("RUN")
	click("tick 58")
	shows("agent-1, tick 58", " tokens · 0.00")
	within(3, "what a decision cost")
}

func TestDashboardCommand(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"none", `"none" at "127.0.0.1:0" cannot be shown`},
		{". --listen 0.0.0.0:0", "allowed: a host:port of this machine alone"},
		{". --listen example.com:80", "allowed: a host:port of this machine alone"},
		{". --listen here", "allowed: a host:port of this machine alone"},
	} {
		p := newProcess(t, nil, append([]string{"dashboard"}, strings.Fields(c.args)...)...)
		if code := p.run(t); code != exitBadInput || !strings.Contains(p.stderr.String(), c.want) || p.stdout.Len() > 0 {
			t.Errorf("%s: exit code %d\n%s", c.args, code, p.output())
		}
	}
	p := newProcess(t, nil, "dashboard")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	printed := &firstLine{line: make(chan string, 1)}
	p.Stdout = printed
	go func() { ended <- p.Run(ctx) }()
	answer, err := http.Get(strings.TrimSpace(<-printed.line) + "api/runs")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the printed address does not answer: %v, %v", answer, err)
	}
	_ = answer.Body.Close()
	cancel()
	if code := <-ended; code != exitCompleted {
		t.Errorf("interrupted, exit code %d\n%s", code, p.stderr.String())
	}
}

// firstLine hands over the first thing that is written.
type firstLine struct{ line chan string }

func (f *firstLine) Write(b []byte) (int, error) {
	select {
	case f.line <- string(b):
	default:
	}
	return len(b), nil
}
