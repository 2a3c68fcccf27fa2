package world

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/agentworld/plaintext"
)

func TestCleanText(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"hello", "hello"},
		{"", ""},
		{" \t\r\n ", ""},
		{"\x00\x1b\u200b\u202e", ""},
		{"one\ntwo\u2028three\u2029four\u0085five", "one two three four five"},
		{"a\x00b\u202ec", "a b c"},
		{"\xff\xfeok", "\uFFFDok"},
		{"  ends\xc2", "ends\uFFFD"},
		{"<&>\"\\ é 漢", "<&>\"\\ é 漢"},
		{strings.Repeat("é", TextMax) + "tail", strings.Repeat("é", TextMax-1) + "…"},
		{strings.Repeat("é", TextMax), strings.Repeat("é", TextMax)},
		{strings.Repeat(" ", 500) + "late", "late"},
	} {
		if got := cleanText(tc.in, TextMax); got != tc.want {
			t.Errorf("cleanText(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestCleanTextHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		most := rapid.Int64Range(1, 30).Draw(t, "most")
		got := cleanText(raw, most)
		if !utf8.ValidString(got) || int64(utf8.RuneCountInString(got)) > most || strings.ContainsFunc(got, plaintext.Hidden) {
			t.Fatalf("cleanText(%q, %d) = %q", raw, most, got)
		}
		if again := cleanText(got, most); again != got {
			t.Fatalf("cleaning %q again gives %q", got, again)
		}
	})
}

// TestMakeActionCleansText: what is recorded as an action is what is delivered.
func TestMakeActionCleansText(t *testing.T) {
	raw := Value{Text: "line\n" + strings.Repeat("x", 300) + "\xff"}
	got, err := MakeAction("send_message", Args{"to_agent": {Text: "agent-2"}, "text": raw})
	if want := (SendMessage{"agent-2", "line " + strings.Repeat("x", TextMax-6) + "…"}); err != nil || got != want {
		t.Errorf("MakeAction = %#v, %v", got, err)
	}
	got, err = MakeAction("post_note", Args{"text": {Text: "\x00"}})
	if err != nil || got != (PostNote{}) {
		t.Errorf("MakeAction of an empty note = %#v, %v; the world is to refuse it", got, err)
	}
}

// act advances a world by a tick and lets agents, by number, act in it.
func act(w *World, actions map[int]Action) []Event {
	events := w.Advance()
	var intents []Intent
	for _, n := range w.Due() {
		if a, ok := actions[n]; ok {
			intents = append(intents, Intent{Agent: n, Action: a})
		}
	}
	for _, n := range w.Continuing() {
		order, _ := w.Standing(n)
		intents = append(intents, Intent{Agent: n, Action: order.Do})
	}
	return append(events, w.Apply(intents)...)
}

func TestMessageDelayGrowsWithDistance(t *testing.T) {
	for _, tc := range []struct{ km, perTick, want int64 }{
		{0, 20, 1}, {19, 20, 1}, {20, 20, 2}, {59, 20, 3}, {60, 20, 4}, {60, 1, 61}, {90, 10_000, 1}, {91, 20, 8}, {91, 1, 99},
	} {
		s := mustScenario(t, "two_bases")
		s.Rules.MessageKMPerTick, s.VisibilityKM = tc.perTick, 90
		s.Places[0].Position, s.Places[1].Position = Position{}, Position{X: tc.km * CMPerKM}
		s.Agents.Spawn = []string{s.Places[0].ID, s.Places[1].ID}
		w, err := New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		act(w, map[int]Action{0: SendMessage{"agent-2", "hello"}})
		got := int64(0)
		for got = 1; got < 100 && len(w.View(1).Observe().Inbox) == 0; got++ {
			w.Advance()
		}
		if got-1 != tc.want {
			t.Errorf("over %d km at %d km per tick a message takes %d ticks, want %d", tc.km, tc.perTick, got-1, tc.want)
		}
	}
}

// TestInboxKeepsTheNewest also pins the order, the count of displaced messages
// and which ones are new.
func TestInboxKeepsTheNewest(t *testing.T) {
	w := mustWorld(t, "llm_bootstrap", 1)
	order, err := NewExecuteUntil(WaitTicks{1}, []Condition{{Event: StopJobDone}}, 9, StopAlways()...)
	if err != nil {
		t.Fatal(err)
	}
	for tick := range 11 {
		act(w, map[int]Action{
			0: SendMessage{"agent-2", fmt.Sprintf("text %d", tick+1)},
			1: []Action{Wait{}, order}[min(1, tick/6)],
		})
	}
	w.Advance()
	o := w.View(1).Observe()
	if len(o.Inbox) != 8 || o.InboxDropped != 3 {
		t.Fatalf("the inbox holds %d messages, %d dropped, want 8 and 3", len(o.Inbox), o.InboxDropped)
	}
	for i, m := range o.Inbox {
		sent := int64(11 - i)
		// The last decision was the order in tick 7, which saw the message sent in 6.
		want := Message{fmt.Sprintf("msg-%d-agent-1-1", sent), "agent-1", sent, sent + 1, fmt.Sprintf("text %d", sent), sent > 6, "", nil, nil}
		if !reflect.DeepEqual(m, want) {
			t.Errorf("message %d is %+v, want %+v", i, m, want)
		}
	}
}

func TestPlaceKeepsTheNewestNotes(t *testing.T) {
	w := mustWorld(t, "minimal", 1)
	for tick := range 11 {
		act(w, map[int]Action{0: PostNote{fmt.Sprintf("text %d", tick+1)}})
	}
	notes := w.View(0).Observe().Here.Notes
	if len(notes) != 8 || notes[7].Text != "text 4" || !reflect.DeepEqual(notes[0], Note{"note-11-agent-1-1", "agent-1", 11, "text 11", nil}) {
		t.Errorf("the notes are %+v", notes)
	}
}

// TestSenderLearnsNothingOfItsReceiver sends to an agent out of sight in a world
// where it stands still, one where it travels, and one where there is none: the
// sender's view stays the same throughout.
func TestSenderLearnsNothingOfItsReceiver(t *testing.T) {
	s := mustScenario(t, "two_bases")
	s.Rules.PowerCapacity = 1000
	s.Agents.Stock = [][]Amount{{{Electricity, 900}}}
	s.Goals = nil
	s.Agents.Count, s.Agents.Spawn = 2, []string{"base-a", "base-b"}
	away := Place{ID: "away", Material: "ice", RadiusCM: 500, Position: s.Places[1].Position}
	away.Position.X += 500_000
	s.Places = append(s.Places, away)
	alone := s
	alone.Agents.Count = 1
	worlds := []*World{}
	for _, scenario := range []Scenario{s, s, alone} {
		w, err := New(scenario, 1)
		if err != nil {
			t.Fatal(err)
		}
		worlds = append(worlds, w)
	}
	for tick := range 30 {
		act(worlds[0], map[int]Action{0: SendMessage{"agent-2", "hello"}})
		act(worlds[1], map[int]Action{0: SendMessage{"agent-2", "hello"}, 1: Move{[]string{"away", "base-b"}[tick%2]}})
		act(worlds[2], map[int]Action{0: SendMessage{"agent-2", "hello"}})
		for i, w := range worlds[1:] {
			if a, b := glimpse(worlds[0].View(0)), glimpse(w.View(0)); a != b {
				t.Fatalf("tick %d: the sender of world %d sees a difference:\n%s\n%s", w.Tick(), i+1, a, b)
			}
		}
	}
	if got := worlds[0].View(1).Observe().Inbox; len(got) < 8 {
		t.Errorf("only %d messages arrived, so the test shows little", len(got))
	}
}

// TestUnseenTextDoesNotShow: a message on its way and a note elsewhere are hidden
// from their later reader.
func TestUnseenTextDoesNotShow(t *testing.T) {
	plain, busy := mustWorld(t, "isolated_five", 1), mustWorld(t, "isolated_five", 1)
	act(plain, map[int]Action{1: Wait{}, 2: Wait{}})
	act(busy, map[int]Action{1: SendMessage{"agent-1", "hello"}, 2: PostNote{"hello"}})
	due := busy.agents[0].mail.coming[0].dueAt
	if due < busy.Tick()+2 {
		t.Fatalf("the message arrives at %d, too soon to show anything", due)
	}
	for busy.Tick() < due {
		if a, b := glimpse(plain.View(0)), glimpse(busy.View(0)); a != b {
			t.Fatalf("tick %d: agent-1 sees a difference:\n%s\n%s", busy.Tick(), a, b)
		}
		plain.Advance()
		busy.Advance()
	}
	if got := busy.View(0).Observe().Inbox; len(got) != 1 || len(plain.View(0).Observe().Inbox) != 0 {
		t.Errorf("after the arrival the inbox is %+v", got)
	}
}

// TestTextsInViewsAreCopies changes the texts a view gave out.
func TestTextsInViewsAreCopies(t *testing.T) {
	w := mustWorld(t, "llm_bootstrap", 1)
	act(w, map[int]Action{0: SendMessage{"agent-2", "hello"}, 1: PostNote{"hello"}})
	w.Advance()
	v := w.View(1)
	before := glimpse(v)
	o := v.Observe()
	o.Inbox[0].Text, o.Here.Notes[0].Text = "x", "x"
	if after := glimpse(v); after != before || glimpse(w.View(1)) != before {
		t.Errorf("the view changed:\n%s\n%s", before, after)
	}
}

// TestNamesShowAllTheyHold: names of places and personas are held to one line.
func TestNamesShowAllTheyHold(t *testing.T) {
	for what, spoil := range map[string]func(*Scenario){
		"name: has control":             func(s *Scenario) { s.Name = "a\nb" },
		"places[0].name: has control":   func(s *Scenario) { s.Places[0].Name = "a\u202eb" },
		"personas[0].name: has control": func(s *Scenario) { s.Personas[0].Name = "a\x00b" },
	} {
		s := mustScenario(t, "llm_bootstrap")
		spoil(&s)
		if _, err := New(s, 1); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("New = %v, want %q", err, what)
		}
	}
}
