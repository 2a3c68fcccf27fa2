package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/behavior"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// manneredRun plays a scenario with a stub of some manners. It demands that in every agent's
// share of it nine decisions of ten act, or wait because the model chose to.
func manneredRun(t *testing.T, manners string, args ...string) (dir string, r report.Report) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	if manners != "" {
		args = append(args, "--stub-manner", manners)
	}
	program(t, append(args, "--quiet", "--run-dir", dir)...)
	data, err := os.ReadFile(filepath.Join(dir, run.ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	for _, a := range r.PerAgent {
		if all := a.Decisions + a.Continued + a.WaitsDegraded; all == 0 || 10*a.WaitsDegraded > all {
			t.Errorf("%q: %d of %d decisions of %s degraded to a wait: %v", manners, a.WaitsDegraded, all, a.AgentID, r.DecisionCounts.WaitDegradedByReason)
		}
	}
	return dir, r
}

// TestMannersCostCallsAndNoTurns gives every agent a manner of its own, in both protocols: they act,
// and meet their goals. Each manner for itself is played in engine, so the mixture is for the long tests.
func TestMannersCostCallsAndNoTurns(t *testing.T) {
	slow(t)
	long := os.Getenv("AGENT_WORLD_LONG") != ""
	for protocol, manners := range map[string]string{
		behavior.ProtocolFull: "agent-1=modules-first,agent-2=planner-only,agent-3=off-plan,agent-4=redrafter,agent-5=prose",
		behavior.ProtocolLean: "agent-1=silent-decision,agent-2=namer,agent-3=nested,agent-4=thinker,agent-5=prose,agent-5=namer",
	} {
		if !long {
			continue
		}
		_, r := manneredRun(t, manners, "llm_bootstrap", "--ticks", "30", "--protocol", protocol)
		if r.GoalsMet < 3 {
			t.Errorf("%q, %s: %d goals met of %d, want 3", manners, protocol, r.GoalsMet, r.Agents)
		}
	}
	manneredRun(t, "late", "minimal", "--ticks", "2", "--decision-deadline", "2s", "--max-degraded", "100")
}

// TestMannersOfOthersChangeNothing plays a scenario whose agents cannot meet: where two of
// them have manners, the others decide what they decide in a clean run.
func TestMannersOfOthersChangeNothing(t *testing.T) {
	slow(t)
	decided := func(manners string) map[string][]string {
		dir, _ := manneredRun(t, manners, "isolated_five", "--ticks", "6")
		f, err := run.Dir(dir).Open()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all := map[string][]string{}
		for record, err := range trace.NewReader(f).All() {
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := record.(trace.Decision); ok {
				all[d.AgentID] = append(all[d.AgentID], string(d.Executed))
			}
		}
		return all
	}
	clean, mixed := decided(""), decided("agent-2=prose,agent-4=planner-only,agent-4=thinker")
	for _, agent := range []string{"agent-1", "agent-3", "agent-5"} {
		if diff := cmp.Diff(clean[agent], mixed[agent]); diff != "" || len(clean[agent]) == 0 {
			t.Errorf("%s (-clean +beside others with manners):\n%s", agent, strings.TrimSpace(diff))
		}
	}
}
