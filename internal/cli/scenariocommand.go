package cli

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"example.com/agentworld/baseline"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// scenariosCommand lists, shows and checks what can be run. Names and aliases are those
// that the run command takes.
func scenariosCommand(m *Main) *cobra.Command {
	list := &cobra.Command{Use: "list", Short: "list the built-in scenarios with what their tasks score",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return listScenarios(m) }}
	show := &cobra.Command{Use: "show NAME", Short: "print a scenario's text, to read or to start a file of your own from",
		Args: oneArgument("the name of a scenario"),
		RunE: func(_ *cobra.Command, args []string) error {
			_, toml, _, err := chooseScenario(m, namedScenario(args[0]), nil)
			if err != nil {
				return err
			}
			return m.print(string(toml))
		}}
	rules := &cobra.Command{Use: "rules", Short: "print every action, recipe, factory, event and rule", Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return writeRules(m.Stdout) }}
	wordsDir := ""
	language := words.English
	lint := &cobra.Command{
		Use:   "lint [NAME|FILE...]",
		Short: "check that places can be reached, goals met, that tasks state true numbers and that no rule is idle",
		Long: "Lint lets scripted agents play each scenario, or all built-in ones, and prints one line per finding, " +
			"rules of a policy that can never make a difference included. " +
			"It calls no model. The exit code is 2 if something is wrong, and 7 if there are doubts only: what the " +
			"scripted agents did not do, and rules that never make a difference.",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = scenario.Names()
			}
			return lintScenarios(m, args, wordsDir, language)
		},
	}
	lint.Flags().StringVar(&wordsDir, "words", "", "directory of texts to models to look at, too")
	lint.Flags().StringVar(&language, "prompt-language", language, "language of these texts: "+
		strings.Join(words.Languages(), " or "))
	return group("scenarios", "list, show, check and begin scenarios", list, show, rules, lint, newScenarioCommand(m))
}

// playersLegend says who plays in each column of the table.
const playersLegend = `
Scores at the scenario's own seed; each seed of a task is another instance.
NOTHING waits, RANDOM draws its actions, GREEDY works without foresight,
SCRIPTED works by fixed rules. They and the models know the same. EMBEDDED is
the model of a run without --model, with default settings. BEST is the best plan
that a search has found by many plays of this instance. No player can score more
than BOUND; it is left out if it is more than half above BEST. TOLD is how many
instances it takes to tell SCRIPTED from itself with 15% and with 30% of its turns
wasted. If 20 do not suffice, a task is unfit to compare players. A terminal that
is too narrow has fewer columns.
`

// listScenarios prints a table of what can be run, the default one first. The
// columns of the score are empty where nothing is scored.
func listScenarios(m *Main) error {
	table := plaintext.Table{
		Header: []string{"NAME", "AGENTS", "TICKS", "FAMILY", "NOTHING", "RANDOM", "GREEDY", "SCRIPTED", "EMBEDDED", "BEST",
			"BOUND", "TOLD", "TITLE"},
		Least: []string{"TOLD", "NOTHING", "RANDOM", "GREEDY", "FAMILY", "SCRIPTED", "EMBEDDED", "AGENTS", "BEST", "BOUND",
			"TICKS"},
	}
	for _, name := range scenario.Names() {
		s, _, ok := scenario.Embedded(name)
		if !ok {
			panic("world_llm_agent_demo: a listed scenario does not exist: " + name)
		}
		scores := slices.Repeat([]string{"-"}, len(table.Header)-3)
		if t := s.Task; t != nil {
			b, _, err := baseline.ScoresOf(s)
			if err != nil {
				return fmt.Errorf("list the scenarios: %w", err)
			}
			embedded := "-"
			best := "-"
			bound := "-"
			told := "-"
			if score, ok := baseline.EmbeddedScore(s.ID, s.Seed); ok {
				embedded = fmt.Sprint(score)
			}
			if b.Best != nil {
				best = fmt.Sprint(*b.Best)
			}
			if !b.BoundLoose {
				bound = fmt.Sprint(b.Bound)
			}
			if sensitivity, ok := baseline.SensitivityOf(s.ID); ok {
				told = sensitivity.String()
			}
			scores = []string{fmt.Sprint(t.Ticks), string(t.Family), fmt.Sprint(b.Nothing), fmt.Sprint(b.Random),
				fmt.Sprint(b.Greedy), fmt.Sprint(b.Scripted), embedded, best, bound, told}
		}
		row := slices.Concat([]string{s.ID, fmt.Sprint(s.Agents.Count)}, scores, []string{s.Name})
		table.Rows = append(table.Rows, row)
	}
	return m.print(table.Text(m.outputColumns()) + playersLegend)
}

// lintScenarios lets scripted agents play each scenario and prints the findings on stdout,
// since they are what was asked for. That one cannot be read is a finding too, so that
// those after it are still checked.
func lintScenarios(m *Main, names []string, wordsDir, language string) error {
	if !slices.Contains(words.Languages(), language) {
		return badInput("--prompt-language %s: there is no such language; allowed: %s", shown(language),
			strings.Join(words.Languages(), ", "))
	}
	var replaced []words.Replacement
	if wordsDir != "" {
		text, err := m.readWords(wordsDir, language)
		if err == nil {
			replaced, err = words.Replacements(language, text)
		}
		if err != nil {
			return badInput("--words: %w", err)
		}
	}
	findings := 0
	doubts := 0
	faulty := 0
	for _, name := range names {
		var lines, flows []string
		if name, text, chosen, err := chooseScenario(m, namedScenario(name), nil); err != nil {
			if all, several := errors.AsType[problems](err); several {
				lines = all
			} else {
				lines = []string{err.Error()}
			}
		} else {
			files, err := m.namedDocuments(name, chosen)
			lines = linesOf(scenario.Placed(name, text, err))
			for _, missing := range linesOf(scenario.Placed(name, text, withoutText(chosen, files))) {
				lines = append(lines, "doubt: "+missing) // a run may have the file in its directory
				doubts++
			}
			for _, f := range baseline.Lint(chosen, chosen.Seed) {
				lines = append(lines, name+": "+f.String())
				if f.Doubt {
					doubts++
				}
			}
			for _, missing := range session.MissingSeats(chosen, m.seats()) {
				lines = append(lines, name+": doubt: agents.seats: "+missing.Text("--seat %s")) // another program may have it
				doubts++
			}
			for _, code := range slices.Sorted(maps.Keys(chosen.Texts)) {
				if !slices.Contains(words.Languages(), code) {
					lines = append(lines, fmt.Sprintf("%s: texts.%s: no prompt is in this language; allowed: %s", name, code,
						strings.Join(words.Languages(), ", ")))
				}
			}
			for _, doubt := range lintWords(replaced, chosen) {
				lines = append(lines, name+": doubt: words: "+doubt)
				doubts++
			}
			for _, idle := range policy.FindIdle(chosen.Policy, chosen.Terms) {
				lines = append(lines, name+": doubt: "+idle.String())
				doubts++
			}
			told := slices.Concat(baseline.Flows(chosen), baseline.RoundTrips(chosen), baseline.Delays(chosen),
				baseline.MetByOthers(chosen), promptCost(chosen, m.servers.linked(m.Extensions)))
			for _, flow := range told {
				flows = append(flows, name+": "+flow) // to know, not to mend
			}
		}
		findings += len(lines)
		if len(lines) > 0 {
			faulty++
		}
		for _, line := range append(lines, flows...) {
			plaintext.Fprintf(m.Stdout, "%s\n", line)
		}
	}
	switch found := fmt.Sprintf("%s in %d of %s", plaintext.Count(findings, "finding"), faulty,
		plaintext.Count(len(names), "scenario")); {
	case findings > doubts:
		return badInput("%s", found)
	case findings > 0:
		return failWith(exitUndecided, errors.New(found+", all of them doubts"))
	}
	plaintext.Fprintf(m.Stdout, "%s, no findings\n", plaintext.Count(len(names), "scenario"))
	return nil
}

// writeRules prints what the kernel's own tables say of the default rules: what agents can
// do, make and wait for, and the [rules] table of a scenario.
func writeRules(out io.Writer) error {
	rules, said := world.DefaultRules().Industry(), words.In(words.English)
	var b strings.Builder
	b.WriteString("ACTIONS\n")
	for _, a := range rules.Actions() {
		plaintext.Fprintf(&b, "%s: %s\n", a.Name, modules.ActionDoc(said, a, rules))
		for _, p := range a.Params {
			takes := "an id as shown"
			switch p.Kind {
			case world.ParamChoice:
				takes = strings.Join(p.Choices, ", ")
			case world.ParamAmount:
				takes = strings.TrimSpace(fmt.Sprintf("%d to %d %s", p.Min, p.Max, p.Unit))
			case world.ParamText:
				takes = fmt.Sprintf("up to %d characters", p.Max)
			}
			plaintext.Fprintf(&b, "    %s: %s (%s)\n", p.Name, p.Doc, takes)
		}
	}
	b.WriteString("\nFACTORIES\n")
	for _, k := range rules.Kinds {
		does := said.FactoryKinds.Numbered(k.Name, map[string]int64{"rate": rules.PlantRate, "store": rules.PlantCap})
		plaintext.Fprintf(&b, "%s: %s; costs %s, %s\n", k.Name, does, amountsOf(k.Cost),
			plaintext.Count(k.Ticks, "tick"))
	}
	b.WriteString("\nRECIPES, for one batch\n")
	for _, r := range rules.Recipes {
		plaintext.Fprintf(&b, "%s (%s): %s -> %s, %s, in %s\n", r.ID, r.Alias, amountsOf(r.Inputs), amountsOf(r.Outputs),
			plaintext.Count(r.Ticks, "tick"), cmp.Or(r.FactoryKind, "any factory"))
	}
	b.WriteString("\nEVENTS that end an execute_until\n")
	for _, e := range world.StopEvents() {
		name := e.Name
		if e.TakesValue {
			name += " VALUE"
		}
		plaintext.Fprintf(&b, "%s: %s\n", name, said.StopEvents.Text(e.Name))
	}
	defaults, err := toml.Marshal(rules.Rules)
	if err != nil {
		return fmt.Errorf("encode the rules: %w", err)
	}
	b.WriteString("\nDEFAULTS of a scenario; scenario.schema.json has units, ranges and meanings\n[rules]\n")
	b.Write(defaults)
	_, err = io.WriteString(out, b.String())
	return err
}

func amountsOf(list []world.Amount) string {
	var words []string
	for _, a := range list {
		words = append(words, fmt.Sprintf("%d %s", a.Amount, a.Resource))
	}
	return cmp.Or(strings.Join(words, ", "), "nothing")
}

// newScenarioText is a small scenario with comments, in which NAME is to be replaced.
//
//go:embed newscenario.toml
var newScenarioText string

// newScenarioCommand writes a scenario to begin with.
func newScenarioCommand(m *Main) *cobra.Command {
	return &cobra.Command{
		Use:   "new NAME|FILE",
		Short: "write a small scenario with comments, to change",
		Args:  oneArgument("a name, or the path of a .toml file"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			if !strings.HasSuffix(name, ".toml") {
				name += ".toml"
			}
			if strings.TrimSuffix(filepath.Base(name), ".toml") == "" {
				return badInput("%s names no scenario; allowed: a name, or the path of a .toml file", shown(args[0]))
			}
			if err := plaintext.FileName(filepath.Base(name)); err != nil {
				return badInput("the scenario %s: %w", shown(name), err)
			}
			if _, err := os.Lstat(m.path(name)); err == nil {
				return badInput("%s exists and is left as it is; allowed: a new file", shown(name))
			}
			out, err := m.output("the scenario ", name)
			if err != nil {
				return err
			}
			if err := atomicfile.Write(out.path,
				[]byte(strings.ReplaceAll(newScenarioText, "NAME", scenarioWord(name)))); err != nil {
				out.made.discard()
				return err
			}
			plaintext.Fprintf(m.Stdout, "scenario %s\n", name)
			m.printAdvice(m.Stderr, scenarioAdvice(name)...)
			return nil
		},
	}
}
