package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// counterTest is one case: records in, some fields of the report out.
type counterTest struct {
	name    string
	records []trace.Record
	got     func(Report) any
	want    any
}

func runCounterTests(t *testing.T, tests []counterTest) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got(fold(t, test.records...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTicks(t *testing.T) {
	happened := func(tick int64, kind world.EventKind, detail string) trace.Event {
		return trace.Event{Tick: tick, Event: world.Event{Tick: tick, Kind: kind, Agent: "a", Detail: detail}}
	}
	runCounterTests(t, []counterTest{
		{"events are those of whole ticks", []trace.Record{
			happened(1, world.EventPowerState, "shutdown"), happened(1, world.EventJobDone, ""), trace.TickEnd{Tick: 1},
			happened(2, world.EventPowerState, "low"), trace.Resume{Tick: 1}, happened(2, world.EventPowerState, "low"), trace.TickEnd{Tick: 2},
			happened(3, world.EventPowerState, "shutdown"),
		}, func(r Report) any { return []any{r.JournalEvents, r.JournalEventCounts, r.PerAgent[0].Shutdowns} }, []any{int64(3), Counts{"power_state": 2, "job_done": 1}, int64(1)}},
		{"active ticks need an agent", []trace.Record{
			trace.TickEnd{Tick: 1, Due: 1, WorldTime: 1}, trace.TickEnd{Tick: 2, WorldTime: 2}, trace.TickEnd{Tick: 3, Continued: 1, WorldTime: 3},
		}, func(r Report) any { return [2]int64{r.ActiveTicks, r.WorldTime} }, [2]int64{2, 3}},
		{"skipped ticks are active ones without a call", []trace.Record{
			call("a", 1), trace.TickEnd{Tick: 1, Due: 1}, trace.TickEnd{Tick: 2, Continued: 1}, trace.TickEnd{Tick: 3}, call("a", 1), trace.TickEnd{Tick: 4, Due: 1},
		}, func(r Report) any {
			return [2]int64{r.TraceCounts.LLMSkippedTicks, r.TraceCounts.LLMSkippedTickRatioPPM}
		}, [2]int64{1, 333_333}},
	})
}

// drafted is a draft of one candidate, from its status on.
func drafted(candidate string) trace.Record {
	return trace.Step{Tick: 1, AgentID: "a", Step: 1, Kind: trace.StepDraft, Status: trace.StatusOK, Detail: json.RawMessage(`{"candidates":[{"n":1,"status":` + candidate + `}]}`)}
}

// fallenBack is a turn that failed for a reason and ended in what it had drafted or planned.
func fallenBack(by trace.Basis, reason trace.WaitReason) trace.Decision {
	d := act(1, "a", mine, accepted)
	d.By, d.FailedBy = by, reason
	return d
}

// chained is a chain of three steps.
const chained = `{"action":"execute_until","do":{"action":"wait"},"then":[{"do":{"action":"wait"}},{"do":{"action":"wait"}}]}`

// inStep is an attempt of a step of a chain.
func inStep(tick int64, agent string, step int) trace.Decision {
	d := standing(tick, agent, mine, accepted)
	d.ChainStep = step
	return d
}

func TestDecisions(t *testing.T) {
	clamped := act(1, "a", mine, accepted)
	clamped.Adjustments = []world.Adjustment{{Action: "mine_compound", Field: "compound_mass_g"}, {Action: "mine_compound", Field: "compound_mass_g"}}
	dropped := degraded("a", "guard_rejected")
	dropped.Proposed = json.RawMessage(mine)
	unasked := act(1, "a", mine, "null")
	long := degraded("a", "x")
	long.Calls = 5
	runCounterTests(t, []counterTest{
		{"decisions by who decided", []trace.Record{
			act(1, "a", mine, accepted), act(1, "a", waitOne, accepted), degraded("a", "x"), standing(2, "a", mine, accepted),
		}, func(r Report) any {
			return [3]int64{r.TotalDecisions, r.ContinuedDecisions, r.TraceCounts.Traces}
		}, [3]int64{2, 1, 4}},
		{"decisions by whose they are", []trace.Record{
			act(1, "a", mine, accepted), act(1, "a", waitOne, accepted), degraded("a", "x"), standing(2, "a", mine, accepted), degraded("a", "llm_error:cap"),
			fallenBack(trace.ByDraft, "parse_error:no_json"), fallenBack(trace.ByPlan, "parse_error:no_json"), fallenBack(trace.ByPlan, "llm_error:cap"),
		}, func(r Report) any {
			return []any{r.DecisionCounts.DecidedBy, r.DecisionCounts.Undecided}
		}, []any{Counts{"model": 2, "order": 1, "fallback": 3, "nobody": 2}, int64(2)}},
		{"decisions by what was decided", []trace.Record{
			act(1, "a", waitOne, accepted), act(1, "a", waitMany, accepted), act(1, "a", mineOn, rejected), degraded("a", "llm_error:cap"), degraded("b", "llm_error:cap"), degraded("b", "guard_rejected"),
		}, func(r Report) any { return r.DecisionCounts }, DecisionCounts{
			Wait: 4, WaitTicks: 1, Act: 1, WaitChosen: 1, WaitDegraded: 3, WaitDegradedByReason: Counts{"llm_error:cap": 2, "guard_rejected": 1}, FallbacksBy: Counts{}, FallbacksByReason: Counts{},
			DecidedBy: Counts{"model": 3, "nobody": 3}, Undecided: 1,
		}},
		{"waits over candidates that could be done", []trace.Record{
			drafted(`"accepted","action":` + mine), act(1, "a", waitOne, accepted), act(1, "a", waitOne, accepted), drafted(`"accepted","action":` + waitOne),
			act(1, "a", waitOne, accepted), drafted(`"rejected","action":` + mine), act(1, "a", waitOne, accepted), drafted(`"accepted","action":` + mine), degraded("a", "x"),
		}, func(r Report) any {
			return [2]any{r.DecisionCounts.WaitChosenOverCandidates, strings.Contains(r.Text(), "count from 0")}
		}, [2]any{int64(1), false}},
		{"most waits over candidates", []trace.Record{drafted(`"accepted","action":` + mine), act(1, "a", waitOne, accepted)}, func(r Report) any {
			return strings.Contains(r.Text(), "1 of 1 decisions were to wait though")
		}, true},
		{"actions by outcome, waits apart", []trace.Record{
			act(1, "a", mine, accepted), act(2, "a", mineOn, rejected), act(2, "a", `{"action":"refine_compound"}`, rejected), act(3, "a", waitMany, accepted), unasked,
		}, func(r Report) any {
			return []any{r.TotalActions, r.ActionSuccess, r.ActionFailure, r.ActionKindCounts, r.ActionKindSuccessCounts, r.ActionKindFailureCounts, r.ActionRejectReasonCounts}
		}, []any{
			int64(3), int64(1), int64(2), Counts{"mine_compound": 2, "refine_compound": 1}, Counts{"mine_compound": 1},
			Counts{"mine_compound": 1, "refine_compound": 1}, Counts{"storage_full": 2},
		}},
		{"first accepted tick", []trace.Record{
			act(2, "a", mine, rejected), act(4, "b", mineOn, accepted), standing(5, "a", mine, accepted),
		}, func(r Report) any { return r.FirstActionTick }, Counts{"mine_compound": 4}},
		{"from proposal to world", []trace.Record{
			clamped, act(1, "a", mineOn, accepted), dropped, degraded("a", "x"), standing(2, "a", mineOn, accepted),
		}, func(r Report) any { return r.Actions }, ActionCounts{
			Proposed: 3, Adjusted: 1, Executed: 2, Dropped: 1, StandingOrders: 1, ClampsByField: Counts{"mine_compound.compound_mass_g": 2},
		}},
		{"chains, their later steps and their ticks", []trace.Record{
			act(1, "a", chained, accepted), inStep(2, "a", 1), inStep(3, "a", 2), inStep(4, "a", 2), inStep(5, "a", 3), act(6, "a", mineOn, accepted),
			standing(7, "a", mine, accepted), act(8, "a", chained, accepted), inStep(9, "a", 2),
		}, func(r Report) any {
			return [4]int64{r.Actions.StandingOrders, r.Actions.Chains, r.Actions.ChainSteps, r.Actions.ChainTicks}
		}, [4]int64{3, 2, 3, 5}},
		{"calls saved by orders, at the run's calls per decision", []trace.Record{
			act(1, "a", mineOn, accepted), long, standing(2, "a", mine, accepted), standing(3, "a", mine, accepted), standing(3, "b", mine, accepted),
		}, func(r Report) any {
			return [3]int64{r.CallsSaved, r.PerAgent[0].CallsSaved, r.PerAgent[1].CallsSaved}
		}, [3]int64{9, 6, 3}},
		{"nothing is saved without a turn to compare with", []trace.Record{standing(2, "a", mine, accepted)}, func(r Report) any {
			return r.CallsSaved
		}, int64(0)},
		{"advice on repetition by kind", []trace.Record{advised("a", "waiting"), advised("b", "waiting"), advised("b", "same_action")}, func(r Report) any {
			return r.TraceCounts.RepetitionAdviceByKind
		}, Counts{"waiting": 2, "same_action": 1}},
		{"calls per decision leave continued ones out", []trace.Record{
			act(1, "a", mine, accepted), act(1, "b", mine, accepted), long, standing(2, "a", mine, accepted),
		}, func(r Report) any { return r.TraceCounts.CallsPerDecision }, CallsPerDecision{AvgMilli: 2333, Max: 5}},
	})
}

func TestModelCalls(t *testing.T) {
	twice := act(1, "a", mine, accepted)
	twice.Calls = 2
	runCounterTests(t, []counterTest{
		{"model errors by kind", []trace.Record{
			failed("a", llmclient.ErrTimeout), failed("a", llmclient.ErrTimeout), refused("b"), call("a", 1),
		}, func(r Report) any {
			return []any{r.TraceCounts.ModelCalls, r.TraceCounts.LLMErrors, r.TraceCounts.LLMErrorsByKind, r.PerAgent[0].LLMErrors}
		}, []any{int64(3), int64(2), Counts{"timeout": 2}, int64(2)}},
		{"refused requests are no calls", []trace.Record{
			call("a", 1), refused("a"), twice, refused("b"), act(1, "b", waitOne, accepted),
		}, func(r Report) any {
			c := r.TraceCounts
			return []any{c.ModelCalls, c.CallsRefused, c.LLMErrors, c.CallsPerDecision, r.PerAgent[0].Calls, r.PerAgent[0].CallsRefused, r.PerAgent[1].Calls,
				lineOf(r, "calls")}
		}, []any{int64(1), int64(2), int64(0), CallsPerDecision{AvgMilli: 500, Max: 1}, int64(1), int64(1), int64(0),
			"1, 0.500 per decision, most 1; 0 failed; not sent, refused by caps: 2"}},
		{"characters per call", []trace.Record{sized(100, 7), sized(51, 9), sized(50, 8)}, func(r Report) any {
			c := r.TraceCounts
			return [4]int64{c.LLMInputCharsTotal, c.LLMInputCharsAvg, c.LLMInputCharsMax, c.LLMToolChars}
		}, [4]int64{201, 67, 100, 9}},
		{"clips by section and by prompt", []trace.Record{
			sized(1, 1, trace.Section{Name: "memory", Clipped: true}, trace.Section{Name: "history", Clipped: true}, trace.Section{Name: "goals"}),
			sized(1, 1, trace.Section{Name: "memory", Clipped: true}), sized(1, 1, trace.Section{Name: "goals"}),
		}, func(r Report) any {
			c := r.TraceCounts
			return []any{c.PromptSectionEntries, c.PromptSectionClipped, c.PromptsClipped, c.ClipsBySection}
		}, []any{int64(5), int64(3), int64(2), Counts{"memory": 2, "history": 1}}},
		{"tokens add up", []trace.Record{tokens("a", used), tokens("b", used), tokens("a", llmclient.Usage{})}, func(r Report) any {
			return []Tokens{r.Tokens, r.PerAgent[0].Tokens}
		}, []Tokens{TokensOf(used.Add(used)), TokensOf(used)}},
		{"failed requests by kind, mended ones included", []trace.Record{
			attempted("a", llmclient.ErrRateLimited, llmclient.ErrServer), attempted("b", llmclient.ErrServer), call("a", 1), given(attempted("a", llmclient.ErrServer)),
			reflecting(attempted("a", llmclient.ErrTimeout)),
		}, func(r Report) any {
			return []any{r.Timing.HTTPFailuresByKind, r.Timing.HTTPAttempts, r.TraceCounts.LLMErrors, lineOf(r, "requests")}
		}, []any{
			Counts{"rate_limited": 1, "server_error": 2, "timeout": 1}, int64(8), int64(0),
			"8 sent, 4 of them failed (server_error 2, rate_limited 1, timeout 1)",
		}},
		{"latency of sent calls only", []trace.Record{call("a", 30), call("a", 10), refused("a"), call("a", 20)}, func(r Report) any {
			return []any{r.Timing.LLMLatencyMS, r.Timing.HTTPAttempts}
		}, []any{Latency{P50: 20, P95: 30, P99: 30, Max: 30, Samples: 3}, int64(3)}},
	})
}

func TestAnswers(t *testing.T) {
	runCounterTests(t, []counterTest{
		{"parse errors count answers, kinds count causes", []trace.Record{
			step("a", 1, trace.StepParseError, "no_json"), step("a", 1, trace.StepParseError, "unknown_tool"), step("a", 2, trace.StepParseError, "no_json"),
			step("b", 1, trace.StepParseError, "several_decisions"), act(1, "a", mine, accepted), step("a", 1, trace.StepParseError, "no_json"),
		}, func(r Report) any {
			return []any{r.TraceCounts.ParseErrors, r.TraceCounts.ParseErrorsByKind, r.TraceCounts.SeveralDecisions, r.PerAgent[0].ParseErrors}
		}, []any{int64(4), Counts{"no_json": 3, "unknown_tool": 1, "several_decisions": 1}, int64(1), int64(3)}},
		{"repaired answers were used", []trace.Record{
			lenient("a", 1, "fenced", "fenced", "unwrapped"), lenient("a", 1, "fenced"), lenient("a", 2, "fenced"), step("a", 2, trace.StepParseError, "no_json"),
			lenient("b", 2, "fenced"), act(1, "a", mine, accepted), act(1, "b", mine, accepted),
		}, func(r Report) any { return []any{r.TraceCounts.ParseRepaired, r.TraceCounts.ParseRepairsByKind} },
			[]any{int64(2), Counts{"fenced": 5, "unwrapped": 1}}},
		{"repair rounds per turn", []trace.Record{
			step("a", 1, trace.StepRepair, ""), step("b", 1, trace.StepRepair, ""), step("a", 2, trace.StepRepair, ""), act(1, "a", mine, accepted),
			step("a", 1, trace.StepRepair, ""),
		}, func(r Report) any {
			return [2]int64{r.TraceCounts.RepairRoundsTotal, r.TraceCounts.RepairRoundsMax}
		}, [2]int64{4, 2}},
		{"a turn cut short leaves nothing behind", []trace.Record{
			step("a", 1, trace.StepRepair, ""), lenient("a", 1, "fenced"), nextTick(step("a", 1, trace.StepRepair, "")), act(2, "a", mine, accepted),
		}, func(r Report) any { return []any{r.TraceCounts.RepairRoundsMax, r.TraceCounts.ParseRepaired} }, []any{int64(1), int64(0)}},
	})
}

func TestSteps(t *testing.T) {
	runCounterTests(t, []counterTest{
		{"steps by kind", []trace.Record{
			step("a", 1, trace.StepPlan, ""), step("a", 1, trace.StepPlan, ""), step("a", 0, "own_kind", ""),
		}, func(r Report) any { return []any{r.TraceCounts.StepEntries, r.TraceCounts.StepTypeCounts} },
			[]any{int64(3), Counts{"plan": 2, "own_kind": 1}}},
		{"refusals by place", []trace.Record{
			step("a", 1, trace.StepViolation, "v"), step("a", 1, trace.StepGuard, "depleted"), step("a", 1, trace.StepGuard, ""),
			step("a", 1, trace.StepToolRefused, "UNKNOWN_TOOL"), step("a", 1, trace.StepModuleCall, "EXECUTION_ERROR"), minted("a", "c1"),
		}, func(r Report) any {
			c := r.TraceCounts
			return []any{c.ReasoningViolations, c.GuardRejectionsByCode, c.ToolRefusalsByCode, c.ModuleErrorsByCode, c.ModuleCallsByName}
		}, []any{int64(1), Counts{"depleted": 1}, Counts{"UNKNOWN_TOOL": 1}, Counts{"EXECUTION_ERROR": 1}, Counts{"": 1, "world.rules": 1}}},
		{"calls gone wrong by code, the guard's verdicts apart", []trace.Record{
			step("a", 1, trace.StepModuleCall, "INVALID_ARGUMENTS"), step("a", 1, trace.StepModuleCall, "EXECUTION_ERROR"), step("a", 1, trace.StepPlan, "ARGUMENTS_NOT_JSON"),
			step("a", 1, trace.StepDecision, "ARGUMENTS_NOT_OBJECT"), step("a", 1, trace.StepDraft, "INVALID_ARGUMENTS"), step("a", 1, trace.StepToolRefused, "MODULE_LIMIT"),
			step("a", 1, trace.StepViolation, "ReasoningStepViolation"), step("a", 1, trace.StepGuard, "depleted"), step("a", 1, trace.StepPlan, ""),
			trace.Step{Tick: 1, AgentID: "a", Kind: trace.StepDecision, Status: trace.StatusDegraded, Code: "guard_rejected"},
			trace.Step{Tick: 1, AgentID: "a", Kind: trace.StepDraft, Status: trace.StatusError},
		}, func(r Report) any {
			c := r.TraceCounts
			return []any{c.ToolErrorsByCode, c.ArgumentErrors, c.ExecutionErrors}
		}, []any{Counts{
			"INVALID_ARGUMENTS": 2, "ARGUMENTS_NOT_JSON": 1, "ARGUMENTS_NOT_OBJECT": 1, "EXECUTION_ERROR": 1, "MODULE_LIMIT": 1, "ReasoningStepViolation": 1,
		}, int64(4), int64(1)}},
		{"items that are not as they should be", []trace.Record{
			step("a", 1, trace.StepItemRepair, "call_id_missing"), step("a", 1, trace.StepItemRepair, "call_id_missing"), step("b", 1, trace.StepItemRepair, "reasoning_dangling"),
			step("a", 1, trace.StepUnknownItem, "kept"), step("a", 1, trace.StepUnknownItem, "dropped"), step("a", 1, trace.StepTextBeside, ""),
			step("a", 1, trace.StepRefusalBeside, ""), step("a", 1, trace.StepRefusalBeside, ""), step("a", 1, trace.StepSeveralMessages, ""),
		}, func(r Report) any {
			c := r.TraceCounts
			return []any{c.ItemRepairsByKind, c.UnknownItems, c.TextBesideCalls, c.RefusalsBesideCalls, c.SeveralMessages}
		}, []any{Counts{"call_id_missing": 2, "reasoning_dangling": 1}, Counts{"kept": 1, "dropped": 1}, int64(1), int64(2), int64(1)}},
		{"answers by kind, older traces without it", []trace.Record{
			answered(llmclient.AnswerCalls), answered(llmclient.AnswerCalls), answered(llmclient.AnswerBilledEmpty), answered(llmclient.AnswerNone), call("a", 1),
		}, func(r Report) any { return []any{r.TraceCounts.AnswersByKind, r.TraceCounts.ModelCalls} },
			[]any{Counts{"calls": 2, "empty_output_billed": 1, "no_reply": 1}, int64(5)}},
		{"minted ids once per turn", []trace.Record{
			minted("a", "c1"), minted("a", "c1"), minted("b", "c1"), minted("a", "c2"), act(1, "a", mine, accepted), minted("a", "c1"),
		}, func(r Report) any { return r.TraceCounts.CallIDsMinted }, int64(4)},
		{"strangers among the records", []trace.Record{
			trace.Unknown{Type: "later", Raw: json.RawMessage(`{"type":"later"}`)}, trace.Switch{}, trace.Blob{Tick: 1, Kind: trace.BlobItem, Body: "x"},
		}, func(r Report) any { return r.TraceCounts.UnknownRecords }, int64(1)},
	})
}

func TestSources(t *testing.T) {
	sources := []trace.Source{{ID: "m1", Kind: "note"}, {ID: "m2", Kind: "note"}, {ID: "x1", Kind: "module"}}
	runCounterTests(t, []counterTest{
		{"credit needs a source in view", []trace.Record{
			withSources(act(1, "a", mine, accepted), sources, "m1", "x1", "elsewhere"), withSources(act(2, "a", mine, accepted), sources[:1], "elsewhere"), act(3, "a", mine, accepted),
		}, func(r Report) any {
			p := r.Provenance
			p.Kinds, p.Bullets, p.Documents, p.Templates = nil, nil, nil, nil // see TestEffects
			return p
		}, Provenance{
			SourcesRetrieved: 4, SourcesUsed: 2, SourcesInvented: 2, DecisionsUsingSources: 1,
			RetrievedByKind: Counts{"note": 3, "module": 1}, UsedByKind: Counts{"note": 1, "module": 1}, UsedByChannel: Counts{},
		}},
	})
}

func TestEnds(t *testing.T) {
	runCounterTests(t, []counterTest{
		{"goals count once per agent", []trace.Record{
			goalMet("a", "g1"), goalMet("a", "g1"), goalMet("a", "g2"), goalMet("b", "g1"),
			trace.RunEnd{Goals: []trace.GoalOutcome{{GoalID: "g1", AgentID: "a", MetAt: new(int64)}, {GoalID: "g1", AgentID: "c", MetAt: new(int64)}, {GoalID: "g9", AgentID: "c"}}},
		}, func(r Report) any { return []int64{r.GoalsMet, r.AgentsMeetingGoal, int64(len(r.Goals))} }, []int64{4, 3, 3}},
		{"the end overtaken by a resume", []trace.Record{
			trace.RunEnd{RunStatus: trace.RunInterrupted, Reason: "stop", Agents: []trace.FinalAgent{{AgentID: "a", Electricity: 9}}, FinalDigest: "old"},
			trace.TickEnd{Tick: 2, Digest: "new"},
		}, func(r Report) any { return []any{r.RunStatus, r.RunReason, r.FinalDigest, len(r.FinalStock)} },
			[]any{trace.RunUnfinished, "", "new", 0}},
		{"stocks in all", []trace.Record{trace.RunEnd{RunStatus: trace.RunCompleted, Agents: []trace.FinalAgent{
			{AgentID: "a", Place: "loc-1", PowerState: "low", Electricity: 3, Heat: 8, Stock: []world.Amount{{Resource: "hardware", Amount: 2}}},
			{AgentID: "b", Electricity: 4, Stock: []world.Amount{{Resource: "chip", Amount: 1}, {Resource: "hardware", Amount: 5}}},
		}}}, func(r Report) any { return []any{r.FinalStock, r.PerAgent[0].Heat, r.PerAgent[1].Stock} }, []any{
			[]world.Amount{{Resource: "chip", Amount: 1}, {Resource: "electricity", Amount: 7}, {Resource: "hardware", Amount: 7}},
			int64(8), []world.Amount{{Resource: "chip", Amount: 1}, {Resource: "hardware", Amount: 5}},
		}},
	})
}
