package openai

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"example.com/agentworld/llmclient"
)

// tierServer answers at the tier that is asked for, unless flex is full.
type tierServer struct {
	*provider
	full   bool
	status int
	body   string
}

func newTierServer(t *testing.T) *tierServer {
	s := &tierServer{status: http.StatusTooManyRequests, body: `{"error":{"code":"resource_unavailable","message":"Resource Unavailable","type":"x"}}`}
	s.provider = newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		asked := s.lastTier()
		if asked == "flex" && s.full {
			says(s.status, s.body, "Retry-After", "600")(w, r)
			return
		}
		says(200, fmt.Sprintf(`{"object":"response","status":"completed","service_tier":%q,"output":[],"usage":{"input_tokens":1,"output_tokens":1}}`, asked))(w, r)
	})
	return s
}

// lastTier is the tier of the request that arrived last.
func (s *tierServer) lastTier() string {
	all := s.requests()
	return llmclient.TextOf(llmclient.MembersOf(all[len(all)-1].body)["service_tier"])
}

// tiers are the tiers of all requests that arrived from the nth on.
func (s *tierServer) tiers(n int) (list []string) {
	for _, r := range s.requests()[n:] {
		list = append(list, llmclient.TextOf(llmclient.MembersOf(r.body)["service_tier"]))
	}
	return list
}

func flexRequest() llmclient.Request {
	r := request()
	r.Sampling.ServiceTier = "flex"
	return r
}

// TestFullTierFallsBackWithALatch walks through the states of a tier: free, full, held, tried again, free.
func TestFullTierFallsBackWithALatch(t *testing.T) {
	s := newTierServer(t)
	c, w := newClient(t, Config{BaseURL: s.URL, APIKey: NewSecret(testKey)})
	call := func(wantTier string, fell bool) {
		t.Helper()
		a := c.Respond(t.Context(), flexRequest())
		check(t, a)
		if a.Reply == nil || a.Reply.Usage.ServiceTier != wantTier || slices.Contains(a.Reply.Repairs, llmclient.RepairTierFallback) != fell {
			t.Fatalf("answer %+v %+v, want one of tier %s, fallen %v", a.Reply, a.Failure, wantTier, fell)
		}
	}
	call("flex", false)
	s.full = true
	call("default", true)
	if got := s.tiers(1); !slices.Equal(got, []string{"flex", "default"}) {
		t.Fatalf("tiers asked are %v", got)
	}
	for round, held := range []int{latchCallsLeast, 2 * latchCallsLeast} {
		n := len(s.requests())
		for range held {
			call("default", true)
		}
		if got := s.tiers(n); slices.Contains(got, "flex") || len(got) != held {
			t.Fatalf("round %d: the full tier was asked again at once: %v", round, got)
		}
		n = len(s.requests())
		call("default", true)
		if got := s.tiers(n); !slices.Equal(got, []string{"flex", "default"}) {
			t.Fatalf("round %d: tiers asked are %v, want one that tries flex again", round, got)
		}
	}
	s.full = false
	for range 4 * latchCallsLeast {
		call("default", true)
	}
	call("flex", false)
	call("flex", false)
	if len(w.all) != 0 {
		t.Errorf("it waited %v", w.all)
	}
}

// TestWhatMeansThatATierIsFull reads refusals both ways.
func TestWhatMeansThatATierIsFull(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		falls  bool
	}{
		{429, `{"error":{"code":"resource_unavailable","message":"Resource Unavailable"}}`, true},
		{429, `{"error":{"type":"resource_unavailable_error","message":"try later"}}`, true},
		{429, `{"error":{"message":"429 Resource Unavailable"}}`, true},
		{498, `{"error":{"code":"capacity_exceeded","message":"x"}}`, true},
		{503, `{"error":{"message":"Flex tier is temporarily at full capacity"}}`, true},
		{429, `{"error":{"message":"There is not enough capacity for this request"}}`, true},
		{429, `{"error":{"message":"The service tier is saturated"}}`, true},
		{429, `{"error":{"message":"Insufficient resources for the flex tier"}}`, true},
		{503, `{"error":{"message":"We are currently at capacity for flex requests"}}`, true},
		{504, `{"error":{"message":"flex request timed out waiting for capacity"}}`, true},
		{200, `{"object":"response","status":"failed","error":{"code":"resource_unavailable","message":"Flex is full"},"output":[]}`, true},
		{429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}`, false},
		{400, `{"error":{"param":"service_tier","message":"Flex is not available for this model"}}`, false},
		{401, `{"error":{"message":"no key"}}`, false},
	} {
		s := newTierServer(t)
		s.full = true
		s.status, s.body = c.status, c.body
		client, w := newClient(t, Config{BaseURL: s.URL, APIKey: NewSecret(testKey)})
		a := client.Respond(t.Context(), flexRequest())
		if (a.Reply != nil) != c.falls {
			t.Errorf("%d %s: %+v %+v, want a fall back: %v", c.status, c.body, a.Reply, a.Failure, c.falls)
		}
		if c.falls && len(w.all) != 0 {
			t.Errorf("%d %s: it waited %v", c.status, c.body, w.all)
		}
	}
}

// TestATierThatNeverTakesIsLeft covers a tier that refuses for its rate until the retries are used up.
func TestATierThatNeverTakesIsLeft(t *testing.T) {
	s := newTierServer(t)
	s.full, s.body = true, `{"error":{"message":"Rate limit reached"}}`
	c, _ := newClient(t, Config{BaseURL: s.URL, APIKey: NewSecret(testKey), RetriesMax: 2})
	a := c.Respond(t.Context(), flexRequest())
	if a.Reply == nil || a.Attempts != 4 || !slices.Equal(s.tiers(0), []string{"flex", "flex", "flex", "default"}) {
		t.Errorf("answer %+v %+v after %v", a.Reply, a.Failure, s.tiers(0))
	}
}

// TestTierOfTheExtraBodyFallsBackToo: a tier is the same wherever it was set.
func TestTierOfTheExtraBodyFallsBackToo(t *testing.T) {
	s := newTierServer(t)
	s.full = true
	c, _ := newClient(t, Config{BaseURL: s.URL, APIKey: NewSecret(testKey)})
	r := request()
	r.Sampling.ExtraBody = []byte(`{"service_tier":"flex","top_k":4}`)
	a := c.Respond(t.Context(), r)
	if a.Reply == nil || !slices.Equal(s.tiers(0), []string{"flex", "default"}) {
		t.Fatalf("answer %+v after %v", a.Failure, s.tiers(0))
	}
	if got := llmclient.MembersOf(s.requests()[1].body)["top_k"]; string(got) != "4" {
		t.Errorf("the rest of the extra body is %s", got)
	}
}

// TestServedTier: the tier of the answer is kept, and "default" only where another was asked for.
func TestServedTier(t *testing.T) {
	for _, c := range []struct{ asked, answered, want string }{
		{"", `"default"`, ""}, {"", `"priority"`, "priority"}, {"", "null", ""}, {"flex", `"default"`, "default"}, {"flex", `"Flex"`, "flex"}, {"flex", "null", ""}, {"", "7", "7"},
	} {
		p := newProvider(t, says(200, `{"object":"response","output":[],"service_tier":`+c.answered+`}`))
		client, _ := newClient(t, Config{BaseURL: p.URL, APIKey: NewSecret(testKey)})
		r := request()
		r.Sampling.ServiceTier = c.asked
		if a := client.Respond(t.Context(), r); a.Reply == nil || a.Reply.Usage.ServiceTier != c.want {
			t.Errorf("asked for %q, answered %s: %+v", c.asked, c.answered, a.Reply)
		}
	}
}
