package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/explain"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Conversation is one decision as trainers read it: a line of the format "messages". It holds what the model saw and
// answered in the turn, in the form of chat completions.
type Conversation struct {
	Of
	// Tick of the decision.
	Tick int64 `json:"tick"`
	// Id of the agent.
	Agent string `json:"agent"`
	// Model asked for, or seat.
	Model string `json:"model"`
	// Who decided: model, seat, or engine if nothing usable came.
	DecidedBy trace.DecidedBy `json:"decided_by"`
	// What was sent and answered, in order. The system message is the instructions. Requests that a later one of the
	// turn took back are left out.
	Messages []Message `json:"messages"`
	// Tools that were offered.
	Tools []Tool `json:"tools"`
	// Change of the task's score from the tick of the decision to the last tick before the agent's next one; null
	// without a task. The rewards of an agent's decisions add up to what the score gained since before its first one.
	Reward *int64 `json:"reward"`
	// Score after that last tick; null without a task.
	Score *int64 `json:"score"`
	// That last tick.
	RewardTo int64 `json:"reward_to_tick"`
	// Action that the world got.
	Executed json.RawMessage `json:"executed"`
	// What the world answered; null if it was not asked.
	Outcome json.RawMessage `json:"outcome"`
	// Why the engine made the agent wait; empty for a wait that was chosen.
	WaitReason trace.WaitReason `json:"wait_reason"`
	// What allowed the action; null for a wait of the engine.
	Authority *trace.Authority `json:"authority"`
	// Least trust of a source in view; empty without any.
	Trust string `json:"trust"`
	// Sources in view.
	Sources []Source `json:"sources"`
}

// Message is one message of a conversation.
type Message struct {
	// Role is system, developer, user, assistant or tool.
	Role string `json:"role"`
	// Text of the message; empty for one that only calls tools.
	Content string `json:"content"`
	// Reasoning that the provider showed.
	Reasoning string `json:"reasoning_content,omitempty"`
	// Refusal that the model gave.
	Refusal string `json:"refusal,omitempty"`
	// Calls of tools.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// Call that the message of a tool answers.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// How far it may influence a decision: at most the least trust of the sources that it shows, or of an assistant
	// that it had read.
	Trust string `json:"trust"`
	// Ids of the sources that it shows.
	Sources []string `json:"sources,omitempty"`
	// Items of the provider without a meaning here, as they came.
	Other []json.RawMessage `json:"other_items,omitempty"`
}

// ToolCall is a call in the form of chat completions.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function FunctionCall `json:"function"`
}

// FunctionCall names the function and has the arguments as the model wrote them.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Tool is a tool in the form of chat completions.
type Tool struct {
	Type     string   `json:"type"`
	Function Function `json:"function"`
}

// Function is what a tool says of itself.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// Source is one source in view of a decision.
type Source struct {
	// Id by which messages and model name it.
	ID string `json:"id"`
	// Kind, such as memory, message or document.
	Kind trace.SourceKind `json:"kind"`
	// Trust: tool_error, other_agent, derived, self_observation or rules.
	Trust trace.Trust `json:"trust"`
	// Agent that said it; empty for the agent itself and for the world.
	OriginAgent string `json:"origin_agent"`
	// Whether the decision rests on it.
	Used bool `json:"used"`
}

// converse fills in what was sent and answered. last is the last call of the turn, whose request begins with those
// before it. The error names a part that is missing or damaged.
func (c *Conversation) converse(last trace.ModelCall, d trace.Decision, tools []explain.UsedTool,
	blobs *trace.Blobs) error {
	c.Model = last.Model
	c.Messages = []Message{}
	c.Tools = []Tool{}
	c.Sources = []Source{}
	for _, s := range d.SourcesRetrieved {
		used := slices.Contains(d.SourcesUsed, s.ID)
		c.Sources = append(c.Sources, Source{s.ID, s.Kind, s.Trust, s.OriginAgent, used})
	}
	if last.Instructions != "" {
		text, err := blobs.Body(last.Instructions)
		if err != nil {
			return err
		}
		c.Messages = append(c.Messages, Message{Role: "system", Content: string(text)})
	}
	if last.Tools != "" {
		if err := c.offer(last.Tools, blobs); err != nil {
			return err
		}
	}
	items, err := blobs.Items(slices.Concat(last.Input, last.Answer.Output))
	if err != nil {
		return err
	}
	for _, it := range items {
		c.take(it)
	}
	c.judge(d.SourcesRetrieved, tools)
	return nil
}

// offer reads the list of tools with a hash.
func (c *Conversation) offer(hash string, blobs *trace.Blobs) error {
	text, err := blobs.Body(hash)
	if err != nil {
		return err
	}
	var list []Function
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("part %s is not a tool list: %w", hash, err)
	}
	for _, f := range list {
		c.Tools = append(c.Tools, Tool{"function", f})
	}
	return nil
}

// take adds an item. What a model answers in a row is one message.
func (c *Conversation) take(it llmclient.Item) {
	switch {
	case it.Kind == llmclient.KindFunctionOutput:
		c.Messages = append(c.Messages, Message{Role: "tool", Content: it.Text, ToolCallID: it.CallID})
		return
	case it.Kind == llmclient.KindMessage && it.Role != assistant:
		c.Messages = append(c.Messages, Message{Role: it.Role, Content: it.Text})
		return
	}
	if n := len(c.Messages); n == 0 || c.Messages[n-1].Role != assistant {
		c.Messages = append(c.Messages, Message{Role: assistant})
	}
	m := &c.Messages[len(c.Messages)-1]
	switch it.Kind {
	case llmclient.KindMessage:
		m.Content = joined(m.Content, it.Text)
		m.Refusal = joined(m.Refusal, it.Refusal)
	case llmclient.KindFunctionCall:
		m.ToolCalls = append(m.ToolCalls, ToolCall{it.CallID, "function", FunctionCall{it.Name, it.Text}})
	case llmclient.KindReasoning:
		m.Reasoning = joined(m.Reasoning, reasoning(it.Raw))
	default:
		m.Other = append(m.Other, it.Raw)
	}
}

// assistant is the role of a model.
const assistant = "assistant"

// joined are two texts with a line feed between.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// reasoning is the text that a provider shows of some reasoning, empty if it keeps it to itself.
func reasoning(raw []byte) (text string) {
	type part struct {
		Text string `json:"text"`
	}
	var item struct {
		Summary []part `json:"summary"`
		Content []part `json:"content"`
	}
	_ = json.Unmarshal(raw, &item) // what has another form shows nothing
	for _, p := range append(item.Content, item.Summary...) {
		text = joined(text, p.Text)
	}
	return text
}

// judge gives each message its sources and its trust. Instructions are rules, what the engine says is the agent's own
// observation, and the result of a tool counts as another agent's unless the user trusts it. No message is trusted
// more than a source that it shows, and an answer no more than anything before it. A source that no message names may
// be in any of them.
func (c *Conversation) judge(sources []trace.Source, tools []explain.UsedTool) {
	found := map[string]bool{}
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.Role == assistant {
			continue
		}
		for _, s := range sources {
			if mentions(m.Content, s.ID) {
				m.Sources = append(m.Sources, s.ID)
				found[s.ID] = true
			}
		}
	}
	unnamed := trace.TrustRules
	trust := map[string]trace.Trust{}
	for _, s := range sources {
		trust[s.ID] = s.Trust
		if !found[s.ID] {
			unnamed = min(unnamed, s.Trust)
		}
	}
	read := trace.TrustRules
	for i := range c.Messages {
		m := &c.Messages[i]
		least := trace.TrustSelfObservation
		switch m.Role {
		case "system", "developer":
			least = trace.TrustRules
		case assistant:
			least = min(trace.TrustDerived, read)
		case "tool":
			least = min(least, resultTrust(m.ToolCallID, tools), unnamed)
		default:
			least = min(least, unnamed)
		}
		for _, id := range m.Sources {
			least = min(least, trust[id])
		}
		read = min(read, least)
		m.Trust = least.String()
	}
}

// mentions reports whether a text has an id as a word of its own.
func mentions(text, id string) bool {
	part := func(c byte) bool {
		return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for at := 0; ; {
		i := strings.Index(text[at:], id)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(id)
		if (begin == 0 || !part(text[begin-1])) && (end == len(text) || !part(text[end])) {
			return true
		}
		at = end
	}
}

// resultTrust is the trust of what answers a call: that of a module, unless a tool of the user's was called.
func resultTrust(callID string, tools []explain.UsedTool) trace.Trust {
	for _, t := range tools {
		switch {
		case t.CallID != callID:
		case t.Code != "":
			return trace.TrustToolError
		case !t.Trusted:
			return trace.TrustOtherAgent
		}
	}
	return trace.TrustSelfObservation
}
