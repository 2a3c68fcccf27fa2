package report

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/trace"
)

// TestFaultsOfARun reports on runs with faults that ended, that were killed and that a
// fork left with others: what was asked for is always known, the counts are not.
func TestFaultsOfARun(t *testing.T) {
	asked := trace.Settings{Faults: "http_500=10%", FaultSeed: 11}
	end := trace.RunEnd{RunStatus: trace.RunInterrupted, FaultsInjected: map[string]int64{"http_500": 3}}
	forked := func(after trace.Settings) []trace.Fork {
		return []trace.Fork{{Tick: 1, Settings: after}}
	}
	type faults struct {
		Spec    string
		Seed    uint64
		Counts  Counts
		Counted bool
		Line    string
	}
	for _, tt := range []struct {
		name   string
		header trace.Header
		end    trace.Record
		want   faults
	}{
		{"none", trace.Header{}, nil, faults{"", 0, Counts{}, true, ""}},
		{"ended", trace.Header{Settings: asked}, end, faults{"http_500=10%", 11, Counts{"http_500": 3}, true, "3 answers spoilt on purpose (http_500 3); asked for: http_500=10%, seed 11"}},
		{"nothing drawn", trace.Header{Settings: asked}, trace.RunEnd{RunStatus: trace.RunCompleted}, faults{"http_500=10%", 11, Counts{}, true, "0 answers spoilt on purpose; asked for: http_500=10%, seed 11"}},
		{"killed", trace.Header{Settings: asked}, nil, faults{"http_500=10%", 11, Counts{}, false, "unknown how many answers were spoilt on purpose, the run is unfinished; asked for: http_500=10%, seed 11"}},
		{"forked with others", trace.Header{Settings: asked, Forks: forked(trace.Settings{Faults: "reset=1%", FaultSeed: 12})}, end, faults{"reset=1%", 12, Counts{"http_500": 3}, true, "3 answers spoilt on purpose (http_500 3); asked for: reset=1%, seed 12"}},
		{"forked without, killed", trace.Header{Settings: asked, Forks: forked(trace.Settings{})}, nil, faults{"", 0, Counts{}, true, ""}},
		{"terminal characters", trace.Header{Settings: trace.Settings{Faults: "agent=\x1b[2J"}}, end, faults{"agent=\x1b[2J", 0, Counts{"http_500": 3}, true, "3 answers spoilt on purpose (http_500 3); asked for: agent=\\u001b[2J, seed 0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.header.Format, tt.header.Settings.ModelSource = trace.FormatVersion, trace.SourceScripted
			var b bytes.Buffer
			w := trace.NewWriter(&b)
			for _, r := range []trace.Record{tt.header, tt.end} {
				if r == nil {
					continue
				}
				if err := w.Write(r); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Fold(trace.NewReader(&b))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, faults{r.Faults, r.FaultSeed, r.FaultsInjectedByKind, r.FaultsCounted, lineOf(r, "faults")}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
