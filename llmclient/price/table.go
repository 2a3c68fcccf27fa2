package price

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/internal/document"
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
	// unpriced are models whose price was looked for and not found.
	unpriced []string
}

// row is a price under the names of its models.
type row struct {
	models []string
	price  Price
}

// wireTable is a table as a file holds it.
type wireTable struct {
	// Currency, AsOf and Source hold for all rows; a row may have an AsOf and Source of its own.
	Currency string    `toml:"currency"`
	AsOf     string    `toml:"as_of"`
	Source   string    `toml:"source"`
	Unpriced []string  `toml:"unpriced"`
	Prices   []wireRow `toml:"price"`
}

// wireRow is a row as a file holds it.
type wireRow struct {
	Models []string `toml:"models"`
	wireRates
	Long   wireLong            `toml:"long"`
	Tiers  map[string]wireTier `toml:"tier"`
	AsOf   string              `toml:"as_of"`
	Source string              `toml:"source"`
	Until  string              `toml:"until"`
}

// wireRates are rates as a file holds them. Amounts are texts because decimal fractions
// have no exact floating point.
type wireRates struct {
	Input          string `toml:"input"`
	CachedInput    string `toml:"cached_input"`
	CacheWrite     string `toml:"cache_write"`
	CacheWriteLong string `toml:"cache_write_long"`
	Output         string `toml:"output"`
}

// wireLong are the rates of long calls.
type wireLong struct {
	Over int64 `toml:"over"`
	wireRates
}

// wireTier are the rates of a tier, or a factor on the row's.
type wireTier struct {
	Times string `toml:"times"`
	wireRates
	Long wireRates `toml:"long"`
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
			allowed = "; allowed: currency, as_of, source, unpriced and [[price]] with models, " + rateKeys +
				", as_of, source, until, a table long with over and rates, and tables tier.NAME with times or rates"
		case bad.Type:
			allowed = "; amounts are texts such as \"1.25\""
		}
		return Table{}, fmt.Errorf("%s:%d: %s%s", name, bad.Line, bad.Text(), allowed)
	}
	var fault error
	switch {
	case len(w.Currency) != 3 || strings.ToUpper(w.Currency) != w.Currency:
		fault = fmt.Errorf("currency %q: allowed is a code of three capitals, such as USD", w.Currency)
	case !isDay(w.AsOf):
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
	return Table{append(rows, t.rows...), append(w.Unpriced, t.unpriced...)}, nil
}

// isDay reports whether a text is a day as YYYY-MM-DD.
func isDay(text string) bool {
	return new(toml.LocalDate).UnmarshalText([]byte(text)) == nil && !strings.HasPrefix(text, "0000")
}

// rateKeys are the keys of rates, for errors.
const rateKeys = "input, cached_input, cache_write, cache_write_long, output"

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
	p := Price{Currency: w.Currency, AsOf: cmp.Or(r.AsOf, w.AsOf), Source: cmp.Or(r.Source, w.Source), Until: r.Until}
	for _, day := range []struct{ name, text string }{{"as_of", p.AsOf}, {"until", r.Until}} {
		if day.text != "" && !isDay(day.text) {
			return row{}, fmt.Errorf("%s %q: allowed is a day as YYYY-MM-DD", day.name, day.text)
		}
	}
	rates, err := r.wireRates.read("")
	if err != nil {
		return row{}, err
	}
	p.Rates = rates
	if r.Long != (wireLong{}) {
		if r.Long.Over <= 0 {
			return row{}, fmt.Errorf("long.over %d: allowed is a number of input tokens from 1", r.Long.Over)
		}
		long, err := r.Long.wireRates.read("long.")
		if err != nil {
			return row{}, err
		}
		p.LongOver, p.Long = r.Long.Over, &long
	}
	for _, name := range slices.Sorted(maps.Keys(r.Tiers)) {
		tier, err := r.Tiers[name].read(name, p)
		if err != nil {
			return row{}, err
		}
		p.Tiers = append(p.Tiers, tier)
	}
	return row{r.Models, p}, nil
}

// read checks the rates under a key. Input and output are required.
func (w wireRates) read(under string) (Rates, error) {
	var r Rates
	for _, field := range []struct {
		name, text string
		into       *Money
	}{
		{"input", w.Input, &r.Input},
		{"cached_input", cmp.Or(w.CachedInput, w.Input), &r.CachedInput},
		{"output", w.Output, &r.Output},
	} {
		amount, err := readRate(under+field.name, field.text)
		if err != nil {
			return Rates{}, err
		}
		*field.into = amount
	}
	for _, field := range []struct {
		name, text string
		into       **Money
	}{{"cache_write", w.CacheWrite, &r.CacheWrite}, {"cache_write_long", w.CacheWriteLong, &r.CacheWriteLong}} {
		if field.text == "" {
			continue
		}
		amount, err := readRate(under+field.name, field.text)
		if err != nil {
			return Rates{}, err
		}
		*field.into = &amount
	}
	return r, nil
}

// readRate reads an amount for a million tokens as one for a token.
func readRate(name, text string) (Money, error) {
	amount, err := ParseMoney(text)
	if err != nil {
		return 0, fmt.Errorf("%s %q %w", name, text, err)
	}
	return amount / micro, nil
}

// timesMax bounds the factor of a tier.
const timesMax = 1000

// read checks a tier of the row with a price.
func (w wireTier) read(name string, p Price) (Tier, error) {
	under := "tier." + name + "."
	t := Tier{Name: name}
	if len(name) > nameBytesMax || strings.TrimSpace(name) == "" || TierName(name) == DefaultTier {
		return Tier{}, fmt.Errorf(
			"tier %q: allowed is the provider's word for a tier other than the default one, such as flex", name)
	}
	if w.Times != "" {
		factor, err := ParseMoney(w.Times)
		if err != nil || factor > timesMax*unit {
			return Tier{}, fmt.Errorf("%stimes %q: allowed is a number such as 0.5, at most %d",
				under, w.Times, timesMax)
		}
		if w.wireRates != (wireRates{}) || w.Long != (wireRates{}) {
			return Tier{}, fmt.Errorf("%stimes: allowed is a factor or rates, not both", under)
		}
		t.Rates = p.Rates.scaled(int64(factor / micro))
		if p.Long != nil {
			t.Long = new(p.Long.scaled(int64(factor / micro)))
		}
		return t, nil
	}
	rates, err := w.wireRates.read(under)
	if err != nil {
		return Tier{}, err
	}
	t.Rates = rates
	if w.Long != (wireRates{}) {
		long, err := w.Long.read(under + "long.")
		if err != nil {
			return Tier{}, err
		}
		t.Long = &long
	}
	return t, nil
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
					return p.withWrites(), true
				}
			}
		}
	}
	return Price{}, false
}

// Looked follows the name of a model without a price: it says that the price was looked for in vain, if
// the table knows that.
func (t Table) Looked(model string) string {
	if slices.Contains(t.unpriced, model) {
		return ", none was found in public for the built-in table"
	}
	return ""
}

// matches reports whether name is pattern with each * replaced by some text.
func matches(pattern, name string) bool {
	text := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	return regexp.MustCompile("^(?s:" + text + ")$").MatchString(name)
}
