package llmclient

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestBodyKeepsItemsByteForByte(t *testing.T) {
	raw := []byte(`{ "type":"reasoning", "id" : "rs_1",  "summary":[], "extra":{"b":1,"a":2} }`)
	it, ok := ParseItem(raw)
	if !ok {
		t.Fatal("not an item")
	}
	body := Request{Model: "m", Input: []Item{Message("user", "hi <b>"), it}}.Body()
	if !json.Valid(body) {
		t.Fatalf("not JSON: %s", body)
	}
	if !bytes.Contains(body, raw) {
		t.Errorf("the provider's bytes are not in the body: %s", body)
	}
	if !strings.Contains(string(body), "hi <b>") {
		t.Errorf("HTML characters are escaped: %s", body)
	}
}

func TestToolChoiceOnTheWire(t *testing.T) {
	for _, tt := range []struct {
		choice ToolChoice
		want   string
	}{
		{ToolChoice{}, `"auto"`},
		{ToolChoice{Mode: ChoiceAuto}, `"auto"`},
		{ToolChoice{Mode: ChoiceNone, Allowed: []string{"a"}}, `"none"`},
		{ToolChoice{Mode: ChoiceRequired, Allowed: []string{"a"}}, `{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"a"}]}`},
	} {
		if got := string(tt.choice.Wire()); got != tt.want {
			t.Errorf("%+v is %s on the wire, want %s", tt.choice, got, tt.want)
		}
	}
}

func TestStrictIsAlwaysSent(t *testing.T) {
	body := Request{Tools: []Tool{{Name: "t", Parameters: json.RawMessage(`{}`)}}}.Body()
	if !bytes.Contains(body, []byte(`"strict":false`)) {
		t.Errorf("strict is left out: %s", body)
	}
}

func TestParseItemIsTolerant(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		ok   bool
		want Item
	}{
		{`{"type":"function_call","call_id":"c","name":"n","arguments":"{\"a\":1}"}`, true, Item{Kind: KindFunctionCall, CallID: "c", Name: "n", Text: `{"a":1}`}},
		{`{"type":"function_call","name":"n","arguments":{"a":1}}`, true, Item{Kind: KindFunctionCall, Name: "n", Text: `{"a":1}`}},
		{`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"no"},{"type":"new"}]}`, true, Item{Kind: KindMessage, Role: "assistant", Text: "a", Refusal: "no"}},
		{`{"type":"message","content":"plain"}`, true, Item{Kind: KindMessage, Text: "plain"}},
		{`{"type":"never_seen","call_id":null}`, true, Item{Kind: "never_seen"}},
		{`{"type":7}`, true, Item{Kind: "7"}},
		{`null`, false, Item{}},
		{`[]`, false, Item{}},
		{`{`, false, Item{}},
	} {
		got, ok := ParseItem([]byte(tt.raw))
		got.Raw = nil
		if ok != tt.ok || !equal(got, tt.want) {
			t.Errorf("ParseItem(%s) = %+v, %v, want %+v, %v", tt.raw, got, ok, tt.want, tt.ok)
		}
	}
}

func equal(a, b Item) bool {
	return a.Kind == b.Kind && a.Role == b.Role && a.CallID == b.CallID && a.Name == b.Name && a.Text == b.Text && a.Refusal == b.Refusal
}

func TestFatalKinds(t *testing.T) {
	for kind, want := range map[ErrorKind]bool{
		ErrAuth: true, ErrForbidden: true, ErrModelNotFound: true, ErrQuota: true, ErrDNS: true, ErrTLS: true,
		ErrTimeout: false, ErrServer: false, ErrMalformed: false, ErrBadRequest: false,
	} {
		if got := kind.Fatal(); got != want {
			t.Errorf("%s is fatal: %v, want %v", kind, got, want)
		}
	}
}
