package trace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/world"
)

// Settings are everything that shapes a run: two runs with equal settings and equal
// answers are equal. They hold no secret. Every field means what it says; start from
// [DefaultSettings] and change what you need.
//
// To add a setting, add its field here and use it. The tags are all that the command
// line knows of it:
//
//	json     the name in records, in changes and in errors
//	cli      "FLAG KEY ENV...": the flag, "-" for none, the key in the configuration
//	         file, and environment variables, strongest first
//	default  the value that holds unless another is set, as text
//	absent   says for help what holds without a default
//	min, max bound a number
//	choices  the texts allowed, between spaces
//	kind     how the command line reads the text where the type does not say it; what
//	         a "file" or "dir" holds is read from there
//	doc      one line for help
//
// A field without cli is derived from others.
type Settings struct {
	// Scenario is the scenario's name, ScenarioTOML its full text.
	Scenario     string `json:"scenario" cli:"scenario run.scenario" kind:"path" default:"llm_bootstrap" doc:"scenario name, or path of a .toml file"`
	ScenarioTOML string `json:"scenario_toml"`
	// Rules replace those of the scenario; nil keeps them.
	Rules *world.Rules `json:"rules,omitempty"`
	// Goals replace those of the scenario, in the words of this run; nil keeps them.
	Goals []world.Goal `json:"goals,omitempty"`
	// Ticks is how many ticks the run was asked for at first; a [Resume] may ask for more.
	// The canonical form omits it: the number of ticks asked for does not change the ticks
	// themselves.
	Ticks int64  `json:"ticks,omitempty" cli:"ticks run.ticks" default:"20" min:"1" max:"10000000" doc:"ticks to run; a task runs its own length unless this is given"`
	Seed  uint64 `json:"seed" cli:"seed run.seed" absent:"the scenario's" doc:"seed of the world"`
	// Vary draws an instance by the seed also where the scenario varies on request only.
	Vary bool `json:"vary,omitempty" cli:"vary run.vary" default:"false" doc:"draw an instance by the seed also of a scenario that varies on request only, such as llm_bootstrap"`
	// AgentsOverride replaces the scenario's number of agents; 0 keeps it.
	AgentsOverride int `json:"agents_override" cli:"agents run.agents" absent:"the scenario's" min:"1" max:"100000" doc:"number of agents"`
	// Protocol is the shape of a turn, Commit how its decision is made.
	Protocol string `json:"protocol" cli:"protocol run.protocol PROTOCOL" default:"full" choices:"full lean" doc:"full: plan, draft and decision in calls of their own; lean: in one call"`
	Commit   string `json:"commit" cli:"commit run.commit COMMIT" default:"two-step" choices:"two-step one-step" doc:"two-step: the model commits after it saw the dry runs of its draft; one-step: the best candidate runs without another call"`
	// GuardOff names the checks of the guard that are left out to measure them.
	GuardOff []string `json:"guard_off,omitempty" cli:"guard-off run.guard_off" absent:"none" doc:"checks of the guard to leave out, for measuring only, separated by commas, or all; may be repeated"`
	// MaxDegradedPct is the share of decisions that may end in a wait that no agent chose;
	// a run with more is no success. It does not change the run itself.
	MaxDegradedPct int `json:"max_degraded_pct,omitempty" cli:"max-degraded run.max_degraded MAX_DEGRADED" default:"50" min:"0" max:"100" doc:"percent of decisions that may end in a wait nobody chose, before the exit code is 6; 100 is off"`

	// Model is the run's model; an agent may have its own.
	Model       string      `json:"model" cli:"model llm.model MODEL" absent:"none: the scripted stub" doc:"model name; makes the run live"`
	ModelSource ModelSource `json:"model_source"`
	// BaseURL is the effective endpoint without credentials, empty where none is asked.
	BaseURL string `json:"base_url" cli:"base-url llm.base_url BASE_URL OPENAI_BASE_URL" kind:"url" absent:"https://api.openai.com/v1" doc:"Responses endpoint of the model"`
	// AgentModels are the agents with a model or endpoint of their own, each once.
	AgentModels []AgentModel `json:"agent_models,omitempty" cli:"agent-model agents AGENT_MODELS" absent:"none: the run's model for all" doc:"agent with a model or endpoint of its own, such as agent-1=small@http://127.0.0.1:8000/v1; may be repeated"`
	// Seats are the agents that a seat answers for, in place of a model: each once, and "*" for those
	// that are not named. With a seat for every agent no model is asked.
	Seats []AgentSeat `json:"seats,omitempty" cli:"seat run.seats SEATS" absent:"the scenario's, else the model" doc:"agent that no model plays but a seat, such as agent-2=greedy, or *=random for all; may be repeated"`
	// SeatTimeoutMS bounds one move of a seat, in milliseconds; 0 is a minute.
	SeatTimeoutMS int64 `json:"seat_timeout_ms,omitempty" cli:"seat-timeout run.seat_timeout_ms SEAT_TIMEOUT_MS" kind:"millis" absent:"60s" min:"1" max:"3600000" doc:"time for one move of a seat, a duration or milliseconds; a later one is dropped"`
	// ScriptedMode and ScriptedSeed shape the answers of the embedded model.
	ScriptedMode string `json:"scripted_mode" cli:"scripted-mode llm.scripted_mode" default:"normal" doc:"mode of the scripted stub, for tests"`
	ScriptedSeed uint64 `json:"scripted_seed" cli:"scripted-seed llm.scripted_seed" absent:"the run's seed" doc:"seed of the choices of the scripted stub, and of seats that draw"`

	// StubManner is how the embedded model answers, for all agents or for some.
	StubManner string `json:"stub_manner,omitempty" cli:"stub-manner llm.stub_manner STUB_MANNER" absent:"none" doc:"manners of the scripted stub, such as thinker,agent-2=prose; see docs/faults.md"`

	// TimeoutMS bounds a request, DecisionDeadlineMS a turn, in milliseconds; 0 is no
	// bound.
	TimeoutMS          int64 `json:"timeout_ms" cli:"timeout llm.timeout_ms TIMEOUT_MS" kind:"millis" default:"180000" min:"1" max:"3600000" doc:"time for one model call, a duration or milliseconds; one that takes longer is tried once more with 180s"`
	DecisionDeadlineMS int64 `json:"decision_deadline_ms" cli:"decision-deadline llm.decision_deadline_ms DECISION_DEADLINE_MS" kind:"millis" absent:"none" min:"1" max:"3600000" doc:"time for one whole decision, a duration or milliseconds"`
	// Faults is the plan by which the embedded model spoils answers, FaultSeed the seed of
	// its choices. A replay needs neither: their effect is recorded.
	Faults    string `json:"faults,omitempty" cli:"faults llm.faults FAULTS" absent:"none" doc:"answers the scripted stub spoils, such as repairable=20%,http_429=2%; see docs/faults.md"`
	FaultSeed uint64 `json:"fault_seed,omitempty" cli:"fault-seed llm.fault_seed FAULT_SEED" absent:"the run's seed" doc:"seed of the choice of answers to spoil"`
	// ContextWindowTokens is the model's window.
	ContextWindowTokens int `json:"context_window_tokens" cli:"context-window llm.context_window CONTEXT_WINDOW" default:"128000" min:"4000" max:"10000000" doc:"tokens the model can read and write in one call"`
	// How the models are asked to answer, see [llmclient.Sampling]. Sampling overrides
	// that for an agent or for a model.
	MaxOutputTokens int             `json:"max_output_tokens,omitempty" cli:"max-output-tokens llm.max_output_tokens MAX_OUTPUT_TOKENS" absent:"none; 4096 at most under a cap on tokens" min:"16" max:"10000000" doc:"longest answer in tokens, reasoning included"`
	ReasoningEffort string          `json:"reasoning_effort,omitempty" cli:"reasoning-effort llm.reasoning_effort REASONING_EFFORT" absent:"the provider's" doc:"how much the model thinks, in a word of its provider, such as low"`
	ServiceTier     string          `json:"service_tier,omitempty" cli:"service-tier llm.service_tier SERVICE_TIER" absent:"none" doc:"tier of the provider, such as flex; a call goes to the default one while the tier is full"`
	Temperature     json.Number     `json:"temperature,omitempty" cli:"temperature llm.temperature TEMPERATURE" absent:"the provider's" min:"0" max:"2" doc:"sampling temperature"`
	TopP            json.Number     `json:"top_p,omitempty" cli:"top-p llm.top_p TOP_P" absent:"the provider's" min:"0" max:"1" doc:"share of probability that tokens are sampled from"`
	ExtraBody       json.RawMessage `json:"extra_body,omitempty" cli:"extra-body llm.extra_body EXTRA_BODY" absent:"none" doc:"JSON object of further members of every request, for what a provider has of its own"`
	Sampling        []SamplingFor   `json:"sampling,omitempty" cli:"sampling-json llm.sampling_json SAMPLING_JSON" kind:"file" absent:"none" doc:"file or JSON list of [{\"agent\" or \"model\":.., \"max_output_tokens\":.., \"reasoning_effort\":.., \"service_tier\":.., \"temperature\":.., \"top_p\":.., \"extra_body\":{..}}]"`
	// The limits of one turn, in calls, steps and rounds.
	ModuleCallsMax int `json:"module_calls_max" cli:"- llm.max_module_calls MAX_MODULE_CALLS" default:"3" min:"1" max:"16" doc:"module calls in one decision"`
	ReasonStepsMax int `json:"reason_steps_max" default:"3" min:"1" max:"16"`
	GuardRoundsMax int `json:"guard_rounds_max" default:"3" min:"1" max:"16"`
	RepairsMax     int `json:"repairs_max" cli:"- llm.max_repair_rounds MAX_REPAIR_ROUNDS" default:"1" min:"1" max:"16" doc:"further calls to mend an unusable answer"`
	// Fallback is what a turn does whose end fails, BindPlan refuses what its plan does not
	// list.
	Fallback string `json:"fallback" cli:"fallback run.fallback FALLBACK" default:"best" choices:"best wait" doc:"what a turn does when its decision fails: best: the best candidate or planned action that passed every check; wait: nothing"`
	BindPlan bool   `json:"bind_plan" cli:"bind-plan run.bind_plan" default:"false" doc:"refuse what the plan of a turn does not list, instead of counting it"`
	// ChainSteps is how many steps may follow an action without a further decision; with 0, and in a
	// context window of less than 8,000 tokens, prompts do not mention them and none is taken.
	ChainSteps int `json:"chain_steps,omitempty" cli:"chain-steps run.chain_steps CHAIN_STEPS" default:"3" min:"0" max:"3" doc:"steps that may follow an action without asking the model again; 0 is none"`
	// RepeatAdviceAfter is how many equal decisions in a row the prompt remarks on, 0 for
	// never.
	RepeatAdviceAfter int `json:"repeat_advice_after" cli:"repeat-advice-after llm.repeat_advice_after FORCE_REPLAN_AFTER_SAME_ACTION" default:"4" min:"0" max:"1000000" doc:"equal decisions in a row before the prompt remarks on it; 0 is never"`

	// Caps bound what the run may spend. Prices are those of the models asked, for as many
	// as had one, and Estimate what the run was expected to take; it changes nothing.
	Prices   []price.Price `json:"prices,omitempty" cli:"price-table llm.price_table PRICE_TABLE" kind:"file" absent:"the built-in prices" doc:"file of prices by model, which goes before the built-in ones; see docs/cost.md"`
	Caps     Caps          `json:"caps,omitzero"`
	Estimate *Estimate     `json:"estimate,omitempty"`

	// The texts given for the run; empty means the built-in or the scenario's text.
	SystemPrompt  string `json:"system_prompt" cli:"system-prompt llm.system_prompt SYSTEM_PROMPT" absent:"built in" doc:"policy text at the head of every prompt"`
	ShortTermGoal string `json:"short_term_goal" cli:"short-term-goal llm.short_term_goal SHORT_TERM_GOAL" absent:"the scenario's" doc:"short-term goal of every agent"`
	LongTermGoal  string `json:"long_term_goal" cli:"long-term-goal llm.long_term_goal LONG_TERM_GOAL" absent:"the scenario's" doc:"long-term goal of every agent"`
	// PromptProfile is how much a prompt says, Language the language of the prompt.
	PromptProfile string `json:"prompt_profile" cli:"prompt-profile llm.prompt_profile PROMPT_PROFILE" default:"balanced" choices:"compact balanced rich" doc:"how much of world and past a prompt shows"`
	Language      string `json:"language" cli:"prompt-language llm.prompt_language PROMPT_LANGUAGE" default:"en" choices:"en zh" doc:"language of what the program says to the model: English or Chinese"`
	// Words are texts that replace those of the language by name: the file of the language, in full.
	Words string `json:"words,omitempty" cli:"words run.words WORDS" kind:"dir" absent:"the program's" doc:"directory of texts that replace what the program says to a model; see docs/prompt.md"`
	// PromptSwitches change the texts from a tick on, in rising order of ticks.
	PromptSwitches []Switch `json:"prompt_switches,omitempty" cli:"prompt-switches-json run.prompt_switches_json" kind:"file" absent:"none" doc:"file or JSON list of [{\"tick\":N, \"system_prompt\":.., \"short_term_goal\":.., \"long_term_goal\":.., \"persona\":.., \"agent\":..}]"`

	// Documents are the files of the run's documents with their texts, in the order of their
	// names. The scenario says which of them it trusts.
	Documents []Document `json:"documents,omitempty" cli:"documents run.documents" kind:"dir" absent:"none" doc:"directory of Markdown and text files that agents look things up in, untrusted unless the scenario says otherwise"`
	// OfferTools names those of the user's tools that a run begins with, each by its name or that of its
	// server, with commas between; "none" is none, and empty all. Once Tools has them it is empty.
	OfferTools string `json:"offer_tools,omitempty" cli:"tools run.tools TOOLS" absent:"all" doc:"tools of your own that agents are offered, by their names or the names of servers with commas between; none offers none"`
	// Tools are the user's tools that agents may call. The list is the same in the whole run.
	Tools []Tool `json:"tools,omitempty"`
	// Playbook is the file of lessons that every agent starts with, in full; empty for
	// none. PlaybookBullets bounds those in a prompt, PlaybookSize those in a playbook.
	Playbook        string `json:"playbook,omitempty" cli:"playbook run.playbook" kind:"file" absent:"none" doc:"file of lessons that every agent starts with; what is learned is folded into it"`
	PlaybookBullets int    `json:"playbook_bullets" cli:"playbook-bullets run.playbook_bullets" default:"6" min:"0" max:"50" doc:"lessons shown in a prompt at most; 0 shows none"`
	// FreezePlaybook keeps every playbook as it is. Otherwise agents learn after each tick
	// that LearnEvery divides; 0 is never.
	FreezePlaybook bool  `json:"freeze_playbook" cli:"freeze-playbook run.freeze_playbook" default:"false" doc:"learn nothing and never write the playbook"`
	LearnEvery     int64 `json:"learn_every" cli:"learn-every run.learn_every" default:"0" min:"0" max:"10000000" doc:"ticks after which agents reflect and learn; 0 is never"`
	PlaybookSize   int   `json:"playbook_size,omitempty" cli:"playbook-size run.playbook_size" default:"200" min:"1" max:"10000" doc:"lessons a playbook may hold"`

	// Recording is the source of recorded answers, nil if a model gave them all.
	Recording *Recording `json:"recording,omitempty" cli:"replay-from run.replay_from" kind:"file" absent:"none" doc:"run directory or file of answers that answers are taken from; see docs/forks.md"`
}

// Document is a file that agents look things up in.
type Document struct {
	// Name is its path in the directory, with slashes, or what the scenario calls it.
	Name string `json:"name"`
	Text string `json:"text"`
}

// AgentModel is what one agent uses in place of the run's model and endpoint.
type AgentModel struct {
	Agent string `json:"agent_id"`
	// Model and BaseURL are empty where the run's hold.
	Model   string `json:"model,omitempty"`
	BaseURL string `json:"base_url,omitempty"`
	// KeyEnv names the environment variable with the key; it is never the key. Empty
	// means the key of the run, when the endpoint is the run's, and else none.
	KeyEnv string `json:"key_env,omitempty"`
}

// OutputTokensReserved is the longest answer that is asked for while a cap on tokens or
// money holds and no length is set; on small windows it is an eighth of the window.
const OutputTokensReserved = 4096

// SamplingFor is how one agent, or one model, is asked to answer. An agent's settings
// override its model's, and those override the run's.
type SamplingFor struct {
	// Agent or Model is whose it is; neither in a list that has the run's own.
	Agent string `json:"agent,omitempty"`
	Model string `json:"model,omitempty"`
	llmclient.Sampling
}

// SamplingSet is all that is set about sampling, the run's own first.
func (s Settings) SamplingSet() []SamplingFor {
	own := llmclient.Sampling{
		MaxOutputTokens: s.MaxOutputTokens, ReasoningEffort: s.ReasoningEffort, ServiceTier: s.ServiceTier,
		Temperature: s.Temperature, TopP: s.TopP, ExtraBody: s.ExtraBody,
	}
	return append([]SamplingFor{{Sampling: own}}, s.Sampling...)
}

// SamplingOf is how an agent's model is asked to answer.
func (s Settings) SamplingOf(agent string) llmclient.Sampling {
	var own, models llmclient.Sampling
	set := s.SamplingSet()
	for _, f := range set[1:] {
		if f.Agent != "" && f.Agent == agent {
			own = f.Sampling
		} else if f.Model != "" && f.Model == cmp.Or(s.AgentModel(agent).Model, s.Model) {
			models = f.Sampling
		}
	}
	return own.Over(models).Over(set[0].Sampling)
}

// ValidateSampling reports what cannot be sent, and whose it is.
func (s Settings) ValidateSampling() error {
	set := s.SamplingSet()
	for i, f := range set {
		err := f.Validate()
		if i == 0 && err != nil {
			return err
		}
		switch {
		case err != nil || i == 0:
		case (f.Agent == "") == (f.Model == ""):
			err = errors.New("allowed is an agent or a model, one of them")
		case slices.ContainsFunc(set[:i], func(e SamplingFor) bool { return e.Agent == f.Agent && e.Model == f.Model }):
			err = fmt.Errorf("%s is set twice", f.Agent+f.Model)
		}
		if err != nil {
			return fmt.Errorf("sampling entry %d: %w", i, err)
		}
	}
	return nil
}

// DefaultSettings returns the settings with every default.
func DefaultSettings() Settings { return Settings{}.filled(true) }

// WithDefaults returns s with the default of every field that is zero, unless zero is a
// value like any other: a number that may be 0, a switch.
func (s Settings) WithDefaults() Settings { return s.filled(false) }

// filled sets the zero fields to their defaults, those that may be zero only if all are.
func (s Settings) filled(all bool) Settings {
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		f, tag := v.Field(i), v.Type().Field(i).Tag
		text, ok := tag.Lookup("default")
		if !ok || !f.IsZero() || !all && tag.Get("min") == "0" {
			continue
		}
		switch f.Kind() {
		case reflect.String:
			f.SetString(text)
		case reflect.Bool:
			f.SetBool(text == "true")
		default:
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				panic("trace: the default of " + settingName(v.Type().Field(i)) + " is no number: " + text)
			}
			f.SetInt(n)
		}
	}
	return s
}

// SettingNames are the names of all settings in records, in the order of the fields.
func SettingNames() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		names = append(names, settingName(f))
	}
	return names
}

// settingName is a setting's name in records.
func settingName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// Validate reports the first setting that no world could be run with, naming it and what
// is allowed. What takes a world or a model to know is for their owner.
func (s Settings) Validate() error {
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		f, field := v.Field(i), v.Type().Field(i)
		if choices := strings.Fields(field.Tag.Get("choices")); len(choices) > 0 && !slices.Contains(choices, f.String()) {
			return fmt.Errorf("%s %q: allowed are %s", settingName(field), f.String(), strings.Join(choices, ", "))
		}
		text, bounded := field.Tag.Lookup("max")
		if _, defaulted := field.Tag.Lookup("default"); !bounded || f.Kind() == reflect.String || !defaulted && f.Int() == 0 {
			continue
		}
		most, _ := strconv.ParseInt(text, 10, 64)
		least, _ := strconv.ParseInt(field.Tag.Get("min"), 10, 64)
		if n := f.Int(); n < least || n > most {
			return fmt.Errorf("%s %d: allowed are %d to %d", settingName(field), n, least, most)
		}
	}
	if err := s.ValidateSampling(); err != nil {
		return err
	}
	if _, err := ParseChecks(s.GuardOff); err != nil {
		return fmt.Errorf("guard checks to leave out: %w", err)
	}
	last := int64(1)
	for i, sw := range s.PromptSwitches {
		if sw.Tick < last {
			return fmt.Errorf("prompt switch %d: tick %d, must be at least %d (ticks rise and start at 1)", i+1, sw.Tick, last)
		}
		last = sw.Tick
	}
	if err := checkTools(s.Tools); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, a := range s.AgentModels {
		if seen[a.Agent] {
			return fmt.Errorf("model of agent %q: it is set twice", a.Agent)
		}
		seen[a.Agent] = true
	}
	for _, c := range []struct {
		scope string
		limit Limit
	}{{"run", s.Caps.Run}, {"agent", s.Caps.Agent}, {"tick", s.Caps.Tick}} {
		if min(c.limit.Calls, c.limit.Tokens, int64(c.limit.Cost)) < 0 {
			return fmt.Errorf("cap of the %s: must not be negative", c.scope)
		}
		if c.limit.Cost > 0 {
			if err := s.Payable(); err != nil {
				return fmt.Errorf("cap on cost of the %s: %w", c.scope, err)
			}
		}
	}
	return nil
}

// Payable reports what keeps a bound on cost from being kept: a model without a price, a
// service tier without one, and prices that cannot be added up.
func (s Settings) Payable() error {
	currency := ""
	for _, model := range s.Models() {
		at := slices.IndexFunc(s.Prices, func(p price.Price) bool { return p.Model == model })
		if at < 0 {
			return fmt.Errorf("there is no price of model %q; a table of prices with it is needed", model)
		}
		if p := s.Prices[at]; currency != "" && currency != p.Currency {
			return fmt.Errorf("prices in %s and in %s cannot be added up", currency, p.Currency)
		}
		currency = s.Prices[at].Currency
		if tier := s.tierWithoutPrice(s.Prices[at]); tier != "" {
			return fmt.Errorf("there is no price of tier %q of model %q; a table of prices with it is needed",
				tier, model)
		}
	}
	return nil
}

// tierWithoutPrice is a service tier that is set for a model, and that its price does not know.
func (s Settings) tierWithoutPrice(p price.Price) string {
	tiers := s.TiersOf(p.Model)
	at := slices.IndexFunc(tiers, func(tier string) bool { return !p.Knows(tier) })
	if at < 0 {
		return ""
	}
	return tiers[at]
}

// TiersOf are the service tiers that calls of a model ask for, also by an extra body, each once.
func (s Settings) TiersOf(model string) (tiers []string) {
	for _, f := range s.SamplingSet() {
		asked := true
		switch {
		case f.Model != "":
			asked = f.Model == model
		case f.Agent != "":
			asked = cmp.Or(s.AgentModel(f.Agent).Model, s.Model) == model
		}
		tier := f.Tier()
		if asked && tier != "" && !slices.Contains(tiers, tier) {
			tiers = append(tiers, tier)
		}
	}
	return tiers
}

// Models are the models a run asks, each once: its own, and those of agents.
func (s Settings) Models() []string {
	list := []string{s.Model}
	for _, a := range s.AgentModels {
		if a.Model != "" && !slices.Contains(list, a.Model) {
			list = append(list, a.Model)
		}
	}
	return list
}

// AgentModel is what is set for an agent, empty for none.
func (s Settings) AgentModel(agent string) AgentModel {
	for _, a := range s.AgentModels {
		if a.Agent == agent {
			return a
		}
	}
	return AgentModel{}
}

// Currency is that of the run's prices, empty without any.
func (s Settings) Currency() string {
	if len(s.Prices) == 0 {
		return ""
	}
	return s.Prices[0].Currency
}

// Learns reports whether agents change their playbooks during the run.
func (s Settings) Learns() bool { return s.LearnEvery > 0 && !s.FreezePlaybook }

// UsageSource says where token counts come from if answers have any: reported by a provider, or
// simulated.
func (s Settings) UsageSource() UsageSource {
	asked, usage := s.ModelSource, UsageSimulated
	if s.Recording != nil {
		asked, usage = s.Recording.Asked, s.Recording.UsageSource
	}
	if asked == SourceLive {
		return UsageReported
	}
	return usage
}

// Live reports whether a provider's model is asked, alone or for what a recording lacks.
func (s Settings) Live() bool {
	return s.ModelSource == SourceLive || s.Recording != nil && s.Recording.Asked == SourceLive
}

// shaping are the settings without those that do not change the course of the run.
func (s Settings) shaping() Settings {
	s.Ticks, s.Estimate = 0, nil
	return s
}

// Changes lists what differs from s in next, in the order of the fields. It omits rules and goals,
// since the scenario holds what they replace; the estimate, which changes nothing; and
// the recording, which the source of answers names.
func (s Settings) Changes(next Settings) []Change {
	changes := []Change{}
	a, b := reflect.ValueOf(s), reflect.ValueOf(next)
	for i := range a.NumField() {
		c := Change{What: settingName(a.Type().Field(i))}
		switch c.What {
		case "rules", "goals", "estimate", "recording":
			continue
		case "caps":
			c.From, c.To = s.Caps.Text(s.Currency()), next.Caps.Text(next.Currency())
		case "scenario_toml":
			c.From, c.To = digestText([]byte(s.ScenarioTOML)), digestText([]byte(next.ScenarioTOML))
		case "playbook":
			c.From, c.To = digestText([]byte(s.Playbook)), digestText([]byte(next.Playbook))
		case "words":
			c.From, c.To = digestText([]byte(s.Words)), digestText([]byte(next.Words))
		case "tools":
			c.From, c.To = toolsText(s.Tools), toolsText(next.Tools)
		case "seats":
			c.From, c.To = SeatsText(s.Seats), SeatsText(next.Seats)
		case "prompt_switches":
			c.From, c.To = switchesText(s.PromptSwitches), switchesText(next.PromptSwitches)
		case "documents":
			c.From, c.To = documentsText(s.Documents), documentsText(next.Documents)
		default:
			c.From, c.To = valueText(a.Field(i)), valueText(b.Field(i))
		}
		if c.From != c.To {
			changes = append(changes, c)
		}
	}
	return changes
}

// WordsHash names the texts that replace those of the program, empty for none: the beginning of the SHA-256
// of their file.
func (s Settings) WordsHash() string {
	if s.Words == "" {
		return ""
	}
	return llmclient.Hash([]byte(s.Words))[:12]
}

// ScenarioHash names the text of the scenario: the beginning of its SHA-256.
func (s Settings) ScenarioHash() string { return llmclient.Hash([]byte(s.ScenarioTOML))[:12] }

// digestText replaces a long text in a change, where it is no help.
func digestText(text []byte) string {
	if len(text) == 0 {
		return "none"
	}
	return "sha256 " + llmclient.Hash(text)[:12]
}

// documentsText replaces documents in a change by their number and a digest.
func documentsText(list []Document) string {
	if len(list) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d, %s", len(list), digestText(llmclient.Marshal(list)))
}

// valueText is a text as it is and anything else as JSON.
func valueText(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return v.String()
	}
	return string(llmclient.Marshal(v.Interface()))
}
