package engine_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// hurtRun is a run of isolated_five in which answers to some agents are spoilt.
type hurtRun struct {
	// spec are the faults, hurt the agents that get them, none meaning all.
	spec string
	hurt []string
	// apart gives the hurt agents an endpoint and a client of their own, with cfg;
	// otherwise all agents use those.
	apart bool
	cfg   openai.Config
	ticks int64
}

// play carries out the run. It returns the report and the canonical decisions of the
// agents that are not hurt.
func (h hurtRun) play(t *testing.T) (r report.Report, others []string) {
	t.Helper()
	spec := h.spec
	for _, agent := range h.hurt {
		if spec != "" {
			spec += ",agent=" + agent
		}
	}
	o := spoilt(t, options(t, "isolated_five", h.ticks), spec, h.cfg)
	if h.apart {
		o = h.separate(t, o, spec)
	}
	result := run(t, o)
	r = fold(t, o.RunDir)
	if r.RunStatus != result.Status || r.Faults != spec || r.FaultSeed != faultSeed || !r.FaultsCounted {
		t.Errorf("the report says %s with faults %q, seed %d, counted: %v", r.RunStatus, r.Faults, r.FaultSeed, r.FaultsCounted)
	}
	if diff := cmp.Diff(o.FaultCounts(), map[string]int64(r.FaultsInjectedByKind)); diff != "" {
		t.Errorf("injected (-server +report):\n%s", diff)
	}
	requireReplays(t, o.RunDir, result.TicksDone)
	return r, decisionsBut(t, o.RunDir, h.hurt...)
}

// separate gives the hurt agents a faulty endpoint of their own, and the others a
// clean one.
func (h hurtRun) separate(t *testing.T, o engine.Options, spec string) engine.Options {
	t.Helper()
	clean, _ := faultyServer(t, "")
	faulty, faults := faultyServer(t, spec)
	cfg := h.cfg
	cfg.BaseURL = faulty
	cfg.ShownURL = "apart"
	cfg.BackoffBase = time.Millisecond
	cfg.WindowTokens = 128_000
	cfg.Steady = true
	theirs, own := respondTo(t, cfg), map[string]engine.Responder{}
	for _, agent := range h.hurt {
		own[agent] = theirs
		o.AgentModels = append(o.AgentModels, trace.AgentModel{Agent: agent, BaseURL: "apart"})
	}
	o.Source, o.FaultCounts = engine.LiveByAgent(respondTo(t, openai.Config{BaseURL: clean}), own), faults.Counts
	return o
}

// decisionsBut are the canonical decisions of a run but for some agents, one line
// each, with tick and agent.
func decisionsBut(t *testing.T, dir string, agents ...string) (lines []string) {
	t.Helper()
	for _, d := range canonicalDecisions(t, dir) {
		if !slices.Contains(agents, d.AgentID) {
			line, err := trace.Encode(d)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(line))
		}
	}
	return lines
}

// requireSameLines compares decisions with those of the clean run. A run that ended
// early has fewer.
func requireSameLines(t *testing.T, clean, got []string, early bool) {
	t.Helper()
	for i := range min(len(clean), len(got)) {
		if clean[i] != got[i] {
			t.Fatalf("decision %d of agents that were not hurt differs:\nclean %.700s\ngot   %.700s", i+1, clean[i], got[i])
		}
	}
	if len(got) == 0 || len(got) > len(clean) || !early && len(got) < len(clean) {
		t.Errorf("%d decisions of agents that were not hurt, %d in the clean run", len(got), len(clean))
	}
}

// TestEveryTransportFaultHasAnEnd holds the table against the kinds there are.
func TestEveryTransportFaultHasAnEnd(t *testing.T) {
	kinds := []string{"hang"}
	for _, e := range transportEnds {
		kinds = append(kinds, e.kind)
	}
	if diff := cmp.Diff(stub.TransportFaults(), kinds); diff != "" {
		t.Errorf("kinds of faults (-all +table):\n%s", diff)
	}
}

// twoOfFive are the agents that are hurt where some are.
var twoOfFive = []string{"agent-2", "agent-4"}

// TestEachTransportFaultHurtsOnlyItsAgentsLong injects one kind into every third answer
// to two agents: each kind that the mixture of the tests below leaves out. At full size
// it injects each kind into every tenth answer. The other agents decide as in a clean
// run. The report counts the failed requests by kind: as many as the server spoilt.
func TestEachTransportFaultHurtsOnlyItsAgentsLong(t *testing.T) {
	slow(t)
	ticks, rate := ticksUpTo(3, 60), fmt.Sprintf("=%d%%", ticksUpTo(35, 10))
	_, clean := hurtRun{hurt: twoOfFive, ticks: ticks}.play(t)
	for _, e := range transportEnds {
		if ticksUpTo(0, 1) == 0 && e.mixes(true) {
			continue
		}
		t.Run(e.kind, func(t *testing.T) {
			t.Parallel()
			h := hurtRun{spec: e.kind + rate, hurt: twoOfFive, cfg: e.cfg, ticks: ticks}
			r, others := h.play(t)
			requireSameLines(t, clean, others, false)
			requireFailures(t, r, e.kind, e.want)
			failedCalls, retried := r.TraceCounts.LLMErrorsByKind[string(e.want)], e.attempts > 1
			if injected := r.FaultsInjectedByKind[e.kind]; failedCalls != r.TraceCounts.LLMErrors || !retried && e.want != "" && failedCalls != injected || failedCalls > injected {
				t.Errorf("failed calls %v for %d faults", r.TraceCounts.LLMErrorsByKind, injected)
			}
		})
	}
	t.Run("hang", func(t *testing.T) {
		t.Parallel()
		// Only the hurt agents have the short timeout, so that a slow machine cannot hurt
		// the others.
		h := hurtRun{spec: "hang" + rate, hurt: twoOfFive, apart: true, cfg: openai.Config{Timeout: 150 * time.Millisecond, DefaultTimeout: time.Second}, ticks: ticks}
		r, others := h.play(t)
		requireSameLines(t, clean, others, false)
		if hung, timeouts := r.FaultsInjectedByKind["hang"], r.Timing.HTTPFailuresByKind["timeout"]; hung == 0 || timeouts < hung || len(r.FaultsInjectedByKind) != 1 {
			t.Errorf("%d timeouts for %d hangs, injected %v", timeouts, hung, r.FaultsInjectedByKind)
		}
	})
}

// requireFailures demands that the report lists the faults of this kind, and no others,
// as failed requests.
func requireFailures(t *testing.T, r report.Report, kind string, want llmclient.ErrorKind) {
	t.Helper()
	n := r.FaultsInjectedByKind[kind]
	if r.RunStatus != trace.RunCompleted || n == 0 || len(r.FaultsInjectedByKind) != 1 {
		t.Errorf("the run ended %s with faults %v, want it completed and %s injected", r.RunStatus, r.FaultsInjectedByKind, kind)
	}
	failed := map[string]int64{string(want): n}
	if want == "" { // it is read
		failed = map[string]int64{}
	}
	if diff := cmp.Diff(failed, map[string]int64(r.Timing.HTTPFailuresByKind)); diff != "" {
		t.Errorf("failed requests (-injected +report):\n%s", diff)
	}
}

// mixes reports whether a fault is one of those in a mixture: those that end an endpoint
// are not, and with quick those that make a client wait for a second.
func (e transportEnd) mixes(quick bool) bool {
	return !e.want.Fatal() && !(quick && e.cfg.RetriesMax < 0)
}

// mixture spoils every tenth answer, with quick every third. Of a thousand that are spoilt,
// hang get no answer, transport another fault of the transport, each as likely as any
// other, and the rest any shape of malformed answers.
func mixture(hang, transport int, quick bool) string {
	var kinds []string
	for _, e := range transportEnds {
		if e.mixes(quick) {
			kinds = append(kinds, e.kind)
		}
	}
	rate := func(kind string, ppm int) string {
		if quick {
			ppm *= 3
		}
		return fmt.Sprintf("%s=%.4f%%", kind, float64(ppm)/10_000)
	}
	items := []string{rate("hang", hang*100), rate("any_shape", (1000-hang-transport)*100)}
	for _, kind := range kinds {
		items = append(items, rate(kind, transport*100/len(kinds)))
	}
	return strings.Join(items, ",")
}

// transportFailures are the failed requests that follow from injected faults.
func transportFailures(injected report.Counts) map[string]int64 {
	failures := map[string]int64{}
	for _, e := range transportEnds {
		if n := injected[e.kind]; n > 0 && e.want != "" {
			failures[string(e.want)] += n
		}
	}
	if n := injected["hang"]; n > 0 {
		failures["timeout"] = n
	}
	return failures
}

// requireMixture demands that a run with a mixture of faults finished and reports all of
// them. At full size every named kind occurs.
func requireMixture(t *testing.T, r report.Report, h hurtRun, full []string) {
	t.Helper()
	if r.RunStatus != trace.RunCompleted || r.WorldTime != h.ticks {
		t.Errorf("the run ended %s after %d ticks: %s", r.RunStatus, r.WorldTime, r.RunReason)
	}
	if diff := cmp.Diff(transportFailures(r.FaultsInjectedByKind), map[string]int64(r.Timing.HTTPFailuresByKind)); diff != "" {
		t.Errorf("failed requests (-injected +report):\n%s", diff)
	}
	if len(r.FaultsInjectedByKind) < 10 || r.TraceCounts.ParseErrors == 0 || r.TraceCounts.ParseRepaired == 0 || r.TraceCounts.LLMErrors == 0 {
		t.Errorf("faults %v, %d unusable answers, %d repaired, %d failed calls; the test shows little", r.FaultsInjectedByKind, r.TraceCounts.ParseErrors, r.TraceCounts.ParseRepaired, r.TraceCounts.LLMErrors)
	}
	t.Logf("%d requests, %d faults of %d kinds", r.Timing.HTTPAttempts, total(r.FaultsInjectedByKind), len(r.FaultsInjectedByKind))
	for _, kind := range full {
		if ticksUpTo(0, 1) == 1 && r.FaultsInjectedByKind[kind] == 0 {
			t.Errorf("%s was never injected", kind)
		}
	}
}

// passingFaults are the faults of the transport that end no endpoint.
func passingFaults() []string {
	return slices.DeleteFunc(stub.TransportFaults(), func(kind string) bool {
		return slices.ContainsFunc(transportEnds, func(e transportEnd) bool { return e.kind == kind && e.want.Fatal() })
	})
}

// TestAMixtureOfFaultsHurtsOnlyItsAgentsLong spoils answers to two agents in all ways that
// end no endpoint. The others decide as in a clean run.
func TestAMixtureOfFaultsHurtsOnlyItsAgentsLong(t *testing.T) {
	slow(t)
	h := hurtRun{spec: mixture(0, 400, true), hurt: twoOfFive, ticks: 24}
	if ticksUpTo(0, 1) == 1 {
		h = hurtRun{spec: mixture(20, 600, false), hurt: twoOfFive, ticks: 1000, cfg: openai.Config{Timeout: 5 * time.Second}}
	}
	_, clean := hurtRun{hurt: twoOfFive, ticks: h.ticks}.play(t)
	r, others := h.play(t)
	requireSameLines(t, clean, others, false)
	requireMixture(t, r, h, passingFaults())
}

// TestAMixtureOfFaultsForAllLong spoils answers to all agents. Full size adds every shape
// of malformed answers.
func TestAMixtureOfFaultsForAllLong(t *testing.T) {
	slow(t)
	h := hurtRun{spec: mixture(0, 500, true), ticks: 12}
	if ticksUpTo(0, 1) == 1 {
		h = hurtRun{spec: mixture(2, 148, false), ticks: 2800, cfg: openai.Config{Timeout: 5 * time.Second}}
	}
	r, _ := h.play(t)
	all := passingFaults()
	for _, s := range stub.Corpus() {
		all = append(all, s.Name)
	}
	requireMixture(t, r, h, all)
}

// TestEachShapeHurtsOnlyItsAgentsLong puts every tenth answer to two agents into one shape
// of malformed answers, shape by shape. The others decide as in a clean run.
func TestEachShapeHurtsOnlyItsAgentsLong(t *testing.T) {
	if ticksUpTo(0, 1) == 0 {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to go through all shapes")
	}
	const ticks = 20
	_, clean := hurtRun{hurt: twoOfFive, ticks: ticks}.play(t)
	for _, s := range stub.Corpus() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			r, others := hurtRun{spec: s.Name + "=10%", hurt: twoOfFive, ticks: ticks}.play(t)
			requireSameLines(t, clean, others, false)
			requireShape(t, r, s)
		})
	}
}

// TestNoAnswerCostsAnotherItsDeadlineLong answers two agents with what costs most, 5 MB of
// arguments and a byte every 100 ms, under a deadline of 1.5 s for all. The others decide as in
// a clean run.
func TestNoAnswerCostsAnotherItsDeadlineLong(t *testing.T) {
	if ticksUpTo(0, 1) == 0 {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to play with a deadline of 1.5 s")
	}
	const ticks = 5
	_, clean := hurtRun{hurt: twoOfFive, ticks: ticks}.play(t)
	huge := `{"output":[{"type":"function_call","call_id":"c","name":"plan","arguments":"` + strings.Repeat("x", 5<<20) + `"}]}`
	for _, slow := range []string{"{", " "} {
		server := endpoint(t, func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			switch {
			case bytes.Contains(body, []byte("you: agent-2,")):
				_, _ = io.WriteString(w, huge)
			case bytes.Contains(body, []byte("you: agent-4,")):
				for r.Context().Err() == nil {
					_, _ = io.WriteString(w, slow)
					_ = http.NewResponseController(w).Flush()
					time.Sleep(100 * time.Millisecond)
				}
			default:
				return false
			}
			return true
		})
		o := through(t, options(t, "isolated_five", ticks), openai.Config{BaseURL: server.URL, WindowTokens: 128_000})
		o.DecisionDeadlineMS = 1500
		run(t, o)
		r := fold(t, o.RunDir)
		if r.TraceCounts.LLMErrorsByKind["body_too_large"] != ticks || r.TraceCounts.LLMErrorsByKind["deadline"] != ticks {
			t.Errorf("errors %v", r.TraceCounts.LLMErrorsByKind)
		}
		requireSameLines(t, clean, decisionsBut(t, o.RunDir, twoOfFive...), false)
	}
}

// requireShape demands that a run with one shape of malformed answers finished and
// reports them. If the shape always keeps its meaning, the report has repairs; if it
// cannot be used, the report has failures.
func requireShape(t *testing.T, r report.Report, s stub.Shape) {
	t.Helper()
	n, c := r.FaultsInjectedByKind[s.Name], r.TraceCounts
	if r.RunStatus != trace.RunCompleted || n == 0 || len(r.FaultsInjectedByKind) != 1 || len(r.Timing.HTTPFailuresByKind) != 0 {
		t.Errorf("the run ended %s with faults %v, failed requests %v; want it completed and %s injected", r.RunStatus, r.FaultsInjectedByKind, r.Timing.HTTPFailuresByKind, s.Name)
	}
	repairs := map[string]int64{}
	for _, name := range s.Repairs {
		repairs[name] += n
	}
	if diff := cmp.Diff(repairs, map[string]int64(c.ParseRepairsByKind)); s.Universal && diff != "" {
		t.Errorf("repairs (-injected +report):\n%s", diff)
	}
	if s.Universal && c.ParseErrors > 0 {
		t.Errorf("parse errors %v", c.ParseErrorsByKind)
	}
	// A call that is too early in most answers is in its right place in some.
	felt, early := c.ParseErrors+total(c.ModuleErrorsByCode), s.Error == "not_allowed_now"
	if s.Ends == stub.EndsError && (felt > n || felt < n && !early || felt == 0) {
		t.Errorf("%d faults, parse errors %v, module errors %v", n, c.ParseErrorsByKind, c.ModuleErrorsByCode)
	}
	if s.Ends == stub.EndsRepaired && felt+total(c.ParseRepairsByKind) == 0 {
		t.Errorf("%d faults left nothing behind", n)
	}
}

// total adds counts up.
func total(c report.Counts) (n int64) {
	for _, v := range c {
		n += v
	}
	return n
}
