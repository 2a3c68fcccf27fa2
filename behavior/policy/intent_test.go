package policy

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/agentworld/world"
)

// TestParseIntent reads what models write for an action.
func TestParseIntent(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, tt := range []struct {
		text string
		want Intent
	}{
		{"mine_compound 5000", Intent{Action: "mine_compound", Amount: n(5000)}},
		{"mine_compound 5,000 g", Intent{Action: "mine_compound", Amount: n(5000)}},
		{"mine compound: 5 kg", Intent{Action: "mine_compound", Amount: n(5000)}},
		{"Mine-Compound(compound_mass_g=5kg)", Intent{Action: "mine_compound", Amount: n(5000)}},
		{"mine up to 5k", Intent{Action: "mine_compound", Amount: n(5000)}},
		{"mine as much as possible", Intent{Action: "mine_compound"}},
		{"mine -5", Intent{Action: "mine_compound"}},
		{"1. mine 5000", Intent{Action: "mine_compound", Amount: n(5000)}},
		{"采矿 ５０００", Intent{Action: "mine_compound", Amount: n(5000)}},
		{"move_agent llm-hub", Intent{Action: "move_agent", To: "llm-hub"}},
		{"move to: llm-hub", Intent{Action: "move_agent", To: "llm-hub"}},
		{"go to belt:7", Intent{Action: "move_agent", To: "belt:7"}},
		{`move_agent "Far Rim"`, Intent{Action: "move_agent", To: "Far Rim"}},
		{"move_agent", Intent{Action: "move_agent"}},
		{"transfer_resource agent-2 electricity 10", Intent{Action: "transfer_resource", To: "agent-2", What: "electricity", Amount: n(10)}},
		{"give 10 electricity to agent-2", Intent{Action: "transfer_resource", To: "agent-2", What: "electricity", Amount: n(10)}},
		{"give control-chip to agent-2", Intent{Action: "transfer_resource", To: "agent-2", What: "control_chip"}},
		{`{"action": "transfer_resource", "to": "agent-2", "what": "data", "amount": 3}`, Intent{Action: "transfer_resource", To: "agent-2", What: "data", Amount: n(3)}},
		{"harvest_radiation 40 until 5", Intent{Action: "harvest_radiation", Amount: n(40), Until: 5}},
		{"execute_until harvest_radiation max_amount=40 max_ticks=5", Intent{Action: "harvest_radiation", Amount: n(40), Until: 5}},
		{"harvest until 5", Intent{Action: "harvest_radiation", Until: 5}},
		{"build_factory assembler", Intent{Action: "build_factory", What: world.AssemblerMk1}},
		{"build factory.power.radiation.mk1", Intent{Action: "build_factory", What: world.RadiationPlantMk1}},
		{"build mk1", Intent{Action: "build_factory"}},
		{"schedule_recipe agent-1-f1 recipe.control_chip 2 batches", Intent{Action: "schedule_recipe", ID: "agent-1-f1", What: "recipe.assembler.control_chip", Amount: n(2)}},
		{"place_power_order sell 50 at 3", Intent{Action: "place_power_order", What: "sell", Amount: n(50), Price: n(3)}},
		{"buy_power 50 3", Intent{Action: "buy_power", Amount: n(50), Price: n(3)}},
		{"buy_power price 3 amount 50", Intent{Action: "buy_power", Amount: n(50), Price: n(3)}},
		{"cancel_power_order agent-1-o1", Intent{Action: "cancel_power_order", ID: "agent-1-o1"}},
		{`send_message agent-2 "I am here."`, Intent{Action: "send_message", To: "agent-2", Text: "I am here."}},
		{`send_message("agent-2", "no")`, Intent{Action: "send_message", To: "agent-2", Text: "no"}},
		{"send_message agent-2 I am here", Intent{Action: "send_message", To: "agent-2"}},
		{"post_note \"two\u0000 lines\\nof text\"", Intent{Action: "post_note", Text: "two  lines of text"}},
		{"wait_ticks 4", Intent{Action: "wait_ticks", Amount: n(4)}},
		{"wait until 4", Intent{Action: "wait", Until: 4}},
		{"wait", Intent{Action: "wait"}},
		{"sell_power 50 electricity for 3 data", Intent{Action: "sell_power", Amount: n(50), Price: n(3)}},
		{"sell_power 50 electricity at 3 data", Intent{Action: "sell_power", Amount: n(50), Price: n(3)}},
		// A number that is not the amount is none.
		{"give agent-2 electricity, but keep 50", Intent{Action: "transfer_resource", To: "agent-2", What: "electricity"}},
		{"give agent-2 electricity, not more than 50", Intent{Action: "transfer_resource", To: "agent-2", What: "electricity"}},
		{"give agent-2 10 electricity, keep 50", Intent{Action: "transfer_resource", To: "agent-2", What: "electricity", Amount: n(10)}},
		{"buy_power 10 or 20", Intent{Action: "buy_power", Amount: n(10)}},
		{"mine for 3 ticks", Intent{Action: "mine_compound"}},
		{"mine 3 times 500", Intent{Action: "mine_compound"}},
		{"harvest until electricity 180", Intent{Action: "harvest_radiation"}},
		{"harvest until 5 ticks", Intent{Action: "harvest_radiation", Until: 5}},
		{"wait_ticks 4 ticks", Intent{Action: "wait_ticks", Amount: n(4)}},
	} {
		got, ok := ParseIntent(tt.text)
		if diff := cmp.Diff(tt.want, got); !ok || diff != "" {
			t.Errorf("%q, %v:\n%s", tt.text, ok, diff)
		}
	}
	for _, text := range []string{"", "  ", "fly to the moon", "execute_until", "5000", "agent-2 mine", strings.Repeat("x ", 500)} {
		if got, ok := ParseIntent(text); ok {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// TestIntentsReadBack: what an intent of an action says is read as the same intent.
func TestIntentsReadBack(t *testing.T) {
	specs := world.Actions()
	rapid.Check(t, func(rt *rapid.T) {
		want, ok := IntentOf(anyAction(rt, specs))
		if !ok {
			rt.Fatal("no intent")
		}
		want.Ignore = nil // a plan cannot say it
		got, ok := ParseIntent(want.String())
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			rt.Fatalf("%q, %v:\n%s", want, ok, diff)
		}
	})
}

// anyAction draws an action with sound arguments.
func anyAction(rt *rapid.T, specs []world.ActionSpec) world.Action {
	spec := rapid.SampledFrom(specs).Draw(rt, "action")
	if spec.Name == (world.ExecuteUntil{}).ActionName() {
		do := anyAction(rt, specs[:len(specs)-1])
		o, err := world.NewExecuteUntil(do, []world.Condition{{Event: world.StopJobDone}}, rapid.Int64Range(1, 20).Draw(rt, "attempts"),
			rapid.SampledFrom([][]string{nil, {world.StopPowerLow}}).Draw(rt, "ignore")...)
		if err != nil {
			rt.Fatal(err)
		}
		return o
	}
	args := world.Args{}
	for _, p := range spec.Params {
		switch p.Kind {
		case world.ParamAmount:
			args[p.Name] = world.Value{Int: rapid.SampledFrom(amounts).Draw(rt, p.Name)}
		case world.ParamChoice:
			args[p.Name] = world.Value{Text: rapid.SampledFrom(p.Choices).Draw(rt, p.Name)}
		case world.ParamPlace:
			args[p.Name] = world.Value{Text: rapid.SampledFrom([]string{"rim", "hub"}).Draw(rt, p.Name)}
		case world.ParamText:
			args[p.Name] = world.Value{Text: rapid.SampledFrom([]string{"yes", `a "quoted" word`, "采矿 \\ 5"}).Draw(rt, p.Name)}
		default:
			args[p.Name] = world.Value{Text: rapid.SampledFrom(agents).Draw(rt, p.Name)}
		}
	}
	a, err := world.MakeAction(spec.Name, args)
	if err != nil {
		rt.Fatal(err)
	}
	return a
}

// amounts and agents are few, so that what is drawn meets what was drawn before.
var (
	amounts = []int64{1, 10, 12, 2000, 7000}
	agents  = []string{"agent-2", "agent-3"}
)

// TestFold finds values however they are written.
func TestFold(t *testing.T) {
	for _, tt := range []struct {
		text, value string
		found       bool
	}{
		{"to agent-2 now", "agent-2", true},
		{"AGENT 2", "agent-2", true},
		{"agent2!", "agent-2", true},
		{"ａｇｅｎｔ－２", "agent-2", true},
		{"给agent-2电", "agent-2", true},
		{"agent-22", "agent-2", false},
		{"agent-1 and 2", "agent-2", false},
		{"reagent 2", "agent-2", false},
		{"control chips", "control_chip", true},
		{"go to frag amber", "frag-amber", true},
		{"5000", "5000", true},
		{"5,000 g", "5000", true},
		{"5 000", "5000", true},
		{"5'000", "5000", true},
		{"5.000", "5000", true},
		{"5-000", "5000", true},
		{"5/000", "5000", true},
		{"5 - 000", "5000", false},
		{"5\u03360\u03360\u03360\u0336", "5000", true},
		{"a\u0336gent-2\u20dd", "agent-2", true},
		{"1,234,567", "1234567", true},
		{"５０００", "5000", true},
		{"٥٠٠٠", "5000", true},
		{"𝟓𝟎𝟎𝟎", "5000", true},
		{"05000", "5000", true},
		{"5kg", "5000", true},
		{"5 kg", "5000", true},
		{"5k of it", "5000", true},
		{"5,5000", "5000", true},
		{"50000", "5000", false},
		{"15000", "5000", false},
		{"give agent-2 100 data", "agent-2", true},
		{"give agent-2 100 data", "100", true},
		{"", "agent-2", false},
		{"anything", "", false},
		{"anything", "--", false},
	} {
		if got := mentions(fold(tt.text), pattern(tt.value)); got != tt.found {
			t.Errorf("%q in %q: %v, want %v (%q)", tt.value, tt.text, got, tt.found, fold(tt.text))
		}
	}
}

// TestFoldIsStable: a value is found in every text that holds it as words of its own.
func TestFoldIsStable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.SampledFrom([]string{"agent-2", "recipe.assembler.motor_mk1", "belt:7", "5000"}).Draw(rt, "value")
		before, after := rapid.String().Draw(rt, "before"), rapid.String().Draw(rt, "after")
		if text := before + " ; " + value + " ; " + after; !mentions(fold(text), pattern(value)) {
			rt.Fatalf("%q is not found in %q", value, fold(text))
		}
		if !utf8.ValidString(fold(before)) {
			rt.Fatalf("%q folds to invalid text", before)
		}
	})
}
