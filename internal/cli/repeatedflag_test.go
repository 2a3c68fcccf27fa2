package cli

import (
	"strings"
	"testing"
)

// TestRepeatedFlags: of two values of a flag none is ignored, and none is empty. A flag that takes several, and one
// that says the same again, are as before.
func TestRepeatedFlags(t *testing.T) {
	for _, c := range []struct{ args, refused string }{
		{"minimal --print-config --documents a --documents b", "--documents is given twice, with different values; allowed: once"},
		{"minimal --print-config --ticks 1 --ticks=2", "--ticks is given twice, with different values; allowed: once"},
		{"minimal --print-config --quiet --quiet=false", "--quiet is given twice, with different values; allowed: once"},
		{"explain run --agent a --agent b", "--agent is given twice, with different values; allowed: once"},
		{"explain run --tick 1 --agent a --tick 2", "--tick is given twice, with different values; allowed: once"},
		{"runs prune --keep 1 --keep 2", "--keep is given twice, with different values; allowed: once"},
		{"report run --html=", "flag --html is empty; give it a value or leave it out"},
		{"bench ahead run --seeds=", "flag --seeds is empty; give it a value or leave it out"},
		{"bench ahead run --ahead=", `--ahead: "" is not allowed; allowed: whole numbers, with commas between`},
		{"minimal --print-config --ticks 2 --quiet --ticks 2 --quiet", ""},
		{"minimal --print-config --gate calls<=9 --gate parse_errors<=1", ""},
	} {
		p := newProcess(t, nil, strings.Fields(c.args)...)
		code, want := p.run(t), exitCompleted
		if c.refused != "" {
			want = exitBadInput
		}
		if code != want || c.refused != "" && p.stderr.String() != programName+": "+c.refused+"\n" {
			t.Errorf("%s: exit code %d:\n%s", c.args, code, p.output())
		}
	}
}
