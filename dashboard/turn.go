package dashboard

import (
	"errors"
	"slices"

	"example.com/agentworld/explain"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// turnView is a decision opened.
type turnView struct {
	Tick     int64           `json:"tick"`
	Agent    string          `json:"agent"`
	Decision *trace.Decision `json:"decision"`
	Sources  []sourceView    `json:"sources"`
	Steps    []trace.Step    `json:"steps"`
	Calls    []callView      `json:"calls"`
	Refusals []trace.Refusal `json:"refusals"`
	Events   []world.Event   `json:"events"`
	// LedTo are later decisions that used what this one did, wrote or remembered.
	LedTo []explain.Use `json:"led_to"`
	// OrderedAt is the tick whose decision gave the standing order that continued.
	OrderedAt int64 `json:"ordered_at,omitempty"`
	// Before and After are the nearest ticks in which the agent decided.
	Before int64 `json:"before,omitempty"`
	After  int64 `json:"after,omitempty"`
}

// sourceView is a source that was in view.
type sourceView struct {
	trace.Source
	Used bool `json:"used"`
	// FromAgent and FromTick are the decision that it came from.
	FromAgent string `json:"from_agent"`
	FromTick  int64  `json:"from_tick"`
}

// callView is a model call with its answer in words.
type callView struct {
	trace.ModelCall
	// CostMicros is at the prices of the run.
	CostMicros int64      `json:"cost_micros"`
	Text       string     `json:"text"`
	ToolCalls  []toolCall `json:"tool_calls"`
}

// toolCall is a function call of the model with its result, bound by call_id.
type toolCall struct {
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	// Result is empty where none was sent back.
	Result string `json:"result"`
	// Tool says more of a tool of the user's, nil for any other.
	Tool *usedTool `json:"tool,omitempty"`
}

// usedTool is the result of a call of one of the user's tools.
type usedTool struct {
	// Of names tool, version and server, and Trust says what the result may do.
	Of    string `json:"of"`
	Trust string `json:"trust"`
	// Code says why there is no result, empty if there is one. Returned is what the tool returned, cut to
	// returnedMax characters.
	Code     string `json:"code"`
	Returned string `json:"returned"`
	// LatencyMS is how long the call took; 0 for one whose result was taken from a record.
	LatencyMS int64 `json:"latency_ms"`
}

// returnedMax bounds what is shown of the result of a tool, in characters.
const returnedMax = 4000

// usedToolOf is the page's form of a call of a tool.
func usedToolOf(u explain.UsedTool) *usedTool {
	of := &usedTool{Of: u.Of(), Trust: u.TrustText(), Code: string(u.Code),
		Returned: plaintext.Clip(u.ResultText(), returnedMax)}
	if u.Timing != nil {
		of.LatencyMS = u.Timing.LatencyMS
	}
	return of
}

// turnViewOf makes the page's form of the records. The settings are those that the turn was played with.
func turnViewOf(t *explain.Turn, tick int64, agent string, of trace.Settings) turnView {
	prices := explain.PricesOf(of)
	v := turnView{
		Tick: tick, Agent: agent, Decision: t.Decision, Sources: []sourceView{}, Steps: append([]trace.Step{}, t.Steps...),
		Calls:    []callView{},
		Refusals: append([]trace.Refusal{}, t.Refusals...), Events: append([]world.Event{}, t.Events...),
		LedTo: []explain.Use{},
	}
	results := map[string]string{}
	for _, c := range t.Calls {
		for _, hash := range c.Input {
			if it, ok := t.Item(hash); ok && it.Kind == llmclient.KindFunctionOutput {
				results[it.CallID] = it.Text
			}
		}
	}
	used := explain.UsedTools(of, t.Tools)
	for _, c := range t.Calls {
		of := callView{ModelCall: c, CostMicros: prices.Micros(c.Model, c.Answer.Usage), ToolCalls: []toolCall{}}
		for _, hash := range c.Answer.Output {
			switch it, ok := t.Item(hash); {
			case !ok:
			case it.Kind == llmclient.KindFunctionCall:
				call := toolCall{CallID: it.CallID, Name: it.Name, Arguments: it.Text, Result: results[it.CallID]}
				made := func(u explain.UsedTool) bool { return u.Step == c.Step && u.CallID == it.CallID }
				if at := slices.IndexFunc(used, made); at >= 0 {
					call.Tool = usedToolOf(used[at])
				}
				of.ToolCalls = append(of.ToolCalls, call)
			case it.Kind == llmclient.KindMessage:
				of.Text += it.Text + it.Refusal
			}
		}
		of.Input = nil // hashes, which no page shows
		of.Answer.Output = nil
		v.Calls = append(v.Calls, of)
	}
	if t.Decision != nil {
		for _, s := range t.Decision.SourcesRetrieved {
			at := explain.OriginOf(s, agent)
			v.Sources = append(v.Sources, sourceView{s, slices.Contains(t.Decision.SourcesUsed, s.ID), at.Agent, at.Tick})
		}
	}
	return v
}

// promptView is the exact prompt of a call, and the answer.
type promptView struct {
	Sections     []trace.Section `json:"sections"`
	Instructions string          `json:"instructions"`
	Tools        string          `json:"tools"`
	Input        []itemView      `json:"input"`
	Output       []itemView      `json:"output"`
}

// itemView is an item: its text, or all of it where it has none.
type itemView struct {
	Kind   string `json:"kind"`
	Role   string `json:"role,omitempty"`
	Name   string `json:"name,omitempty"`
	CallID string `json:"call_id,omitempty"`
	Text   string `json:"text"`
}

var errNoCall = errors.New("the agent made no such call in this tick")

// promptOf is the prompt of a step. The error says which part is missing or damaged.
func promptOf(t *explain.Turn, step int) (v promptView, err error) {
	for _, c := range t.Calls {
		if c.Step != step {
			continue
		}
		p, err := t.Parts(c)
		if err != nil {
			return v, err
		}
		v = promptView{Sections: c.Sections, Instructions: p.Instructions, Input: itemViews(p.Input),
			Output: itemViews(p.Output)}
		if c.Tools != "" {
			v.Tools = string(p.Tools)
		}
		return v, nil
	}
	return v, errNoCall
}

func itemViews(items []llmclient.Item) []itemView {
	list := []itemView{}
	for _, it := range items {
		v := itemView{string(it.Kind), it.Role, it.Name, it.CallID, it.Text + it.Refusal}
		if v.Text == "" {
			v = itemView{Kind: string(it.Kind), Text: string(it.Raw)}
		}
		list = append(list, v)
	}
	return list
}
