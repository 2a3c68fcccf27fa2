package engine_test

import (
	"bytes"
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// TestMain lets rapid draw fewer cases than its default, because a case here is several
// whole runs. Its own flag and full size override that. Runs leave much garbage quickly,
// and there is enough memory to collect it less often.
func TestMain(m *testing.M) {
	if path := os.Getenv(exchangesFile); path != "" {
		if err := serveExchanges(path); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	debug.SetGCPercent(400)
	if err := flag.Set("rapid.checks", strconv.FormatInt(ticksUpTo(15, 100), 10)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// slow marks a test that plays many ticks. It runs beside others, and -short leaves it
// out.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	t.Parallel()
}

// ticksUpTo is the size of a test: full when that is asked for (make long).
func ticksUpTo(small, full int64) int64 {
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		return full
	}
	return small
}

// turnBody captures whose turn the body of a request is, which its observation says first.
var turnBody = regexp.MustCompile(`\\n(?:you|你): ([^ ,"\\]+)`)

// agentOf is the agent whose turn a request's body is, empty when it is none's.
func agentOf(body []byte) string {
	if found := turnBody.FindSubmatch(body); found != nil {
		return string(found[1])
	}
	return ""
}

// scriptedSource starts the embedded server and a real client for it.
func scriptedSource(t testing.TB) (engine.Source, string) {
	t.Helper()
	return seededSource(t, 1)
}

// seededSource is scriptedSource with what the scripted model asks and writes drawn from another seed.
func seededSource(t testing.TB, seed uint64) (engine.Source, string) {
	t.Helper()
	server, err := stub.Start(context.Background(), "127.0.0.1:0", stub.Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	client, err := openai.New(openai.Config{BaseURL: server.URL(), Steady: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return engine.Live(client), client.URL()
}

// inProcess is a client whose requests the stub answers without a network, so that a
// run can be played on the false time of a bubble.
func inProcess(t testing.TB, o stub.Options, cfg openai.Config) *openai.Client {
	t.Helper()
	cfg.BaseURL, cfg.HTTPClient = "http://model.test", &http.Client{Transport: answering{stub.NewHandler(o)}}
	client, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// answering carries requests to a handler that may never answer.
type answering struct{ http.Handler }

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := make(chan *http.Response, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		answer <- w.Result()
	}()
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case response := <-answer:
		return response, nil
	}
}

// options are those of a scripted run of an embedded scenario.
func options(t testing.TB, name string, ticks int64) engine.Options {
	t.Helper()
	o := withoutModel(t, name, ticks)
	source, url := scriptedSource(t)
	o.Settings.Model, o.Settings.ModelSource, o.Settings.BaseURL = "scripted", trace.SourceScripted, url
	o.Source = source
	return o
}

// withoutModel are the options of a run of an embedded scenario that asks no model.
func withoutModel(t testing.TB, name string, ticks int64) engine.Options {
	t.Helper()
	s, toml, ok := scenario.Embedded(name)
	if !ok {
		t.Fatalf("no scenario %s", name)
	}
	settings := trace.DefaultSettings()
	settings.Scenario, settings.ScenarioTOML, settings.Seed, settings.Ticks = name, string(toml), s.Seed, ticks
	settings.ModelSource = trace.SourceNone
	settings.ChainSteps = 0 // most tests need a question in every tick
	return engine.Options{Settings: settings, RunDir: t.TempDir(), Concurrency: 4}
}

func run(t testing.TB, o engine.Options) engine.Result {
	t.Helper()
	result, err := engine.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// fold reads the report of the run in dir.
func fold(t testing.TB, dir string) report.Report {
	t.Helper()
	f, err := rundir.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := report.Fold(trace.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// copied is a run directory like dir, for this test to change.
func copied(t testing.TB, dir string) string {
	t.Helper()
	own := t.TempDir()
	if err := os.CopyFS(own, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return own
}

func canonical(t testing.TB, dir string) []byte {
	t.Helper()
	f, err := rundir.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if err := trace.Canonical(f, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readTrace(t testing.TB, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, rundir.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
