package trace

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// TestCanonicalTicksWritesWhatCanonicalWrites: lines placed by their first members equal
// decoded ones, up to the tick asked for and without the run's end.
func TestCanonicalTicksWritesWhatCanonicalWrites(t *testing.T) {
	for seed := range uint64(20) {
		text := interleaved(t, seed)
		for last := int64(0); last <= 3; last++ {
			var want, got bytes.Buffer
			if err := Canonical(bytes.NewReader(upTo(t, text, last)), &want); err != nil {
				t.Fatal(err)
			}
			if err := CanonicalTicks(bytes.NewReader(text), &got, last); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Fatalf("seed %d up to tick %d:\ngot  %s\nwant %s", seed, last, got.Bytes(), want.Bytes())
			}
		}
	}
}

// upTo returns the lines of a trace that belong to ticks up to last and end no run.
func upTo(t *testing.T, text []byte, last int64) []byte {
	t.Helper()
	var kept []byte
	for line := range bytes.Lines(text) {
		record, err := Decode(bytes.TrimSuffix(line, []byte{'\n'}))
		if err != nil {
			t.Fatal(err)
		}
		if record.RecordType() != TypeRunEnd && record.recordTick() <= last {
			kept = append(kept, line...)
		}
	}
	return kept
}

// TestCanonicalTicksEndsBehindItsLastTick: an unreadable line matters before that tick's
// end and not after it, and a record in the wrong tick matters everywhere.
func TestCanonicalTicksEndsBehindItsLastTick(t *testing.T) {
	header := string(lines(t, Header{Format: FormatVersion}))
	tick := func(n int64) string { return string(lines(t, TickEnd{Tick: n})) }
	for _, tc := range []struct {
		name, text string
		want       string
		line       int
	}{
		{"damage behind", header + tick(1) + "{\n" + tick(2), "", 0},
		{"damage before", header + "{\n" + tick(1), "not a record", 2},
		{"a torn line", header + tick(1) + `{"type":"st`, "", 0},
		{"a tick again", header + tick(2) + tick(1), "follows tick 2", 3},
		{"no header", tick(1), "header", 1},
		{"a call in place of the header", string(lines(t, ModelCall{Tick: 1, Timing: &CallTiming{}})), "header", 1},
		{"a tick of damage beyond", header + tick(7) + tick(1), "follows tick 7", 3},
	} {
		err := CanonicalTicks(strings.NewReader(tc.text), &bytes.Buffer{}, 2-int64(strings.Count(tc.name, "damage")))
		if tc.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
			continue
		}
		line, ok := err.(*LineError)
		if !ok || line.Line != tc.line || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want line %d: %s", tc.name, err, tc.line, tc.want)
		}
	}
}

// TestAnsweredCallsAreReadQuickly: a call with a reply is read without a look at its request, and
// as its members say; any other line is decoded.
func TestAnsweredCallsAreReadQuickly(t *testing.T) {
	call := ModelCall{
		Tick: 3, AgentID: "agent-1", Step: 2, Stage: StagePlan, Model: `",\"answer\":{`, Input: []string{}, ToolChoice: json.RawMessage(`{"type":"answer"}`), RequestHash: "ab",
		Answer: Answer{Kind: llmclient.AnswerCalls, ID: "r", Model: "m", Status: "completed", Output: []string{"x", "y"}, Usage: llmclient.Usage{Input: 1, Total: 1}},
		Timing: &CallTiming{LatencyMS: 9, Attempts: 1},
	}
	for what, change := range map[string]func(c *ModelCall) (quick bool){
		"as it is":    func(*ModelCall) bool { return true },
		"no output":   func(c *ModelCall) bool { c.Answer.Output = []string{}; return true },
		"no timing":   func(c *ModelCall) bool { c.Timing = nil; return true },
		"no strings":  func(c *ModelCall) bool { c.Answer.ID, c.Answer.Model, c.Answer.Kind = "", "", ""; return true },
		"cut short":   func(c *ModelCall) bool { c.Answer.IncompleteReason = "max_output_tokens"; return true },
		"null output": func(c *ModelCall) bool { c.Answer.Output = nil; return false },
		"a quote":     func(c *ModelCall) bool { c.Answer.ID = `r"`; return false },
		"repaired":    func(c *ModelCall) bool { c.Answer.Repairs = []string{"bom"}; return false },
		"recorded":    func(c *ModelCall) bool { c.Timing = &CallTiming{Recorded: true}; return false },
		"failed":      func(c *ModelCall) bool { c.Answer.Failure = &llmclient.Failure{Kind: "network"}; return false },
		"charged":     func(c *ModelCall) bool { c.Charge = &Charge{}; return false },
		"written":     func(c *ModelCall) bool { c.Answer.Usage.Written, c.Answer.Usage.WrittenLong = 5, 2; return true },
		"written all": func(c *ModelCall) bool { c.Answer.Usage.Written = 5; return true },
		"of a tier":   func(c *ModelCall) bool { c.Answer.Usage.ServiceTier = "flex"; return true },
		"a bad tier":  func(c *ModelCall) bool { c.Answer.Usage.ServiceTier = `"`; return false },
		"doubted":     func(c *ModelCall) bool { c.Counted = &Counted{}; return false },
		"below zero":  func(c *ModelCall) bool { c.Answer.Usage.Input = -1; return false },
	} {
		c := call
		quick := change(&c)
		line, err := Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		read, ok := answeredCall(line)
		var want AnsweredCall
		if err := json.Unmarshal(line, &want); err != nil || ok != quick || ok && !reflect.DeepEqual(read, want) {
			t.Errorf("%s: %v, quick %t\n got %+v\nwant %+v", what, err, ok, read, want)
		}
		if read, err := DecodeAnsweredCall(line); err != nil || !reflect.DeepEqual(read, want) {
			t.Errorf("%s: %v\n got %+v\nwant %+v", what, err, read, want)
		}
	}
}

// FuzzPlace: a line that is placed without being decoded has the place and the canonical
// form that decoding gives it, whatever it contains.
func FuzzPlace(f *testing.F) {
	for line := range bytes.Lines(lines(f, samples()...)) {
		f.Add(bytes.TrimSuffix(line, []byte{'\n'}))
	}
	for _, line := range []string{
		`{"type":"model_call","tick":1,"agent_id":"a","step":2,"timing":{"latency_ms":1,"attempts":1},"stage":"plan"}`,
		`{"type":"model_call","tick":1,"agent_id":"a","step":2,"stage":",\"timing\":{","timing":{"latency_ms":1,"attempts":1}}`,
		`{"type":"model_call","tick":1,"agent_id":"a","step":2,"answer":{"id":"x","timing":{}}}`,
		`{"type":"model_call","tick":1,"agent_id":"a","step":2,"stage":",\"answer\":{","request_hash":"h","answer":{"kind":"calls","id":"i","output":["x","y"],"usage":{"input":1,"cached":0,"output":2,"reasoning":0,"total":3}},"timing":{"latency_ms":9,"attempts":1}}`,
		`{"type":"step","tick":1,"agent_id":"a\"b","step":2}`, `{"type":"step","tick":-1,"agent_id":"a","step":2}`,
		`{"type":"part","tick":1,"hash":"h","kind":"item","body":"b"}`, "{\"type\":\"part\",\"tick\":1,\"hash\":\"\xff\",\"kind\":\"\n\",\"body\":\"\\u0041\\t\"}",
		`{"type":"part","tick":01,"hash":"h","kind":"item","body":"b"}`, `{"type":"tick_end","tick":9999999999999999999}`,
		`{"type":"event","tick":01}`, `{"type":"decision","tick":1 ,"agent_id":"a"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if TypeOf(line) == TypeBlob {
			quick, errA := decodeBlob(line)
			slow, errB := decodeAs[Blob](line)
			if quick != slow || (errA == nil) != (errB == nil) {
				t.Fatalf("%v %v\nquick %+v\nslow  %+v", errA, errB, quick, slow)
			}
		}
		placed, ok := placeOf(bytes.Clone(line))
		record, err := Decode(line)
		if !ok || err != nil || repeats(line) {
			return
		}
		if quick, ok := answeredCall(line); ok {
			var slow AnsweredCall
			if err := json.Unmarshal(line, &slow); err != nil || !reflect.DeepEqual(quick, slow) {
				t.Fatalf("%v\nquick %+v\nslow  %+v\n%s", err, quick, slow, line)
			}
		}
		want := slotOf(record)
		if placed.tick != want.tick || placed.compare(&want) != 0 {
			t.Fatalf("placed at %+v, decoded at %+v: %s", placed, want, line)
		}
		a, errA := CanonicalLine(placed.line)
		b, errB := CanonicalLine(line)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Fatalf("%v %v\nplaced  %s\ndecoded %s", errA, errB, a, b)
		}
		head, _, isPart := BlobHead(line)
		if part, whole := record.(Blob); whole && isPart && (head.Tick != part.Tick || head.Hash != part.Hash || head.Kind != part.Kind) {
			t.Fatalf("the head of a part says %+v: %s", head, line)
		}
	})
}

// repeats reports a line that may name a member twice, by any of the ways in which JSON
// or its decoder take two names for one. No writer does that, and the comparison that
// places are for then finds a difference, as it should.
func repeats(line []byte) bool {
	lower := bytes.ToLower(line)
	for _, name := range []string{"tick", "agent_id", "step", "hash", "kind", "type", "timing", "answer", "usage"} {
		if bytes.Count(lower, []byte(`"`+name+`"`)) > 1 {
			return true
		}
	}
	return slices.Contains(lower, '\\') || slices.Max(append(line, 0)) > 127
}

// TestLinesOutOfTheOrdinaryAreDecoded: what this package would not write is not placed
// by how it begins.
func TestLinesOutOfTheOrdinaryAreDecoded(t *testing.T) {
	for _, line := range []string{
		`{"type":"step","tick":1,"agent_id":"a\"b","step":2}`, `{"type":"step","tick":-1,"agent_id":"a","step":2}`,
		`{"type":"step","tick": 1,"agent_id":"a","step":2}`, `{"type":"step","agent_id":"a","tick":1,"step":2}`,
		`{"type":"tick_end","tick":9999999999999999999}`, `{"type":"step","tick":1,"agent_id":"a`, `{"type":"step"`,
		`{"type":"header","tick":0}`, `{"type":"fork","tick":1}`, `{"type":"later","tick":1}`, ``, `{`,
	} {
		if s, ok := placeOf([]byte(line)); ok {
			t.Errorf("%s is placed at %+v", line, s)
		}
	}
	whole := `{"type":"step","tick":12,"agent_id":"a","step":2,"kind":"plan","status":"ok"}`
	if s, ok := placeOf([]byte(whole)); !ok || s.tick != 12 || s.step != 2 || s.name != "a" || s.phase != phaseTurns || s.rank != rankStep || string(s.line) != whole {
		t.Errorf("%s is placed at %+v, %v", whole, s, ok)
	}
	if s, ok := placeOf([]byte(`{"type":"decision","tick":1,"agent_id":"a"}`)); !ok || s.step != math.MaxInt {
		t.Errorf("a decision does not end its turn: %+v", s)
	}
}
