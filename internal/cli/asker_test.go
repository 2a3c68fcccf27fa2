package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/dashboard"
	"example.com/agentworld/engine/ask"
	"example.com/agentworld/run"
)

// pageOf lets a browser in at a printed address and returns what posts to a path of its page, and
// what is wrong with that.
func pageOf(t *testing.T, address string) func(path, body string) (problem string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	at, token, found := strings.Cut(strings.TrimSpace(address), "control=")
	at, _, _ = strings.Cut(at, "/#")
	post := func(path, body string) string {
		r, err := http.NewRequest(http.MethodPost, at+path, strings.NewReader(body))
		if err != nil {
			return err.Error()
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", at)
		answer, err := (&http.Client{Jar: jar}).Do(r)
		if err != nil {
			return err.Error()
		}
		defer answer.Body.Close()
		var of struct{ Error string }
		_ = json.NewDecoder(answer.Body).Decode(&of)
		return of.Error
	}
	if problem := post("/api/control/enter", `{"token":"`+token+`"}`); !found || problem != "" {
		t.Fatalf("the address %q lets nobody in: %s", address, problem)
	}
	return post
}

// TestAnInterruptedPageKeepsTheAnswerInFlight interrupts a page that asks, while the model thinks.
// The first Ctrl-C awaits the answer and keeps it, and drops the question that waits; the second
// breaks off. Both are said.
func TestAnInterruptedPageKeepsTheAnswerInFlight(t *testing.T) {
	const question = `{"run":".","agent":"agent-1","tick":1,"text":"Why?"}`
	for name, twice := range map[string]bool{"drained": false, "broken off": true} {
		t.Run(name, func(t *testing.T) {
			thinks, answers := make(chan bool, 9), make(chan bool)
			model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				thinks <- true
				select {
				case <-answers:
				case <-r.Context().Done():
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"message","id":"a","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Because.","annotations":[]}]}],"usage":{"input_tokens":100,"output_tokens":10,"total_tokens":110}}`)
			}))
			t.Cleanup(model.Close)
			p := newProcess(t, nil)
			p.played(t, "minimal", "--ticks", "2", "--run-dir", "run", "--quiet")
			p.Args = []string{"dashboard", "run", "--ask", "--model", "m", "--base-url", model.URL}
			printed := &firstLine{line: make(chan string, 1)}
			p.Stdout = printed
			quit, quits := context.WithCancel(t.Context())
			defer quits()
			ctx, interrupt := context.WithCancel(quit)
			defer interrupt()
			p.Quit = quit
			ended := make(chan int, 1)
			go func() { ended <- p.Run(ctx) }()
			post := pageOf(t, <-printed.line)
			for range 2 {
				go post("/api/ask", question)
			}
			<-thinks
			interrupt()
			if twice {
				quits()
			} else {
				select {
				case <-ended:
					t.Fatalf("the program ended before the answer came\n%s", p.stderr.String())
				case <-time.After(100 * time.Millisecond): // longer makes the test no better at finding it
				}
				close(answers)
			}
			if code := <-ended; code != exitCompleted {
				t.Errorf("exit code %d", code)
			}
			kept, err := ask.Kept(run.Dir(filepath.Join(p.dir, "run")))
			said := saysDrain
			if twice {
				said = regexp.MustCompile("interrupted again: 1 call broken off, its answer is lost")
			}
			if !said.MatchString(p.stderr.String()) {
				t.Errorf("%q is not said:\n%s", said, p.stderr.String())
			}
			if err != nil || !twice && (len(kept) != 1 || kept[0].Text != "Because.") || twice && len(kept) != 0 {
				t.Errorf("kept is %+v, %v", kept, err)
			}
		})
	}
}

// saysDrain is what an interrupt says while a call with the default timeout is in flight.
var saysDrain = regexp.MustCompile(`interrupted: 1 call in flight awaited, up to (3m00s|2m5[0-9]s); those that wait are dropped; Ctrl-C again breaks off`)

// TestQuestionsNameTheRunAsThePageDoes asks what cannot be asked: the errors have no path of the
// machine, and no key.
func TestQuestionsNameTheRunAsThePageDoes(t *testing.T) {
	p := newProcess(t, map[string]string{"OPENAI_API_KEY": "sk-secret-of-the-test"})
	p.played(t, "minimal", "--ticks", "2", "--run-dir", "runs/hub", "--quiet")
	p.Args = []string{"dashboard", "runs", "--ask", "--offline"}
	printed := &firstLine{line: make(chan string, 1)}
	p.Stdout = printed
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- p.Run(ctx) }()
	defer func() { interrupt(); <-ended }()
	post, file := pageOf(t, <-printed.line), filepath.Join(p.dir, "runs", "hub", run.AsksFile)
	asked := func(agent, tick, want string) {
		t.Helper()
		got := post("/api/ask", `{"run":"hub","agent":"`+agent+`","tick":`+tick+`,"text":"Why?"}`)
		if got != want || strings.Contains(got, p.dir) {
			t.Errorf("%s after tick %s: %q, want %q", agent, tick, got, want)
		}
	}
	asked("agent-1", "2", "")
	asked("agent-1", "9", `tick 9 is not there: "hub" has 2 ticks; allowed: 1 to 2`)
	asked("nobody", "2", `no agent "nobody" in this run; allowed: agent-1`)
	if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o700)); err != nil {
		t.Fatal(err)
	}
	asked("agent-1", "2", `"hub" cannot be read: open trace: open asks.jsonl: not a regular file: it is a directory`)
}

// TestAClosedPageAsksNoMore: a question whose page was closed before its turn is not paid for.
func TestAClosedPageAsksNoMore(t *testing.T) {
	p := newProcess(t, nil)
	page, closed := context.WithCancel(t.Context())
	closed()
	if err := newAsker(t.Context(), p.Main, config{}).ask(page, dashboard.Question{Dir: p.dir, Run: ".", Agent: "agent-1", Tick: 1, Text: "Why?"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
