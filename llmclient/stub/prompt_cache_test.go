package stub

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
)

// spoken is a text of so many tokens, quotes included, which differs from those of other
// letters from its first character on.
func spoken(letter string, tokens int) string { return strings.Repeat(letter, 4*tokens-2) }

// block is a block of text; ttl marks it as a breakpoint of that time to live, "-" as one without
// its own.
func block(text, ttl string) object {
	b := object{"type": "input_text", "text": text}
	switch ttl {
	case "":
	case "-":
		b[breakpointMember] = object{"mode": "explicit"}
	default:
		b[breakpointMember] = object{"mode": "explicit", "ttl": ttl}
	}
	return b
}

// says is a message of one block.
func says(role, text, ttl string) object {
	return object{"type": "message", "role": role, "content": []any{block(text, ttl)}}
}

// called is a call of a tool with its output as a list of one block.
func called(id, output, ttl string) []object {
	return []object{
		{"type": "function_call", "call_id": id, "name": "lookup", "arguments": "{}"},
		{"type": "function_call_output", "call_id": id, "output": []any{block(output, ttl)}},
	}
}

// explicit is the member that leaves breakpoints to the client.
var explicit = object{"prompt_cache_options": object{"mode": "explicit"}}

// prompted is a body with this input and other members.
func prompted(more object, input ...object) object {
	body := object{"model": "m", "input": input}
	maps.Copy(body, more)
	return body
}

// cachingServer is a server that caches, with its clock and its books.
type cachingServer struct {
	t       *testing.T
	handler http.Handler
	now     time.Time
	// told is the usage of the last answer.
	told wireUsage

	mu   sync.Mutex
	used []Used
}

func newCachingServer(t *testing.T) *cachingServer {
	s := &cachingServer{t: t, now: time.Unix(1_790_000_000, 0)}
	s.handler = NewHandler(Options{
		Caching: true,
		Now:     func() time.Time { return s.now },
		OnUsage: func(u Used) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.used = append(s.used, u)
		},
	})
	return s
}

// posted is a request with a body.
func posted(body []byte) *http.Request {
	return httptest.NewRequest(http.MethodPost, "/v1/responses", bytes.NewReader(body))
}

// send answers a body; the answer's usage must be what the books say.
func (s *cachingServer) send(body object) Used {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, posted(llmclient.Marshal(body)))
	var got struct{ Usage wireUsage }
	if err := decode(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || len(s.used) == 0 {
		s.t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	s.told = got.Usage
	last := s.used[len(s.used)-1]
	details := got.Usage.InputTokensDetails
	told := [3]int64{got.Usage.InputTokens, details.CachedTokens, details.CacheWriteTokens}
	if told != [3]int64{last.Input, last.Cached, last.Written} || last.Cached+last.Written > last.Input {
		s.t.Fatalf("the answer says %v, the books say %+v", told, last)
	}
	if d := details.WriteDetails; d != nil && d.Long+d.Default != details.CacheWriteTokens {
		s.t.Fatalf("written %d, by time to live %+v", details.CacheWriteTokens, *d)
	}
	return last
}

// TestRuleOfPromptCaching plays the published rule, a story each: requests with the tokens that
// are read and written.
func TestRuleOfPromptCaching(t *testing.T) {
	common, turn, more := spoken("a", 2000), spoken("c", 500), spoken("d", 300)
	type told struct {
		body            object
		cached, written int64
	}
	// Marked messages end in a breakpoint.
	static, marked := says("developer", common, ""), says("developer", common, "-")
	shared := says("user", common, "-")
	asked, again := says("user", turn, ""), says("user", more, "")
	markedTurn := says("user", turn, "-")
	short, least := says("developer", spoken("a", 1023), "-"), says("developer", spoken("a", 1024), "-")
	with := func(members ...object) object {
		all := object{"prompt_cache_options": object{"mode": "explicit"}}
		for _, from := range members {
			maps.Copy(all, from)
		}
		return all
	}
	implicit := object{"prompt_cache_options": object{"mode": "implicit"}}
	tools := object{"tools": []any{object{"type": "function", "name": "look"}}}
	withTools := (int64(len(llmclient.Marshal(tools["tools"]))) + 4*2000 + 3) / 4
	look := object{"tool_choice": object{"type": "function", "name": "look"}}
	looked, lookedAgain := called("c1", turn, ""), called("c2", turn, "")
	call, output := called("c1", common, ""), called("c1", common, "-")
	text := object{"type": "function_call_output", "call_id": "c1", "output": common}
	for name, story := range map[string][]told{
		"a marked prefix is written once and read after": {
			{prompted(explicit, marked, asked), 0, 2000},
			{prompted(explicit, marked, again), 2000, 0},
			{prompted(explicit, marked), 2000, 0},
		},
		"a prefix of 1,024 tokens is kept, a shorter one is not": {
			{prompted(explicit, short, asked), 0, 0},
			{prompted(explicit, short, asked), 0, 0},
			{prompted(explicit, least, asked), 0, 1024},
			{prompted(explicit, least, asked), 1024, 0},
		},
		"without breakpoints mode explicit caches nothing": {
			{prompted(explicit, static, asked), 0, 0},
			{prompted(explicit, static, asked), 0, 0},
		},
		"a match is exact": {
			{prompted(explicit, marked), 0, 2000},
			{prompted(explicit, says("developer", common[1:]+"b", "-")), 0, 2000},
			{prompted(explicit, shared), 0, 2000},
			{prompted(explicit, says("developer", common[1:], "-")), 0, 2000},
		},
		"what is not marked now is not read, though it was written": {
			{prompted(explicit, marked, asked), 0, 2000},
			{prompted(explicit, static, markedTurn), 0, 2500},
			{prompted(explicit, marked, markedTurn), 2500, 0},
		},
		"a turn that grows keeps its marks": {
			{prompted(explicit, marked, markedTurn), 0, 2500},
			{prompted(explicit, append([]object{marked, markedTurn}, called("c1", more, "-")...)...), 2500, 300 + 18},
			{prompted(explicit, marked, again), 2000, 0},
		},
		"four are written, the latest": {
			{prompted(explicit, shared, markedTurn, markedTurn, markedTurn, markedTurn), 0, 4000},
			{prompted(explicit, shared), 0, 2000},
			{prompted(explicit, shared, markedTurn), 2500, 0},
		},
		"an output is one text as a string and as a list": {
			{prompted(explicit, output[0], output[1], asked), 0, 2018},
			{prompted(explicit, call[0], text, markedTurn), 0, 2518},
			{prompted(explicit, call[0], call[1], markedTurn), 2518, 0},
		},
		"mode implicit writes through the latest message": {
			{prompted(implicit, static, asked), 0, 2500},
			{prompted(implicit, static, asked), 2500, 0},
			// A shared prefix is not a cached one.
			{prompted(implicit, static, again), 0, 2300},
			// What follows an answer reads what the message before it wrote.
			{prompted(implicit, static, asked, object{"role": "assistant", "content": more}, again), 2500, 600},
		},
		"mode implicit takes marks too": {
			{prompted(implicit, marked, asked), 0, 2500},
			{prompted(implicit, marked, again), 2000, 300},
		},
		"outputs in a row are one end": {
			{prompted(implicit, shared, looked[0], looked[1], lookedAgain[0], lookedAgain[1]), 0, 2000 + 2*518},
			{prompted(implicit, says("user", common, ""), looked[0], looked[1]), 2000, 518},
		},
		"a key has a cache of its own": {
			{prompted(with(object{"prompt_cache_key": "a"}), shared), 0, 2000},
			{prompted(with(object{"prompt_cache_key": "b"}), shared), 0, 2000},
			{prompted(with(object{"prompt_cache_key": "a"}), shared), 2000, 0},
			{prompted(explicit, shared), 0, 2000},
		},
		"tools are in the prefix, the choice among them is not": {
			{prompted(with(tools), shared), 0, withTools},
			{prompted(with(tools, object{"tool_choice": "none"}), shared), withTools, 0},
			{prompted(with(tools, look), shared), withTools, 0},
			{prompted(explicit, shared), 0, 2000},
			{prompted(with(object{"model": "n"}), shared), 0, 2000},
		},
		"models before 5.6 read steps of 128 tokens": {
			{prompted(nil, static, asked), 0, 0},
			{prompted(nil, static, again), 1920, 0},
			{prompted(nil, static, asked), 2432, 0},
			{prompted(nil, says("developer", common[:4*1100], ""), again), 1024, 0},
			{prompted(nil, says("developer", common[:4*1000], ""), again), 0, 0},
			{object{"model": "m", "input": spoken("b", 2000)}, 0, 0},
			{object{"model": "m", "input": spoken("b", 2000) + turn}, 1920, 0},
		},
		"models since 5.6 have breakpoints without asking": {
			{prompted(object{"model": "gpt-5.6-sol"}, static, asked), 0, 2500},
			{prompted(object{"model": "gpt-5.6-sol"}, static, again), 0, 2300},
			{prompted(object{"model": "openai/gpt-6"}, static, asked), 0, 2500},
			{prompted(object{"model": "gpt-5.5"}, static, asked), 0, 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCachingServer(t)
			for i, step := range story {
				got := s.send(step.body)
				if got.Cached != step.cached || got.Written != step.written || got.Number != int64(i+1) {
					t.Errorf("request %d: %+v, want %d cached and %d written", i+1, got, step.cached, step.written)
				}
			}
		})
	}
}

// TestPrefixesExpire lets time pass: an entry lives for half an hour after its last use, or for as
// long as its breakpoint says.
func TestPrefixesExpire(t *testing.T) {
	s := newCachingServer(t)
	short := prompted(explicit, says("developer", spoken("a", 1500), "-"))
	long := prompted(explicit, says("developer", spoken("b", 1500), "12h"), says("user", spoken("c", 100), "-"))
	for _, step := range []struct {
		after                 time.Duration
		body                  object
		cached, written, kept int64
	}{
		{0, short, 0, 1500, 0},
		{30 * time.Minute, short, 1500, 0, 0},
		{30 * time.Minute, short, 1500, 0, 0},
		{31 * time.Minute, short, 0, 1500, 0},
		{0, long, 0, 1600, 1500},
		{31 * time.Minute, long, 1500, 100, 0},
		{12 * time.Hour, long, 1500, 100, 0},
		{12*time.Hour + time.Second, long, 0, 1600, 1500},
	} {
		s.now = s.now.Add(step.after)
		got := s.send(step.body)
		var kept int64
		if d := s.told.InputTokensDetails.WriteDetails; d != nil {
			kept = d.Long
		}
		if got.Cached != step.cached || got.Written != step.written || kept != step.kept {
			t.Errorf("after %v: %+v, want %d cached and %d written", step.after, got, step.cached, step.written)
		}
	}
}

// TestLookupsOfLongConversations has more breakpoints than are looked up: the first two and the
// latest fifty are.
func TestLookupsOfLongConversations(t *testing.T) {
	var marked []boundary
	for i := range int64(60) {
		marked = append(marked, numbered(i))
	}
	var got []int64
	for _, b := range explicitPlan(marked).lookups {
		got = append(got, b.tokens-cacheablePrefix)
	}
	want := []int64{0, 1}
	for i := range int64(50) {
		want = append(want, 10+i)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	p := implicitPlan(nil, marked, &marked[3])
	if len(p.lookups) != 1+lookupsMessages+1 || len(p.writes) != 1 {
		t.Fatalf("%d lookups, %d writes", len(p.lookups), len(p.writes))
	}
	if p.lookups[0] != marked[3] || p.lookups[1] != marked[39] {
		t.Errorf("lookups from %d and %d on", p.lookups[0].tokens, p.lookups[1].tokens)
	}
}

// numbered is a boundary that no other number has.
func numbered(i int64) boundary {
	prefix := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
	return boundary{prefix: prefix, tokens: cacheablePrefix + i, lifetime: lifetimeDefault}
}

// TestCacheIsBounded floods a cache. What was used last stays.
func TestCacheIsBounded(t *testing.T) {
	c := newPromptCache(func() time.Time { return time.Unix(0, 0) })
	first := explicitPlan([]boundary{numbered(1 << 40)})
	c.use(first)
	for i := range int64(cacheEntriesMax + 10) {
		c.use(explicitPlan([]boundary{numbered(i)}))
		if i%1000 == 0 && c.use(first).cached == 0 {
			t.Fatalf("after %d others the first is gone, though it was used", i)
		}
	}
	if len(c.entries) != cacheEntriesMax || c.order.Len() != cacheEntriesMax {
		t.Errorf("%d entries, %d in order; want %d", len(c.entries), c.order.Len(), cacheEntriesMax)
	}
	if c.use(explicitPlan([]boundary{numbered(0)})).cached != 0 {
		t.Error("the oldest is still there")
	}
}

// TestConcurrentRequestsWriteOnce sends one prompt many times at once: whoever comes first pays.
func TestConcurrentRequestsWriteOnce(t *testing.T) {
	s := newCachingServer(t)
	prompt := prompted(explicit, says("developer", spoken("a", 3000), "-"), says("user", "Hello", ""))
	body := llmclient.Marshal(prompt)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			s.handler.ServeHTTP(httptest.NewRecorder(), posted(body))
		})
	}
	wg.Wait()
	var sum Used
	for _, u := range s.used {
		sum = sum.Add(u)
		if wrote := u.Number == 1; wrote != (u.Written == 3000) || wrote == (u.Cached == 3000) {
			t.Errorf("request %d: cached %d, written %d", u.Number, u.Cached, u.Written)
		}
	}
	plain := float64(sum.Input - 16*3000)
	if want := plain + 1.25*3000 + 0.1*15*3000; len(s.used) != 16 || sum.Billed() != want {
		t.Errorf("%d requests are billed as %g tokens, want 16 as %g", len(s.used), sum.Billed(), want)
	}
}

// TestInputIsWhatAModelReads changes what no model reads: marks, ids and settings. The count
// stays.
func TestInputIsWhatAModelReads(t *testing.T) {
	s := newCachingServer(t)
	plain := s.send(prompted(object{"instructions": spoken("i", 10)}, says("user", spoken("a", 100), "")))
	dressed := says("user", spoken("a", 100), "-")
	dressed["id"], dressed["status"] = "msg_1", "completed"
	more := object{"instructions": spoken("i", 10), "metadata": object{"k": "v"}, "tool_choice": "none", "store": false}
	if got := s.send(prompted(more, dressed)); plain.Input != 110 || got.Input != 110 {
		t.Errorf("%d tokens of input, and %d with marks and settings; want 110", plain.Input, got.Input)
	}
}

// TestEmbeddedServerCachesNothing sends one prompt twice to a server without a cache: it says the
// same both times.
func TestEmbeddedServerCachesNothing(t *testing.T) {
	handler := NewHandler(Options{})
	body := llmclient.Marshal(prompted(explicit, says("developer", spoken("a", 2000), "-")))
	var answers [2]string
	for i := range answers {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, posted(body))
		answers[i] = w.Body.String()
	}
	if answers[0] != answers[1] || !strings.Contains(answers[0], `"cached_tokens":0,"cache_write_tokens":0}`) {
		t.Errorf("answered %s\nand then %s", answers[0], answers[1])
	}
}
