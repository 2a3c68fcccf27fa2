package behavior

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// protocolTools returns the protocol's tools under c, describing the actions under
// the rules of an industry. They come before the module tools and never change during a run.
func (w *wording) protocolTools(c *Config, rules *world.Industry) []llmclient.Tool {
	needless := c.Needless
	actions := " " + w.Tools.Actions + "\n" + modules.ActionText(w.Language, rules, needless...)
	doc := w.Tools.Plan
	if !c.NoTexts {
		doc += w.Tools.PlanTexts
	}
	if !slices.Contains(needless, (world.Offer{}).ActionName()) {
		doc += w.Tools.PlanTerms
	}
	if c.ChainSteps > 0 {
		actions = w.Tools.Then.Text(c.ChainSteps) + actions
	}
	if len(c.Tools) > 0 {
		doc += w.Tools.PlanCalls
	}
	plan := tool[answer.Plan](answer.ToolPlan, doc, 0, needless...)
	plan.Parameters = withCalls(plan.Parameters, c.Tools)
	if c.Protocol == ProtocolLean {
		turn := tool[answer.Lean](answer.ToolTurn, w.Tools.Turn+actions, c.ChainSteps, needless...)
		if c.NoTexts {
			return []llmclient.Tool{turn}
		}
		return []llmclient.Tool{turn, plan}
	}
	draft := tool[answer.Draft](answer.ToolDraft, w.Tools.Draft+actions, c.ChainSteps, needless...)
	return []llmclient.Tool{plan, draft, tool[answer.Commitment](answer.ToolDecision, w.Tools.Decision, 0, needless...)}
}

func tool[Args any](name, doc string, then int, needless ...string) llmclient.Tool {
	leastCandidates := 1
	if name == answer.ToolTurn {
		leastCandidates = 0 // who waits needs none
	}
	given := map[string]*jsonschema.Schema{
		"candidate": {Type: "integer"}, "plan": {Type: "string"},
		"execute_until": modules.StandingSchema(needless...),
		"steps":         {Type: "array", Items: modules.EnumSchema(answer.StepKinds)},
		"actions":       {Type: "array", Items: modules.PlannedActionSchema(needless...)},
		"candidates":    listOf(modules.CandidateSchema(then, needless...), leastCandidates, candidatesMax),
	}
	return strictTool[Args](name, doc, given)
}

// StrictTool returns a function tool whose arguments are the fields of Args, all of
// them required. enums closes the sets of values of fields by name.
func StrictTool[Args any](name, doc string, enums map[string][]string) llmclient.Tool {
	given := map[string]*jsonschema.Schema{"decision": {Type: "integer"}}
	for field, values := range enums {
		given[field] = modules.EnumSchema(values)
	}
	return strictTool[Args](name, doc, given)
}

// strictTool is StrictTool with the schemas of fields by name.
func strictTool[Args any](name, doc string, given map[string]*jsonschema.Schema) llmclient.Tool {
	return llmclient.Tool{Name: name, Description: doc, Parameters: llmclient.Marshal(modules.SchemaOf[Args](given)),
		Strict: true}
}

// withCalls adds to the schema of a plan the calls of tools of the user's.
func withCalls(plan json.RawMessage, tools []trace.Tool) json.RawMessage {
	if len(tools) == 0 {
		return plan
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(plan, &schema); err != nil {
		panic("behavior: the schema of a plan cannot be read: " + err.Error())
	}
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	modules.WithCalls(&schema, names)
	return llmclient.Marshal(schema)
}

// listOf is the schema of a list of at least least and at most most elements: what is refused, or
// left out, beyond that. Strict modes enforce both numbers.
func listOf(item *jsonschema.Schema, least, most int) *jsonschema.Schema {
	list := &jsonschema.Schema{Type: "array", Items: item, MaxItems: &most}
	if least > 0 {
		list.MinItems = &least
	}
	return list
}

// promptVersion counts changes of what is said that PromptVersion cannot see: the
// form of lines, and the results and errors of modules.
const promptVersion = 21

// PromptVersion names the wording of prompts in a protocol and a language: a count
// and a digest of instructions, tools and the texts of the language, so that a
// changed text cannot keep an old name. It is part of a trace's header, because
// other wording means other requests. A language that does not exist, or replacements of
// its texts that are none, which a damaged trace may name, have a version that no run has.
func PromptVersion(p Protocol, language, replacements string) string {
	if !slices.Contains(words.Languages(), language) {
		return "unknown language"
	}
	said, err := words.With(language, replacements)
	if err != nil {
		return "unreadable texts"
	}
	return wordsOf(said).version(p)
}

func (w *wording) version(p Protocol) string {
	c := Config{Settings: trace.Settings{Protocol: p, ChainSteps: world.ThenMax}}.WithDefaults()
	text := w.instructions(&c, "") + w.Texts()
	for _, t := range slices.Concat(w.protocolTools(&c, world.DefaultRules().Industry()),
		modules.New().WithDocuments().Saying(w.Language).Tools()) {
		text += string(t.Wire())
	}
	return fmt.Sprintf("%d-%s", promptVersion, llmclient.Hash([]byte(text))[:8])
}

// instructions is the stable policy text: purpose, rules and protocol. It holds nothing that
// changes from tick to tick or from agent to agent, so that a provider caches it once for all of
// them. The actions are in the tool that takes them.
func (w *wording) instructions(c *Config, systemPrompt string) string {
	say := &w.Instructions
	rules := say.Rules
	if slices.ContainsFunc(crossing, func(action string) bool { return !slices.Contains(c.Needless, action) }) {
		rules += say.Together
	}
	protocol, plan := say.FullProtocol, say.PlanFirst
	switch {
	case c.Protocol == ProtocolLean:
		protocol, plan = say.LeanProtocol, say.LeanPlanFirst
	case c.Commit == trace.CommitOneStep:
		protocol = say.DirectProtocol
	}
	data := say.Data
	switch {
	case !c.NoTexts:
		data = say.Texts
	case c.Protocol == ProtocolLean:
		plan = ""
	default:
		plan = say.PlanFree
	}
	protocol += plan + say.Modules.Text(c.ModuleCallsMax)
	if len(c.Tools) > 0 {
		protocol += say.UserTools.Text(trace.ToolCallsMax)
	}
	closing := strings.Join([]string{protocol, say.Closing.Text(w.ends(c)), data}, "\n")
	return strings.Join([]string{cmp.Or(systemPrompt, say.SystemPrompt), rules, closing}, "\n\n")
}

// ends names the events that end steps unasked.
func (w *wording) ends(c *Config) string {
	if slices.Contains(c.Needless, world.StopMessageReceived) {
		return w.Instructions.EndsAlone
	}
	return w.Instructions.Ends
}

// crossing are the actions that may meet in a tick what another agent sends in it.
var crossing = []string{(world.Offer{}).ActionName(), (world.Transfer{}).ActionName(),
	(world.PlaceOrder{}).ActionName()}
