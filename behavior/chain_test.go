package behavior

import (
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// chained is agent-1 of llm_bootstrap, alone among agents that wait, in a run with chains.
type chained struct {
	*Agent
	w *world.World
	// output is the input of the last request, opening that of the first one of its turn.
	output, opening string
}

func newChained(t *testing.T) *chained {
	t.Helper()
	s, _, _ := scenario.Embedded("llm_bootstrap")
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Settings: trace.Settings{ChainSteps: world.ThenMax}, CountTokens: tokens.Count}
	runtime, err := NewRuntime(cfg, s.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	return &chained{Agent: runtime.Agent(w.AgentID(0), w.Persona(0)), w: w}
}

// tick plays a tick: the agent answers so where it is due, and goes on with its chain where it is not.
// others act as given.
func (c *chained) tick(t *testing.T, others map[int]world.Action, answers ...llmclient.Item) (d Decision) {
	t.Helper()
	c.w.Advance()
	var intents []world.Intent
	for _, n := range c.w.Due() {
		if n > 0 {
			if a := others[n]; a != nil {
				intents = append(intents, world.Intent{Agent: n, Action: a})
			}
			continue
		}
		turn := c.Begin(c.w.View(0))
		for step := turn.Next(); ; step = turn.Next() {
			ask, asks := step.(Ask)
			if !asks {
				d = step.(Decision)
				break
			}
			c.output = ""
			for _, item := range ask.Request.Input {
				c.output += item.Text + "\n"
			}
			if ask.Number == 1 {
				c.opening = c.output
			}
			if len(answers) == 0 {
				t.Fatalf("the turn asks for more: %s", c.output)
			}
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: answers[:1]}})
			answers = answers[1:]
		}
	}
	for range c.w.Continuing() {
		d, _ = c.Continue(c.w.View(0))
	}
	if d.Executed == nil {
		c.w.Apply(intents)
		return d
	}
	c.w.Apply(append(intents, d.Intent(0)))
	o, _ := c.w.LastOutcome(0)
	c.Learn(c.w.Tick(), d, o)
	return d
}

func draftOf(arguments string) llmclient.Item {
	return llmclient.FunctionCall("d", "decision_draft", arguments)
}

var commits = llmclient.FunctionCall("c", "decision", `{"candidate":1,"execute_until":null,"why":"","sources_used":[]}`)

// TestChainGoesOn: a chain takes one turn, its later steps are clamped at their tick, and the draft says
// which step it checked.
func TestChainGoesOn(t *testing.T) {
	c := newChained(t)
	d := c.tick(t, nil, draftOf(`{"candidates":[{"action":"mine_compound","amount":2000,"then":[
		{"action":"refine_compound","amount":90000},{"action":"harvest_radiation","amount":5,"max_ticks":2}]}]}`), commits)
	if !strings.Contains(c.output, "step 1 of 3 checked") || len(world.Steps(d.Executed)) != 3 {
		t.Fatalf("decided %s, told %s", world.EncodeAction(d.Executed), c.output)
	}
	for i, want := range []string{`{"action":"refine_compound","compound_mass_g":2000}`, `{"action":"harvest_radiation","max_amount":5}`, `{"action":"harvest_radiation","max_amount":5}`} {
		d := c.tick(t, nil)
		if got := string(world.EncodeAction(d.Executed)); got != want || d.DecidedBy != trace.ByStanding || d.ChainStep != min(i+2, 3) {
			t.Errorf("step %d does %s by %s, want %s", d.ChainStep, got, d.DecidedBy, want)
		}
	}
	c.tick(t, nil, draftOf(`{"candidates":[{"action":"wait"}]}`), commits)
	if want := "steps ended: all 3 done"; !strings.Contains(c.opening, want) || strings.Contains(c.opening, "not done") {
		t.Errorf("%q is not told:\n%s", want, c.opening)
	}
}

// TestRestOfChainIsTold: what a refused step leaves undone stands before the next plan.
func TestRestOfChainIsTold(t *testing.T) {
	c := newChained(t)
	c.tick(t, nil, draftOf(`{"candidates":[{"action":"harvest_radiation","amount":2,"then":[
		{"action":"transfer_resource","to":"agent-9","what":"data","amount":1},{"action":"mine_compound","amount":500}]}]}`), commits)
	if d := c.tick(t, nil); d.Executed.ActionName() != "transfer_resource" {
		t.Fatalf("the second step is %s", world.EncodeAction(d.Executed))
	}
	c.tick(t, nil, draftOf(`{"candidates":[{"action":"wait"}]}`), commits)
	if want := "action_rejected in step 2 of 3 after 1 attempts; not done: transfer_resource"; !strings.Contains(c.opening, want) ||
		!strings.Contains(c.opening, "mine_compound 500") {
		t.Errorf("%q is not told:\n%s", want, c.opening)
	}
	c.tick(t, nil, draftOf(`{"candidates":[{"action":"wait"}]}`), commits)
	if strings.Contains(c.opening, "not done") {
		t.Errorf("it is told again:\n%s", c.opening)
	}
}

// TestRestOfChainFollowsTexts: what texts may have chosen of a chain follows the next plan with the texts.
func TestRestOfChainFollowsTexts(t *testing.T) {
	c := newChained(t)
	says := func(text string) map[int]world.Action {
		return map[int]world.Action{1: world.SendMessage{To: "agent-1", Text: text}}
	}
	wait := []llmclient.Item{draftOf(`{"candidates":[{"action":"wait"}]}`), commits}
	plan := llmclient.FunctionCall("p", "plan", `{"goal":"g","steps":[],"actions":[{"action":"harvest_radiation","amount":2},
		{"action":"mine_compound","amount":500},{"action":"refine_compound","amount":100},{"action":"move_agent","to":"llm-outpost"}]}`)
	c.tick(t, says("mine for me"), wait...)
	d := c.tick(t, says("refine for me"), plan, draftOf(`{"candidates":[{"action":"harvest_radiation","amount":2,"then":[
		{"action":"mine_compound","amount":500},{"action":"refine_compound","amount":99},{"action":"wait_ticks","amount":30}]}]}`), commits)
	if got := len(world.Steps(d.Executed)); got != 3 || !strings.Contains(c.output, "then 2, not 3") {
		t.Fatalf("%d steps are left of %s, told %s", got, world.EncodeAction(d.Executed), c.output)
	}
	// The message ends the chain in its second step.
	c.tick(t, nil, plan, draftOf(`{"candidates":[{"action":"harvest_radiation","amount":2}]}`), commits)
	if strings.Contains(c.opening, "attempts; not done") || !strings.Contains(c.opening, "message_received in step") {
		t.Errorf("the opening tells:\n%s", c.opening)
	}
	if !strings.Contains(c.output, `"not_done":["mine_compound 500","refine_compound 99"]`) {
		t.Errorf("the texts do not tell what was left: %s", c.output)
	}
}

// TestAChainBuildsAndMakes: whoever builds a factory reads its id before, so that one chain builds it and puts it
// to work.
func TestAChainBuildsAndMakes(t *testing.T) {
	c := newChained(t)
	for range 2 {
		c.tick(t, nil, draftOf(`{"candidates":[{"action":"harvest_radiation","amount":46,"then":[
			{"action":"mine_compound","amount":5000},{"action":"refine_compound","amount":5000}]}]}`), commits)
		c.tick(t, nil)
		c.tick(t, nil)
	}
	c.tick(t, nil, draftOf(`{"candidates":[{"action":"wait"}]}`), commits)
	_, id, told := strings.Cut(c.opening, ".mk1 as ")
	id, _, _ = strings.Cut(id, ";")
	if !told || id == "" {
		t.Fatalf("the id of the factory is not told before it is built:\n%s", c.opening)
	}
	c.tick(t, nil, draftOf(`{"candidates":[{"action":"build_factory","what":"factory.assembler.mk1","then":[
		{"action":"wait_ticks","amount":2},{"action":"schedule_recipe","id":"`+id+`","what":"control_chip","amount":1}]}]}`), commits)
	for range 6 {
		c.tick(t, nil, draftOf(`{"candidates":[{"action":"wait"}]}`), commits)
		if strings.Contains(c.opening, "steps ended:") && !strings.Contains(c.opening, "steps ended: all 3 done") {
			t.Fatalf("the chain ended otherwise:\n%s", c.opening)
		}
	}
	if o := c.w.View(0).Observe(); len(o.Factories) != 1 || o.Factories[0].ID != id || len(o.Self.Products) != 1 {
		t.Errorf("the factories are %+v, want %s, the products %+v", o.Factories, id, o.Self.Products)
	}
}

// TestASleepIsToldAsItWasSlept: a sleep that ends early is over, with the ticks that it lasted.
func TestASleepIsToldAsItWasSlept(t *testing.T) {
	c := newChained(t)
	sleep := `{"action":"wait_ticks","amount":54,"then":[{"action":"mine_compound","amount":500}]}`
	c.tick(t, nil, draftOf(`{"candidates":[`+sleep+`]}`),
		llmclient.FunctionCall("c", "decision", `{"candidate":1,"execute_until":{"until":[],"max_ticks":9,"ignore":null},"why":"","sources_used":[]}`))
	c.tick(t, nil)
	c.tick(t, map[int]world.Action{1: world.SendMessage{To: "agent-1", Text: "good morning"}})
	wait := []llmclient.Item{draftOf(`{"candidates":[{"action":"wait"}]}`), commits}
	c.tick(t, nil, llmclient.FunctionCall("p", "plan", `{"goal":"g","steps":[],"actions":[]}`), wait[0], wait[1])
	if !strings.Contains(c.opening, "wait_ticks 3 of 54 ok") || strings.Contains(c.opening, "not done: wait_ticks") {
		t.Errorf("after three ticks of sleep the opening tells\n%s", c.opening)
	}
	if !strings.Contains(c.opening, "not done: mine_compound 500") {
		t.Errorf("the step after the sleep is not told:\n%s", c.opening)
	}
	c.tick(t, nil, wait...)
	if history := c.opening; !strings.Contains(history, "tick 1: wait_ticks 3 of 54 ok") {
		t.Errorf("the history tells\n%s", history)
	}
}

// TestALaterStepThatCannotBeReadIsCut: only faults of the first step refuse a candidate. A later one is left out with
// what follows it, and the draft and the next prompt say so.
func TestALaterStepThatCannotBeReadIsCut(t *testing.T) {
	c := newChained(t)
	d := c.tick(t, nil, draftOf(`{"candidates":[{"action":"mine_compound","amount":2000,"then":[{"action":"refine_compound","amount":2000},
		{"action":"schedule_recipe","id":null,"what":"control_chip","amount":1},{"action":"harvest_radiation","amount":5}]}]}`), commits)
	if got := len(world.Steps(d.Executed)); got != 2 || d.DecidedBy != trace.ByModel {
		t.Fatalf("%d steps are left of %s", got, world.EncodeAction(d.Executed))
	}
	c.tick(t, nil)
	c.tick(t, nil, draftOf(`{"candidates":[{"action":"wait"},{"action":"mine_compound","amount":5,"then":["dance"]}]}`),
		llmclient.FunctionCall("c", "decision", `{"candidate":9}`), commits)
	for _, told := range []string{`"cut":{"step":2}`, `"path":"candidates[1].then[0]`} {
		if !strings.Contains(c.output, told) {
			t.Errorf("the draft does not tell %s: %s", told, c.output)
		}
	}
	if !strings.Contains(c.opening, "What was wrong: candidates[0].then[1].id") {
		t.Errorf("the next prompt does not tell what was cut:\n%s", c.opening)
	}
	c.tick(t, nil, draftOf(`{"candidates":[{"action":"schedule_recipe","id":null,"what":"control_chip","amount":1}]}`), draftOf(`{"candidates":[{"action":"wait"}]}`), commits)
	if !strings.Contains(c.output, "INVALID_ARGUMENTS") {
		t.Errorf("a first step without its id is taken: %s", c.output)
	}
}
