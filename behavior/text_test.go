package behavior

import (
	"slices"
	"strings"
	"testing"
)

func TestFindObjects(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		objects    int
		kind       ParseKind
		leniencies []string
	}{
		{"clean", `{"decision":"wait"}`, 1, "", nil},
		{"fenced", "```json\n{\"decision\":\"wait\"}\n```", 1, "", []string{lenUnfenced}},
		{"fence without a tag", "```\n{\"decision\":\"wait\"}\n```", 1, "", []string{lenUnfenced}},
		{"prose around", `I choose {"decision":"wait"} now.`, 1, "", []string{lenProseAround}},
		{"bracket before", `[Plan] {"decision":"wait"}`, 1, "", []string{lenProseAround}},
		{"thinking", `<think>{"decision":"fly"}</think>{"decision":"wait"}`, 1, "", []string{lenThinkingRemoved}},
		{"byte order mark", "\ufeff{\"decision\":\"wait\"}", 1, "", []string{lenInvisibleRemoved}},
		{"trailing comma", `{"decision":"wait",}`, 1, "", []string{lenRepairedJSON}},
		{"single quotes and None", `{'decision':'wait','x':None}`, 1, "", []string{lenRepairedJSON}},
		{"list of one", `[{"decision":"wait"}]`, 1, "", []string{lenListOfOne}},
		{"two objects", `{"decision":"wait"} {"decision":"wait"}`, 2, "", nil},
		{"brace in a string", `{"decision":"wait","why":"} {"}`, 1, "", nil},
		{"stray brace first", `{ oops. {"decision":"wait"}`, 1, "", []string{lenProseAround}},
		{"truncated", `{"decision":"harvest_radiation","max_am`, 0, ParseTruncated, nil},
		{"prose", `I will wait.`, 0, ParseNoJSON, nil},
		{"list of numbers", `[1,2,3]`, 0, ParseNoJSON, nil},
		{"too deep", strings.Repeat(`{"a":`, 30) + "1" + strings.Repeat("}", 30), 0, ParseUnknownShape, nil},
		{"too large", strings.Repeat(" ", textBytesMax+1), 0, ParseTooLarge, nil},
		{"flood of brackets", strings.Repeat("{", 200_000), 0, ParseTruncated, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			objects, leniencies, kind := findObjects(tt.text)
			if len(objects) != tt.objects || kind != tt.kind {
				t.Fatalf("%d objects, kind %q, want %d, %q", len(objects), kind, tt.objects, tt.kind)
			}
			if kind != "" {
				return
			}
			if want := append([]string{lenTextInsteadOfCall}, tt.leniencies...); !slices.Equal(leniencies, want) {
				t.Errorf("leniencies %v, want %v", leniencies, want)
			}
		})
	}
}

// FuzzFindObjects reads any text without panicking, and what it finds is always
// an object.
func FuzzFindObjects(f *testing.F) {
	for _, seed := range []string{
		`{"decision":"wait"}`, "```json\n{}\n```", `{"a":"\"}"}`, `{{{`, `<think>{</think>{}`, `{'a':None,}`, "\ufeff{}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		objects, leniencies, kind := findObjects(text)
		if (len(objects) == 0) != (kind != "") {
			t.Errorf("%d objects with kind %q", len(objects), kind)
		}
		if kind == "" && len(leniencies) == 0 {
			t.Error("text was read without a recorded leniency")
		}
		for _, o := range objects {
			if o == nil {
				t.Error("an object is nil")
			}
			shapeDecision(o)
			shapeDraft(o)
			shapePlan(o)
		}
	})
}

// BenchmarkBracketFlood reads 256 KB of opening brackets.
func BenchmarkBracketFlood(b *testing.B) {
	flood := strings.Repeat("{", textBytesMax)
	for b.Loop() {
		findObjects(flood)
	}
}
