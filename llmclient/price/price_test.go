package price

import (
	"fmt"
	"math/big"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/agentworld/llmclient"
)

const head = "currency = \"USD\"\nas_of = \"2026-01-02\"\nsource = \"a test\"\n"

func table(t *testing.T, rows string) Table {
	t.Helper()
	table, err := Table{}.With("t.toml", []byte(head+rows))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestCostCountsCachedAndReasoningOnce(t *testing.T) {
	p, ok := table(t, "[[price]]\nmodels = [\"m\"]\ninput = \"2\"\ncached_input = \"0.5\"\noutput = \"8\"\n").Lookup("m")
	if !ok {
		t.Fatal("no price")
	}
	for _, c := range []struct {
		usage llmclient.Usage
		want  string
	}{
		{llmclient.Usage{}, "0.00"},
		{llmclient.Usage{Input: 1_000_000}, "2.00"},
		{llmclient.Usage{Input: 1_000_000, Cached: 1_000_000}, "0.50"},
		{llmclient.Usage{Input: 1_000_000, Cached: 500_000, Output: 250_000, Reasoning: 200_000, Total: 1_250_000}, "3.25"},
		{llmclient.Usage{Input: 10, Cached: 99}, "0.000005"},
		{llmclient.Usage{Input: 1}, "0.000002"},
		{llmclient.Usage{Cached: 1, Input: 1}, "0.000001"},
	} {
		if got := p.Cost(c.usage).String(); got != c.want {
			t.Errorf("cost of %+v is %s, want %s", c.usage, got, c.want)
		}
	}
}

// TestCostIsExact compares with arithmetic of unlimited size.
func TestCostIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(0, 1_000_000_000_000)
		r := func(of string) Money { return Money(rate.Draw(t, of)) }
		write, long := r("write"), r("long")
		p := Price{Rates: Rates{Input: r("input"), CachedInput: r("cached"), CacheWrite: &write, CacheWriteLong: &long, Output: r("output")}}
		u := llmclient.Usage{Input: rapid.Int64Range(0, 1<<40).Draw(t, "in"), Output: rapid.Int64Range(0, 1<<40).Draw(t, "out")}
		u.Cached = rapid.Int64Range(0, u.Input).Draw(t, "of it")
		u.Written = rapid.Int64Range(0, u.Input-u.Cached).Draw(t, "and of it")
		u.WrittenLong = rapid.Int64Range(0, u.Written).Draw(t, "of that")
		want := new(big.Int)
		for _, part := range [][2]int64{
			{u.Input - u.Cached - u.Written, int64(p.Input)}, {u.Cached, int64(p.CachedInput)}, {u.Output, int64(p.Output)},
			{u.Written - u.WrittenLong, int64(write)}, {u.WrittenLong, int64(long)},
		} {
			want.Add(want, new(big.Int).Mul(big.NewInt(part[0]), big.NewInt(part[1])))
		}
		if most := big.NewInt(int64(MoneyMax)); want.Cmp(most) > 0 {
			want = most
		}
		if got := p.Cost(u); big.NewInt(int64(got)).Cmp(want) != 0 {
			t.Fatalf("cost %d, want %s", got, want)
		}
	})
}

func TestMoneyIsShownRoundedUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Money(rapid.Int64Range(0, 999_999_000_000_000_000).Draw(t, "m"))
		shown, err := ParseMoney(m.String())
		if err != nil || shown < m || shown-m >= micro {
			t.Fatalf("%d is shown as %s (%v), which is %d", m, m, err, shown)
		}
	})
}

func TestParseMoney(t *testing.T) {
	for text, want := range map[string]Money{"0": 0, "2": 2 * unit, "0.05": 50_000 * micro, "12.500000": 12*unit + 500_000*micro, "999999.999999": 1_000_000*unit - micro} {
		if got, err := ParseMoney(text); got != want || err != nil {
			t.Errorf("ParseMoney(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", ".5", "5.", "-1", "+1", "1e3", "1,5", "0.0000001", "1000000", "NaN", "1_000", " 1", "$1"} {
		if got, err := ParseMoney(text); err == nil {
			t.Errorf("ParseMoney(%q) = %d, want an error", text, got)
		}
	}
}

func TestLookup(t *testing.T) {
	row := func(models, input string) string {
		return fmt.Sprintf("[[price]]\nmodels = [%s]\ninput = %q\noutput = \"1\"\n", models, input)
	}
	base := table(t, row(`"m-*"`, "1")+row(`"m-2"`, "2")+row(`"a*b*c"`, "3"))
	with, err := base.With("own.toml", []byte(head+row(`"m-1"`, "4")+row(`"*"`, "5")))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		table Table
		model string
		want  Money
	}{
		{base, "m-1", 1}, {base, "m-2", 2}, {base, "m", 0}, {base, "x", 0}, {base, "abc", 3}, {base, "a-b-c", 3}, {base, "ac", 0}, {base, "abcd", 0},
		{with, "m-1", 4}, {with, "m-2", 2}, {with, "m-3", 5}, {with, "x", 5}, {Table{}, "m-1", 0},
	} {
		got, ok := c.table.Lookup(c.model)
		if got.Input != c.want*micro || ok != (c.want != 0) {
			t.Errorf("price of %s is %d, %v, want %d", c.model, got.Input, ok, c.want*micro)
		}
		if ok && (got.Model != c.model || got.CachedInput != got.Input || got.Currency != "USD" || got.AsOf != "2026-01-02") {
			t.Errorf("price of %s is incomplete: %+v", c.model, got)
		}
	}
}

func TestEmbeddedTableIsSane(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Embedded().rows {
		p := r.price
		if p.CachedInput > p.Input || p.Input > p.Output || p.CachedInput <= 0 || p.Source == "" {
			t.Errorf("odd row %v: %+v", r.models, p)
		}
		for _, model := range r.models {
			if seen[model] || strings.Contains(model, "*") {
				t.Errorf("%s is named twice, or a pattern", model)
			}
			seen[model] = true
			priced, _ := Embedded().Lookup(model)
			if guessed := priced.Guessed(llmclient.Usage{Input: 9, Written: 9, WrittenLong: 4}); guessed != nil {
				t.Errorf("%s: %v has no price", model, guessed)
			}
		}
		if p.Long != nil && (p.Long.Input <= p.Input || p.Long.Output <= p.Output) {
			t.Errorf("%v: a long call is not dearer", r.models)
		}
		for _, tier := range p.Tiers {
			if cheap := tier.Name == "flex" || tier.Name == "batch"; cheap != (tier.Output < p.Output) || (tier.Long == nil) != (p.Long == nil) {
				t.Errorf("%v: odd tier %+v", r.models, tier)
			}
		}
	}
	for _, model := range []string{"scripted", "m", "gpt-4o-audio-preview", "gpt-6-rosalind"} {
		if _, ok := Embedded().Lookup(model); ok {
			t.Errorf("%s has a price", model)
		}
	}
	if Embedded().Looked("gpt-6-rosalind") == "" || Embedded().Looked("gpt-5") != "" {
		t.Error("the models without a price are not those that the table names")
	}
}

// million is a million of tokens of one kind.
const million = 1_000_000

// TestEmbeddedPrices checks what some rows come to against the figures of their sources.
func TestEmbeddedPrices(t *testing.T) {
	for _, c := range []struct {
		model, want string
		usage       llmclient.Usage
	}{
		{"gpt-4.1-mini", "2.00", llmclient.Usage{Input: million, Output: million}},
		{"gpt-4.1-mini", "0.40", llmclient.Usage{Input: million, Written: million}},
		{"gpt-6.2-sol", "0.50", llmclient.Usage{Input: 200_000, Written: 200_000}},
		{"gpt-6.2-sol", "1.00", llmclient.Usage{Input: 200_000, Written: 200_000, WrittenLong: 200_000}},
		{"gpt-6.2-sol", "20.00", llmclient.Usage{Output: million, ServiceTier: "priority"}},
		{"gpt-6.2-sol", "30.00", llmclient.Usage{Output: million, ServiceTier: "ultrafast"}},
		{"gpt-6-luna", "0.25", llmclient.Usage{Output: million, ServiceTier: "flex"}},
		{"gpt-6-luna", "0.125", llmclient.Usage{Input: million, Written: million, ServiceTier: "flex"}},
		{"gpt-5.6-luna", "0.40", llmclient.Usage{Input: million}},
		{"gpt-5.5", "0.25", llmclient.Usage{Input: 100_000, ServiceTier: "flex"}},
		{"gpt-5.4", "0.013", llmclient.Usage{Input: 100_000, Cached: 100_000, ServiceTier: "flex"}},
		{"gpt-5.4", "7.480005", llmclient.Usage{Input: 272_001, Output: 272_000}},
		{"gpt-5.4", "4.76", llmclient.Usage{Input: 272_000, Output: 272_000}},
	} {
		p, ok := Embedded().Lookup(c.model)
		if !ok {
			t.Fatalf("%s has no price", c.model)
		}
		if got := p.Cost(c.usage).String(); got != c.want {
			t.Errorf("%s: %+v costs %s, want %s", c.model, c.usage, got, c.want)
		}
	}
}

// TestWritesWithoutARate checks what cache writes cost where a table does not say it: the rule that the
// model's provider documents, or else a guess that is named.
func TestWritesWithoutARate(t *testing.T) {
	rows := table(t, "[[price]]\nmodels = [\"*\"]\ninput = \"1\"\noutput = \"8\"\n")
	for _, c := range []struct {
		model, short, long string
		guessed            int
	}{
		{"gpt-5.5", "1.00", "1.00", 0}, {"o3", "1.00", "1.00", 0}, {"gpt-4o-mini", "1.00", "1.00", 0}, {"gpt-5", "1.00", "1.00", 0},
		{"gpt-5.6-sol", "1.25", "2.50", 0}, {"gpt-6-astra", "1.25", "2.50", 0}, {"openai/gpt-5.10-x", "1.25", "2.50", 0}, {"gpt-6", "1.25", "2.50", 0},
		{"anthropic/claude-sonnet-5", "1.25", "2.00", 0}, {"my-model", "1.25", "2.50", 1}, {"my-gpt-4", "1.25", "2.50", 1},
	} {
		p, _ := rows.Lookup(c.model)
		short := llmclient.Usage{Input: million, Written: million}
		long := llmclient.Usage{Input: million, Written: million, WrittenLong: million}
		if p.Cost(short).String() != c.short || p.Cost(long).String() != c.long || len(p.Guessed(short)) != c.guessed || len(p.Guessed(long)) != c.guessed {
			t.Errorf("%s: writes cost %s and %s, guessed %v, want %+v", c.model, p.Cost(short), p.Cost(long), p.Guessed(short), c)
		}
		if most := p.Most(short).String(); c.guessed == 0 && most != c.short {
			t.Errorf("%s: at most %s is set aside, want %s", c.model, most, c.short)
		}
	}
}

// TestTiers checks the tier that counts: the one that served the call for its cost, and the dearest that it
// may fall back to for what is set aside.
func TestTiers(t *testing.T) {
	p, _ := table(t, `[[price]]
models = ["m"]
input = "2"
output = "8"
tier.flex = { times = "0.5" }
tier.priority = { input = "3", cached_input = "4", output = "9" }
`).Lookup("m")
	for _, c := range []struct {
		tier, cost, most string
		known            bool
	}{
		{"", "10.00", "10.00", true}, {"default", "10.00", "10.00", true}, {"standard", "10.00", "10.00", true},
		{"flex", "5.00", "10.00", true}, {"FLEX", "5.00", "10.00", true}, {"priority", "12.00", "13.00", true}, {"fast", "12.00", "13.00", true},
		{"scale", "12.00", "13.00", false},
	} {
		u := llmclient.Usage{Input: million, Output: million, ServiceTier: c.tier}
		if p.Cost(u).String() != c.cost || p.Most(u).String() != c.most || p.Knows(c.tier) != c.known || (p.Guessed(u) == nil) != c.known {
			t.Errorf("tier %q costs %s, at most %s, known %v, guessed %v; want %+v", c.tier, p.Cost(u), p.Most(u), p.Knows(c.tier), p.Guessed(u), c)
		}
	}
}

func TestBadTables(t *testing.T) {
	good := "[[price]]\nmodels = [\"m\"]\ninput = \"2\"\noutput = \"8\"\n"
	for _, c := range []struct{ text, says string }{
		{"currency = \"usd\"\n" + good, "three capitals"},
		{"currency = \"USD\"\nas_of = \"yesterday\"\nsource = \"s\"\n" + good, "YYYY-MM-DD"},
		{"currency = \"USD\"\nas_of = \"1999-02-30\"\nsource = \"s\"\n" + good, "YYYY-MM-DD"},
		{"currency = \"USD\"\nas_of = \"2026-13-01\"\nsource = \"s\"\n" + good, "YYYY-MM-DD"},
		{"currency = \"USD\"\nas_of = \"2026-01-01\"\n" + good, "source"},
		{head, "[[price]]"},
		{head + "[[price]]\ninput = \"1\"\noutput = \"1\"\n", "price 1: models"},
		{head + good + "[[price]]\nmodels = [\"n\"]\ninput = \"1\"\n", "price 2: output"},
		{head + strings.Replace(good, `"2"`, `"-2"`, 1), "input \"-2\" is not an amount"},
		{head + strings.Replace(good, `"2"`, `2.5`, 1), "t.toml:6: price.input: cannot be a TOML float; amounts are texts"},
		{head + good + "outptu = \"1\"\n", "t.toml:8: unknown field \"price.outptu\""},
		{head + good + "tier.flex.outptu = \"1\"\n", "unknown field \"price.tier.flex.outptu\""},
		{head + good + "tier.flex = {}\n", "tier.flex.input \"\" is not an amount"},
		{head + good + "tier.flex = {times = \"half\"}\n", "tier.flex.times \"half\": allowed is a number"},
		{head + good + "tier.flex = {times = \"0.5\", output = \"1\"}\n", "not both"},
		{head + good + "tier.default = {times = \"0.5\"}\n", "other than the default one"},
		{head + good + "long = {over = 0, input = \"1\", output = \"1\"}\n", "long.over 0: allowed"},
		{head + good + "long = {over = 9, input = \"1\"}\n", "long.output \"\" is not"},
		{head + good + "cache_write = \"x\"\n", "cache_write \"x\" is not"},
		{head + good + "until = \"soon\"\n", "until \"soon\": allowed is a day"},
		{head + "[[", "t.toml:4"},
	} {
		if _, err := (Table{}).With("t.toml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("table\n%s\nerror %v, want one that says %s", c.text, err, c.says)
		}
	}
}

// TestEmbeddedTableIsAsNewAsTheChangelog compares the day of the table with that of the newest version: a
// version is not released with prices of long ago.
func TestEmbeddedTableIsAsNewAsTheChangelog(t *testing.T) {
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile(`(?m)^## .*\((\d{4}-\d\d-\d\d)\)$`).FindSubmatch(changes)
	if heading == nil || !strings.HasPrefix(string(changes[strings.Index(string(changes), "\n## ")+1:]), string(heading[0])) {
		t.Fatal("the newest heading of CHANGELOG.md has no day, as in: ## 0.1.0 (2026-11-28)")
	}
	released, err := time.Parse(time.DateOnly, string(heading[1]))
	if err != nil {
		t.Fatal(err)
	}
	p, _ := Embedded().Lookup("gpt-6.2-sol")
	asOf, err := time.Parse(time.DateOnly, p.AsOf)
	if err != nil {
		t.Fatal(err)
	}
	if age := int(released.Sub(asOf).Hours() / 24); age < 0 || age > tableDaysMost {
		t.Errorf("the table of prices is of %s, %d days before the newest version of %s; allowed: 0 to %d", p.AsOf, age, heading[1], tableDaysMost)
	}
}

// tableDaysMost is how many days a version may be newer than the table.
const tableDaysMost = 60
