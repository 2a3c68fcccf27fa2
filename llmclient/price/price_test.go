package price

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

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
		p := Price{Input: Money(rate.Draw(t, "input")), CachedInput: Money(rate.Draw(t, "cached")), Output: Money(rate.Draw(t, "output"))}
		u := llmclient.Usage{Input: rapid.Int64Range(0, 1<<40).Draw(t, "in"), Output: rapid.Int64Range(0, 1<<40).Draw(t, "out")}
		u.Cached = rapid.Int64Range(0, u.Input).Draw(t, "of it")
		want := new(big.Int)
		for _, part := range [][2]int64{{u.Input - u.Cached, int64(p.Input)}, {u.Cached, int64(p.CachedInput)}, {u.Output, int64(p.Output)}} {
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
	for _, r := range Embedded().rows {
		p := r.price
		if p.CachedInput > p.Input || p.Input > p.Output || p.CachedInput <= 0 || strings.Contains(strings.Join(r.models, ""), "*") {
			t.Errorf("odd row %v: %+v", r.models, p)
		}
	}
	if p, ok := Embedded().Lookup("gpt-4.1-mini"); !ok || p.Cost(llmclient.Usage{Input: 1_000_000, Output: 1_000_000}).String() != "2.00" {
		t.Errorf("gpt-4.1-mini: %+v", p)
	}
	for _, model := range []string{"scripted", "m", "gpt-4o-audio-preview", "gpt-5-pro"} {
		if _, ok := Embedded().Lookup(model); ok {
			t.Errorf("%s has a price", model)
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
		{head + "[[", "t.toml:4"},
	} {
		if _, err := (Table{}).With("t.toml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("table\n%s\nerror %v, want one that says %s", c.text, err, c.says)
		}
	}
}
