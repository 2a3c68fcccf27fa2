package llmclient

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSamplingInABody(t *testing.T) {
	ask := func(s Sampling) string {
		body := Request{Model: "m", Input: []Item{Message("user", "hi")}, CacheKey: "k", Sampling: s}.Body()
		if !json.Valid(body) {
			t.Fatalf("no JSON: %s", body)
		}
		return strings.TrimSuffix(strings.TrimPrefix(string(body), `{"model":"m","instructions":"",`), `,"input":[{"type":"message","role":"user","content":"hi"}]}`)
	}
	for _, c := range []struct {
		s    Sampling
		want string
	}{
		{Sampling{}, `"prompt_cache_key":"k","store":false,"include":["reasoning.encrypted_content"]`},
		{Sampling{MaxOutputTokens: 20, ReasoningEffort: "low", Temperature: "0.20", TopP: "1.0"},
			`"max_output_tokens":20,"reasoning":{"effort":"low"},"temperature":0.20,"top_p":1.0,"prompt_cache_key":"k","store":false,"include":["reasoning.encrypted_content"]`},
		{Sampling{ServiceTier: "flex"}, `"service_tier":"flex","prompt_cache_key":"k","store":false,"include":["reasoning.encrypted_content"]`},
		{Sampling{Temperature: "1", ExtraBody: json.RawMessage(`{"top_k":40,"include":null,"temperature":0.5,"z":{"a":{"b":"<}}"}}}`)},
			`"prompt_cache_key":"k","store":false,"temperature":0.5,"top_k":40,"z":{"a":{"b":"<}}"}}`},
		{Sampling{ExtraBody: json.RawMessage(`{}`)}, `"include":["reasoning.encrypted_content"],"prompt_cache_key":"k","store":false`},
	} {
		if got := ask(c.s); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.s, got, c.want)
		}
	}
}

func TestSamplingThatCannotBeSent(t *testing.T) {
	for want, s := range map[string]Sampling{
		"max_output_tokens":            {MaxOutputTokens: 15},
		"reasoning_effort":             {ReasoningEffort: "very high"},
		"service_tier":                 {ServiceTier: "two words"},
		"temperature":                  {Temperature: "2.1"},
		"top_p":                        {TopP: "1e999"},
		"temperature \"NaN\"":          {Temperature: "NaN"},
		"extra_body: allowed":          {ExtraBody: json.RawMessage(`[]`)},
		"extra_body: allowed is":       {ExtraBody: json.RawMessage(`null`)},
		"may not set \"STREAM\"":       {ExtraBody: json.RawMessage(`{"a":1,"STREAM":true}`)},
		"may not set \"conversation\"": {ExtraBody: json.RawMessage(`{"conversation":null}`)},
		"of at most":                   {ExtraBody: json.RawMessage(`{"a":"` + strings.Repeat("x", extraBodyBytesMax) + `"}`)},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: error %v, want one with %s", Marshal(s), err, want)
		}
	}
	for _, name := range notExtra {
		if (Sampling{ExtraBody: json.RawMessage(`{"` + name + `":1}`)}).Validate() == nil {
			t.Errorf("extra_body may set %s", name)
		}
	}
}

// TestTierIsOneWhereverItIsSet: a service tier is set by its member or by the extra body, which goes before.
func TestTierIsOneWhereverItIsSet(t *testing.T) {
	for _, c := range []struct {
		s                  Sampling
		tier, extraWithout string
	}{
		{Sampling{}, "", ""},
		{Sampling{ServiceTier: "flex"}, "flex", ""},
		{Sampling{ServiceTier: "flex", ExtraBody: json.RawMessage(`{"service_tier":"priority","a":1}`)}, "priority", `{"a":1}`},
		{Sampling{ServiceTier: "flex", ExtraBody: json.RawMessage(`{"service_tier":null}`)}, "", `{}`},
		{Sampling{ServiceTier: "flex", ExtraBody: json.RawMessage(`{"a":1}`)}, "flex", `{"a":1}`},
	} {
		other := c.s.WithTier("default")
		if c.s.Tier() != c.tier || other.Tier() != "default" || string(other.ExtraBody) != c.extraWithout {
			t.Errorf("%+v: tier %q, then %q with extra body %s", c.s, c.s.Tier(), other.Tier(), other.ExtraBody)
		}
	}
	if got := (Sampling{}).Over(Sampling{ServiceTier: "flex"}); got.ServiceTier != "flex" {
		t.Errorf("the run's tier does not hold for an agent: %+v", got)
	}
}

// TestReasoningTakesWhatItStandsFor: encrypted reasoning is not counted letter by letter,
// and what is sent without reasoning is not missed by its id.
func TestReasoningTakesWhatItStandsFor(t *testing.T) {
	item := func(raw string) Item {
		it, ok := ParseItem(json.RawMessage(raw))
		if !ok {
			t.Fatal(raw)
		}
		return it
	}
	hidden := item(`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"` + strings.Repeat("A", 180_000) + `"}`)
	if text, more := hidden.Counted(); len(text) > 100 || more < 30_000 || more > 30_001 {
		t.Errorf("%d characters and %d tokens", len(text), more)
	}
	shown := item(`{"type":"reasoning","content":[{"type":"reasoning_text","text":"I think."}]}`)
	if text, more := shown.Counted(); text != string(shown.Raw) || more != 0 {
		t.Errorf("%s and %d tokens", text, more)
	}
	items := []Item{Message("user", "u"), hidden, item(`{"type":"function_call","id":"fc_1","call_id":"c","name":"n","arguments":"{}"}`), FunctionOutput("c", "o")}
	kept, dropped := WithoutReasoning(items)
	if dropped != 1 || len(kept) != 3 || kept[1].ID != "" || strings.Contains(string(kept[1].Raw), "fc_1") || kept[1].CallID != "c" {
		t.Errorf("%d dropped of %v", dropped, kept)
	}
	if _, faults := PairItems(kept, ""); len(faults) > 0 {
		t.Errorf("faults %v", faults)
	}
}
