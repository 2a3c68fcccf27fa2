package modules

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

type dryRunArgs struct {
	// Action is the JSON text of a flat action.
	Action string `json:"action"`
}

// dryRun is the result of an action if it were done now and no other agent acted.
type dryRun struct {
	DryRun
	// Read are the repairs made to read the action.
	Read []answer.Repair `json:"read,omitempty"`
}

// dryRunModule clamps and checks an action without doing it. Its argument is the
// action as text, because repeating the whole action schema would double what
// the tool list takes of every prompt; the object itself is understood as well. It takes the names of
// an industry, of the built-in one for nil.
func dryRunModule(industry *world.Industry) module {
	const field = "action"
	schema := SchemaOf[dryRunArgs](nil)
	spec := Spec{Module: ModuleDryRun, Tool: "world_dry_run", Parameters: llmclient.Marshal(schema)}
	return module{spec, func(rawArgs string) (bound, []answer.Repair, *answer.ArgumentError) {
		args, used, fault := decodeArguments[dryRunArgs](schema, field, rawArgs)
		if fault != nil {
			return nil, used, fault
		}
		action, read, fault := answer.DecodeAction(json.RawMessage(args.Action), industry)
		used = append(used, read...)
		if fault != nil {
			return nil, used, fault.Inside(field)
		}
		return func(env Env) (lookup, failure) {
			known, view := env.Known, env.View
			if known == nil {
				known = new(view.Observe())
			} else {
				view = view.Showing(known)
			}
			names := answer.NamesIn(known, view.Industry())
			action, resolved := names.Resolve(action)
			// The order is that of a real decision, so that the result is what would happen
			// if the agent acted alone.
			adjusted, adjustments := view.Clamp(action)
			// The fingerprint keeps dry runs of different actions in one tick apart.
			fingerprint := fnv.New32a()
			fingerprint.Write(world.EncodeAction(adjusted))
			tick := env.View.Tick()
			return lookup{
				body: dryRun{NewDryRun(env.words(), adjusted, adjustments, view.Check(adjusted), names),
					slices.Concat(read, resolved)},
				id: fmt.Sprintf("dry-%d-%08x", tick, fingerprint.Sum32()), trust: trace.TrustSelfObservation, tick: tick,
			}, ""
		}, used, nil
	}}
}

// DryRun is what clamping and a dry run found about one action, as a model reads
// it. It is short, because every later request of its turn contains it, and it uses
// the slots that the model wrote. It gives what clamping changed and does not repeat
// the action.
type DryRun struct {
	Status world.CheckStatus `json:"status"`
	// Adjusted gives the amounts that clamping changed, such as
	// "amount 5000, not 9000"; empty when none was.
	Adjusted string `json:"adjusted,omitempty"`
	// Changes are the costs and effects, such as "electricity -5, compound +5000".
	Changes string `json:"changes,omitempty"`
	// Ticks is how long the action or its job takes, 0 when immediate.
	Ticks int64 `json:"ticks,omitempty"`
	// Later says which steps of a chain are checked at their tick.
	Later string `json:"later,omitempty"`
	// Possible are the ids that could replace one that is not possible.
	Possible []string `json:"possible,omitempty"`
	// Rejection is the reason with its numbers; set exactly when Status is rejected.
	Rejection *world.Rejection `json:"rejection,omitempty"`
}

// NewDryRun writes up the check of an action, given after clamping, and the
// adjustments that clamping made, in a language.
// names are those of what the agent sees.
func NewDryRun(w *words.Language, a world.Action, adjustments []world.Adjustment, check world.Check,
	names answer.Names) DryRun {
	f := DryRun{Status: check.Status, Ticks: check.Ticks, Possible: names.Possible(a, check)}
	var adjusted []string
	for _, adjustment := range adjustments {
		// The ticks of a standing order are no slot and keep their name.
		slot := answer.Slot(adjustment.Action, adjustment.Field)
		adjusted = append(adjusted, w.Modules.Adjusted.Text(slot, adjustment.To, adjustment.From))
	}
	f.Adjusted = strings.Join(adjusted, "; ")
	if steps := len(world.Steps(a)); steps > 1 {
		f.Later = w.Modules.Later.Text(steps)
	}
	var room [128]byte
	changes := room[:0]
	for i, c := range check.Changes {
		if i > 0 {
			changes = append(changes, ", "...)
		}
		changes = fmt.Appendf(changes, "%s %+d", c.Resource, c.Amount)
	}
	f.Changes = string(changes)
	if check.Rejection != nil {
		if order, ok := a.(world.ExecuteUntil); ok && order.Do != nil {
			a = order.Do
		}
		told := *check.Rejection
		told.Field = answer.Slot(a.ActionName(), told.Field)
		f.Rejection = &told
	}
	return f
}
