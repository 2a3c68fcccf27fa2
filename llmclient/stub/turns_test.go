package stub

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/llmclient"
)

// protocol says which tools a turn has.
type protocol string

const (
	full protocol = "full"
	lean protocol = "lean"
)

// actionSchema is the flat action: the action's name and the slots, nullable.
const actionSchema = `{"type":"object","additionalProperties":false,
"required":["action","to","id","what","amount","price","text"],
"properties":{"action":{"type":"string","enum":["wait","wait_ticks","move_agent","harvest_radiation","mine_compound","refine_compound","build_factory","schedule_recipe","transfer_resource","send_message"]},
"to":{"type":["string","null"]},"id":{"type":["string","null"]},"what":{"type":["string","null"]},
"amount":{"type":["integer","null"]},"price":{"type":["integer","null"]},"text":{"type":["string","null"]}}}`

// actionDoc is what the description of a tool that takes an action says about them.
const actionDoc = "Dry-run what candidates do. Actions:\nmine_compound(amount g): 1 electricity per started kg.\n" +
	"refine_compound(amount g): 1000 g and 2 electricity give 1 hardware.\nbuild_factory(what factory.assembler.mk1): Here: 10 electricity, 5 hardware.\n" +
	"schedule_recipe(id factory, what recipe.assembler.(control_chip|motor_mk1|logistics_drone), amount batches): Run batches."

const instructions = "Keep going."

const untilSchema = `{"anyOf":[{"type":"null"},{"type":"object","additionalProperties":false,"required":["until","max_ticks"],"properties":{
"until":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["event","value_lte"],"properties":{
"event":{"type":"string","enum":["action_rejected","harvest_yield_below","thermal_overload"]},"value_lte":{"type":["integer","null"]}}}},
"max_ticks":{"type":"integer"}}}]}`

const textList = `{"type":"array","items":{"type":"string"}}`

const planSchema = `{"type":"object","additionalProperties":false,"required":["goal","steps","actions"],"properties":{
"goal":{"type":"string","maxLength":200},"actions":` + textList + `,"steps":{"type":"array","maxItems":6,"items":{"type":"object",
"additionalProperties":false,"required":["kind","what"],"properties":{"kind":{"type":"string","enum":["call","reason","respond","skip"]},"what":{"type":"string"}}}}}}`

const draftSchema = `{"type":"object","additionalProperties":false,"required":["candidates","sources_used"],
"properties":{"candidates":{"type":"array","items":` + actionSchema + `},"sources_used":` + textList + `}}`

var decisionSchema = `{"type":"object","additionalProperties":false,"required":["action","execute_until","why","sources_used"],
"properties":{"action":` + actionSchema + `,"execute_until":` + untilSchema + `,"why":{"type":"string"},"sources_used":` + textList + `}}`

const turnSchema = `{"type":"object","additionalProperties":false,"required":["plan","candidates","action","execute_until","why","sources_used"],
"properties":{"plan":{"type":"string"},"candidates":{"type":"array","items":` + actionSchema + `},
"action":` + actionSchema + `,"execute_until":` + untilSchema + `,"why":{"type":"string"},"sources_used":` + textList + `}}`

const noneSchema = `{"type":"object","additionalProperties":false,"required":[],"properties":{}}`

func functionTool(name, parameters string) llmclient.Tool {
	return llmclient.Tool{Name: name, Description: "The tool " + name + ".", Parameters: json.RawMessage(parameters), Strict: true}
}

// actionTool is a tool that takes actions and says what they are.
func actionTool(name, parameters string) llmclient.Tool {
	t := functionTool(name, parameters)
	t.Description = actionDoc
	return t
}

func oneField(field, kind string) string {
	return fmt.Sprintf(`{"type":"object","additionalProperties":false,"required":[%q],"properties":{%q:{"type":%s}}}`, field, field, kind)
}

var moduleNames = []string{moduleCurrent, moduleRecent, moduleSearch, moduleRules, moduleRoute, toolDryRun}

// toolsOf returns the tool list of a protocol, as an engine would send it.
func toolsOf(p protocol) []llmclient.Tool {
	tools := []llmclient.Tool{
		functionTool(moduleCurrent, noneSchema),
		functionTool(moduleRecent, oneField("limit", `["integer","null"]`)),
		functionTool(moduleSearch, `{"type":"object","additionalProperties":false,"required":["query","limit"],"properties":{"query":{"type":"string"},"limit":{"type":["integer","null"]}}}`),
		functionTool(moduleRules, oneField("topic", `["string","null"]`)),
		functionTool(moduleRoute, oneField("to", `"string"`)),
	}
	// Both ways to pass an action in an action's argument are in use.
	if p == lean {
		tools = append(tools, functionTool(toolDryRun, `{"type":"object","additionalProperties":false,"required":["action"],"properties":{"action":`+actionSchema+`}}`))
		return append([]llmclient.Tool{actionTool(toolTurn, turnSchema), functionTool(toolPlan, planSchema)}, tools...)
	}
	tools = append(tools, functionTool(toolDryRun, oneField("action", `"string"`)))
	return append([]llmclient.Tool{
		functionTool(toolPlan, planSchema), actionTool(toolDraft, draftSchema), functionTool(toolDecision, decisionSchema),
	}, tools...)
}

// table is one agent's side of the conversation: it plays the engine.
type table struct {
	t        *testing.T
	seed     uint64
	protocol protocol
	goals    string
	history  []string
	world    *belt
	// bodies and results record every exchange.
	bodies  [][]byte
	results []Result
}

// opening is the prompt of a turn.
func (g *table) opening() []llmclient.Item {
	items := []llmclient.Item{llmclient.Message("user", "# Goals\n"+g.goals)}
	if len(g.history) > 0 {
		items = append(items, llmclient.Message("user", "# History, oldest first\n"+g.history[len(g.history)-1]))
	}
	return append(items, llmclient.Message("user", g.world.observation()))
}

// ask sends one request and checks what every answer has to keep.
func (g *table) ask(input []llmclient.Item, choice llmclient.ToolChoice) Result {
	g.t.Helper()
	request := llmclient.Request{Model: "any-model", Instructions: instructions, Input: input, Tools: toolsOf(g.protocol), Choice: choice, Sampling: llmclient.Sampling{MaxOutputTokens: 900}}
	body := request.Body()
	result, err := Decide(g.seed, body)
	if err != nil {
		g.t.Fatalf("Decide: %v", err)
	}
	for _, item := range result.Items {
		if item.Kind == llmclient.KindFunctionCall {
			checkArguments(g.t, g.protocol, item)
		}
	}
	g.bodies, g.results = append(g.bodies, body), append(g.results, result)
	return result
}

// parameters holds every test tool's schema, resolved once: that is the slow part.
var parameters = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	out := map[string]*jsonschema.Resolved{}
	for _, p := range []protocol{full, lean} {
		for _, tool := range toolsOf(p) {
			out[string(p)+" "+tool.Name] = mustResolve(tool)
		}
	}
	return out
})

func mustResolve(tool llmclient.Tool) *jsonschema.Resolved {
	var s jsonschema.Schema
	if err := json.Unmarshal(tool.Parameters, &s); err != nil {
		panic("the schema of the test tool " + tool.Name + " is not JSON: " + err.Error())
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic("the schema of the test tool " + tool.Name + " does not resolve: " + err.Error())
	}
	return resolved
}

// checkArguments validates a call against the parameters of its tool.
func checkArguments(t *testing.T, p protocol, call llmclient.Item) {
	t.Helper()
	schema, offered := parameters()[string(p)+" "+call.Name]
	if !offered {
		t.Fatalf("call of %q, which was not offered", call.Name)
	}
	var arguments any
	if err := json.Unmarshal([]byte(call.Text), &arguments); err != nil {
		t.Fatalf("arguments of %s: %v", call.Name, err)
	}
	if err := schema.Validate(arguments); err != nil {
		t.Fatalf("arguments of %s do not fit its schema: %v\n%s", call.Name, err, call.Text)
	}
}

// calls returns the function calls of an answer.
func calls(r Result) []llmclient.Item {
	var out []llmclient.Item
	for _, item := range r.Items {
		if item.Kind == llmclient.KindFunctionCall {
			out = append(out, item)
		}
	}
	return out
}

// choiceAfter narrows the tools as the stages of a turn do.
func (g *table) choiceAfter(input []llmclient.Item) llmclient.ToolChoice {
	turn := readTranscript(input)
	required := func(names ...string) llmclient.ToolChoice {
		return llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: names}
	}
	switch {
	case g.protocol == lean:
		return required(append([]string{toolTurn}, moduleNames...)...)
	case turn.count(toolPlan) == 0:
		return required(toolPlan, toolDecision)
	case turn.count(toolDraft) == 0:
		return required(append([]string{toolDraft, toolDecision}, moduleNames...)...)
	}
	return required(toolDecision)
}

// deliberate plays one turn and returns the committed action and standing order.
func (g *table) deliberate() (action, until object) {
	g.t.Helper()
	input := g.opening()
	for range 12 {
		result := g.ask(input, g.choiceAfter(input))
		input = append(input, result.Items...)
		for _, call := range calls(result) {
			output, done := g.settle(call)
			if done {
				var decided struct {
					Action object `json:"action"`
					Until  object `json:"execute_until"`
				}
				if err := decode([]byte(call.Text), &decided); err != nil {
					g.t.Fatalf("decision: %v", err)
				}
				return decided.Action, decided.Until
			}
			input = append(input, llmclient.FunctionOutput(call.CallID, output))
		}
	}
	g.t.Fatalf("seed=%d tick %d: the turn does not end", g.seed, g.world.tick)
	return nil, nil
}

// settle answers a call as the engine would; done says that the turn is over.
func (g *table) settle(call llmclient.Item) (output string, done bool) {
	var arguments object
	if err := decode([]byte(call.Text), &arguments); err != nil {
		g.t.Fatalf("arguments of %s: %v", call.Name, err)
	}
	switch call.Name {
	case toolDraft:
		var found []any
		for i, c := range arguments["candidates"].([]any) {
			found = append(found, g.verdict(i+1, c.(object)))
		}
		return string(llmclient.Marshal(object{"status": "ok", "candidates": found, "next": toolDecision})), false
	case toolDecision, toolTurn:
		v := g.verdict(1, arguments["action"].(object))
		return string(llmclient.Marshal(v)), v["status"] == statusAccepted
	case toolDryRun:
		action, plain := arguments["action"].(object)
		if !plain {
			if err := decode([]byte(arguments["action"].(string)), &action); err != nil {
				g.t.Fatalf("dry run: %v", err)
			}
		}
		return string(llmclient.Marshal(object{"status": "ok", "data": g.verdict(1, action)})), false
	}
	return `{"status":"ok"}`, false
}

func (g *table) verdict(n int, action object) object {
	if why := g.world.rejects(action); why != "" && !g.world.contended {
		return object{"n": n, "status": statusRejected, "why": why}
	}
	return object{"n": n, "status": statusAccepted}
}

// live plays ticks of the world until the given one.
func (g *table) live(until int64) {
	g.t.Helper()
	var standing object
	left := int64(0)
	for g.world.tick < until {
		g.world.advance()
		if left > 0 && g.world.rejects(standing) == "" {
			g.world.apply(standing)
			left--
			continue
		}
		left = 0
		if !g.world.due() {
			continue
		}
		action, order := g.deliberate()
		if why := g.world.rejects(action); why != "" {
			g.history = append(g.history, fmt.Sprintf("[m%d] tick %d outcome failed: %s refused: %s", len(g.history), g.world.tick, said(action), why))
			continue
		}
		g.world.apply(action)
		g.history = append(g.history, fmt.Sprintf("[m%d] tick %d outcome: %s ok", len(g.history), g.world.tick, said(action)))
		if order != nil {
			standing, left = action, amountIn(order, "max_ticks")-1
		}
	}
}

// said writes an action as a line of history does.
func said(action object) string {
	text := name(action)
	for _, key := range slices.Sorted(maps.Keys(action)) {
		if key != "action" && action[key] != nil {
			text += fmt.Sprint(" ", action[key])
		}
	}
	return text
}
