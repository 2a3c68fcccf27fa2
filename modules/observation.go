package modules

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// observationSection names a part of an observation.
type observationSection string

// observationSections lists the parts that can be asked for.
var observationSections = []string{"self", "here", "can", "places", "agents", "factories", "market", "inbox"}

// observationArgs are the arguments of environment.current_observation.
type observationArgs struct {
	// Section is nil for everything.
	Section *observationSection `json:"section"`
}

// observationModule gives the whole observation of this tick, or one part of it,
// including what the prompt may have left out to stay in its budget. One section
// usually fits where the whole loses the tails of its lists.
func observationModule() module {
	spec := Spec{
		Module: moduleObservation, Tool: "environment_current_observation",
	}
	choices := map[reflect.Type][]string{reflect.TypeFor[observationSection](): observationSections}
	return newModule(spec, choices, func(env Env, args observationArgs) (lookup, failure) {
		o := env.View.Observe()
		found := lookup{id: fmt.Sprintf("obs-%d", o.Tick), trust: trace.TrustSelfObservation, tick: o.Tick}
		found.texts = textsIn(o, args.Section)
		found.body = o
		if args.Section != nil {
			found.body = sectionOf(o, *args.Section)
			found.id += "-" + string(*args.Section)
		}
		return found, ""
	})
}

// textsIn are the words of other agents in a section, or in the whole for nil, as
// sources. What the agent wrote itself is among them: it may repeat the others.
func textsIn(o world.Observation, section *observationSection) []trace.Source {
	var texts []trace.Source
	if section == nil || *section == "here" {
		for _, n := range o.Here.Notes {
			author := n.Author
			if author == o.Self.ID {
				author = ""
			}
			texts = append(texts, textSource(trace.KindNote, n.ID, author, n.Tick, n))
		}
	}
	if section == nil || *section == "inbox" {
		for _, m := range o.Inbox {
			texts = append(texts, textSource(trace.KindMessage, m.ID, m.From, m.Sent, m))
		}
	}
	return texts
}

func textSource(kind trace.SourceKind, id, author string, tick int64, text any) trace.Source {
	shown := string(llmclient.Marshal(text))
	return trace.Source{
		ID: id, Kind: kind, Chars: utf8.RuneCountInString(shown), OriginAgent: author, OriginTick: tick,
		Trust: trace.TrustOtherAgent, Text: shown,
	}
}

// part is one section of an observation: exactly one field beside Tick, and
// Omitted for the sections that the world cuts.
type part struct {
	Tick      int64               `json:"tick"`
	Self      *world.Self         `json:"self,omitempty"`
	Here      *world.Here         `json:"here,omitempty"`
	Can       *[]world.Affordance `json:"can,omitempty"`
	Places    *[]world.Sight      `json:"places,omitempty"`
	Agents    *[]world.Contact    `json:"agents,omitempty"`
	Factories *[]world.Factory    `json:"factories,omitempty"`
	Inbox     *[]world.Message    `json:"inbox,omitempty"`
	Market    *world.Market       `json:"market,omitempty"`
	Omitted   *int                `json:"beyond_view,omitempty"`
}

// sectionOf returns one part of an observation under its own name, with the tick
// and, for lists, how much the world left out of them.
func sectionOf(o world.Observation, section observationSection) any {
	switch section {
	case "self":
		return part{Tick: o.Tick, Self: &o.Self}
	case "here":
		return part{Tick: o.Tick, Here: &o.Here}
	case "can":
		return part{Tick: o.Tick, Can: &o.Can}
	case "places":
		return part{Tick: o.Tick, Places: &o.Places, Omitted: &o.PlacesOmitted}
	case "agents":
		return part{Tick: o.Tick, Agents: &o.Agents, Omitted: &o.AgentsOmitted}
	case "factories":
		return part{Tick: o.Tick, Factories: &o.Factories}
	case "inbox":
		inbox := append([]world.Message{}, o.Inbox...)
		return part{Tick: o.Tick, Inbox: &inbox}
	case "market":
		if o.Market == nil {
			o.Market = &world.Market{}
		}
		return part{Tick: o.Tick, Market: o.Market}
	}
	panic("modules: the schema allows a section that no observation has: " + string(section))
}
