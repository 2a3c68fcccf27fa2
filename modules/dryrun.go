package modules

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// dryRunArgs are the arguments of world.dry_run.
type dryRunArgs struct {
	// Action is the JSON text of a flat action.
	Action string `json:"action"`
}

// dryRun is what an action would come to now, others' actions apart.
type dryRun struct {
	Finding
	// Read are the repairs made to read the action.
	Read []answer.Repair `json:"read,omitempty"`
}

// dryRunModule clamps and checks an action without doing it. Its argument is the
// action as text, because repeating the whole action schema would double what
// the tool list takes of every prompt; the object itself is understood as well.
func dryRunModule() module {
	const field = "action"
	schema := SchemaOf[dryRunArgs](nil)
	spec := Spec{Module: moduleDryRun, Tool: "world_dry_run", Parameters: llmclient.Marshal(schema)}
	return module{spec, func(rawArgs string) (bound, []answer.Repair, *answer.ArgumentError) {
		args, used, fault := decodeArguments[dryRunArgs](schema, field, rawArgs)
		if fault != nil {
			return nil, used, fault
		}
		action, read, fault := answer.DecodeAction(json.RawMessage(args.Action))
		used = append(used, read...)
		if fault != nil {
			return nil, used, fault.Inside(field)
		}
		return func(env Env) (lookup, failure) {
			names := answer.NamesIn(env.View.Observe())
			action, resolved := names.Resolve(action)
			// The order is that in which a real decision is treated, so that what is said is
			// what would happen to the agent if it acted alone.
			adjusted, adjustments := env.View.Clamp(action)
			// The fingerprint keeps dry runs of different actions in one tick apart.
			fingerprint := fnv.New32a()
			fingerprint.Write(world.EncodeAction(adjusted))
			tick := env.View.Tick()
			return lookup{
				body: dryRun{NewFinding(env.registry.language, adjusted, adjustments, env.View.Check(adjusted), names), slices.Concat(read, resolved)},
				id:   fmt.Sprintf("dry-%d-%08x", tick, fingerprint.Sum32()), trust: trace.TrustSelfObservation, tick: tick,
			}, ""
		}, used, nil
	}}
}
