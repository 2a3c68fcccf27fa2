package stub

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
)

// bodyOf is the request of an agent at the opening of a turn, told apart by a number.
func bodyOf(t *testing.T, agent string, n int, mode llmclient.ChoiceMode) []byte {
	t.Helper()
	return llmclient.Request{
		Model: "m", Instructions: fmt.Sprint("number ", n), Input: openingOf(t, full, agent), Tools: toolsOf(full),
		Choice: llmclient.ToolChoice{Mode: mode}, CacheKey: "the same for all",
	}.Body()
}

// openingOf is the opening of an agent's turn: it says whose it is in the observation.
func openingOf(t *testing.T, p protocol, agent string) []llmclient.Item {
	t.Helper()
	items := opened(t, 0, p).opening()
	at := len(items) - 1
	text := strings.Replace(items[at].Text, "\nyou: agent-zero ", "\nyou: "+agent+" ", 1)
	if text == items[at].Text {
		t.Fatalf("the observation does not say whose it is: %s", text)
	}
	items[at] = llmclient.Message("user", text)
	return items
}

// name is the kind of a fault, empty for none.
func (f fault) name() string {
	switch {
	case f.transport != nil:
		return f.transport.name
	case f.shape != nil:
		return f.shape.Name
	}
	return ""
}

// TestFaultsDoNotDependOnOrder asks an injector for many faults in two orders, at the
// same time and one after another.
func TestFaultsDoNotDependOnOrder(t *testing.T) {
	plan := mustPlan(t, "repairable=20%,unusable=10%,reset=10%,http_500=10%")
	const requests, attempts = 60, 3
	bodies := make([][]byte, requests)
	for n := range bodies {
		bodies[n] = bodyOf(t, "a", n, llmclient.ChoiceRequired)
	}
	ordered := NewInjector(plan, 3)
	want := make([][]string, requests)
	for n := range want {
		for range attempts {
			want[n] = append(want[n], ordered.next(parsed(t, bodies[n]), "").name())
		}
	}
	mixed := NewInjector(plan, 3)
	got := make([][]string, requests)
	var group sync.WaitGroup
	for n := requests - 1; n >= 0; n-- {
		group.Go(func() {
			for range attempts {
				got[n] = append(got[n], mixed.next(parsed(t, bodies[n]), "").name())
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults depend on the order (-one after another +at once):\n%s", diff)
	}
	if !slices.ContainsFunc(want, func(fates []string) bool { return fates[0] != fates[1] }) {
		t.Error("no repeated request had another fate")
	}
	other := NewInjector(plan, 4)
	if !slices.ContainsFunc([]int{0, 1, 2, 3}, func(n int) bool { return other.next(parsed(t, bodies[n]), "").name() != want[n][0] }) {
		t.Error("another seed gives the same faults")
	}
}

func TestRatesAreKept(t *testing.T) {
	plan := mustPlan(t, "http_500=20%,repairable=30%,reset=5%")
	r := parsed(t, bodyOf(t, "a", 0, llmclient.ChoiceRequired))
	const draws = 40_000
	counts := map[string]int{}
	for n := range draws {
		f := plan.draw(chance{mix(uint64(n))}, r)
		kind := f.name()
		if f.shape != nil {
			if !f.shape.Universal {
				t.Fatalf("%s was drawn and is not universal", kind)
			}
			kind = "repairable"
		}
		counts[kind]++
	}
	for kind, percent := range map[string]int{"http_500": 20, "repairable": 30, "reset": 5, "": 45} {
		if got, want := counts[kind], draws*percent/100; got < want*9/10 || got > want*11/10 {
			t.Errorf("%q was drawn %d times of %d, want about %d", kind, got, draws, want)
		}
	}
}

// TestTextAnswersKeepTheirShape demands that a request for text gets no malformed
// call, and that it still gets faults of the transport.
func TestTextAnswersKeepTheirShape(t *testing.T) {
	body := bodyOf(t, "a", 0, llmclient.ChoiceNone)
	if f := NewInjector(mustPlan(t, "any_shape=100%"), 1).next(parsed(t, body), ""); f.name() != "" {
		t.Errorf("a request for text got the shape %s", f.name())
	}
	if f := NewInjector(mustPlan(t, "sweep"), 1).next(parsed(t, body), ""); f.name() != "" {
		t.Errorf("a request for text got the shape %s in a sweep", f.name())
	}
	if f := NewInjector(mustPlan(t, "http_500=100%"), 1).next(parsed(t, body), ""); f.name() != "http_500" {
		t.Errorf("a request for text got %q, want http_500", f.name())
	}
}

func TestFaultsKeepToTheirAgents(t *testing.T) {
	i := NewInjector(mustPlan(t, "http_500=100%,latency=1m,agent=a,agent=c"), 1)
	for agent, want := range map[string]string{"a": "http_500", "b": "", "c": "http_500"} {
		f := i.next(parsed(t, bodyOf(t, agent, 0, llmclient.ChoiceRequired)), "")
		if f.name() != want || (f.hold > 0) != (want != "") {
			t.Errorf("agent %s got %q held back for %s, want %q", agent, f.name(), f.hold, want)
		}
	}
}

// TestSweepGoesThroughTheCorpus opens turns in successive ticks. A later request of
// the same turn is clean.
func TestSweepGoesThroughTheCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	i := NewInjector(mustPlan(t, "sweep"), 1)
	all := Corpus()
	g := opened(t, 0, full)
	later := map[string]bool{}
	for at := range len(all) {
		g.world.tick = int64(at + 1)
		later[SweepShape(int64(len(all)+at+1)).Name] = true
		request := llmclient.Request{Model: "m", Input: g.opening(), Tools: toolsOf(full), Choice: llmclient.ToolChoice{Mode: llmclient.ChoiceRequired}}
		if got, want := i.next(parsed(t, request.Body()), "").name(), all[at].Name; got != want {
			t.Errorf("tick %d opens with %q, want %s", at+1, got, want)
		}
		request.Input = append(request.Input, llmclient.Message("developer", "again"))
		if got := i.next(parsed(t, request.Body()), "").name(); got != "" {
			t.Errorf("tick %d continues with %q, want a clean answer", at+1, got)
		}
	}
	if len(later) != len(all) {
		t.Errorf("the second round has %d shapes of %d", len(later), len(all))
	}
}

// TestFillKeepsTheMeaning fills every universal shape from a proper answer. The result
// contains the arguments of the call in some form, and keeps ids and later calls.
func TestFillKeepsTheMeaning(t *testing.T) {
	body := openingBody(t)
	proper, err := Decide(0, body)
	if err != nil {
		t.Fatal(err)
	}
	last := proper.Items[len(proper.Items)-1]
	for _, s := range Corpus() {
		got := s.Fill(proper)
		again := s.Fill(proper)
		if !bytes.Equal(got.Response, again.Response) {
			t.Errorf("%s is filled differently a second time", s.Name)
		}
		if s.As == AsText && (len(got.Items) != 1 || got.Items[0].Kind != llmclient.KindMessage) {
			t.Errorf("%s gives %d items, want one message", s.Name, len(got.Items))
		}
		if s.As == AsArguments && (len(got.Items) != len(proper.Items) || got.Items[len(got.Items)-1].CallID != last.CallID) {
			t.Errorf("%s changes more than arguments", s.Name)
		}
		if s.As != AsItems && strings.Contains(got.Items[len(got.Items)-1].Text, "{{") && !strings.Contains(s.Name, "braces") {
			t.Errorf("%s leaves a placeholder: %s", s.Name, got.Items[len(got.Items)-1].Text)
		}
	}
}

// TestFillStandsForTheFirstOfSeveralCalls looks at an answer with two calls.
func TestFillStandsForTheFirstOfSeveralCalls(t *testing.T) {
	two := answer{calls: []toolCall{{"first", object{"a": 1}}, {"second", object{"b": 2}}}}
	proper, err := Decide(0, openingBody(t))
	if err != nil {
		t.Fatal(err)
	}
	proper.exchange.answer = two
	text := Shape{Name: "t", As: AsText, Template: "{{call}}"}.Fill(proper)
	if got, want := text.Items[0].Text, `{"name":"first","arguments":{"a":1}}`; len(text.Items) != 1 || got != want {
		t.Errorf("text of %d items is %s, want %s", len(text.Items), got, want)
	}
	arguments := Shape{Name: "a", As: AsArguments, Template: "[{{arguments}}]"}.Fill(proper)
	if len(arguments.Items) != 2 || arguments.Items[0].Text != `[{"a":1}]` || arguments.Items[1].Text != `{"b":2}` {
		t.Errorf("items %+v, want the first call's arguments in a list and the second's as they are", arguments.Items)
	}
	cut := Shape{Name: "i", As: AsItems, Template: "[]", Status: "incomplete", Reason: "max_output_tokens"}.Fill(proper)
	for _, part := range []string{`"status":"incomplete"`, `"completed_at":null`, `"error":null`, `"incomplete_details":{"reason":"max_output_tokens"}`} {
		if !bytes.Contains(cut.Response, []byte(part)) || len(cut.Items) != 0 {
			t.Errorf("an incomplete answer without items has no %s: %s", part, cut.Response)
		}
	}
}

// TestCountsAreTheCallersOwn guards the injector against a caller that changes them.
func TestCountsAreTheCallersOwn(t *testing.T) {
	i := NewInjector(mustPlan(t, "http_500=100%"), 1)
	server, client := start(t, Options{Faults: i})
	send(t, client, http.MethodPost, server.URL()+"/v1/responses", openingBody(t))
	clear(i.Counts())
	if got := i.Counts(); !maps.Equal(got, map[string]int64{"http_500": 1}) {
		t.Errorf("counts are %v, want one http_500", got)
	}
}

// TestFaultsBelieveAClientThatCounts: the attempt that a client names decides, and
// not what the server has seen. A server that was started again, or that had the
// request before, gives the same faults.
func TestFaultsBelieveAClientThatCounts(t *testing.T) {
	plan := mustPlan(t, "repairable=30%,http_500=30%")
	seen, fresh := NewInjector(plan, 3), NewInjector(plan, 3)
	differ := 0
	for n := range 40 {
		body := bodyOf(t, "a", n, llmclient.ChoiceRequired)
		var counted []string
		for range 3 {
			counted = append(counted, seen.next(parsed(t, body), "").name())
		}
		for _, attempt := range []int{3, 1, 2, 1} {
			retries := fmt.Sprint(attempt - 1)
			if got, again := fresh.next(parsed(t, body), retries).name(), seen.next(parsed(t, body), retries).name(); got != counted[attempt-1] || again != got {
				t.Errorf("request %d, attempt %d: %q from a new server, %q from an old one, want %q", n, attempt, got, again, counted[attempt-1])
			}
		}
		if counted[0] != counted[1] {
			differ++
		}
	}
	if differ == 0 {
		t.Error("no repeated request had another fate")
	}
}

// TestRecountEqualsTheServersCount compares what a server counted while it answered
// with what is counted from the requests and their attempts alone.
func TestRecountEqualsTheServersCount(t *testing.T) {
	plan := mustPlan(t, "repairable=20%,http_500=20%,http_429=10%")
	served, recounted := NewInjector(plan, 9), NewInjector(plan, 9)
	handler := NewHandler(Options{Seed: 2, Faults: served})
	for n := range 60 {
		body := bodyOf(t, "a", n, llmclient.ChoiceRequired)
		attempts := 1 + n%3
		for attempt := range attempts {
			request := httptest.NewRequest(http.MethodPost, "/v1/responses", bytes.NewReader(body))
			request.Header.Set(retryCount, fmt.Sprint(attempt))
			handler.ServeHTTP(httptest.NewRecorder(), request)
		}
		Options{Seed: 2, Faults: recounted}.Recount(body, attempts)
	}
	if len(served.Counts()) < 3 {
		t.Fatalf("too few faults to compare: %v", served.Counts())
	}
	if diff := cmp.Diff(served.Counts(), recounted.Counts()); diff != "" {
		t.Errorf("counts differ (-served +recounted):\n%s", diff)
	}
}
