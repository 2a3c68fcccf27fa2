package stub

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// mustPlan reads a specification that is known to be right.
func mustPlan(t *testing.T, spec string) FaultPlan {
	t.Helper()
	p, err := ParseFaults(spec)
	if err != nil {
		t.Fatalf("ParseFaults(%q): %v", spec, err)
	}
	return p
}

func TestParseFaultsRates(t *testing.T) {
	for _, tt := range []struct {
		spec string
		ppm  int64
	}{
		{"reset=20%", 200_000}, {"reset=0.5%", 5_000}, {"reset=5‰", 5_000}, {"reset=0.0001%", 1}, {"reset=100%", ratesMax},
		{" reset = 1 % ", 10_000}, {"reset=0%", 0}, {"reset=1000‰", ratesMax}, {"reset=33.3333%", 333_333}, {"reset=70%,hang=30%", ratesMax},
	} {
		if got := mustPlan(t, tt.spec).sum(); got != tt.ppm {
			t.Errorf("%q gives a rate of %d millionths, want %d", tt.spec, got, tt.ppm)
		}
	}
	for _, empty := range []string{"", "  ", "agent=agent-1"} {
		if !mustPlan(t, empty).Empty() {
			t.Errorf("%q is not empty", empty)
		}
	}
}

// TestParseFaultsTellsWhatIsAllowed gives a specification with one mistake each.
func TestParseFaultsTellsWhatIsAllowed(t *testing.T) {
	for _, tt := range []struct{ spec, says, allowed string }{
		{"nonsense=1%", `no fault "nonsense"`, "repairable, unusable, any_shape, hang"},
		{"http_418=1%", `no fault "http_418"`, "http_429_retry_after"},
		{"reset", `"reset" is not an item`, "KIND=RATE"},
		{"reset=", "is not an item", "KIND=RATE"},
		{"reset=1%,", `"" is not an item`, "KIND=RATE"},
		{"reset=5", `"5" is not a rate`, "20%, 0.5% or 5‰"},
		{"reset=-1%", `"-1%" is not a rate`, "0% to 100%"},
		{"reset=101%", `"101%" is not a rate`, "0% to 100%"},
		{"reset=NaN%", `"NaN%" is not a rate`, "0% to 100%"},
		{"reset=inf%", `"inf%" is not a rate`, "0% to 100%"},
		{"reset=%", `"%" is not a rate`, "0% to 100%"},
		{"reset=0.00001%", "is not a rate", "0% to 100%"},
		{"reset=60%,hang=40.5%", "add up to 100.5%", "at most 100%"},
		{"reset=1%,reset=2%", "reset stands twice", "each kind once"},
		{"latency=fast", "latency=fast is not understood", "A..B"},
		{"latency=2s..1s", "is not understood", "A at most B"},
		{"latency=-1s..1s", "is not understood", "A at most B"},
		{"latency=1s..11m", "is not understood", "10m0s"},
		{"latency=p50:1s..2s", "is not understood", "p50:A..p99:B"},
		{"latency=p50:0s..p99:2s", "is not understood", "p50:A..p99:B"},
		{"latency=1s,latency=2s", "latency stands twice", "once"},
		{"sweep,reset=1%", "sweep stands beside reset", "either a sweep or rates"},
		{"sweep=1%", `no fault "sweep"`, "repairable"},
	} {
		_, err := ParseFaults(tt.spec)
		if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "allowed:") || !strings.Contains(err.Error(), tt.allowed) {
			t.Errorf("%q: error %v, want one that says %q and allows %q", tt.spec, err, tt.says, tt.allowed)
		}
	}
}

// FuzzParseFaults demands that no text does more than give an error.
func FuzzParseFaults(f *testing.F) {
	for _, seed := range []string{"repairable=20%,unusable=5‰", "latency=p50:1ms..p99:2s,sweep,agent=a", "a=b=c", "latency=1ns..", "reset=1e-4%",
		// A tail longer than a Duration holds.
		"latency=p50:1ms..p99:8s", "latency=p50:1ns..p99:10m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		p, err := ParseFaults(spec)
		if err != nil {
			return
		}
		if p.sum() < 0 || p.sum() > ratesMax {
			t.Errorf("%q is accepted with rates of %d millionths", spec, p.sum())
		}
		for _, u := range []float64{0, 0.5, 1 - 1.0/(1<<53)} {
			if d := p.latency.Draw(u, u); d < 0 || d > latencyMax {
				t.Errorf("%q gives a latency of %s", spec, d)
			}
		}
	})
}

func TestGroupsHoldWhatTheySay(t *testing.T) {
	for _, g := range shapeGroups {
		shapes, known := shapesOf(g.name)
		if !known || len(shapes) == 0 {
			t.Errorf("group %s is empty", g.name)
		}
		for _, s := range Corpus() {
			if got := slices.ContainsFunc(shapes, func(in Shape) bool { return in.Name == s.Name }); got != g.has(s) {
				t.Errorf("shape %s in group %s: %t, want %t", s.Name, g.name, got, g.has(s))
			}
		}
	}
}

// TestKindsAreUnique guards the names of a specification and of the counts: two
// things of one name could not be told apart.
func TestKindsAreUnique(t *testing.T) {
	seen := map[string]bool{"sweep": true, "agent": true, "latency": true}
	kinds := kindsListed()
	for _, s := range Corpus() {
		kinds = append(kinds, s.Name)
	}
	for _, kind := range kinds {
		if seen[kind] {
			t.Errorf("%s names two things", kind)
		}
		seen[kind] = true
		if !kindName.MatchString(kind) {
			t.Errorf("%q is no name", kind)
		}
	}
}

func TestLatencyFollowsItsDistribution(t *testing.T) {
	c := chance{7}
	sample := func(spec string) []time.Duration {
		l := mustPlan(t, spec).latency
		var all []time.Duration
		for i := range 20_000 {
			at := c.after(i)
			all = append(all, l.Draw(at.unit("a"), at.unit("b")))
		}
		slices.Sort(all)
		return all
	}
	near := func(what string, got, want time.Duration) {
		if math.Abs(float64(got)/float64(want)-1) > 0.1 {
			t.Errorf("%s is %s, want about %s", what, got, want)
		}
	}
	even := sample("latency=20ms..400ms")
	if even[0] < 20*time.Millisecond || even[len(even)-1] > 400*time.Millisecond {
		t.Errorf("an even latency from 20ms to 400ms reaches from %s to %s", even[0], even[len(even)-1])
	}
	near("the median of an even latency", even[len(even)/2], 210*time.Millisecond)
	tail := sample("latency=p50:100ms..p99:2s")
	near("p50", tail[len(tail)/2], 100*time.Millisecond)
	near("p99", tail[len(tail)*99/100], 2*time.Second)
	if fixed := sample("latency=5ms"); fixed[0] != 5*time.Millisecond || fixed[len(fixed)-1] != 5*time.Millisecond {
		t.Errorf("a fixed latency reaches from %s to %s", fixed[0], fixed[len(fixed)-1])
	}
}
