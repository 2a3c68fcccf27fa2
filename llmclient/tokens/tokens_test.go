package tokens

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCountOfPiecesIsThatOfTheWhole compares with the vocabulary's own cutting: on
// pages, and on texts made of everything its pattern tells apart.
func TestCountOfPiecesIsThatOfTheWhole(t *testing.T) {
	for _, path := range []string{"../../docs/prompt.md", "../../docs/scenarios.md", "tokens.go"} {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := Count(string(page)), encode(string(page)); got != want {
			t.Errorf("%s: %d tokens, the vocabulary says %d", path, got, want)
		}
	}
	parts := rapid.SampledFrom([]string{
		"a", "B", "word", "Word", "WORD", "it's", "'s", "'", "'LL", "’", "é", "e\u0301", "\u0301", "ǅ", "ʰ", "ß", "ſ", "世界", "，", "。", "か",
		" ", "  ", "\n", "\r\n", "\t", "\u00a0", "/", "//\n", "1", "12345", "½", "٣", "{\"x\":", "\"", "\\n", ",", "...", "🙂", "\xff", "\xe4\xb8", "<|endoftext|>",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(parts, 0, 24).Draw(t, "parts"), "")
		for range 2 { // counted, then known
			if got, want := Count(text), encode(text); got != want {
				t.Fatalf("%q: %d tokens, the vocabulary says %d", text, got, want)
			}
		}
	})
}

// TestMemoryOfPiecesIsBounded floods it with words that never come again.
func TestMemoryOfPiecesIsBounded(t *testing.T) {
	t.Cleanup(func() { counted.of = map[string]int{} })
	Count(strings.Repeat("x", 2*pieceMost))
	for i := range piecesMost + 100 {
		Count(strconv.Itoa(i))
	}
	if len(counted.of) != piecesMost {
		t.Errorf("%d pieces are kept, want %d", len(counted.of), piecesMost)
	}
	page := strings.Repeat("x", textLeast)
	for i := range textsMost + 100 {
		Count(page + strconv.Itoa(i))
	}
	if len(counted.texts) > textsMost {
		t.Errorf("%d texts are kept, at most %d may be", len(counted.texts), textsMost)
	}
	for text := range counted.of {
		if len(text) > pieceMost {
			t.Fatalf("a piece of %d bytes is kept, at most %d may be", len(text), pieceMost)
		}
	}
}
