package trace

import (
	"bytes"
	"encoding/json"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/world"
)

// samples returns one record of each known type, with every field set, in an
// order in which a run could have written them.
func samples() []Record {
	goal, met := "make two chips", int64(3)
	part := newPart(1, BlobItem, []byte(`{"type":"message","role":"user","content":"<look> & act"}`))
	rules := world.DefaultRules()
	fork := Fork{
		Tick: 2, AtTick: 1, Parent: ForkParent{Name: "run-1", Run: "run-0a1b", Digest: "d0"},
		Changes:       []Change{{What: "model", From: "m", To: "m2"}},
		PromptVersion: "p2", Settings: Settings{
			Playbook: "# playbook 1\n", Protocol: "lean", Model: "m2", ModelSource: SourceLive, BaseURL: "http://b/v1", Language: "en", Rules: &rules,
			AgentModels: []AgentModel{{Agent: "agent-1", Model: "m3", BaseURL: "http://c/v1", KeyEnv: "KEY"}},
		},
	}
	return []Record{
		Header{
			Format: FormatVersion, EngineVersion: "1.0.0", RulesVersion: "r1", PromptVersion: "p1", WordsHash: "w1", ScenarioHash: "s1",
			Agents: []HeaderAgent{{ID: "agent-1", Name: "Ada", Persona: "careful"}},
			Settings: Settings{
				Scenario: "llm_bootstrap", ScenarioTOML: "name = \"llm_bootstrap\"\n", Seed: 1<<64 - 1, Playbook: "# playbook 1\n", PlaybookSize: 200, Ticks: 20,
				Protocol: "full", Model: "m", ModelSource: SourceScripted, BaseURL: "http://a/v1", ScriptedMode: "normal", ScriptedSeed: 7, Faults: "reset=1%", FaultSeed: 8,
				AgentModels:        []AgentModel{{Agent: "agent-1", Model: "m2", BaseURL: "http://b/v1", KeyEnv: "KEY"}},
				Recording:          &Recording{Name: "run-0", Model: "m", ModelSource: SourceLive, UsageSource: UsageReported, Asked: SourceScripted},
				DecisionDeadlineMS: 9000, TimeoutMS: 3000, ModuleCallsMax: 3, ReasonStepsMax: 1, GuardRoundsMax: 3,
				RepairsMax: 1, Fallback: "best", BindPlan: true, RepeatAdviceAfter: 4, ContextWindowTokens: 32000, MaxOutputTokens: 800, Temperature: "0.20", PromptProfile: "balanced", Commit: "one-step", GuardOff: []string{"plan"}, Language: "en", SystemPrompt: "s",
				ShortTermGoal: "g", LongTermGoal: "l", AgentsOverride: 1, PromptSwitches: []Switch{{Tick: 2, ShortTermGoal: &goal}},
				PlaybookBullets: 6, FreezePlaybook: true, LearnEvery: 5,
				Caps:     Caps{Run: Limit{Calls: 9, Tokens: 8000, Cost: 7_000_000}, Agent: Limit{Calls: 5}, Tick: Limit{Tokens: 600}},
				Prices:   []price.Price{{Model: "m", Currency: "USD", Rates: price.Rates{Input: 3, CachedInput: 2, Output: 5}, AsOf: "2026-01-02", Source: "a table"}},
				Estimate: &Estimate{Least: Usage{Calls: 1}, Likely: Usage{Calls: 2, InputTokens: 3}, Most: Usage{Calls: 4, InputTokens: 5, OutputTokens: 6, Cost: 7}},
			},
			Forks: []Fork{fork}, Extract: ExtractAnswers,
			Timing: &HeaderTiming{StartedAt: "2026-01-02T03:04:05Z", Concurrency: 4, SegmentBytes: new(int64(1 << 20)), Extensions: []Extension{{"e", "1"}}},
		},
		part,
		Switch{Tick: 1, AgentID: "agent-1", SystemPrompt: &goal, ShortTermGoal: &goal, LongTermGoal: &goal, Persona: &goal},
		ModelCall{
			MaxOutputTokens: 900,
			Tick:            1, AgentID: "agent-1", Step: 1, Stage: "decision", Model: "m", Instructions: "h1", Tools: "h2",
			Input: []string{part.Hash}, ToolChoice: json.RawMessage(`"required"`), CacheKey: "k", Breakpoints: []int{0}, RequestHash: "h3", InputChars: 120, ToolChars: 900,
			Sections: []Section{{Name: "memory", Chars: 40, Tokens: 11, ClippedChars: 7, Clipped: true}},
			Answer: Answer{
				Kind: llmclient.AnswerTruncated, ID: "resp_1", Model: "m-2026", Status: "incomplete", IncompleteReason: "max_output_tokens",
				Output: []string{part.Hash}, NonObjects: 1, Repairs: []string{"event_stream"}, Usage: llmclient.Usage{Input: 9, Cached: 4, Output: 3, Reasoning: 1, Total: 12, Written: 2, WrittenLong: 1, ServiceTier: "flex"},
				Failure: &llmclient.Failure{Kind: llmclient.ErrServer, Status: 503, Code: "busy", Message: "try later"},
			},
			Charge:  &Charge{ReservedTokens: 40, Tokens: 12, Cost: 34},
			Counted: &Counted{Input: 900, Output: 3},
			Timing:  &CallTiming{LatencyMS: 12, Attempts: 2, FailedAttempts: []llmclient.ErrorKind{llmclient.ErrTimeout, llmclient.ErrServer}, Recorded: true},
		},
		Refusal{Tick: 1, AgentID: "agent-1", Step: 2, Stage: "decision", Cap: "run_tokens", Limit: 900, Available: 30, Requested: 70, RequestHash: "h4"},
		Step{
			Tick: 1, AgentID: "agent-1", Step: 1, Kind: StepModuleCall, Status: StatusError, Code: "INVALID_ARGUMENTS",
			CallID: "call_1", Minted: true, Name: "world.route", Detail: json.RawMessage(`{"n":1}`), Repairs: []string{"unfenced"}, Level: LevelWarn,
		},
		Decision{
			Tick: 1, AgentID: "agent-1", DecidedBy: ByEngine, By: ByDraft, FailedBy: "llm_error:deadline", ChainStep: 2, Proposed: json.RawMessage(`null`),
			Adjusted: json.RawMessage(`{"action":"wait"}`), Executed: json.RawMessage(`{"action":"wait"}`),
			Adjustments: []world.Adjustment{{Action: "mine_compound", Field: "compound_mass_g", From: 9, To: 5, Bound: "rule"}},
			Authority:   &Authority{By: AuthorityRule, Planned: 1, Rule: 2, Asker: "agent-2", Terms: "req-0-agent-2-1", Deviation: 3}, Parents: []string{"agent-2"},
			WaitReason: "parse_error:truncated", ErrorClass: ClassParse, Why: "the hub is empty",
			Template:         &Source{ID: "template-1a2b3c4d", Kind: KindTemplate, Title: "full, two-step, en", Preview: "You run one silicon agent.", Chars: 900, Trust: TrustRules},
			SourcesRetrieved: []Source{{ID: "mem-1-1", Kind: "outcome", Score: 1500, Chars: 30, OriginAgent: "agent-1", OriginTick: 1, Trust: TrustSelfObservation, Parents: []string{"mem-0-1"}}},
			SourcesUsed:      []string{"mem-1-1"},
			SourcesCited:     []Citation{{ID: "mem-1-1", Channel: "both", Status: "used"}}, SourcesUnknown: 1, SourcesInvented: 1, Calls: 2, Commit: "one-step", CallsSaved: 1,
			Outcome: json.RawMessage(`{"tick":1,"action":{"action":"wait"},"accepted":true}`),
			Tokens:  &llmclient.Usage{Input: 9, Cached: 4, Output: 3, Reasoning: 1, Total: 12}, Timing: &DecisionTiming{DurationMS: 15},
		},
		Event{Tick: 1, Event: world.Event{
			Tick: 1, Kind: world.EventPowerSettled, Agent: "agent-1", Place: "loc-1", Subject: "s", Detail: "low",
			Postings: []world.Posting{{From: "a", To: "b", Resource: "electricity", Amount: 3}},
		}},
		TickEnd{Tick: 1, Digest: "d1", Due: 1, Continued: 2, WorldTime: 1},
		fork,
		RunEnd{
			Tick: 1, RunStatus: RunInterrupted, Reason: "asked to stop", TicksDone: 1, FinalDigest: "d1",
			Agents:         []FinalAgent{{AgentID: "agent-1", Place: "loc-1", PowerState: "normal", Electricity: 30, Heat: 5, Stock: []world.Amount{{Resource: "data", Amount: 12}}}},
			Goals:          []GoalOutcome{{GoalID: "g1", AgentID: "agent-1", Text: goal, MetAt: &met, Now: 2, AtLeast: 2}},
			FaultsInjected: map[string]int64{"http_500": 2},
			Timing:         &EndTiming{FinishedAt: "2026-01-02T03:05:05Z", WallMS: 60000},
		},
		Resume{
			Tick: 1, TicksRequested: 30, Exchanges: 2, CutBytes: 77, BaseURL: "http://b/v1", Drift: "engine", Caps: &CapChange{Tick: 3, Caps: Caps{Run: Limit{Calls: 9}}},
			Timing: &ResumeTiming{ResumedAt: "2026-01-02T04:04:05Z", Concurrency: 8, SegmentBytes: new(int64)},
		},
		Segment{Tick: 1, Number: 2},
		CapChange{Tick: 2, AskAgain: true, Caps: Caps{Run: Limit{Calls: 12}}, Seats: []AgentSeat{{Agent: "agent-1", Seat: "greedy", Version: "1", ReadsTexts: true}}},
		ToolCall{
			Tick: 1, AgentID: "agent-1", Step: 1, CallID: "call_2", Tool: "oracle_ask", Arguments: json.RawMessage(`{"question":"what"}`),
			ToolResult: ToolResult{Code: ToolFailed, Result: json.RawMessage(`"dig"`), BytesFull: 5}, Timing: &ToolTiming{LatencyMS: 3},
		},
		Control{
			Tick: 2, Kind: ControlSwitch, AgentID: "agent-1", SystemPrompt: &goal, ShortTermGoal: &goal, LongTermGoal: &goal,
			Caps: &Caps{Run: Limit{Calls: 12}}, Text: "come", Timing: &ControlTiming{TakenAt: "2026-01-02T04:05:05Z"},
		},
	}
}

// lines encodes records as a trace.
func lines(t testing.TB, records ...Record) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatalf("Write(%s): %v", r.RecordType(), err)
		}
	}
	return b.Bytes()
}

// readAll decodes a whole trace that must be sound.
func readAll(t testing.TB, text []byte) []Record {
	t.Helper()
	var records []Record
	for r, err := range NewReader(bytes.NewReader(text)).All() {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// newPart returns the part that a writer makes of body.
func newPart(tick int64, kind BlobKind, body []byte) Blob { return NewBlob(tick, kind, body) }
