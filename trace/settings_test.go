package trace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient/price"
)

func TestDefaultsAreValid(t *testing.T) {
	s := DefaultSettings()
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	if s.Protocol != "full" || s.Ticks != 20 || s.RepeatAdviceAfter != 4 || s.FreezePlaybook {
		t.Errorf("%+v", s)
	}
	// What may be zero is left so, unless all defaults are asked for.
	if got := (Settings{RepairsMax: 2}).WithDefaults(); got.RepairsMax != 2 || got.RepeatAdviceAfter != 0 || got.Protocol != "full" {
		t.Errorf("%+v", got)
	}
}

func TestSettingsNameWhatIsWrong(t *testing.T) {
	for want, change := range map[string]func(*Settings){
		`protocol "chatty": allowed are full, lean`:                func(s *Settings) { s.Protocol = "chatty" },
		"ticks 0: allowed are 1 to 10000000":                       func(s *Settings) { s.Ticks = 0 },
		"agents_override -1":                                       func(s *Settings) { s.AgentsOverride = -1 },
		"prompt switch 2: tick 3, must be at least 4":              func(s *Settings) { s.PromptSwitches = []Switch{{Tick: 4}, {Tick: 3}} },
		`model of agent "a": it is set twice`:                      func(s *Settings) { s.AgentModels = []AgentModel{{Agent: "a"}, {Agent: "a"}} },
		"cap of the tick: must not be negative":                    func(s *Settings) { s.Caps.Tick.Calls = -1 },
		`cap on cost of the agent: there is no price of model "m"`: func(s *Settings) { s.Model, s.Caps.Agent.Cost = "m", 1 },
		"cap on cost of the run: prices in USD and in EUR cannot be added": func(s *Settings) {
			s.Model, s.AgentModels, s.Caps.Run.Cost = "m", []AgentModel{{Agent: "a", Model: "n"}}, 1
			s.Prices = []price.Price{{Model: "m", Currency: "USD"}, {Model: "n", Currency: "EUR"}}
		},
	} {
		s := DefaultSettings()
		change(&s)
		if err := s.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestChangesAreFieldByField(t *testing.T) {
	before := DefaultSettings()
	next := before
	next.Model, next.Playbook, next.Caps.Run.Calls, next.Estimate = "m", "lessons", 9, &Estimate{}
	next.GuardOff = []string{"plan"}
	bold, goal := "Be\nbold.", "g"
	next.PromptSwitches = []Switch{{Tick: 3, AgentID: "agent-1", Persona: &bold, ShortTermGoal: &goal}, {Tick: 4, SystemPrompt: &goal}}
	want := []Change{
		{"guard_off", "null", `["plan"]`}, {"model", "", "m"}, {"caps", "none", "the run 9 calls"},
		{"prompt_switches", "none", `agent-1 from tick 3: persona "Be\nbold.", short-term goal "g"; all agents from tick 4: system prompt "g"`},
		{"playbook", "none", digestText([]byte("lessons"))},
	}
	if diff := cmp.Diff(want, before.Changes(next)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// TestRunName: settings that do not change the course of a run are no part of its name.
func TestRunName(t *testing.T) {
	h := Header{Settings: DefaultSettings(), Timing: &HeaderTiming{StartedAt: "now"}}
	same, live, other := h, h, h
	same.Settings.Ticks, same.Settings.Estimate, same.Timing = 7, &Estimate{}, nil
	live.Settings.ModelSource = SourceLive
	other.Settings.Seed++
	later := live
	later.Timing = &HeaderTiming{StartedAt: "later"}
	if h.RunName() != same.RunName() || h.RunName() == other.RunName() || live.RunName() == later.RunName() {
		t.Errorf("names %s %s %s %s %s", h.RunName(), same.RunName(), other.RunName(), live.RunName(), later.RunName())
	}
}
