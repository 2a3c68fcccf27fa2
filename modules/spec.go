package modules

import (
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"
)

// Spec describes one module as it is offered to a model.
type Spec struct {
	// Module is the dotted name used in traces, reports and prompts.
	Module string
	// Tool is the name on the wire: letters, digits, underscore and dash. The
	// pairs are written out in a table, so that each name leads to the other.
	Tool string
	// Parameters is the strict JSON Schema of the arguments.
	Parameters json.RawMessage
}

// Registry is an ordered, unchangeable set of modules. It is safe for concurrent
// use.
//
// Invariants:
//  1. No two modules share a module name or a tool name.
//  2. Every schema is fit for strict mode: closed objects, every property
//     required, an optional one nullable.
//  3. The order is that of [New], so that the tool list a model sees is the
//     same bytes in every call of a run.
type Registry struct {
	modules []module
	words   *words.Language
}

// module is a spec with what carries it out, in two steps: bind reads the
// arguments, and only what it returns can run. So a module never runs on
// arguments that do not fit.
type module struct {
	Spec
	bind func(rawArgs string) (bound, []answer.Repair, *answer.ArgumentError)
}

// bound is a call with its arguments read.
type bound func(env Env) (lookup, failure)

// newModule makes a module from a handler of typed arguments; given is as in [SchemaOf].
func newModule[Args any](spec Spec, given map[string]*jsonschema.Schema, run func(Env, Args) (lookup, failure)) module {
	schema := SchemaOf[Args](given)
	spec.Parameters = llmclient.Marshal(schema)
	return module{spec, func(rawArgs string) (bound, []answer.Repair, *answer.ArgumentError) {
		args, used, fault := decodeArguments[Args](schema, "", rawArgs)
		if fault != nil {
			return nil, used, fault
		}
		return func(env Env) (lookup, failure) { return run(env, args) }, used, nil
	}}
}

// decodeArguments reads a raw argument text into the type its schema was made
// from. A field textField, if any, holds JSON text.
func decodeArguments[Args any](schema *jsonschema.Schema, textField, rawArgs string) (args Args, used []answer.Repair,
	fault *answer.ArgumentError) {
	conformed, used, fault := answer.Conform(schema, textField, rawArgs)
	if fault != nil {
		return args, used, fault
	}
	if err := json.Unmarshal(conformed, &args); err != nil {
		panic("modules: arguments that match their schema do not decode: " + err.Error())
	}
	return args, used, nil
}

// New returns the registry of the built-in modules in English.
func New() *Registry {
	all := []module{observationModule(), recentModule(), searchModule(), rulesModule(), routeModule(), dryRunModule(nil)}
	return &Registry{modules: all, words: words.In(words.English)}
}

// Saying returns the same modules with everything they say in other words. Names, schemas and codes do not
// change.
func (r *Registry) Saying(w *words.Language) *Registry {
	return &Registry{modules: r.modules, words: w}
}

// Of returns the same modules for a world with an industry.
func (r *Registry) Of(industry *world.Industry) *Registry {
	of := &Registry{modules: slices.Clone(r.modules), words: r.words}
	for i, m := range of.modules {
		if m.Module == ModuleDryRun {
			of.modules[i] = dryRunModule(industry)
		}
	}
	return of
}

// The dotted names of the built-in modules.
const (
	moduleRecent = "memory.short_term.recent"
	moduleSearch = "memory.long_term.search"
	moduleRules  = "world.rules"
	moduleRoute  = "world.route"
	// ModuleObservation gives what an agent observes, which a prompt may hold in part.
	ModuleObservation = "environment.current_observation"
	// ModuleDryRun tries an action without carrying it out, as a draft does.
	ModuleDryRun    = "world.dry_run"
	moduleDocuments = "documents.search"
)

const toolRoute = "world_route"

// Without returns the modules without needless ones and topics, and without those and the parts of their
// results that only needless actions could need.
func (r *Registry) Without(needless ...string) *Registry {
	left := &Registry{words: r.words}
	for _, m := range r.modules {
		switch m.Module {
		case moduleRules:
			m = rulesModule(needless...)
		case ModuleObservation:
			m = observationModule(needless...)
		}
		if len(ofUse([]string{m.Module}, needless)) > 0 {
			left.modules = append(left.modules, m)
		}
	}
	return left
}

// ofUse returns those modules, topics and sections that are not needless, and of which no action is needless or
// some action is not.
func ofUse(names, needless []string) (kept []string) {
	for _, name := range names {
		serves := servedActions[name]
		if !slices.Contains(needless, name) && (serves == nil || len(without(serves, needless)) > 0) {
			kept = append(kept, name)
		}
	}
	return kept
}

// ServesTopic reports whether a topic of the rules is about an action.
func ServesTopic(topic string, a world.Action) bool {
	if topic == TopicPower {
		_, harvests := a.(world.Harvest)
		return harvests
	}
	return slices.Contains(servedActions[topic], a.ActionName())
}

// servedActions are the actions that a module, a topic of rules or a section of an observation can be of
// use to. Those that are not listed always can. The market is a topic and a section.
var servedActions = func() map[string][]string {
	named := func(actions ...world.Action) (names []string) {
		for _, a := range actions {
			names = append(names, a.ActionName())
		}
		return names
	}
	journeys, industry := named(world.Move{}), named(world.BuildFactory{}, world.ScheduleRecipe{})
	trades := named(world.BuyPower{}, world.SellPower{}, world.PlaceOrder{}, world.CancelOrder{})
	letters := append(named(world.SendMessage{}), world.TypedActions()...)
	return map[string][]string{
		moduleRoute: journeys, topicTravel: slices.Concat(journeys, letters), sectionPlaces: journeys,
		topicRecipes: industry, sectionFactories: industry, topicMarket: trades,
		sectionInbox: letters, sectionAgents: slices.Concat(letters, named(world.Transfer{})),
	}
}()

// Tools returns the modules as strict function tools in their order. Two
// calls return equal lists that share nothing.
func (r *Registry) Tools() []llmclient.Tool {
	tools := make([]llmclient.Tool, len(r.modules))
	for i, m := range r.modules {
		tools[i] = llmclient.Tool{Name: m.Tool, Description: r.words.ModuleDocs.Text(m.Module),
			Parameters: slices.Clone(m.Parameters), Strict: true}
	}
	return tools
}

// ToolOf returns the tool name of a module.
func (r *Registry) ToolOf(moduleName string) (tool string, ok bool) {
	for _, m := range r.modules {
		if m.Module == moduleName {
			return m.Tool, true
		}
	}
	return "", false
}

// byTool finds a module by its tool name. Names are exact: a tool list is short
// enough to be sent again.
func (r *Registry) byTool(tool string) (module, bool) {
	for _, m := range r.modules {
		if m.Tool == tool {
			return m, true
		}
	}
	return module{}, false
}
