package policy

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/agentworld/world"
)

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
