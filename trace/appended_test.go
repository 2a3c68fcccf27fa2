package trace

import (
	"bytes"
	"encoding/json"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"

	"pgregory.net/rapid"
)

// TestAppendedRecordsAreThoseOfEncodingJSON compares their lines byte by byte.
func TestAppendedRecordsAreThoseOfEncodingJSON(t *testing.T) {
	compare := func(t interface{ Fatalf(string, ...any) }, r Record) (known bool) {
		got, err := Encode(r)
		if want := `{"type":"` + string(r.RecordType()) + `",` + string(llmclient.Marshal(r)[1:]); err != nil || string(got) != want {
			t.Fatalf("Encode(%+v): %v\n%s, encoding/json\n%s", r, err, got, want)
		}
		_, known = appended(nil, r)
		return known
	}
	appends := 0
	for _, r := range samples() {
		if compare(t, r) {
			appends++
		}
	}
	if appends < 6 {
		t.Fatalf("%d of the samples are appended, want those that most of a trace consists of", appends)
	}
	if line, err := Encode(Step{Detail: json.RawMessage("{\n\"a\":1}")}); err != nil || bytes.ContainsRune(line, '\n') {
		t.Fatalf("a record with a line feed in it: %v\n%s", err, line)
	}
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "<&>\u2028\u2029\x00\x1f\x7f\"\\", "\xff\xe2\x80", "a\tb\n"}))
	rapid.Check(t, func(t *rapid.T) {
		word, number := func() string { return text.Draw(t, "text") }, func() int64 { return rapid.Int64().Draw(t, "number") }
		compare(t, Blob{Tick: number(), Hash: word(), Kind: BlobKind(word()), Base64: rapid.Bool().Draw(t, "base64"), Body: word()})
		texts := rapid.SliceOf(text)
		raw := func() json.RawMessage { return llmclient.Marshal(texts.Draw(t, "raw")) }
		compare(t, Step{Tick: number(), AgentID: word(), Code: word(), Name: word(), Detail: raw(), Repairs: texts.Draw(t, "repairs")})
		compare(t, Decision{Tick: number(), Proposed: raw(), Executed: raw(), Why: word(), SourcesUsed: texts.Draw(t, "used"), Authority: &Authority{Asker: word(), Deviation: number()}})
		compare(t, ModelCall{
			Tick: number(), Model: word(), Input: texts.Draw(t, "input"), ToolChoice: raw(), Sections: []Section{{Name: word(), Chars: int(number())}},
			Answer: Answer{ID: word(), Output: texts.Draw(t, "output"), Usage: llmclient.Usage{Input: number()}}, Timing: &CallTiming{LatencyMS: number()},
		})
		compare(t, Event{Tick: number(), Event: world.Event{Tick: number(), Agent: word(), Subject: word(), Detail: word(), Action: world.Wait{}}})
	})
}
