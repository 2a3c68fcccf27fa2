package documents

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

const manual = "\ufeffIntroduction, without a heading.\r\n\r\n" + `# Depot
The depot is at rock-b.
It opens in tick 4.

Bring hardware.

## Prices ##
| what | data |
|------|------|
| chip | 12   |

~~~sh
# no heading
~~~
### Empty
# Food
食物在营地。
`

func TestChunksFollowHeadings(t *testing.T) {
	var got []string
	for _, c := range New([]world.Document{{Name: "first", Text: " \n# Only a heading\n"}, {Name: "manual.md", Text: manual}}).chunks {
		got = append(got, c.Line())
	}
	want := []string{
		`[doc-2-1] "manual.md": "Introduction, without a heading."`,
		`[doc-2-2] "manual.md > Depot": "The depot is at rock-b. It opens in tick 4. Bring hardware."`,
		`[doc-2-3] "manual.md > Depot > Prices": "| what | data | |------|------| | chip | 12 | ~~~sh # no heading ~~~"`,
		`[doc-2-4] "manual.md > Food": "食物在营地。"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
	if New(nil) != nil || New([]world.Document{{Name: "blank", Text: "\n \n"}}) != nil {
		t.Error("a library without text is not nil")
	}
}

// TestLongParagraphsAreCut at sentences, and not within a number.
func TestLongParagraphsAreCut(t *testing.T) {
	sentence := "It costs 3.14 data. "
	chunks := New([]world.Document{{Name: "n", Text: strings.Repeat(sentence, 100)}}).chunks
	for _, c := range chunks {
		if !strings.HasSuffix(c.Text, "data.") || !strings.HasPrefix(c.Text, "It costs") {
			t.Errorf("cut within a sentence: %q", c.Text)
		}
	}
	if len(chunks) != 4 {
		t.Errorf("%d chunks, want 4", len(chunks))
	}
}

// TestChunksKeepEveryWord of any text, within the bounds.
func TestChunksKeepEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"ore", "at", "rock-b.", "\n", "\n\n", " ", strings.Repeat("x", 300), "矿石。", "```", "\u202e"}), 0, 400).Draw(t, "words")
		text := strings.Join(words, " ")
		var kept strings.Builder
		for _, c := range chunksOf(world.Document{Name: "n", Text: text}, 1) {
			if n := utf8.RuneCountInString(c.Text); n == 0 || n > ChunkCharsMax || strings.ContainsAny(c.Text, "\n\u202e") {
				t.Fatalf("a chunk of %d characters: %q", n, c.Text)
			}
			kept.WriteString(c.Text)
		}
		visible := func(s string) string {
			return strings.Join(strings.Fields(strings.ReplaceAll(s, "\u202e", "")), "")
		}
		if visible(kept.String()) != visible(text) {
			t.Fatalf("the chunks hold %q of %q", kept.String(), text)
		}
	})
}

func TestSearch(t *testing.T) {
	l := New([]world.Document{
		{Name: "manual", Text: manual, Trusted: true},
		{Name: "secret", Text: "The depot holds hardware and chips.", Agents: []string{"agent-2"}},
	})
	found := func(query, agent string, limit int) (ids []string) {
		for _, f := range l.Search(query, limit, func(c *Chunk) bool { return c.For(agent) }) {
			ids = append(ids, f.ID)
		}
		return ids
	}
	for _, c := range []struct {
		query, agent string
		limit        int
		want         []string
	}{
		{"where is the depot", "agent-1", 1, []string{"doc-1-2"}},
		{"hardware", "agent-1", 5, []string{"doc-1-2"}},
		{"hardware", "agent-2", 5, []string{"doc-2-1", "doc-1-2"}},
		{"食物", "agent-1", 5, []string{"doc-1-4"}},
		{"price of a chip", "agent-1", 5, []string{"doc-1-3", "doc-1-1"}},
		{"submarine", "agent-1", 5, nil},
		{"...", "agent-1", 2, []string{"doc-1-1", "doc-1-2"}},
		{"depot", "agent-1", 0, nil},
	} {
		if got := found(c.query, c.agent, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("Search(%q) for %s = %v, want %v", c.query, c.agent, got, c.want)
		}
	}
	best := l.Search("depot", 1, func(*Chunk) bool { return true })[0]
	want := trace.Source{
		ID: best.ID, Kind: trace.KindDocument, Title: "secret", Preview: "The depot holds hardware and chips.", Score: best.Score,
		Chars: utf8.RuneCountInString(best.Line()), Trust: trace.TrustOtherAgent, Text: best.Line(),
	}
	if best.ID == "doc-1-2" {
		want.Title, want.Preview, want.Trust = "manual > Depot", "The depot is at rock-b. It opens in tick 4. Bring hardware.", trace.TrustRules
	}
	if diff := cmp.Diff(want, best.Source()); diff != "" {
		t.Errorf("the source (-want +got):\n%s", diff)
	}
	if !l.Holds("doc-1-4") || l.Holds("doc-1-5") || (*Library)(nil).Holds("doc-1-1") {
		t.Error("Holds does not tell the chunks from other ids")
	}
}

func ExampleLibrary_Search() {
	library := New([]world.Document{{Name: "market.md", Text: "# Prices\nA chip sells for 12 data."}})
	for _, found := range library.Search("price of a chip", 3, func(c *Chunk) bool { return c.For("agent-1") }) {
		fmt.Println(found.Line())
	}
	// Output: [doc-1-1] "market.md > Prices": "A chip sells for 12 data."
}
