package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
)

// callCounter counts Write calls and fails from the one numbered failAt on.
type callCounter struct {
	bytes.Buffer
	calls, failAt int
}

func (c *callCounter) Write(p []byte) (int, error) {
	c.calls++
	if c.failAt > 0 && c.calls >= c.failAt {
		return 0, errors.New("disk full")
	}
	return c.Buffer.Write(p)
}

func TestWriterWritesEachRecordInOneCall(t *testing.T) {
	var out callCounter
	w := NewWriter(&out)
	for i, r := range samples() {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
		if out.calls != i+1 || strings.Count(out.String(), "\n") != i+1 || !strings.HasSuffix(out.String(), "\n") {
			t.Fatalf("after %d records: %d write calls, %d lines", i+1, out.calls, strings.Count(out.String(), "\n"))
		}
	}
}

func TestWriterStoresAPartOnce(t *testing.T) {
	var out callCounter
	w := NewWriter(&out)
	var hashes []string
	for _, store := range []struct {
		kind BlobKind
		body string
	}{{BlobItem, "{}"}, {BlobItem, "{}"}, {BlobTools, "{}"}, {BlobItem, "[]"}, {BlobTools, "{}"}} {
		hash, err := w.Blob(3, store.kind, []byte(store.body))
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, hash)
	}
	if out.calls != 3 {
		t.Errorf("wrote %d part records, want 3", out.calls)
	}
	if hashes[0] != llmclient.Hash([]byte("{}")) || hashes[0] != hashes[2] || hashes[0] == hashes[3] {
		t.Errorf("hashes = %q", hashes)
	}
}

func TestWriterContinuesATraceWithoutRepeatingParts(t *testing.T) {
	var out callCounter
	w := NewWriter(&out)
	w.MarkStored(newPart(1, BlobItem, []byte("{}")))
	if _, err := w.Blob(5, BlobItem, []byte("{}")); err != nil || out.calls != 0 {
		t.Errorf("Part of a stored body: %d writes, error %v; want none", out.calls, err)
	}
}

func TestWriterRefusesEverythingAfterAFailedWrite(t *testing.T) {
	out := callCounter{failAt: 2}
	w := NewWriter(&out)
	if err := w.Write(TickEnd{Tick: 1}); err != nil {
		t.Fatal(err)
	}
	first := w.Write(TickEnd{Tick: 2})
	if first == nil || !strings.Contains(first.Error(), "write tick_end record: disk full") {
		t.Fatalf("error = %v, want the failed write named", first)
	}
	if _, err := w.Blob(2, BlobItem, []byte("x")); err != first {
		t.Errorf("Part after failure = %v, want the first error", err)
	}
	if err := w.Write(TickEnd{Tick: 3}); err != first || out.calls != 2 {
		t.Errorf("Write after failure = %v after %d calls, want the first error after 2", err, out.calls)
	}
}

func TestWriterKeepsGoingAfterARecordThatCannotBeEncoded(t *testing.T) {
	var out callCounter
	w := NewWriter(&out)
	err := w.Write(Step{Detail: json.RawMessage("{cut")})
	if err == nil || !strings.Contains(err.Error(), "encode step record") || out.calls != 0 {
		t.Errorf("error = %v after %d writes, want an encoding error and none", err, out.calls)
	}
	if err := w.Write(TickEnd{Tick: 1}); err != nil {
		t.Errorf("Write of a sound record afterwards: %v", err)
	}
}

func TestLinesOfRecordsHaveNoLineFeed(t *testing.T) {
	line, err := Encode(Step{Detail: json.RawMessage("{\n\"a\":1}"), Name: "<&>\n"})
	if err != nil || bytes.ContainsRune(line, '\n') || !bytes.Contains(line, []byte(`"<&>\n"`)) {
		t.Errorf("%v\n%s", err, line)
	}
}

func TestARecordWriterHandsRecordsOn(t *testing.T) {
	var taken []Record
	w := NewRecordWriter(func(r Record) error {
		taken = append(taken, r)
		if len(taken) == 3 {
			return errors.New("enough")
		}
		return nil
	})
	for range 2 {
		if _, err := w.Blob(1, BlobItem, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Write(TickEnd{Tick: 1}); err != nil || len(taken) != 2 {
		t.Fatalf("%d records are handed on, want a blob and an end: %v", len(taken), err)
	}
	if err := w.Write(TickEnd{Tick: 2}); err == nil || w.Write(TickEnd{Tick: 3}) != err || len(taken) != 3 {
		t.Errorf("after an error %d records are handed on: %v", len(taken), err)
	}
}

func TestAnswersComeBackAsTheyWere(t *testing.T) {
	reply := llmclient.Answer{
		Attempts: 3, LatencyMS: 40,
		Reply: &llmclient.Reply{
			ID: "resp_1", Model: "m", Status: "completed", Usage: llmclient.Usage{Input: 5, Total: 5},
			Items: []llmclient.Item{
				mustItem(t, `{"type":"reasoning","id":"rs_1" , "summary":[]}`),
				mustItem(t, "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"bad byte \xff\"}"),
				llmclient.FunctionCall("call_1", "plan", `{"a":"<b>"}`),
			},
		},
	}
	for name, want := range map[string]llmclient.Answer{
		"reply":   reply,
		"failure": llmclient.Failed(llmclient.ErrDeadline, "the deadline passed"),
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out)
			stored, err := w.Answer(1, want)
			if err != nil {
				t.Fatal(err)
			}
			parts, err := LoadBlobs(&out)
			if err != nil {
				t.Fatal(err)
			}
			got, err := stored.Restore(parts)
			if err != nil {
				t.Fatal(err)
			}
			want.Attempts, want.LatencyMS = 0, 0
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answer changed (-want +got):\n%s", diff)
			}
		})
	}
}

func mustItem(t *testing.T, raw string) llmclient.Item {
	t.Helper()
	it, ok := llmclient.ParseItem(json.RawMessage(raw))
	if !ok {
		t.Fatalf("ParseItem(%s) failed", raw)
	}
	return it
}
