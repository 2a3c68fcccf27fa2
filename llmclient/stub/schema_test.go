package stub

import (
	"encoding/json"
	"net/http"
	"testing"

	"example.com/agentworld/llmclient"
)

func TestExchangesFitTheAPI(t *testing.T) {
	validate := func(kind string, raw []byte) {
		t.Helper()
		if err := openAPI(t, kind)(raw); err != nil {
			t.Errorf("no %s: %v\n%s", kind, err, raw)
		}
	}
	for _, p := range []protocol{full, lean} {
		g := &table{t: t, seed: 5, protocol: p, goals: chips, world: newBelt(30)}
		g.live(6)
		g.ask(g.opening(), llmclient.ToolChoice{Mode: llmclient.ChoiceNone})
		for i, body := range g.bodies {
			validate("CreateResponse", body)
			validate("Response", g.results[i].Response)
		}
	}
	for _, body := range []string{`{"model":"m","input":"Hello"}`, `{"model":"m","input":"Hello","metadata":{"a":"b"},"temperature":0.5,"top_p":null,"instructions":null,"max_output_tokens":64}`} {
		r, err := Decide(1, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		validate("CreateResponse", []byte(body))
		validate("Response", r.Response)
	}
	s, client := start(t, Options{})
	_, _, got := send(t, client, http.MethodGet, s.URL()+"/v1/models", nil)
	validate("ListModelsResponse", got)
	_, _, got = send(t, client, http.MethodPost, s.URL()+"/v1/responses", []byte("{"))
	validate("ErrorResponse", got)
}

// The description is loose about alternatives, so the test above would also pass
// on an answer whose items are all of a kind that no provider sends. This one checks
// what clients read.
func TestResponseHoldsWhatClientsRead(t *testing.T) {
	body := openingBody(t)
	r, err := Decide(0, body)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ID, Object, Status, Model string
		CreatedAt                 *int64 `json:"created_at"`
		Output                    []struct {
			Type, ID, Status string
			CallID           string `json:"call_id"`
			Name             string
		}
		Usage struct {
			InputTokens  int64 `json:"input_tokens"`
			OutputTokens int64 `json:"output_tokens"`
			TotalTokens  int64 `json:"total_tokens"`
		}
	}
	if err := json.Unmarshal(r.Response, &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != r.ID || got.Object != "response" || got.Status != "completed" || got.Model != "some-model" {
		t.Errorf("response %+v", got)
	}
	if got.CreatedAt == nil || *got.CreatedAt != epoch {
		t.Errorf("created at %v, want %d", got.CreatedAt, epoch)
	}
	call := got.Output[len(got.Output)-1]
	if call.Type != "function_call" || call.Name != toolPlan || call.CallID == "" || call.ID == "" || call.CallID == call.ID {
		t.Errorf("call %+v", call)
	}
	wantInput := int64(len(body)+3) / 4
	if got.Usage.InputTokens != wantInput || got.Usage.TotalTokens != wantInput+got.Usage.OutputTokens || r.Usage.Total != got.Usage.TotalTokens || r.Usage.Output < 10 {
		t.Errorf("usage %+v, want %d input tokens and the sum", got.Usage, wantInput)
	}
}
