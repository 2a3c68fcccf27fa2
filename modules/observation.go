package modules

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The parts of an observation that can be asked for, besides those that are always there.
const (
	sectionPlaces    = "places"
	sectionAgents    = "agents"
	sectionFactories = "factories"
	sectionInbox     = "inbox"
)

var observationSections = []string{"self", "here", "can", sectionPlaces, sectionAgents, sectionFactories, topicMarket,
	sectionInbox}

type observationArgs struct {
	// Section is nil for everything.
	Section *string `json:"section"`
}

// observationModule gives the whole observation of this tick, or one part of it,
// including what the prompt may have left out to stay in its budget. One section
// usually fits where the whole loses the tails of its lists. What may not be shown yet is
// only counted: cut to fit beside the rest, it would show by its length.
func observationModule(needless ...string) module {
	spec := Spec{Module: ModuleObservation, Tool: "environment_current_observation"}
	given := map[string]*jsonschema.Schema{"section": EnumSchema(ofUse(observationSections, needless))}
	return newModule(spec, given, func(env Env, args observationArgs) (lookup, failure) {
		o := env.View.Observe()
		withheld := 0
		if env.Known != nil {
			all := textsIn(&o)
			o = *env.Known
			o.Places, o.Agents = slices.Clone(o.Places), slices.Clone(o.Agents)
			withheld = all - textsIn(&o)
		}
		env.hideNames(&o)
		found := lookup{id: fmt.Sprintf("obs-%d", o.Tick), trust: trace.TrustSelfObservation, tick: o.Tick}
		found.body = struct {
			world.Observation
			Withheld int `json:"withheld,omitempty"`
		}{o, withheld}
		wanted := func(section string) bool { return args.Section == nil || *args.Section == section }
		// Each untrusted text is its own source. Notes of the agent itself are included,
		// because they may repeat text of other agents.
		if wanted("here") {
			for _, n := range o.Here.Notes {
				author := n.Author
				if author == o.Self.ID {
					author = ""
				}
				found.texts = append(found.texts,
					TextSource(trace.KindNote, n.ID, author, n.Tick, n.Text, string(llmclient.Marshal(n))))
			}
		}
		if wanted("inbox") {
			for _, m := range o.Inbox {
				found.texts = append(found.texts,
					TextSource(trace.KindMessage, m.ID, m.From, m.Sent, m.Text, string(llmclient.Marshal(m))))
			}
		}
		// Requests and offers are sources too. The section "can" contains their ids.
		var terms []world.Terms
		if wanted("here") || wanted("can") {
			terms = o.Here.Offers
		}
		if args.Section == nil || wanted("can") {
			terms = slices.Concat(terms, o.Requests, o.Offers)
		}
		for _, t := range terms {
			found.texts = append(found.texts, TermsSource(t, o.Tick, string(llmclient.Marshal(t))))
		}
		if args.Section != nil {
			found.id += "-" + *args.Section
			found.body = sectionOf(o, *args.Section, withheld)
		}
		return found, ""
	})
}

// textsIn counts the messages, notes and terms of others in an observation.
func textsIn(o *world.Observation) int {
	return len(o.Inbox) + len(o.Here.Notes) + len(o.Requests) + len(o.Offers) + len(o.Here.Offers)
}

// hideNames removes the names that may not be shown. A name is untrusted text.
func (e Env) hideNames(o *world.Observation) {
	names := []*string{&o.Self.Name, &o.Here.Name}
	for i := range o.Places {
		names = append(names, &o.Places[i].Name)
	}
	for i := range o.Agents {
		names = append(names, &o.Agents[i].Name)
	}
	for _, name := range names {
		if e.Shows != nil && !e.Shows(*name) {
			*name = ""
		}
	}
}

// sectionOf returns one part of an observation under its own name, with the tick
// and, for lists, how much the world left out of them. withheld counts what may not be shown yet.
func sectionOf(o world.Observation, section string, withheld int) json.RawMessage {
	if o.Market == nil {
		o.Market = &world.Market{}
	}
	whole := answer.Parse(llmclient.Marshal(o))
	part := answer.Value{Kind: answer.Object,
		Fields: []answer.Field{{Name: "tick", Value: whole.Field("tick")}, {Name: section, Value: whole.Field(section)}}}
	if section == "inbox" && len(o.Inbox) == 0 {
		part.Fields[1].Value = answer.Value{Kind: answer.Array}
	}
	if omitted := whole.Field(section + "_omitted"); omitted.Kind != answer.Null {
		part.Fields = append(part.Fields, answer.Field{Name: "beyond_view", Value: omitted})
	}
	if withheld > 0 {
		count := answer.Parse(llmclient.Marshal(withheld))
		part.Fields = append(part.Fields, answer.Field{Name: "withheld", Value: count})
	}
	return part.JSON()
}

// TextSource is a text of an agent as a source: author is empty if unknown, tick is when it was
// written, and shown is the text as a prompt or a result has it.
func TextSource(kind trace.SourceKind, id, author string, tick int64, text, shown string) trace.Source {
	return trace.Source{
		ID: id, Kind: kind, Preview: text, Chars: utf8.RuneCountInString(shown), OriginAgent: author, OriginTick: tick,
		Trust: trace.TrustOtherAgent, Text: shown,
	}
}

// TermsSource is a request or offer as a source of a tick, which a prompt or a result has as shown.
func TermsSource(t world.Terms, tick int64, shown string) trace.Source {
	text := fmt.Sprintf("asks %s for %d %s", t.To, t.WantAmount, t.Want)
	switch {
	case t.Give != "":
		text = fmt.Sprintf("offers %s %d %s for %d %s", t.To, t.GiveAmount, t.Give, t.WantAmount, t.Want)
	case t.Want == "":
		text = "declines " + t.Re
	}
	return TextSource(trace.KindTerms, t.ID, t.From, tick, text, shown)
}
