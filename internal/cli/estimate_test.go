package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestEstimateTellsOneRange: the lines of an estimate have the same figures of calls,
// and direct commits take fewer.
func TestEstimateTellsOneRange(t *testing.T) {
	for _, commit := range []string{"two-step", "one-step"} {
		p := newProcess(t, nil, "llm_bootstrap", "--ticks", "30", "--model", "gpt-4.1-mini", "--base-url", "http://127.0.0.1:1/v1", "--estimate-only", "--commit", commit)
		if code := p.run(t); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, p.output())
		}
		_, rest, _ := strings.Cut(p.stdout.String(), "\ncalls: ")
		var least, probable, most int64
		if _, err := fmt.Sscanf(rest, "%d to %d, likely %d", &least, &most, &probable); err != nil || least == 0 || least >= probable || probable >= most {
			t.Fatalf("%v: no range of calls in\n%s", err, p.output())
		}
		for _, text := range []string{fmt.Sprintf("expected: %d calls with ", probable), fmt.Sprintf("at least %d calls with", least), fmt.Sprintf("at most %d calls with", most)} {
			if !strings.Contains(rest, text) {
				t.Errorf("%s: the lines disagree, no %q in\n%s", commit, text, rest)
			}
		}
	}
}
