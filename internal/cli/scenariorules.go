package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/world"
)

// writeRules prints what the kernel's own tables say of the default rules: what agents can
// do, make and wait for, and the [rules] table of a scenario.
func writeRules(out io.Writer) error {
	rules := world.DefaultRules()
	var b strings.Builder
	b.WriteString("ACTIONS\n")
	for _, a := range rules.Actions() {
		fmt.Fprintf(&b, "%s: %s\n", a.Name, a.Doc)
		for _, p := range a.Params {
			fmt.Fprintf(&b, "    %s: %s (%s)\n", p.Name, p.Doc, parameterRange(p))
		}
	}
	b.WriteString("\nFACTORIES\n")
	for _, k := range rules.FactoryKinds() {
		fmt.Fprintf(&b, "%s: %s; costs %s, %d ticks\n", k.Name, k.Doc, amountsOf(k.Cost), k.Ticks)
	}
	b.WriteString("\nRECIPES, for one batch\n")
	for _, r := range rules.Recipes() {
		fmt.Fprintf(&b, "%s (%s): %s -> %s, %d ticks, in %s\n", r.ID, r.Alias, amountsOf(r.Inputs), amountsOf(r.Outputs), r.Ticks, cmp.Or(r.FactoryKind, "any factory"))
	}
	b.WriteString("\nEVENTS that end an execute_until\n")
	for _, e := range world.StopEvents() {
		name := e.Name
		if e.TakesValue {
			name += " VALUE"
		}
		fmt.Fprintf(&b, "%s: %s\n", name, e.Doc)
	}
	defaults, err := toml.Marshal(rules)
	if err != nil {
		return fmt.Errorf("encode the rules: %w", err)
	}
	fmt.Fprintf(&b, "\nDEFAULTS of a scenario; scenario.schema.json has units, ranges and meanings\n[rules]\n%s", defaults)
	_, err = io.WriteString(out, b.String())
	return err
}

// parameterRange is what values a parameter of an action takes.
func parameterRange(p world.Param) string {
	switch p.Kind {
	case world.ParamChoice:
		return strings.Join(p.Choices, ", ")
	case world.ParamAmount:
		return strings.TrimSpace(fmt.Sprintf("%d to %d %s", p.Min, p.Max, p.Unit))
	case world.ParamText:
		return fmt.Sprintf("up to %d characters", p.Max)
	}
	return "an id as shown"
}

func amountsOf(list []world.Amount) string {
	var words []string
	for _, a := range list {
		words = append(words, fmt.Sprintf("%d %s", a.Amount, a.Resource))
	}
	return cmp.Or(strings.Join(words, ", "), "nothing")
}
