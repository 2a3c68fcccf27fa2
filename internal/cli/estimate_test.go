package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/internal/terminal"
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

// TestEstimateTellsTime: more calls at once take less time, and a rate is kept.
func TestEstimateTellsTime(t *testing.T) {
	args := []string{"llm_bootstrap", "--ticks", "30", "--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--estimate-only"}
	for _, c := range []struct {
		flags []string
		calls int64 // likely, at once or a minute
		each  int64 // seconds of so many calls
	}{
		{nil, 5, 5}, {[]string{"--concurrency", "1"}, 1, 5}, {[]string{"--max-requests-per-minute", "4"}, 4, 60},
	} {
		p := newProcess(t, nil, append(args, c.flags...)...)
		if code := p.run(t); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, p.output())
		}
		_, rest, _ := strings.Cut(p.stdout.String(), ", likely ")
		var likely int64
		if _, err := fmt.Sscanf(rest, "%d", &likely); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("\ntime: likely %s, at least ", terminal.Brief(time.Duration(likely*c.each/c.calls)*time.Second))
		if !strings.Contains(p.stdout.String(), want) || !strings.Contains(p.stdout.String(), " at 1 to 20 seconds a call (likely 5)\n") {
			t.Errorf("%v: no %q in\n%s", c.flags, want, p.stdout.String())
		}
	}
	p := newProcess(t, nil, "minimal", "--model", "gpt-4.1-mini", "--estimate-only") // no key
	if code := p.run(t); code != 0 || !strings.Contains(p.stdout.String(), "(live)") {
		t.Errorf("an estimate without a key, exit code %d:\n%s", code, p.output())
	}
	p = newProcess(t, nil, append(args[:1:1], "--ticks", "1000000", "--model", "m", "--estimate-only", "--max-tokens-per-minute", "1")...)
	if p.run(t); !strings.Contains(p.stdout.String(), "\ntime: likely 36500d00h, ") {
		t.Errorf("a run of longer than a Duration holds:\n%s", p.output())
	}
	p = newProcess(t, nil, "minimal", "--estimate-only", "--cap-calls", "1000")
	if p.run(t); strings.Contains(p.output(), "time:") || strings.Contains(p.output(), "note:") {
		t.Errorf("a free run of a second:\n%s", p.output())
	}
}

// TestEstimateNamesCapsThatAreTooLow names a cap on each unit and scope.
func TestEstimateNamesCapsThatAreTooLow(t *testing.T) {
	for flags, want := range map[string]string{
		"--cap-calls 100":          "^note: the cap on calls of the run lies below the likely [0-9]+: the run probably ends in tick 1[0-9] of 30, with exit code 4$",
		"--cap-calls 30":           "^note: the cap on calls of the run lies below the least expected [0-9]+: the run probably ends in tick [1-9] of 30, ",
		"--cap-tokens 200000":      "^note: the cap on tokens of the run lies below the likely [0-9]+: ",
		"--cap-cost 0.15":          "^note: the cap on cost of the run lies below the likely 0[.][0-9]+ USD: ",
		"--cap-agent-calls 20":     "^note: the cap on calls of each agent lies below the likely [0-9]+: agents that reach it only wait$",
		"--cap-tick-tokens 11000":  "^note: the cap on tokens of each tick lies below the likely [0-9]+: agents that it leaves nothing for wait$",
		"--cap-calls 250":          "",
		"--cap-agent-calls 100000": "",
	} {
		p := newProcess(t, nil, append([]string{"llm_bootstrap", "--ticks", "30", "--model", "gpt-4.1-mini", "--base-url", "http://127.0.0.1:1/v1", "--estimate-only"}, strings.Fields(flags)...)...)
		if code := p.run(t); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, p.output())
		}
		notes := regexp.MustCompile("(?m)^note: the cap.*$").FindAllString(p.stdout.String(), -1)
		if want == "" && len(notes) > 0 || want != "" && (len(notes) != 1 || !regexp.MustCompile(want).MatchString(notes[0])) {
			t.Errorf("%s: %q, want %s in\n%s", flags, notes, want, p.stdout.String())
		}
	}
}
