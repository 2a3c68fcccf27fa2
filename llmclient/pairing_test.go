package llmclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// parsed returns the item with the given JSON.
func parsed(t testing.TB, raw string) Item {
	t.Helper()
	it, ok := ParseItem(json.RawMessage(raw))
	if !ok {
		t.Fatalf("not an item: %s", raw)
	}
	return it
}

// itemsOf reads a list in short form: c:ID a call, o:ID an output, r:ID a
// reasoning item, t:ID a text of the model, s:ID a strange item, u and d messages of the request. ID
// is the call id of the first two and the item's own id of the others.
func itemsOf(t testing.TB, list string) []Item {
	t.Helper()
	var items []Item
	for _, word := range strings.Fields(list) {
		kind, id, _ := strings.Cut(word, ":")
		switch kind {
		case "c":
			items = append(items, FunctionCall(id, "act", `{"n":1}`))
		case "o":
			items = append(items, FunctionOutput(id, "done"))
		case "r":
			items = append(items, parsed(t, fmt.Sprintf(`{"type":"reasoning","id":%q,"summary":[]}`, id)))
		case "t":
			items = append(items, parsed(t, fmt.Sprintf(`{"type":"message","id":%q,"role":"assistant","content":"hi"}`, id)))
		case "s":
			items = append(items, parsed(t, fmt.Sprintf(`{"type":"telepathy","id":%q}`, id)))
		case "u":
			items = append(items, Message("user", "go on"))
		case "d":
			items = append(items, Message("developer", "go on"))
		default:
			t.Fatalf("unknown word %q", word)
		}
	}
	return items
}

// shortForm is the inverse of itemsOf; an output that a repair added is o!ID.
func shortForm(items []Item) string {
	var words []string
	for _, it := range items {
		word := map[ItemKind]string{KindFunctionCall: "c:" + it.CallID, KindFunctionOutput: "o:" + it.CallID, KindReasoning: "r:" + it.ID, "telepathy": "s:" + it.ID}[it.Kind]
		switch {
		case it.Kind == KindFunctionOutput && it.Text == "lost":
			word = "o!" + it.CallID
		case it.Kind == KindMessage && it.Role == "assistant":
			word = "t:" + it.ID
		case it.Kind == KindMessage:
			word = it.Role[:1]
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// checkItems returns the first fault of a list and the index of the item at
// fault; ok says that there is none. It knows the rules apart from the repairs.
func checkItems(items []Item) (fault ItemFault, at int, ok bool) {
	const open, answered = 1, 2
	calls, ids := map[string]int{}, map[string]bool{}
	for i, it := range items {
		if it.ID != "" && ids[it.ID] {
			return FaultItemIDRepeated, i, false
		}
		ids[it.ID] = true
		switch {
		case it.Kind == KindReasoning && it.ID == "":
			return FaultItemIDMissing, i, false
		case it.Kind == KindReasoning && (i+1 == len(items) || !items[i+1].fromModel()):
			return FaultReasoning, i, false
		case it.Kind == KindFunctionCall && it.CallID == "":
			return FaultCallIDMissing, i, false
		case it.Kind == KindFunctionCall && calls[it.CallID] != 0:
			return FaultCallIDRepeated, i, false
		case it.Kind == KindFunctionCall:
			calls[it.CallID] = open
		case it.Kind == KindFunctionOutput && calls[it.CallID] == answered:
			return FaultOutputRepeated, i, false
		case it.Kind == KindFunctionOutput && calls[it.CallID] != open:
			return FaultOrphanOutput, i, false
		case it.Kind == KindFunctionOutput:
			calls[it.CallID] = answered
		}
	}
	for i, it := range items {
		if it.Kind == KindFunctionCall && calls[it.CallID] == open {
			return FaultUnanswered, i, false
		}
	}
	return "", 0, true
}

func TestPairItems(t *testing.T) {
	for _, tt := range []struct {
		name, items, want string
		fault             ItemFault
		repairs           string
	}{
		{"nothing", "", "", "", ""},
		{"a turn", "u u r:1 c:a o:a r:2 c:b c:c o:b o:c d", "u u r:1 c:a o:a r:2 c:b c:c o:b o:c d", "", ""},
		{"outputs in another order", "c:a c:b o:b o:a", "c:a c:b o:b o:a", "", ""},
		{"text between call and output", "c:a t:1 u o:a", "c:a t:1 u o:a", "", ""},
		{"reasoning before reasoning and a stranger", "r:1 r:2 s:3 u", "r:1 r:2 s:3 u", "", ""},
		{"an output without a call", "u o:a u", "u u", FaultOrphanOutput, "output_without_call a"},
		{"an output before its call", "o:a c:a", "c:a o!a", FaultOrphanOutput, "output_without_call a, call_without_output a"},
		{"an output without an id", "c:a o:a o:", "c:a o:a", FaultOrphanOutput, "output_without_call "},
		{"two outputs", "c:a o:a o:a", "c:a o:a", FaultOutputRepeated, "output_repeated a"},
		{"a call without an output at the end", "u r:1 c:a", "u r:1 c:a o!a", FaultUnanswered, "call_without_output a"},
		{"outputs in the model's order", "c:a c:b t:1 o:b u", "c:a c:b t:1 o!a o:b u", FaultUnanswered, "call_without_output a"},
		{"a call id twice in one answer", "c:a c:a o:a o:a", "c:a c:xb8G0kYm0 o:a o:xb8G0kYm0", FaultCallIDRepeated, "call_id_repeated xb8G0kYm0+"},
		{"a call id twice in two answers", "c:a o:a c:a o:a", "c:a o:a c:xb8G0kYm0 o:xb8G0kYm0", FaultCallIDRepeated, "call_id_repeated xb8G0kYm0+"},
		{"a minted id is taken", "c:xb8G0kYm0 c: o:xb8G0kYm0", "c:xb8G0kYm0 c:mOrmOzwGY o!mOrmOzwGY o:xb8G0kYm0", FaultCallIDMissing, "call_id_missing mOrmOzwGY+, call_without_output mOrmOzwGY"},
		{"no call ids at all", "r:1 c: c: o: o:", "r:1 c:xb8G0kYm0 c:mOrmOzwGY o:xb8G0kYm0 o:mOrmOzwGY", FaultCallIDMissing, "call_id_missing xb8G0kYm0+, call_id_missing mOrmOzwGY+"},
		{"reasoning at the end", "u r:1", "u", FaultReasoning, "reasoning_dangling "},
		{"reasoning before an output", "c:a r:1 o:a", "c:a o:a", FaultReasoning, "reasoning_dangling "},
		{"reasoning cut off from its call", "r:1 r:2 d c:a o:a", "d c:a o:a", FaultReasoning, "reasoning_dangling , reasoning_dangling "},
		{"reasoning before a dropped output", "r:1 o:b c:a o:a", "c:a o:a", FaultReasoning, "reasoning_dangling , output_without_call b"},
		{"reasoning without an id", "u r: c:a o:a", "u r:item_repaired_1 c:a o:a", FaultItemIDMissing, "item_id_missing "},
		{"own ids twice", "r:1 t:2 r:1 s:2 u", "r:1 t:2 r:item_repaired_2 s:item_repaired_3 u", FaultItemIDRepeated, "item_id_repeated , item_id_repeated "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			items := itemsOf(t, tt.items)
			if fault, _, ok := checkItems(items); ok != (tt.fault == "") || tt.fault != "" && !strings.Contains(tt.repairs, string(fault)) {
				t.Errorf("check: %q, %v, want %q", fault, ok, tt.fault)
			}
			got, repairs := PairItems(items, "lost")
			if short := shortForm(got); short != tt.want {
				t.Errorf("repaired to %q, want %q", short, tt.want)
			}
			var told []string
			for _, r := range repairs {
				told = append(told, string(r.Kind)+" "+r.CallID+map[bool]string{true: "+"}[r.Minted])
			}
			if strings.Join(told, ", ") != tt.repairs {
				t.Errorf("repairs %q, want %q", strings.Join(told, ", "), tt.repairs)
			}
		})
	}
}

func TestCheckItemsFindsTheFirstFault(t *testing.T) {
	if fault, at, ok := checkItems(itemsOf(t, "u c:a o:a o:a r:1")); ok || fault != FaultOutputRepeated || at != 3 {
		t.Errorf("check: %s at %d, %v, want %s at 3", fault, at, ok, FaultOutputRepeated)
	}
}

func TestRebuiltKeepsWhatItNeedNotChange(t *testing.T) {
	it := parsed(t, `{"id":"fc_1","type":"function_call","status":"completed","call_id":7,"name":"a b","arguments":"{","more":1}`)
	if it.ID != "fc_1" {
		t.Errorf("own id %q, want fc_1", it.ID)
	}
	const want = `{"type":"function_call","id":"fc_1","call_id":"c","name":"a","arguments":"{}","status":"completed"}`
	if got := string(it.Rebuilt("c", "a", "{}").Raw); got != want {
		t.Errorf("rebuilt as %s, want %s", got, want)
	}
	const odd = `{"type":"function_call","call_id":"c","name":"a","arguments":"{}"}`
	if got := string(parsed(t, `{"type":"function_call","id":7,"status":[]}`).Rebuilt("c", "a", "{}").Raw); got != odd {
		t.Errorf("rebuilt as %s, want %s", got, odd)
	}
}

func TestWithoutIDKeepsTheRest(t *testing.T) {
	got := parsed(t, `{"type":"reasoning","ID":"x","id":"rs_1","encrypted_content":"<&>"}`).withoutID()
	if string(got.Raw) != `{"encrypted_content":"<&>","type":"reasoning"}` || got.ID != "" {
		t.Errorf("without an id: %s, id %q", got.Raw, got.ID)
	}
}

func TestWithRoleKeepsTheRest(t *testing.T) {
	got := parsed(t, `{"type":"message","id":"m","Role":"user","role":"system","content":"<hi>"}`).WithRole("assistant")
	if string(got.Raw) != `{"content":"<hi>","id":"m","role":"assistant","type":"message"}` || got.Role != "assistant" || got.Text != "<hi>" {
		t.Errorf("under another role: %s, %+v", got.Raw, got)
	}
}

// FuzzItems repairs any list of items: the result passes the check, a second
// repair changes nothing, what was in order stays, and nothing is made up but
// outputs and ids.
func FuzzItems(f *testing.F) {
	for _, seed := range []string{"", "abcdefgh", "\x00\x10\x20\x30", "aaaa", "\x01\x41\x01\x41", "\x02\x02\x42\x82", "ZYXWVU"} {
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, list []byte, cut uint8) {
		words := []string{"c", "o", "r", "t", "s", "u", "d", "c", "o"}
		ids := []string{"", "a", "b", "xb8G0kYm0"}
		var short []string
		for _, b := range list[:min(len(list), 200)] {
			short = append(short, words[int(b)%len(words)]+":"+ids[int(b>>4)%len(ids)])
		}
		items := itemsOf(t, strings.Join(short, " "))
		paired, repairs := PairItems(items, "lost")
		if fault, at, ok := checkItems(paired); !ok {
			t.Fatalf("%s at %d after the repair of %v: %s", fault, at, short, shortForm(paired))
		}
		if _, _, ok := checkItems(items); ok != (len(repairs) == 0) || ok && !sameItems(items, paired) {
			t.Errorf("the check says %v, the repair %v", ok, repairs)
		}
		if again, more := PairItems(paired, "lost"); len(more) > 0 || !sameItems(again, paired) {
			t.Errorf("repairing twice: %v", more)
		}
		if grown := len(paired) - len(items); grown > strings.Count(strings.Join(short, " "), "c:") {
			t.Errorf("%d items more than there were", grown)
		}
		// A list that passes stays in front of whatever follows it.
		head := paired[:min(len(paired), int(cut))]
		if _, _, ok := checkItems(head); ok {
			more, _ := PairItems(append(slices.Clone(head), items...), "lost")
			if len(more) < len(head) || !sameItems(more[:len(head)], head) {
				t.Errorf("the repair of what follows changed %s to %s", shortForm(head), shortForm(more))
			}
		}
	})
}

func sameItems(a, b []Item) bool {
	return slices.EqualFunc(a, b, func(x, y Item) bool { return string(x.Raw) == string(y.Raw) && x.CallID == y.CallID && x.ID == y.ID })
}

// TestCustomCallsKeepTheirOutputs pairs calls of custom tools with outputs of their kind.
func TestCustomCallsKeepTheirOutputs(t *testing.T) {
	call := parsed(t, `{"type":"custom_tool_call","id":"ctc_1","call_id":"a","name":"act","input":"go"}`)
	got, _ := PairItems([]Item{call, FunctionOutput("a", "done"), call, Message("user", "go on")}, "lost")
	want := []string{
		string(call.Raw), `{"type":"custom_tool_call_output","call_id":"a","output":"done"}`,
		`{"type":"custom_tool_call","call_id":"xb8G0kYm0","name":"act","input":"go"}`,
		`{"type":"custom_tool_call_output","call_id":"xb8G0kYm0","output":"lost"}`, string(Message("user", "go on").Raw),
	}
	for i, it := range got {
		if i >= len(want) || string(it.Raw) != want[i] {
			t.Errorf("item %d is %s", i, it.Raw)
		}
	}
	if again, repairs := PairItems(got, "lost"); len(repairs) > 0 || len(again) != len(want) {
		t.Errorf("%d items with %v, want %d without repairs", len(again), repairs, len(want))
	}
}

// TestWithoutNulls drops null members that an input may not have, and those alone.
func TestWithoutNulls(t *testing.T) {
	for raw, want := range map[string]string{
		`{"type":"reasoning","id":"r","summary":[],"content":null,"encrypted_content":null}`:            `{"encrypted_content":null,"id":"r","summary":[],"type":"reasoning"}`,
		`{"type":"message","id":null,"content":[{"type":"output_text","text":"null","logprobs":null}]}`: `{"content":[{"text":"null","type":"output_text"}],"type":"message"}`,
		`{"type":"function_call", "call_id":"c","name":"f","arguments":"{\"a\":null}"}`:                 `{"type":"function_call", "call_id":"c","name":"f","arguments":"{\"a\":null}"}`,
		`{"type":"telepathy","aim":null}`: `{"type":"telepathy","aim":null}`,
	} {
		if got, changed := parsed(t, raw).WithoutNulls(); string(got.Raw) != want || changed != (raw != want) {
			t.Errorf("%s becomes %s", raw, got.Raw)
		}
	}
}
