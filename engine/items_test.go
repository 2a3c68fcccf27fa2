package engine_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// oddities change the items of an answer without changing what it means. Each
// returns the changed items and what the report has to count for it.
var oddities = []func(request []byte, items []map[string]any) ([]any, map[string]int64){
	func(_ []byte, items []map[string]any) ([]any, map[string]int64) { return listed(items), nil },
	func(_ []byte, items []map[string]any) ([]any, map[string]int64) {
		n := eachCall(items, func(call map[string]any) { delete(call, "call_id") })
		return listed(items), map[string]int64{"call_id_missing": n, "minted": n}
	},
	func(request []byte, items []map[string]any) ([]any, map[string]int64) {
		n := eachCall(items, func(call map[string]any) { call["call_id"] = "call_same" })
		if n > 0 && !bytes.Contains(request, []byte(`"call_id":"call_same"`)) {
			n--
		}
		return listed(items), map[string]int64{"call_id_repeated": n, "minted": n}
	},
	func(_ []byte, items []map[string]any) ([]any, map[string]int64) {
		return append(listed(items), nil, "stray"), map[string]int64{"item_not_object": 2}
	},
	func(_ []byte, items []map[string]any) ([]any, map[string]int64) {
		return append([]any{map[string]any{"type": "telepathy", "n": 1}, map[string]any{"type": "computer_call", "call_id": "x"}}, listed(items)...),
			map[string]int64{"kept": 1, "dropped": 1}
	},
	func(_ []byte, items []map[string]any) ([]any, map[string]int64) {
		last := items[len(items)-1]
		if last["type"] != "function_call" || last["name"] == "decision" {
			return listed(items), nil
		}
		return append(listed(items), map[string]any{"type": "reasoning", "summary": []any{}}), map[string]int64{"reasoning_dangling": 1}
	},
	func(_ []byte, items []map[string]any) ([]any, map[string]int64) {
		if eachCall(items, func(map[string]any) {}) == 0 {
			return listed(items), nil
		}
		aside := map[string]any{"type": "message", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "As you wish.", "annotations": []any{}}}}
		// It lacks an id and a status, so it goes back as another kind of message.
		return append([]any{aside}, listed(items)...), map[string]int64{"text_beside": 1, "message_not_replayable": 1}
	},
	func(_ []byte, items []map[string]any) ([]any, map[string]int64) {
		var n int64
		out := listed(items)
		eachCall(items, func(call map[string]any) {
			n++
			out = append(out, map[string]any{"type": "function_call_output", "call_id": call["call_id"], "output": "made up"})
		})
		return out, map[string]int64{"output_from_model": n}
	},
}

func listed(items []map[string]any) []any {
	list := make([]any, len(items))
	for i, it := range items {
		list[i] = it
	}
	return list
}

func eachCall(items []map[string]any, do func(map[string]any)) (n int64) {
	for _, it := range items {
		if it["type"] == "function_call" {
			do(it)
			n++
		}
	}
	return n
}

// oddModel is the scripted model behind a server that changes the items of its
// answers and refuses what a strict provider would refuse.
type oddModel struct {
	t     *testing.T
	model http.Handler
	mu    sync.Mutex
	// injected counts what was done to answers.
	injected map[string]int64
}

func (m *oddModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m.check(body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	recorder := httptest.NewRecorder()
	m.model.ServeHTTP(recorder, r)
	var response map[string]any
	if err := json.Unmarshal(recorder.Body.Bytes(), &response); err != nil {
		m.t.Error(err)
		return
	}
	var items []map[string]any
	for _, it := range response["output"].([]any) {
		items = append(items, it.(map[string]any))
	}
	// The choice is a function of the request, so it does not depend on the order of
	// requests. The low bits of a cheap checksum would not do: the requests of a turn
	// begin alike, and then they never get the same oddity twice.
	output, counts := oddities[int(sha256.Sum256(body)[0])%len(oddities)](body, items)
	response["output"] = output
	m.mu.Lock()
	for kind, n := range counts {
		m.injected[kind] += n
	}
	m.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(response); err != nil {
		m.t.Error(err)
	}
}

// check fails the test when a request's items do not belong together.
func (m *oddModel) check(body []byte) {
	var request struct {
		Input []json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		m.t.Error(err)
	}
	var items []llmclient.Item
	for _, raw := range request.Input {
		it, ok := llmclient.ParseItem(raw)
		if !ok {
			m.t.Errorf("an input item is no object: %s", raw)
		}
		items = append(items, it)
	}
	if _, faults := llmclient.PairItems(items, ""); len(faults) > 0 {
		m.t.Errorf("an input with %+v", faults)
	}
}

// TestOddItemsOverHTTP plays a run with a provider whose items are odd in every
// way that can be put right: the run is that of a proper provider, each oddity is
// counted once, and the run replays.
func TestOddItemsOverHTTP(t *testing.T) {
	slow(t)
	const ticks = 24
	clean := options(t, "llm_bootstrap", ticks)
	run(t, clean)
	odd := &oddModel{t: t, model: stub.NewHandler(stub.Options{Seed: 1}), injected: map[string]int64{}}
	server := httptest.NewServer(odd)
	t.Cleanup(server.Close)
	o := through(t, options(t, "llm_bootstrap", ticks), openai.Config{BaseURL: server.URL})
	run(t, o)

	got := fold(t, o.RunDir)
	if diff := cmp.Diff(odd.injected, countedItems(got)); diff != "" {
		t.Errorf("injected and counted differ (-injected +counted):\n%s", diff)
	}
	for _, kind := range []string{
		"call_id_missing", "call_id_repeated", "minted", "item_not_object", "kept", "dropped", "reasoning_dangling", "text_beside", "output_from_model",
	} {
		if odd.injected[kind] == 0 {
			t.Errorf("nothing was injected as %s", kind)
		}
	}
	if got.FinalDigest != fold(t, clean.RunDir).FinalDigest {
		t.Error("odd items led to another world")
	}
	c := got.TraceCounts
	if c.ParseErrors+c.LLMErrors+c.ParseRepaired+got.DecisionCounts.WaitDegraded != 0 || got.RunStatus != trace.RunCompleted {
		t.Errorf("run %s with %d parse errors, %d failures, %d repaired answers and %d degraded waits", got.RunStatus, c.ParseErrors, c.LLMErrors, c.ParseRepaired, got.DecisionCounts.WaitDegraded)
	}
	var answers int64
	for _, n := range c.AnswersByKind {
		answers += n
	}
	if answers != c.ModelCalls {
		t.Errorf("%d answers by kind, %d model calls", answers, c.ModelCalls)
	}
	if !bytes.Contains(readTrace(t, o.RunDir), []byte(`"minted":true`)) {
		t.Error("the trace does not show which ids were made here")
	}
	requireReplays(t, o.RunDir, ticks)
}

// countedItems are the report's counters under the names of the oddities.
func countedItems(r report.Report) map[string]int64 {
	c := r.TraceCounts
	counted := map[string]int64{"minted": c.CallIDsMinted, "text_beside": c.TextBesideCalls}
	for _, kinds := range []report.Counts{c.ItemRepairsByKind, c.UnknownItems} {
		for kind, n := range kinds {
			if _, twice := counted[kind]; twice {
				panic(fmt.Sprintf("two counters are named %s", kind))
			}
			counted[kind] = n
		}
	}
	return counted
}
