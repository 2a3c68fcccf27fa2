package behavior_test

import (
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestStaticTextLeavesRoom holds instructions and tools under 42% of the smallest supported
// window. That is two fifths, and the slots of planned actions, which are the only part that the
// tools hold twice. With requests and offers, they are held under a quarter of a window of 8,000
// tokens, and with steps that follow an action under 29% of that. A failure means text to cut, not a limit to raise.
func TestStaticTextLeavesRoom(t *testing.T) {
	for _, cfg := range staticConfigs() {
		limit := behavior.ContextWindowMin * 42 / 100
		if cfg.Needless == nil {
			limit = 8_000 / 4
		}
		if cfg.ChainSteps > 0 { // no smaller window has them
			limit = 8_000 * 29 / 100
		}
		runtime, err := behavior.NewRuntime(cfg, world.DefaultRules().Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		tools := 0
		for _, tool := range runtime.Tools() {
			tools += tokens.Count(string(tool.Wire()))
		}
		s, _, _ := scenario.Embedded("llm_bootstrap")
		for _, persona := range s.Personas {
			text := tokens.Count(runtime.Agent("agent-1", persona).Instructions())
			t.Logf("%s %s, without %q: %d tokens of instructions, %d of tools", cfg.Protocol, cfg.Language, cfg.Needless, text, tools)
			if text+tools > limit {
				t.Errorf("%s %s, without %q: %d tokens of instructions and %d of tools, limit %d together", cfg.Protocol, cfg.Language, cfg.Needless, text, tools, limit)
			}
		}
	}
}

// turnIn begins a turn of the first agent of a scenario after some ticks of
// waiting with a memory of n failures.
func turnIn(t *testing.T, scenario string, cfg behavior.Config, failures int) *behavior.Turn {
	t.Helper()
	return mindIn(t, scenario, cfg, failures).begin()
}

// seated is an agent with the world its agent lives in.
type seated struct {
	*behavior.Agent
	world *world.World
}

func (s seated) begin() *behavior.Turn { return s.Begin(s.world.View(0)) }

// mindIn is the agent behind turnIn.
func mindIn(t *testing.T, scenario string, cfg behavior.Config, failures int) seated {
	t.Helper()
	runtime, err := behavior.NewRuntime(cfg, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, scenario)
	w.Advance()
	mind := runtime.Agent(w.AgentID(0), w.Persona(0))
	for tick := range failures {
		number := int64(tick)
		mind.Learn(number, behavior.Decision{Executed: world.Mine{MassG: number + 1}}, world.Outcome{
			Tick: number, Action: world.Mine{MassG: number + 1},
			Rejection: &world.Rejection{Code: world.RejectDepleted, Requested: &number, Available: &number},
		})
	}
	return seated{mind, w}
}

func firstAsk(t *testing.T, turn *behavior.Turn) behavior.Ask {
	t.Helper()
	ask, ok := turn.Next().(behavior.Ask)
	if !ok {
		t.Fatal("a turn does not begin with an ask")
	}
	return ask
}

func TestLargeWindowClipsNothing(t *testing.T) {
	for _, s := range firstAsk(t, turnIn(t, "llm_bootstrap", behavior.Config{CountTokens: tokens.Count}, 40)).Sections {
		if s.Clipped {
			t.Errorf("section %s lost %d characters in a window of 128,000 tokens", s.Name, s.ClippedChars)
		}
	}
}

func TestSmallestWindowClipsByPriorityAndStaysInside(t *testing.T) {
	cfg := behavior.Config{Settings: trace.Settings{ContextWindowTokens: behavior.ContextWindowMin}, CountTokens: tokens.Count}
	ask := firstAsk(t, turnIn(t, "llm_bootstrap", cfg, 60))
	total := tokens.Count(string(ask.Request.Body()))
	if total > behavior.ContextWindowMin-behavior.ContextWindowMin/8 {
		t.Errorf("the first request takes %d tokens of %d, %d reserved for the answer", total, behavior.ContextWindowMin, behavior.ContextWindowMin/8)
	}
	sections := map[string]trace.Section{}
	for _, s := range ask.Sections {
		sections[s.Name] = s
	}
	if s := sections["goals"]; s.Clipped || s.Chars == 0 {
		t.Errorf("goals were clipped: %+v", s)
	}
	if sections["observation"].Clipped && sections["history"].Chars > 0 {
		t.Error("the observation was cut before the history was gone")
	}
	if !strings.Contains(string(ask.Request.Body()), `\nyou: agent-1, at `) {
		t.Error("the agent's own state is not in the prompt")
	}
}

// TestEachCallExtendsTheLast is what provider prompt caches need.
func TestEachCallExtendsTheLast(t *testing.T) {
	turn := turnIn(t, "minimal", behavior.Config{}, 3)
	answers := []string{
		`plan {"goal":"g","steps":[{"kind":"call","what":"x"}],"actions":[]}`,
		`memory_short_term_recent {"limit":2}`,
		`decision_draft {"candidates":[{"action":{"action":"wait"},"why":""}],"sources_used":[]}`,
		`decision {"action":{"action":"wait"},"execute_until":null,"why":"","sources_used":[]}`,
	}
	var before []llmclient.Item
	for n := 0; ; {
		switch step := turn.Next().(type) {
		case behavior.Ask:
			for i, it := range before {
				if string(step.Request.Input[i].Raw) != string(it.Raw) {
					t.Fatalf("call %d changes item %d of the call before", step.Number, i)
				}
			}
			before = append([]llmclient.Item{}, step.Request.Input...)
			name, args, _ := strings.Cut(answers[n], " ")
			n++
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{llmclient.FunctionCall("c"+name, name, args)}}})
		case behavior.Call:
			turn.Result(modules.New().Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
		case behavior.Decision:
			if n != len(answers) {
				t.Errorf("decided after %d answers, want %d", n, len(answers))
			}
			return
		}
	}
}

// TestSourcesUsedAreCheckedAgainstRetrieved cites one remembered source by report,
// one in the reason, and one that does not exist.
func TestSourcesUsedAreCheckedAgainstRetrieved(t *testing.T) {
	turn := turnIn(t, "minimal", behavior.Config{}, 2)
	firstAsk(t, turn)
	turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{llmclient.FunctionCall("c", "decision",
		`{"action":{"action":"wait"},"execute_until":null,"why":"as seen in [mem-1-2]","sources_used":["mem-0-1","mem-77-1"]}`)}}})
	d, ok := turn.Next().(behavior.Decision)
	if !ok {
		t.Fatal("no decision")
	}
	if len(d.SourcesRetrieved) != 2 || strings.Join(d.SourcesUsed, " ") != "mem-0-1 mem-1-2" {
		t.Errorf("retrieved %d, used %v; want 2, [mem-0-1 mem-1-2]", len(d.SourcesRetrieved), d.SourcesUsed)
	}
	for _, s := range d.SourcesRetrieved {
		// A refused action names only what the agent knows of, so it is observed fact.
		if s.Kind != trace.KindMemory || s.Trust != trace.TrustSelfObservation {
			t.Errorf("source %+v", s)
		}
	}
}

func TestConfigNamesWhatIsWrong(t *testing.T) {
	for want, s := range map[string]trace.Settings{
		"protocol":                  {Protocol: "chatty"},
		"context_window_tokens":     {ContextWindowTokens: 100},
		"module_calls_max":          {ModuleCallsMax: -1},
		"prompt_profile":            {PromptProfile: "Rich"},
		"playbook_bullets -1":       {PlaybookBullets: -1},
		"playbook_bullets 51":       {PlaybookBullets: 51},
		"guard checks to leave out": {GuardOff: []string{"moat"}},
	} {
		if _, err := behavior.NewRuntime(behavior.Config{Settings: s}, world.DefaultRules().Industry(), modules.New()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one that names %q", s, err, want)
		}
	}
	if got := (behavior.Config{}).CallsMax(); got != 24 {
		t.Errorf("the longest turn takes %d calls, want 24", got)
	}
}

// TestBytesSettleTheBudgetFirst: where the bytes fit, no section is counted, and where
// they do not, tokens decide and not the bytes.
func TestBytesSettleTheBudgetFirst(t *testing.T) {
	counted := 0
	count := func(s string) int {
		if strings.Contains(s, "# Observation") {
			counted++
		}
		return tokens.Count(s)
	}
	for _, tc := range []struct {
		window int
		counts bool
	}{{128_000, false}, {behavior.ContextWindowMin, true}} {
		counted = 0
		cfg := behavior.Config{Settings: trace.Settings{ContextWindowTokens: tc.window, PromptProfile: behavior.ProfileRich}, CountTokens: count}
		mind := mindIn(t, "llm_bootstrap", cfg, 60)
		counted = 0
		mind.begin()
		if (counted > 0) != tc.counts {
			t.Errorf("window %d: %d observations counted", tc.window, counted)
		}
	}
	inBytes := firstAsk(t, turnIn(t, "llm_bootstrap", behavior.Config{Settings: trace.Settings{ContextWindowTokens: 9_000}}, 60))
	inTokens := firstAsk(t, turnIn(t, "llm_bootstrap", behavior.Config{Settings: trace.Settings{ContextWindowTokens: 9_000}, CountTokens: tokens.Count}, 60))
	if a, b := clipped(inBytes), clipped(inTokens); a == 0 || b != 0 {
		t.Errorf("counted in bytes %d characters are cut, counted in tokens %d; want some and none", a, b)
	}
}

func clipped(a behavior.Ask) int {
	n := 0
	for _, s := range a.Sections {
		n += s.ClippedChars
	}
	return n
}

// TestProfilesGrow: each profile shows more than the one before, and all are two messages with
// every section at most once.
func TestProfilesGrow(t *testing.T) {
	before := 0
	for _, p := range behavior.Profiles() {
		ask := firstAsk(t, turnIn(t, "llm_bootstrap", behavior.Config{Settings: trace.Settings{PromptProfile: p}}, 60))
		if len(ask.Request.Input) != 2 {
			t.Fatalf("%s: the opening is %d items", p, len(ask.Request.Input))
		}
		text := ask.Request.Input[1].Text
		if len(text) <= before {
			t.Errorf("%s: %d characters, the shorter profile has %d", p, len(text), before)
		}
		before = len(text)
		for _, heading := range []string{"# Goals\n", "# History", "# Memory\n", "# Observation, tick 1\n"} {
			if n := strings.Count("\n"+text, "\n"+heading); n > 1 || n == 0 && heading != "# Memory\n" {
				t.Errorf("%s: %q stands %d times in\n%s", p, heading, n, text)
			}
		}
	}
}
