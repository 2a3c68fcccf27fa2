package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// hostile begins texts that a spreadsheet would run, or that would break a line or a cell.
var hostile = []string{"=HYPERLINK(1)", "+1", "-1+2", "@sum", "\t=1", "\r=1", "  =1", "\"=1\"", "'=1", "＝1", "\u200b=1",
	"=1\n=2", "a,b", "a\"b", "日本", "=" + strings.Repeat("x", 2000)}

// filled is a row of a table whose texts are all one text.
func filled(table Table, text string) Row {
	row := reflect.New(table.row).Elem()
	raw := json.RawMessage(llmclient.Marshal(text))
	for _, c := range table.Columns() {
		switch field := row.FieldByIndex(c.index); {
		case c.Type == "text":
			field.SetString(text)
		case field.Type() == reflect.TypeFor[json.RawMessage]():
			field.Set(reflect.ValueOf(raw))
		case field.Type() == reflect.TypeFor[Stock]():
			field.Set(reflect.ValueOf(Stock{{Resource: text, Amount: -3}}))
		case field.Kind() == reflect.Pointer && c.Type == "integer":
			field.Set(reflect.ValueOf(new(int64(-7))))
		}
	}
	return row.Interface().(Row)
}

// TestNoCellIsAFormula: whatever a text of others holds, in every column of every table, a CSV file has one line a row
// in which no cell begins a formula, and numbers stay numbers. JSON lines say the text as it is.
func TestNoCellIsAFormula(t *testing.T) {
	for _, table := range Tables {
		for _, text := range hostile {
			row := filled(table, text)
			var cells, lines bytes.Buffer
			for _, w := range []*Writer{NewWriter(&cells, CSV, table, []string{text}), NewWriter(&lines, JSONLines, table, nil)} {
				if err := w.Row(row); err != nil {
					t.Fatal(err)
				}
				if err := w.Flush(); err != nil || w.Rows() != 1 {
					t.Fatal(w.Rows(), err)
				}
			}
			read, err := csv.NewReader(&cells).ReadAll()
			if err != nil || len(read) != 2 || len(read[0]) != len(read[1]) {
				t.Fatalf("%s, %.20q: %q, %v", table.Name, text, read, err)
			}
			for i, cell := range read[1] {
				begin := strings.TrimLeft(cell, " \"")
				if begin != "" && strings.ContainsAny(begin[:1], "=+-@\t\r") && cell != "-7" && cell != "-3" || strings.ContainsAny(cell, "\n\r\u200b") {
					t.Errorf("%s.%s of %.20q is %.30q", table.Name, read[0][i], text, cell)
				}
			}
			var back map[string]any
			if err := json.Unmarshal(lines.Bytes(), &back); err != nil || bytes.Count(lines.Bytes(), []byte("\n")) != 1 {
				t.Fatalf("%s: %v", table.Name, err)
			}
			for _, c := range table.Columns() {
				got, there := back[c.Name]
				if !there || c.Type == "text" && got != text {
					t.Errorf("%s.%s is %v in JSON, want %.30q", table.Name, c.Name, got, text)
				}
			}
			if len(back) != len(table.Columns()) {
				t.Errorf("%s has %d members in JSON, %d columns", table.Name, len(back), len(table.Columns()))
			}
		}
	}
}

// TestJSONHidesNothing: hidden characters of a JSON cell and of a line of JSON are escaped, and what they say stays.
func TestJSONHidesNothing(t *testing.T) {
	for _, text := range []string{"a\u202eb", "\u200b", "\U000E0041", "a\u009b2Jb\x7f", "a\nb\tc", "\"\\", "日本"} {
		value := map[string]string{"x": text}
		var line bytes.Buffer
		if err := WriteLine(&line, value); err != nil {
			t.Fatal(err)
		}
		one := strings.TrimSuffix(line.String(), "\n")
		for _, shown := range []string{cellJSON(llmclient.Marshal(value)), one} {
			var back map[string]string
			err := json.Unmarshal([]byte(shown), &back)
			if err != nil || back["x"] != text || strings.ContainsFunc(shown, plaintext.Hidden) {
				t.Errorf("%q is shown as %s: %v", text, shown, err)
			}
		}
	}
}

// emitted are the rows of some tables that events of one tick make.
func emitted(t *testing.T, decisions []trace.Decision, events ...world.Event) (rows []Row) {
	t.Helper()
	rec := Recording{}
	w := rec.walk(Tables, func(r Row) error { rows = append(rows, r); return nil })
	w.header.Agents = []trace.HeaderAgent{{ID: "agent-1"}, {ID: "agent-2"}}
	w.in.Decisions = decisions
	for _, e := range events {
		if err := w.event(e); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// TestTradesAndMessages: a trade of electricity has what was paid, an accepted offer what both gave, and a message on
// its arrival who wrote it by which authority.
func TestTradesAndMessages(t *testing.T) {
	by := &trace.Authority{By: trace.AuthorityRule}
	decisions := []trace.Decision{{AgentID: "agent-1", Authority: by, Executed: []byte(`{"action":"send_message","to_agent":"agent-2","text":"come"}`)},
		{AgentID: "agent-2", Authority: by, Executed: []byte(`{"action":"decline","id":"req-3-agent-1-1"}`)}}
	rows := emitted(t, decisions,
		world.Event{Tick: 4, Kind: world.EventTrade, Subject: "order-1", Place: "hub", Trade: &world.Trade{Buyer: "agent-1", Seller: "agent-2", Price: 7, Amount: 30}},
		world.Event{Tick: 4, Kind: world.EventOfferAccepted, Agent: "agent-2", From: "agent-1", Subject: "offer-2-agent-1-1", Postings: []world.Posting{
			{From: "agent:agent-2", To: "offer:offer-2-agent-1-1", Resource: "data", Amount: 5},
			{From: "offer:offer-2-agent-1-1", To: "agent:agent-2", Resource: "hardware", Amount: 3},
			{From: "offer:offer-2-agent-1-1", To: "agent:agent-1", Resource: "data", Amount: 5}}},
		world.Event{Tick: 4, Kind: world.EventMessageSent, Agent: "agent-1", Subject: "msg-4-agent-1-1", Text: "come"},
		world.Event{Tick: 4, Kind: world.EventMessageSent, Agent: "agent-2", Subject: "decline-4-agent-2-1", Detail: "decline"},
		world.Event{Tick: 6, Kind: world.EventMessageDelivered, Agent: "agent-2", Subject: "msg-4-agent-1-1", Text: "come"},
		world.Event{Tick: 6, Kind: world.EventMessageDelivered, Agent: "agent-2", Subject: "msg-5-operator-1", Text: "stop"})
	rows = slices.DeleteFunc(rows, func(r Row) bool { _, is := r.(EventRow); return is })
	want := []Row{
		TradeRow{Tick: 4, Kind: "order", ID: "order-1", Place: "hub", Buyer: "agent-1", Seller: "agent-2", Resource: "electricity", Amount: 30, PaidResource: "data", Paid: 21, Price: new(int64(7))},
		TradeRow{Tick: 4, Kind: "offer", ID: "offer-2-agent-1-1", Buyer: "agent-2", Seller: "agent-1", Resource: "hardware", Amount: 3, PaidResource: "data", Paid: 5},
		MessageRow{Tick: 4, Event: "message_sent", ID: "msg-4-agent-1-1", From: "agent-1", To: "agent-2", Text: "come", Trust: "other_agent", AuthorityBy: "rule"},
		MessageRow{Tick: 4, Event: "message_sent", ID: "decline-4-agent-2-1", Kind: "decline", From: "agent-2", To: "agent-1", Trust: "other_agent", AuthorityBy: "rule"},
		MessageRow{Tick: 6, Event: "message_delivered", ID: "msg-4-agent-1-1", From: "agent-1", To: "agent-2", Text: "come", Trust: "other_agent", AuthorityBy: "rule"},
		MessageRow{Tick: 6, Event: "message_delivered", ID: "msg-5-operator-1", From: "operator", To: "agent-2", Text: "stop", Trust: "other_agent"},
	}
	if got, wanted := string(llmclient.Marshal(rows)), string(llmclient.Marshal(want)); got != wanted {
		t.Errorf("rows are\n%s\nwant\n%s", got, wanted)
	}
}

// TestTrustOfMessages: a message is trusted no more than what it shows, an answer no more than what was read before it,
// and the result of a tool no more than the user trusts the tool. A source that no message names may be in any of them.
func TestTrustOfMessages(t *testing.T) {
	message := trace.Source{ID: "msg-1-agent-2-1", Trust: trace.TrustOtherAgent}
	memory := trace.Source{ID: "mem-1-1", Trust: trace.TrustSelfObservation}
	for name, c := range map[string]struct {
		messages []Message
		sources  []trace.Source
		want     []string
	}{
		"own": {[]Message{{Role: "system"}, {Role: "user", Content: "[mem-1-1] ok"}, {Role: "assistant"}}, []trace.Source{memory},
			[]string{"rules", "self_observation", "derived"}},
		"read after the first answer": {[]Message{{Role: "user"}, {Role: "assistant"}, {Role: "user", Content: "msg-1-agent-2-1 says"}, {Role: "assistant"}},
			[]trace.Source{message}, []string{"self_observation", "derived", "other_agent", "other_agent"}},
		"an id within another": {[]Message{{Role: "user", Content: "msg-1-agent-2-10 mem-1-1"}, {Role: "user", Content: "msg-1-agent-2-1"}},
			[]trace.Source{message, memory}, []string{"self_observation", "other_agent"}},
		"not named": {[]Message{{Role: "system"}, {Role: "user", Content: "come"}}, []trace.Source{message}, []string{"rules", "other_agent"}},
	} {
		conversation := Conversation{Messages: c.messages}
		conversation.judge(c.sources, nil)
		var got []string
		for _, m := range conversation.Messages {
			got = append(got, m.Trust)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: trust is %v, want %v", name, got, c.want)
		}
	}
}

// TestItemsBecomeMessages: what a model answers in a row is one message, with the texts of its reasoning.
func TestItemsBecomeMessages(t *testing.T) {
	var c Conversation
	for _, raw := range []string{
		`{"type":"message","role":"user","content":"go"}`,
		`{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"think"}]}`,
		`{"type":"function_call","call_id":"c1","name":"plan","arguments":"{}"}`,
		`{"type":"function_call","call_id":"c2","name":"world_route","arguments":"{\"to\":1}"}`,
		`{"type":"web_thing","id":"w"}`,
		`{"type":"function_call_output","call_id":"c2","output":"far"}`,
		`{"type":"message","id":"m","status":"completed","role":"assistant","content":[{"type":"output_text","text":"so"}]}`,
	} {
		it, ok := llmclient.ParseItem([]byte(raw))
		if !ok {
			t.Fatal(raw)
		}
		c.take(it)
	}
	const want = `[{"role":"user","content":"go","trust":""},{"role":"assistant","content":"","reasoning_content":"think","tool_calls":[` +
		`{"id":"c1","type":"function","function":{"name":"plan","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"world_route","arguments":"{\"to\":1}"}}],` +
		`"trust":"","other_items":[{"type":"web_thing","id":"w"}]},{"role":"tool","content":"far","tool_call_id":"c2","trust":""},{"role":"assistant","content":"so","trust":""}]`
	if got := string(llmclient.Marshal(c.Messages)); got != want {
		t.Errorf("messages are\n%s\nwant\n%s", got, want)
	}
}
