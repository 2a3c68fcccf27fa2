package modules

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/memory/documents"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

func TestDocumentsAreSearched(t *testing.T) {
	env := testEnv(t)
	env.Documents = documents.New([]world.Document{
		{Name: "manual", Text: "Chips need hardware.", Trusted: true},
		{Name: "rumours", Text: strings.Repeat("Hardware comes from ore. ", 20)},
		{Name: "secret", Text: "Hardware of agent-2.", Agents: []string{"agent-2"}},
	})
	for _, c := range []struct {
		arguments string
		want      []string
	}{
		{`{"query":"hardware chips","limit":null}`, []string{"doc-1-1 rules", "doc-2-1 other_agent"}},
		{`{"query":"hardware chips","limit":1}`, []string{"doc-1-1 rules"}},
		{`{"query":"","limit":5}`, []string{"doc-1-1 rules", "doc-2-1 other_agent"}},
		{`{"query":"submarine","limit":5}`, nil},
	} {
		r := New().WithDocuments().Call(env, "c", "documents_search", c.arguments)
		var got []string
		for _, s := range r.Sources {
			got = append(got, s.ID+" "+s.Trust.String())
			if s.Kind != trace.KindDocument || !strings.Contains(r.Output, s.ID) || s.Preview == "" {
				t.Errorf("%s: the source is %+v", c.arguments, s)
			}
		}
		if r.Status != StatusSuccess || r.Module != "documents.search" || !slices.Equal(got, c.want) {
			t.Errorf("%s: %s of %v, want %v: %s", c.arguments, r.Status, got, c.want, r.Output)
		}
	}
	env.Documents = nil
	if r := New().WithDocuments().Call(env, "c", "documents_search", `{"query":"x","limit":1}`); r.Code != CodeExecution {
		t.Errorf("without documents: %+v", r)
	}
	if r := New().Call(env, "c", "documents_search", `{"query":"x","limit":1}`); r.Code != CodeUnknownModule {
		t.Errorf("a registry without the module: %+v", r)
	}
}
