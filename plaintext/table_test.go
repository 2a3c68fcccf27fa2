package plaintext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	table := Table{
		Header: []string{"ARM", "CELLS", "SCORE", "COST", "WHY"},
		Rows:   [][]string{{"protocol=lean", "12", "10 ± 2", "0.12", "too few pairs of runs to say which one is better"}, {"世界", "3", "-", "-", ""}},
		Least:  []string{"COST", "none", "CELLS"},
	}
	for columns, want := range map[int]string{
		0: `
ARM            CELLS  SCORE   COST  WHY
protocol=lean  12     10 ± 2  0.12  too few pairs of runs to say which one is better
世界           3      -       -
`,
		80: `
ARM            CELLS  SCORE   WHY
protocol=lean  12     10 ± 2  too few pairs of runs to say which one is better
世界           3      -
a wider terminal or a pipe also has: COST
`,
		50: `
ARM            SCORE   WHY
protocol=lean  10 ± 2  too few pairs of runs to
                       say which one is better
世界           -
a wider terminal or a pipe also has: CELLS, COST
`,
	} {
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), table.Text(columns)); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", columns, diff)
		}
	}
	table.Names = []string{"ARM"}
	if want, got := "…ol=lean  10 ± 2  too few pairs", table.Text(49); !strings.Contains(got, want) {
		t.Errorf("a name is not shortened at its beginning:\n%s", got)
	}
	for columns := 1; columns < 120; columns++ {
		for line := range strings.Lines(table.Text(columns)) {
			if n := Cells(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%d of %d columns: %s", n, columns, line)
			}
		}
	}
	if text := (Table{Header: []string{"A"}}).Text(80); text != "" {
		t.Errorf("without rows: %q", text)
	}
}
