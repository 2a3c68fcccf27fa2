package suite

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"example.com/agentworld/batch"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
)

// Formats are the names of the forms in which a table can be written.
var Formats = []string{"text", "json", "csv", "markdown"}

// Write returns the table in a format; as a text for a terminal of so many columns, where columns is not 0. It
// panics on a format that is not in [Formats].
func (t Table) Write(format string, columns int) []byte {
	switch format {
	case "text":
		return []byte(t.text(columns))
	case "json":
		return t.json()
	case "csv":
		return t.csv()
	case "markdown":
		return []byte(t.markdown())
	}
	panic("suite: unknown format " + format)
}

// methods say how the table was made, in lines for a terminal.
func (t Table) methods() []string {
	return []string{
		fmt.Sprintf("Scores are (score - nothing) / (best - nothing) in each of %d instances,", t.Instances),
		"then means over tasks. Ranks are 1 + the entries that beat it, to all less those",
		"that it beats, by sign-flip tests over instances of all pairs,",
		fmt.Sprintf("at %g over the table (Holm). Noise is the difference that two entries of one", t.Alpha),
		"repeat by the same player pass in one of twenty cases. Cost, calls and tokens",
		"are those of one repeat. References are not ranked.",
		"The embedded model is the program's own: its row says that the wiring works,",
		"and nothing about models.",
	}
}

// rankText is the rank of a row for people.
func (r Row) rankText() string {
	switch {
	case r.RankLow == 0:
		return "-"
	case r.RankLow == r.RankHigh:
		return strconv.Itoa(r.RankLow)
	}
	return fmt.Sprintf("%d-%d", r.RankLow, r.RankHigh)
}

// shown are the rows for people: references after the entries.
func (t Table) shown() plaintext.Table {
	table := plaintext.Table{Header: []string{"rank", "entry", "player", "score", "noise"}}
	table.Header = append(table.Header, t.Families...)
	table.Header = append(table.Header, "cost", "calls", "tokens", "answered", "prompts")
	table.Least = []string{"prompts", "answered", "tokens", "calls", "cost", "player"}
	for i, row := range append(append([]Row{}, t.Entries...), t.References...) {
		cells := []string{row.rankText(), plaintext.Line(plaintext.Clip(row.Name, 60)),
			plaintext.Line(plaintext.Clip(row.Player, 60)), fmt.Sprintf("%.3f", row.Mean), "-"}
		if row.Noise != nil {
			cells[4] = fmt.Sprintf("%.3f", *row.Noise)
		}
		for _, family := range row.ByFamily {
			cells = append(cells, fmt.Sprintf("%.3f", family))
		}
		spent := []string{"-", "-", "-"}
		if i < len(t.Entries) {
			spent = []string{"-", strconv.FormatInt(row.Calls, 10), strconv.FormatInt(row.Tokens, 10)}
			if row.Currency != "" {
				spent[0] = price.FromMicros(row.CostMicros).String() + " " + plaintext.Line(plaintext.Clip(row.Currency, 8))
			}
		}
		answered := cmp.Or(strings.Join(row.Answered, ", "), "-")
		cells = append(append(cells, spent...), plaintext.Line(plaintext.Clip(answered, 60)),
			plaintext.Line(plaintext.Clip(row.Prompts, 60)))
		table.Rows = append(table.Rows, cells)
	}
	return table
}

// text is the table for a terminal of so many columns; 0 is any number.
func (t Table) text(columns int) string {
	var b strings.Builder
	plaintext.Fprintf(&b, "%s, scale %s\n\n", t.Suite.String(), t.Scale)
	table := t.shown()
	for _, names := range []*[]string{&table.Header, &table.Least} {
		for i, name := range *names {
			(*names)[i] = strings.ToUpper(name)
		}
	}
	b.WriteString(table.Text(columns))
	b.WriteString("\n")
	for _, line := range t.methods() {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// markdown is the table for a page. Texts of others make no markup.
func (t Table) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Suite %s\n\nHash %s, scale %s.\n\n", t.Suite.Name, t.Suite.Hash,
		t.Scale)
	b.WriteString(batch.MarkdownTable(t.shown()))
	fmt.Fprintf(&b, "%s\n", strings.Join(t.methods(), " "))
	return b.String()
}

// json is the whole table, indented, with a line feed at its end.
func (t Table) json() []byte {
	text, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		panic("suite: a table cannot be encoded: " + err.Error())
	}
	return append(text, '\n')
}

// csv is one row for each entry and reference, with a header.
func (t Table) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := []string{"name", "player", "prompts", "rank_low", "rank_high", "mean"}
	header = append(header, t.Families...)
	_ = w.Write(append(header, "noise", "repeats", "calls", "tokens", "cost_micros", "currency", "fallbacks", "failures",
		"answered", "suite", "hash", "scale"))
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, row := range append(append([]Row{}, t.Entries...), t.References...) {
		cells := []string{plaintext.Cell(row.Name), plaintext.Cell(row.Player), plaintext.Cell(row.Prompts),
			strconv.Itoa(row.RankLow), strconv.Itoa(row.RankHigh), number(row.Mean)}
		for _, family := range row.ByFamily {
			cells = append(cells, number(family))
		}
		noise := ""
		if row.Noise != nil {
			noise = number(*row.Noise)
		}
		_ = w.Write(append(cells, noise, strconv.FormatInt(row.Repeats, 10), strconv.FormatInt(row.Calls, 10),
			strconv.FormatInt(row.Tokens, 10), strconv.FormatInt(row.CostMicros, 10), plaintext.Cell(row.Currency),
			number(row.Fallbacks), number(row.Failures), plaintext.Cell(strings.Join(row.Answered, " ")),
			t.Suite.Name, t.Suite.Hash, t.Scale))
	}
	w.Flush()
	return b.Bytes()
}
