package behavior_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// ways are the ways in which a turn ends without a decision: the answers, in the form of the
// conversations, and the reason that each leaves. The last answer is repeated as long as the turn
// asks.
var ways = []struct{ name, answers, reason string }{
	{"error", "fail server_error", "llm_error:server_error"},
	{"deadline", "fail deadline", "llm_error:deadline"},
	{"cap", "fail cap", "llm_error:cap"},
	{"prose", "text I shall harvest.", "parse_error:no_json"},
	{"silence", "reasoning", "parse_error:empty_output"},
	{"refusal", "refusal I cannot.", "parse_error:refusal"},
	{"cut", "text Hm\nincomplete max_output_tokens", "parse_error:truncated"},
	{"filtered", "incomplete content_filter", "parse_error:content_filter"},
	{"bad arguments", "call - NAME {\"candidate\":7}", "parse_error:invalid_arguments"},
	{"no arguments", "call - NAME", "parse_error:invalid_arguments"},
	{"unknown tool", "call - fly {}", "parse_error:unknown_tool"},
	{"modules for ever", "call - world_rules {\"topic\":\"power\"}", "parse_error:not_allowed_now"},
	{"plans for ever", "call - plan {\"goal\":\"\",\"steps\":[],\"actions\":[]}", "rounds_used_up"},
	{"refused for ever", "call - NAME {\"action\":{\"action\":\"build_factory\",\"what\":\"factory.assembler.mk1\"}}", "world_would_refuse"},
	{"refused in turn", "call - NAME {\"action\":{\"action\":\"build_factory\",\"what\":\"factory.assembler.mk1\"}}\n\ncall - NAME {\"action\":{\"action\":\"refine_compound\",\"amount\":7}}\n\nfail reset", "llm_error:reset"},
}

// played is what a turn ends in, after the answers. NAME is replaced by the tool that decides.
func played(t *testing.T, cfg behavior.Config, scenario, answers string) behavior.Decision {
	t.Helper()
	return playedBeside(t, cfg, scenario, answers, func(*behavior.Turn) {})
}

// playedBeside also looks at the turn before each answer.
func playedBeside(t *testing.T, cfg behavior.Config, scenario, answers string, look func(*behavior.Turn)) behavior.Decision {
	t.Helper()
	runtime, err := behavior.NewRuntime(cfg, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, scenario)
	w.Advance()
	turn := runtime.Agent(w.AgentID(0), w.Persona(0)).Begin(w.View(0))
	name := "decision"
	if cfg.Protocol == behavior.ProtocolLean {
		name = "turn"
	}
	blocks := strings.Split(strings.ReplaceAll(answers, " NAME", " "+name), "\n\n")
	for {
		switch step := turn.Next().(type) {
		case behavior.Ask:
			checkPairing(t, step.Request.Input)
			if step.Number > cfg.CallsMax() {
				t.Fatal("the turn does not end")
			}
			look(turn)
			block := blocks[0]
			if strings.HasSuffix(block, " "+name) {
				block += " " // no arguments at all
			}
			turn.Answer(parseAnswer(t, step.Number, block))
			blocks = blocks[min(1, len(blocks)-1):]
		case behavior.Call:
			turn.Result(modules.New().Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
		case behavior.Decision:
			return step
		}
	}
}

// ended is a decision as one line: what is done, by what, and what for.
func ended(d behavior.Decision) string {
	line := string(world.EncodeAction(d.Executed))
	for _, o := range d.Otherwise {
		line += " or " + string(world.EncodeAction(o.Executed))
	}
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s%s", line, d.By, d.WaitReason, d.FailedBy)), " ")
}

const (
	harvest5 = `{"action":"harvest_radiation","amount":5}`
	harvest3 = `{"action":"harvest_radiation","amount":5,"execute_until":{"until":[{"event":"action_rejected"}],"max_ticks":3}}`
	mine5    = `{"action":"mine_compound","amount":5}`
	give5    = `{"action":"transfer_resource","to":"agent-2","what":"data","amount":5}`
	build    = `{"action":"build_factory","what":"factory.assembler.mk1"}`
	harvests = `{"action":"harvest_radiation","max_amount":5}`
	mines    = `{"action":"mine_compound","compound_mass_g":5}`
)

// TestEveryWayATurnFails ends turns in every way, with nothing, with a plan and with a draft, in
// each protocol and way to commit. The plan's first action or the draft's best candidate is done,
// and the other one is tried next. Without either the agent waits.
func TestEveryWayATurnFails(t *testing.T) {
	for _, mode := range []struct {
		name             string
		settings         trace.Settings
		planned, drafted string
	}{
		{"full", trace.Settings{}, "call p plan {\"goal\":\"\",\"steps\":[],\"actions\":[%s,%s]}", "call d decision_draft {\"candidates\":[%s,%s]}"},
		// A draft alone is the decision, so that a turn can only fail after one that is beside a question.
		{"one-step", trace.Settings{Commit: trace.CommitOneStep}, "call p plan {\"goal\":\"\",\"steps\":[],\"actions\":[%s,%s]}", "call d decision_draft {\"candidates\":[%s,%s]}\ncall m world_rules {\"topic\":\"heat\"}"},
		{"lean", trace.Settings{Protocol: behavior.ProtocolLean}, "call p plan {\"goal\":\"\",\"steps\":[],\"actions\":[%s,%s]}", "call d turn {\"plan\":\"\",\"candidates\":[%s,%s],\"candidate\":8}"},
	} {
		mode.settings.Model = "m"
		cfg := behavior.Config{Settings: mode.settings}
		for _, way := range ways {
			for _, hand := range []struct{ name, answers, want string }{
				{"nothing", "", `{"action":"wait"} `},
				{"a plan", fmt.Sprintf(mode.planned, harvest5, mine5) + "\n\n", harvests + " plan "},
				{"a draft", fmt.Sprintf(mode.drafted, harvest5, mine5) + "\n\n", harvests + " or " + mines + " draft "},
			} {
				t.Run(mode.name+", "+way.name+", "+hand.name, func(t *testing.T) {
					d := played(t, cfg, "minimal", hand.answers+way.answers)
					if got := ended(d); got != hand.want+way.reason {
						t.Errorf("ends in %s, want %s", got, hand.want+way.reason)
					}
				})
			}
		}
	}
}

// draft, planning and choose are answers that do just that.
func draft(actions ...string) string {
	return `call - decision_draft {"candidates":[` + strings.Join(actions, ",") + "]}\n\n"
}

func planning(actions ...string) string {
	return `call - plan {"goal":"","steps":[],"actions":[` + strings.Join(actions, ",") + "]}\n\n"
}

func choose(n int) string { return fmt.Sprintf(`call - decision {"candidate":%d}`, n) }

// TestWhatATurnFallsBackOn checks that the newest accepted draft is used, which actions are never
// done without a decision, and what is tried if the world refuses the decision.
func TestWhatATurnFallsBackOn(t *testing.T) {
	wait, direct := trace.Settings{Fallback: trace.FallbackWait}, trace.Settings{Commit: trace.CommitOneStep}
	for _, tt := range []struct {
		name, scenario, answers string
		settings                trace.Settings
		want                    string
	}{
		{"another draft", "minimal", draft(harvest5) + draft(mine5) + "fail reset", trace.Settings{}, mines + " draft llm_error:reset"},
		{"another draft, refused", "minimal", draft(harvest5) + draft(build) + "fail reset", trace.Settings{}, harvests + " draft llm_error:reset"},
		{"the same draft", "minimal", draft(harvest5, mine5) + draft(harvest5, mine5), trace.Settings{}, harvests + " or " + mines + " draft rounds_used_up"},
		{"a draft over a plan", "minimal", planning(mine5) + draft(harvest5) + "fail reset", trace.Settings{}, harvests + " draft llm_error:reset"},
		{"a draft of nothing, over a plan", "minimal", planning(mine5) + draft(build) + "fail reset", trace.Settings{}, mines + " plan llm_error:reset"},
		{"another plan", "minimal", planning(mine5) + planning(harvest5) + "fail reset", trace.Settings{}, harvests + " plan llm_error:reset"},
		{"several decisions", "minimal", draft(harvest5, mine5) + choose(1) + "\n" + choose(2), trace.Settings{}, `{"action":"wait"} parse_error:several_decisions`},
		{"a wait, chosen beside a mistake", "minimal", draft(harvest5) + choose(0) + "\n" + choose(9) + "\n\nfail reset", trace.Settings{}, `{"action":"wait"} llm_error:reset`},
		{"a plan to rest", "minimal", `call - plan {"goal":"","steps":[{"kind":"skip"}],"actions":[` + harvest5 + "]}", trace.Settings{}, `{"action":"wait"}`},
		{"an interrupt", "minimal", draft(harvest5) + "fail interrupted", trace.Settings{}, `{"action":"wait"} llm_error:interrupted`},
		{"a turn given up", "minimal", draft(harvest5) + "fail abandoned", trace.Settings{}, `{"action":"wait"} llm_error:abandoned`},
		{"the setting", "minimal", planning(mine5) + draft(harvest5) + "fail reset", wait, `{"action":"wait"} llm_error:reset`},
		{"bound to the plan", "minimal", planning(mine5) + draft(harvest5) + "fail reset", trace.Settings{BindPlan: true}, mines + " plan llm_error:reset"},
		{"a draft of a gift, over a plan", "two_bases", planning(harvest5) + draft(give5) + "fail reset", trace.Settings{}, harvests + " plan llm_error:reset"},
		{"a gift", "two_bases", draft(give5) + "fail reset", trace.Settings{}, `{"action":"wait"} llm_error:reset`},
		{"a gift, planned", "two_bases", planning(give5) + "fail reset", trace.Settings{}, `{"action":"wait"} llm_error:reset`},
		{"an order, planned first", "minimal", planning(harvest3) + "fail reset", trace.Settings{}, `{"action":"execute_until","do":` + harvests + `,"until":[{"event":"action_rejected"}],"max_ticks":3} plan llm_error:reset`},
		{"an order, planned after a gift", "two_bases", planning(give5, harvest3) + "fail reset", trace.Settings{}, harvests + " plan llm_error:reset"},
		{"an order, planned after what is not possible", "minimal", planning(build, harvest3) + "fail reset", trace.Settings{}, `{"action":"execute_until","do":` + harvests + `,"until":[{"event":"action_rejected"}],"max_ticks":3} plan llm_error:reset`},
		{"an order of waits, planned after what is not possible", "minimal", planning(build, strings.Replace(harvest3, `"harvest_radiation","amount":5`, `"wait"`, 1)) + "fail reset", trace.Settings{}, `{"action":"wait"} plan llm_error:reset`},
		{"a message, planned after what is not possible", "two_bases", planning(build, `{"action":"send_message","to":"agent-2","text":"hello"}`) + "fail reset", trace.Settings{}, `{"action":"wait"} llm_error:reset`},
		{"an order, planned after a message of open text", "two_bases", planning(`{"action":"send_message","to":"agent-2","text":null}`, harvest3) + "fail reset", trace.Settings{}, harvests + " plan llm_error:reset"},
		{"an order, planned after a gift that may fit or not", "two_bases", planning(`{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":5}`, harvest3) + "fail reset", trace.Settings{}, harvests + " plan llm_error:reset"},
		{"a sleep of open length", "minimal", planning(`{"action":"wait_ticks","ticks":null}`, mine5) + "fail reset", trace.Settings{}, mines + " plan llm_error:reset"},
		{"a harvest of open amount", "minimal", planning(`{"action":"harvest_radiation","amount":null}`) + "fail reset", trace.Settings{}, `{"action":"harvest_radiation","max_amount":31} plan llm_error:reset`},
		{"a gift and a harvest", "two_bases", draft(give5, harvest5) + "fail reset", trace.Settings{}, harvests + " draft llm_error:reset"},
		{"decided", "minimal", draft(harvest5, mine5) + choose(2), trace.Settings{}, mines + " or " + harvests},
		{"decided at once", "minimal", draft(harvest5, mine5), direct, harvests + " or " + mines},
		{"decided, what was not drafted", "minimal", draft(harvest5) + `call - decision {"action":` + mine5 + "}", trace.Settings{}, mines + " or " + harvests},
		{"decided, with the setting", "minimal", draft(harvest5, mine5) + choose(2), wait, mines},
		{"decided, a gift beside", "two_bases", draft(harvest5, give5) + choose(1), trace.Settings{}, harvests},
		{"a wait", "minimal", draft(harvest5) + choose(0), trace.Settings{}, `{"action":"wait"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.settings.Model = "m"
			if got := ended(played(t, behavior.Config{Settings: tt.settings}, tt.scenario, tt.answers)); got != tt.want {
				t.Errorf("ends in %s, want %s", got, tt.want)
			}
		})
	}
}
