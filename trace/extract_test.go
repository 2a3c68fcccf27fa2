package trace

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// TestForksWithoutChangesAreNotCanonical: a fork that changed nothing is its parent.
func TestForksWithoutChangesAreNotCanonical(t *testing.T) {
	header := samples()[0].(Header)
	plain := header
	plain.Forks = nil
	idle := header.Forks[0]
	idle.Changes = []Change{}
	header.Forks = []Fork{idle}
	var a, b bytes.Buffer
	if err := Canonical(bytes.NewReader(lines(t, header, idle, TickEnd{Tick: 1})), &a); err != nil {
		t.Fatal(err)
	}
	if err := Canonical(bytes.NewReader(lines(t, plain, TickEnd{Tick: 1})), &b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("got  %s\nwant %s", a.Bytes(), b.Bytes())
	}
}

// TestNextOfReadsWhatAllReads takes one type after the other out of a trace.
func TestNextOfReadsWhatAllReads(t *testing.T) {
	records := samples()
	text := append(lines(t, records...), `{"tick":9,"type":"tick_end","digest":"other order"}`+"\n"...)
	for _, r := range append(records, TickEnd{}) {
		want := 0
		for _, s := range readAll(t, text) {
			if s.RecordType() == r.RecordType() {
				want++
			}
		}
		reader, got := NewReader(bytes.NewReader(text)), 0
		for {
			record, err := reader.NextOf(r.RecordType())
			if err == io.EOF {
				break
			}
			if err != nil || record.RecordType() != r.RecordType() {
				t.Fatalf("%s: %v, %v", r.RecordType(), record, err)
			}
			got++
		}
		if got != want || reader.Offset() != int64(len(text)) {
			t.Errorf("%s: %d records, want %d; offset %d of %d", r.RecordType(), got, want, reader.Offset(), len(text))
		}
	}
	torn := NewReader(bytes.NewReader(text[:len(text)-3]))
	var err error
	for err == nil {
		_, err = torn.NextOf(TypeTickEnd)
	}
	if line := (*LineError)(nil); !errors.Is(err, ErrTorn) || !errors.As(err, &line) || line.Line != len(records)+1 {
		t.Errorf("torn: %v", err)
	}
	for _, bad := range []string{"oops\n", `{"type":"tick_end","tick":"x"}` + "\n"} {
		if _, err := NewReader(strings.NewReader(bad)).NextOf(TypeTickEnd); err == nil || err == io.EOF {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestAnswersAreKeptByAgentAndStep orders calls that arrived in any order, keeps parts
// once, and omits answers that cannot be used again.
func TestAnswersAreKeptByAgentAndStep(t *testing.T) {
	item := func(text string) Blob { return newPart(1, BlobItem, []byte(`{"type":"message","content":"`+text+`"}`)) }
	call := func(tick int64, agent string, step int, p Blob, f *llmclient.Failure) ModelCall {
		a := Answer{Output: []string{p.Hash}}
		if f != nil {
			a = Answer{Output: []string{}, Failure: f}
		}
		return ModelCall{Tick: tick, AgentID: agent, Step: step, Answer: a, Sections: []Section{{Name: "memory"}}, Timing: &CallTiming{LatencyMS: 5}}
	}
	one, two, prompt := item("one"), item("two"), item("a prompt")
	text := lines(t,
		Header{Format: FormatVersion, Settings: Settings{ScenarioTOML: "secret scenario", Playbook: "secret lessons", BaseURL: "http://secret"}, Agents: []HeaderAgent{{ID: "b", Persona: "secret"}}},
		prompt, two, call(1, "b", 1, two, nil), one, call(1, "a", 2, one, nil), call(1, "a", 1, one, nil), TickEnd{Tick: 1},
		call(2, "a", 1, two, nil), call(2, "b", 1, one, &llmclient.Failure{Kind: llmclient.ErrInterrupted}),
		call(2, "c", 1, one, &llmclient.Failure{Kind: llmclient.ErrNotRecorded}), call(2, "d", 1, one, &llmclient.Failure{Kind: llmclient.ErrTimeout}),
	)
	var b bytes.Buffer
	counts, err := WriteAnswers(NewReader(bytes.NewReader(text)), NewWriter(&b), func(hash string) (Blob, error) {
		t.Errorf("part %s was looked for, though it is kept", hash)
		return Blob{}, errors.New("none")
	})
	if err != nil || counts.Answers != 5 || counts.LastTick != 2 {
		t.Fatalf("%+v %v", counts, err)
	}
	var got []string
	for _, r := range readAll(t, b.Bytes()) {
		switch r := r.(type) {
		case ModelCall:
			got = append(got, r.AgentID)
		case Blob:
			got = append(got, "part")
		}
	}
	if want := []string{"part", "a", "a", "part", "b", "a", "d"}; !slices.Equal(got, want) {
		t.Errorf("kept %v, want %v", got, want)
	}
	for _, word := range []string{"secret", "a prompt", "latency", "memory"} {
		if strings.Contains(b.String(), word) {
			t.Errorf("the extract holds %q", word)
		}
	}
}

// TestAnswersNeedAHeader refuses what is no trace.
func TestAnswersNeedAHeader(t *testing.T) {
	for _, broken := range []string{"", `{"type":"tick_end","tick":1}` + "\n"} {
		if _, err := WriteAnswers(NewReader(strings.NewReader(broken)), NewWriter(io.Discard), nil); !errors.Is(err, ErrNoHeader) {
			t.Errorf("%q: %v", broken, err)
		}
	}
}
