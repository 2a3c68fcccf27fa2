package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAgeOfPricesIsSaid asks for an estimate on different days with the same table.
func TestAgeOfPricesIsSaid(t *testing.T) {
	for _, c := range []struct{ asOf, today, want string }{
		{"2026-01-02", "2026-07-01", "prices of 2026-01-02 (mine)\ncaps:"},
		{"2026-01-02", "2026-07-02", "prices of 2026-01-02 (mine)\nnote: the prices are 181 days old; check them\n"},
		{"2026-01-02", "2026-01-02", "prices of 2026-01-02 (mine)\ncaps:"},
		{"2028-02-29", "2028-02-27", "prices of 2028-02-29 (mine)\nwarning: the day of the prices, 2028-02-29, is yet to come; check as_of"},
	} {
		p := newProcess(t, nil, "minimal", "--ticks", "3", "--estimate-only", "--price-table", "prices.toml")
		today, err := time.Parse(time.DateOnly, c.today)
		if err != nil {
			t.Fatal(err)
		}
		p.Now = func() time.Time { return today.Add(time.Hour) }
		table := "currency = \"USD\"\nas_of = \"" + c.asOf + "\"\nsource = \"mine\"\n[[price]]\nmodels = [\"*\"]\ninput = \"2\"\noutput = \"8\"\n"
		if err := os.WriteFile(filepath.Join(p.dir, "prices.toml"), []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
		if code := p.run(t); code != 0 || !strings.Contains(p.output(), c.want) {
			t.Errorf("prices of %s on %s: exit code %d, want %q in\n%s", c.asOf, c.today, code, c.want, p.output())
		}
	}
}
