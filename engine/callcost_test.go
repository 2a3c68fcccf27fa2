package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// exchangesFile names, in the environment, the file of the exchanges that this test binary is
// to serve in place of running tests.
const exchangesFile = "AGENT_WORLD_TEST_EXCHANGES"

// exchangeOrder is the header by which a client that writes the members of a request in
// another order says which request it is.
const exchangeOrder = "X-Exchange"

// serveExchanges answers requests with the recorded responses until stdin is closed. It is a
// process of its own, so that the CPU time of a server is not counted.
func serveExchanges(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var responses map[string]json.RawMessage
	if err := json.Unmarshal(text, &responses); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		key := r.Header.Get(exchangeOrder)
		if key == "" {
			key = llmclient.Hash(body)
		}
		response, ok := responses[key]
		if err != nil || !ok {
			http.Error(w, "no such exchange", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(response)
	})}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// exchangeRecorder is a transport that keeps the requests and responses it carries.
type exchangeRecorder struct {
	mu        sync.Mutex
	bodies    map[string][]byte
	responses map[string]json.RawMessage
}

// RoundTrip implements [http.RoundTripper].
func (e *exchangeRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(answer))
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bodies[llmclient.Hash(body)], e.responses[llmclient.Hash(body)] = body, answer
	return response, err
}

// requestRecorder is a source that keeps the requests it passes on.
type requestRecorder struct {
	engine.Source
	mu       sync.Mutex
	requests map[string]llmclient.Request
}

// Respond implements [engine.Source].
func (r *requestRecorder) Respond(ctx context.Context, key trace.CallKey, request llmclient.Request) llmclient.Answer {
	r.mu.Lock()
	r.requests[request.Hash()] = request
	r.mu.Unlock()
	return r.Source.Respond(ctx, key, request)
}

// BenchmarkCallCost compares what a call costs the engine with what openai-go's own client
// takes for the same call: equal requests, equal responses, from a server in another process.
//
//   - The engine's side is a whole run, divided by its calls: the world, the prompt, encoding
//     the request, the HTTP exchange through llmclient/openai, decoding the answer and the turn's
//     checks. Recording has a measure of its own, so that there is a run with it, fsync
//     included, and one without.
//   - openai-go's side is Responses.New alone: encoding typed parameters that are ready
//     beforehand, the HTTP exchange, and decoding into the SDK's typed response, of which
//     the output text is read.
//
// CPU time is user and system time of this process, garbage collection included.
// Allocations are those of this process. The sides take turns, so that other work on the
// machine affects both alike; the ratio is that of their sums.
func BenchmarkCallCost(b *testing.B) {
	if processCPU == nil {
		b.Skip("CPU time is not counted on this system")
	}
	const ticks, concurrency = 100, 4
	defer debug.SetGCPercent(debug.SetGCPercent(300)) // as a run has it
	o := options(b, "llm_bootstrap", ticks)
	recorder := &exchangeRecorder{bodies: map[string][]byte{}, responses: map[string]json.RawMessage{}}
	asked := &requestRecorder{Source: sourceAt(b, o.Settings.BaseURL, recorder), requests: map[string]llmclient.Request{}}
	o.Source = asked
	run(b, o)

	url := exchangeServer(b, recorder.responses)
	o.Source = sourceAt(b, url, nil)
	client := sdk.NewClient(option.WithBaseURL(url+"/v1/"), option.WithAPIKey("sk-none"), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: concurrency}}))
	hashes := slices.Sorted(maps.Keys(recorder.bodies))
	params := make([]responses.ResponseNewParams, len(hashes))
	for i, hash := range hashes {
		if err := json.Unmarshal(recorder.bodies[hash], &params[i]); err != nil {
			b.Fatal(err)
		}
		// Ready parameters are values, not the JSON that they were read from.
		if i == 0 {
			sameRequest(b, params[i], recorder.bodies[hash])
		}
	}

	requests := slices.Collect(maps.Values(asked.requests))
	// all makes the calls numbered from 0, as many at a time as the run does.
	all := func(call func(i int)) {
		var callers sync.WaitGroup
		for first := range concurrency {
			callers.Go(func() {
				for i := first; i < len(hashes); i += concurrency {
					call(i)
				}
			})
		}
		callers.Wait()
	}
	var ours, unrecorded, bare, theirs cost
	for b.Loop() {
		o.RunDir = b.TempDir()
		ours.measure(len(hashes), func() { run(b, o) })
		unrecorded.measure(len(hashes), func() {
			if r, err := engine.RunUnrecorded(b.Context(), o); err != nil || r.TicksDone != ticks {
				b.Errorf("%+v, %v", r, err)
			}
		})
		bare.measure(len(hashes), func() {
			all(func(i int) {
				if answer := o.Source.Respond(b.Context(), trace.CallKey{}, requests[i]); answer.Reply == nil {
					b.Errorf("no reply: %+v", answer.Failure)
				}
			})
		})
		theirs.measure(len(hashes), func() {
			all(func(i int) {
				r, err := client.Responses.New(b.Context(), params[i], option.WithHeader(exchangeOrder, hashes[i]))
				if err != nil || len(r.Output) == 0 && r.OutputText() == "" {
					b.Errorf("openai-go: %v", err)
				}
			})
		})
	}
	b.ReportMetric(ours.microseconds(), "engine-us/call")
	b.ReportMetric(unrecorded.microseconds(), "unrecorded-us/call")
	b.ReportMetric(unrecorded.microseconds()/theirs.microseconds(), "unrecorded/sdk")
	b.ReportMetric(unrecorded.allocations(), "unrecorded-allocs/call")
	b.ReportMetric(bare.microseconds(), "client-us/call")
	b.ReportMetric(bare.microseconds()/theirs.microseconds(), "client/sdk")
	b.ReportMetric(bare.allocations(), "client-allocs/call")
	b.ReportMetric(theirs.microseconds(), "sdk-us/call")
	b.ReportMetric(ours.microseconds()/theirs.microseconds(), "engine/sdk")
	b.ReportMetric(ours.allocations(), "engine-allocs/call")
	b.ReportMetric(theirs.allocations(), "sdk-allocs/call")
	b.ReportMetric(0, "ns/op")
}

// sourceAt is a source over HTTP. A nil transport is the client's own.
func sourceAt(b *testing.B, url string, transport http.RoundTripper) engine.Source {
	b.Helper()
	config := openai.Config{BaseURL: url, ShownURL: "http://model.test/v1/responses", APIKey: openai.NewSecret("sk-none-of-anybody")}
	if transport != nil {
		config.HTTPClient = &http.Client{Transport: transport}
	}
	client, err := openai.New(config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	return engine.Live(client)
}

// exchangeServer starts the process that answers with the given responses.
func exchangeServer(b *testing.B, answers map[string]json.RawMessage) (url string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "exchanges.json")
	if err := os.WriteFile(path, llmclient.Marshal(answers), 0o600); err != nil {
		b.Fatal(err)
	}
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), exchangesFile+"="+path)
	server.Stderr = os.Stderr
	stdin, err := server.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = stdin.Close()
		_ = server.Wait()
	})
	var addr string
	if _, err := fmt.Fscanln(stdout, &addr); err != nil {
		b.Fatal(err)
	}
	return "http://" + addr
}

// sameRequest fails unless params are encoded to the same request as body.
func sameRequest(b *testing.B, params responses.ResponseNewParams, body []byte) {
	b.Helper()
	encoded, err := json.Marshal(params)
	if err != nil {
		b.Fatal(err)
	}
	var theirs, ours any
	if json.Unmarshal(encoded, &theirs) != nil || json.Unmarshal(body, &ours) != nil || !reflect.DeepEqual(theirs, ours) {
		b.Fatalf("openai-go sends another request:\n%.2000s\n%.2000s", encoded, body)
	}
}

// cost sums what calls took.
type cost struct {
	calls, allocated int
	cpu              time.Duration
}

// measure adds what do takes for the given number of calls.
func (c *cost) measure(calls int, do func()) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processCPU()
	do()
	c.cpu += processCPU() - began
	runtime.ReadMemStats(&after)
	c.calls += calls
	c.allocated += int(after.Mallocs - before.Mallocs)
}

func (c cost) microseconds() float64 { return float64(c.cpu.Microseconds()) / float64(c.calls) }
func (c cost) allocations() float64  { return float64(c.allocated) / float64(c.calls) }

// processCPU is the user and system time that this process has used, nil on a system that does not count it.
var processCPU func() time.Duration
