package price

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/llmclient"
)

//go:embed prices.toml
var embedded []byte

// BytesMax bounds the text of a table, valuesMax its keys and values, nameBytesMax the name
// of a model.
const (
	BytesMax     = 4 << 20
	valuesMax    = 100_000
	nameBytesMax = 200
)

// Table is a list of prices by model. The zero value knows none. It does not change.
type Table struct {
	rows []row
}

// row is a price under the names of its models.
type row struct {
	models []string
	price  Price
}

// wireTable is a table as a file holds it.
type wireTable struct {
	// Currency, AsOf and Source hold for all rows.
	Currency string    `toml:"currency"`
	AsOf     string    `toml:"as_of"`
	Source   string    `toml:"source"`
	Prices   []wireRow `toml:"price"`
}

// wireRow is a row as a file holds it. Amounts are texts because decimal fractions
// have no exact floating point.
type wireRow struct {
	Models      []string `toml:"models"`
	Input       string   `toml:"input"`
	CachedInput string   `toml:"cached_input"`
	Output      string   `toml:"output"`
}

// Embedded returns the table that is part of the binary.
func Embedded() Table {
	t, err := Table{}.With("prices.toml", embedded)
	if err != nil {
		panic("price: the embedded table does not parse: " + err.Error())
	}
	return t
}

// With returns t with the rows of a file before its own, so that the file overrides
// t where both name a model. name is the file's, for errors, which give the line or
// the row that is wrong and what is allowed.
func (t Table) With(name string, text []byte) (Table, error) {
	var w wireTable
	if err := document.DecodeTOML(text, document.Limits{Bytes: BytesMax, Values: valuesMax}, &w); err != nil {
		bad, _ := errors.AsType[*document.Error](err)
		allowed := ""
		switch {
		case bad.Unknown:
			allowed = "; allowed: currency, as_of, source and [[price]] with models, input, cached_input, output"
		case bad.Type:
			allowed = "; amounts are texts such as \"1.25\""
		}
		return Table{}, fmt.Errorf("%s:%d: %s%s", name, bad.Line, bad.Text(), allowed)
	}
	var fault error
	switch {
	case len(w.Currency) != 3 || strings.ToUpper(w.Currency) != w.Currency:
		fault = fmt.Errorf("currency %q: allowed is a code of three capitals, such as USD", w.Currency)
	case new(toml.LocalDate).UnmarshalText([]byte(w.AsOf)) != nil || strings.HasPrefix(w.AsOf, "0000"):
		// A price without its day would be taken for today's.
		fault = fmt.Errorf("as_of %q: allowed is the day the prices were right, as YYYY-MM-DD", w.AsOf)
	case strings.TrimSpace(w.Source) == "":
		fault = errors.New("source is missing: a line that says where the prices are from")
	case len(w.Prices) == 0:
		fault = errors.New("no [[price]] table: at least one is needed")
	}
	if fault != nil {
		return Table{}, fmt.Errorf("%s: %w", name, fault)
	}
	var rows []row
	for i, r := range w.Prices {
		read, err := r.read(w)
		if err != nil {
			return Table{}, fmt.Errorf("%s: price %d: %w", name, i+1, err)
		}
		rows = append(rows, read)
	}
	return Table{append(rows, t.rows...)}, nil
}

// read checks a row. Input and output are required; a model without a price for
// cached input pays for it in full.
func (r wireRow) read(w wireTable) (row, error) {
	if len(r.Models) == 0 {
		return row{}, errors.New("models is missing: a list of names, in which * stands for any characters")
	}
	for _, m := range r.Models {
		if strings.TrimSpace(m) == "" || len(m) > nameBytesMax {
			return row{}, fmt.Errorf("models has a name of %d bytes; allowed: 1 to %d", len(m), nameBytesMax)
		}
	}
	p := Price{Currency: w.Currency, AsOf: w.AsOf, Source: w.Source}
	if r.CachedInput == "" {
		r.CachedInput = r.Input
	}
	for _, field := range []struct {
		name, text string
		into       *Money
	}{{"input", r.Input, &p.Input}, {"cached_input", r.CachedInput, &p.CachedInput}, {"output", r.Output, &p.Output}} {
		amount, err := ParseMoney(field.text)
		if err != nil {
			return row{}, fmt.Errorf("%s %q %w", field.name, field.text, err)
		}
		// For a million tokens in the file, for one token here.
		*field.into = amount / micro
	}
	return row{r.Models, p}, nil
}

// Lookup returns the price of a model. A row that names it exactly goes before one
// with a pattern, whichever file it is in; otherwise the first one holds.
func (t Table) Lookup(model string) (Price, bool) {
	for _, fits := range []func(pattern, name string) bool{func(p, n string) bool { return p == n }, matches} {
		for _, r := range t.rows {
			for _, name := range r.models {
				if fits(name, model) {
					p := r.price
					p.Model = model
					return p, true
				}
			}
		}
	}
	return Price{}, false
}

// matches reports whether name is pattern with each * replaced by some text.
func matches(pattern, name string) bool {
	text := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	return regexp.MustCompile("^(?s:" + text + ")$").MatchString(name)
}

// Price is what the tokens of one model cost. It is recorded with a run, so that later
// tables do not change the run's cost.
type Price struct {
	// Model is the model's name as asked for.
	Model string `json:"model"`
	// Currency is the currency's code, such as USD.
	Currency string `json:"currency"`
	// Input, CachedInput and Output are the amounts for one token, which is as many
	// millionths of the currency as a million tokens cost. Reasoning tokens are output.
	Input       Money `json:"input_micros_per_million"`
	CachedInput Money `json:"cached_input_micros_per_million"`
	Output      Money `json:"output_micros_per_million"`
	// AsOf is the day the price was right, as YYYY-MM-DD; Source says where it is from.
	AsOf   string `json:"as_of"`
	Source string `json:"source"`
}

// Most is the most that a usage can cost, however much of its input turns out to be
// cached: a table may price that higher.
func (p Price) Most(u llmclient.Usage) Money {
	return times(max(u.Input, 0), max(p.Input, p.CachedInput)).Plus(times(u.Output, p.Output))
}

// Cost is the exact price of a usage. Cached tokens are part of the input and
// reasoning tokens part of the output, as in [llmclient.Usage]; a provider that
// reports more cached tokens than input is taken to mean all of it.
func (p Price) Cost(u llmclient.Usage) Money {
	input := max(u.Input, 0)
	cached := min(max(u.Cached, 0), input)
	return times(input-cached, p.Input).Plus(times(cached, p.CachedInput)).Plus(times(u.Output, p.Output))
}
