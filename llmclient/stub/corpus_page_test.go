package stub

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exampleParts fill the templates on the page.
var exampleParts = Parts{
	Name: "decision_draft", Arguments: []byte(`{"candidates":[{"action":"mine_compound","amount":5000}]}`),
	Decision: []byte(`{"decision":"mine_compound","compound_mass_g":5000}`),
	Action:   []byte(`{"action":"mine_compound","compound_mass_g":5000}`),
	Here:     "llm-hub", Place: "frag-amber", PlaceName: "Amber Fragment",
}

// pageHead is what the page says before the shapes.
const pageHead = `# Malformed output

Models do not always answer as they were asked. This page lists the shapes such answers are known to have, each with an
example and with what becomes of it. It is made from ` + "`llmclient/stub/corpus.toml`" + `, from which the tests of the reader and the
fault modes of the scripted server are made as well: what stands here is what happens.

## What is promised

- **Nothing runs that the model did not write.** Syntax is mended, names are looked up, amounts are moved into their range; each
  is counted under a name of its own. No value is made up, and no id is replaced by another.
- **What breaks off never runs**, however little is missing: half a decision is not a decision.
- **Two different decisions in one answer are none.** The same decision twice is one.
- **A mended value passes the same checks as a clean one**: schema, clamping, dry run.
- **An answer that cannot be used costs one more model call**, which says what was wrong; after that the agent waits.
- **The work is linear** in the length of the answer, up to 256 KiB of text or 64 KiB of arguments.

## How text is read

Text counts only where no call was made. What the model thinks aloud is taken away first. Then a line that names an action is
looked for (` + "`Action: NAME[...]`" + `), of which the first counts and nothing behind it; then JSON objects; then the syntaxes in which chat
templates write down calls. What is found is written out behind the text as the call it stands for, so that the model sees how it
was understood.

## How to read the tables

An answer ends in one of four ways. *accepted*: read as it is. *repaired*: read, with the listed leniencies counted in the report under
` + "`parse_repairs_by_kind`" + `. *error*: not used, counted in ` + "`parse_errors_by_kind`" + ` under the given kind. *refused*: read, but the world does
not do it, for the given reason. A star marks a shape that keeps the meaning of any call at any point of a turn; these are what the
fault kind ` + "`repairable`" + ` draws from. The others end as shown where they are the first answer of a turn of the full protocol. Elsewhere
the call they stand for may be one that is not asked for then (` + "`not_allowed_now`" + `), such as a plan after the draft, or a decision
before the plan of a lean turn with texts of others; and a place that a shape names may not exist in another scenario.

## How to add a shape

Append a ` + "`[[shape]]`" + ` to the corpus file: a name, one sentence, what the template stands in for, the template, and how it must end. Then run
` + "`go test ./behavior -run Corpus`" + `, which plays it as the first answer of a turn and says what came of it instead, and
` + "`go test ./llmclient/stub -update`" + ` for this page. Placeholders and styles are listed at ` + "`Shape.Render`" + `.
`

// TestMalformedOutputPage keeps docs/malformed-output.md what the corpus says.
func TestMalformedOutputPage(t *testing.T) {
	compareGolden(t, filepath.Join("..", "..", "docs", "malformed-output.md"), malformedOutputPage())
}

// malformedOutputPage writes the page.
func malformedOutputPage() string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, section := range []struct{ title, as, doc string }{
		{"Arguments", AsArguments, "The argument string of a function call."},
		{"Items", AsItems, "The list of output items. The ids stand for any ids."},
		{"Text", AsText, "The text of a message, where a call was expected."},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", section.title, section.doc)
		for _, s := range Corpus() {
			if s.As == section.as {
				writeShape(&b, s)
			}
		}
	}
	writeCounters(&b)
	return b.String()
}

// writeShape adds one shape with its example.
func writeShape(b *strings.Builder, s Shape) {
	star := ""
	if s.Universal {
		star = " \\*"
	}
	fmt.Fprintf(b, "### %s%s\n\n%s %s\n\n", s.Name, star, s.Doc, ending(s))
	fence := "```"
	example := s.Render(exampleParts)
	if strings.Contains(example, fence) {
		fence = "~~~"
	}
	if strings.TrimSpace(example) == "" {
		fmt.Fprintf(b, "The example is %q.\n\n", example)
		return
	}
	fmt.Fprintf(b, "%stext\n%s\n%s\n\n", fence, visible(example), fence)
}

// visible spells out the characters that nobody would see on the page.
func visible(s string) string {
	return strings.NewReplacer("\ufeff", "<U+FEFF>", "\u200b", "<U+200B>", "\u200d", "<U+200D>", "\u3000", "<U+3000>", "\r\n", "<CR LF>\n", "\t", "<TAB>").Replace(s)
}

// ending says in one sentence what becomes of a shape.
func ending(s Shape) string {
	switch s.Ends {
	case EndsAccepted:
		return "*Accepted.*"
	case EndsRepaired:
		return "*Repaired:* " + counted(s.Repairs) + "."
	case EndsError:
		return "*Error:* `" + s.Error + "`."
	}
	read := ""
	if len(s.Repairs) > 0 {
		read = ", read with " + counted(s.Repairs)
	}
	return "*Refused:* `" + s.Error + "`" + read + "."
}

// counted lists leniencies with how often each is counted, where that is not once.
func counted(repairs []string) string {
	var out []string
	for _, name := range slices.Compact(slices.Clone(repairs)) {
		n := 0
		for _, r := range repairs {
			if r == name {
				n++
			}
		}
		text := "`" + name + "`"
		if n > 1 {
			text += fmt.Sprintf(" (%d times)", n)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// writeCounters adds the table of leniencies with the shapes that show them.
func writeCounters(b *strings.Builder) {
	shapes := map[string][]string{}
	for _, s := range Corpus() {
		for _, name := range slices.Compact(slices.Clone(s.Repairs)) {
			shapes[name] = append(shapes[name], s.Name)
		}
	}
	b.WriteString("## Leniencies\n\nEvery leniency of the corpus, with how many shapes need it and one of them.\n\n| leniency | shapes | for example |\n| --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		fmt.Fprintf(b, "| `%s` | %d | %s |\n", name, len(shapes[name]), simplest(name))
	}
}

// simplest returns the shape with the fewest leniencies that needs one.
func simplest(leniency string) string {
	best := Shape{}
	for _, s := range Corpus() {
		if slices.Contains(s.Repairs, leniency) && (best.Name == "" || len(s.Repairs) < len(best.Repairs)) {
			best = s
		}
	}
	return best.Name
}
