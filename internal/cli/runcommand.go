package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// runHelp is the long help of the default command.
const runHelp = `Run a world of agents that a language model decides for.

SCENARIO is the name of a built-in scenario or the path of a .toml file. Without a
model the run is decided by a scripted stub, which needs no key and no network;
its results check the wiring and say nothing about models. With --model the run is
live.

Keys are never given on the command line, where other users could read them. Set
AGENT_WORLD_LLM_API_KEY or OPENAI_API_KEY, or api_key under [llm] in config.toml.

Settings come from flags, then the environment, then the configuration file, then
the defaults; "help settings" lists all of them, --print-config shows yours.

The report's summary goes to stdout, progress to stderr, trace and report to the run
directory. Exit codes: 0 completed, 1 internal error, 2 bad input, 3 provider failed
or no answer was usable, 4 budget, 5 replay differs, 6 gate failed or more degraded
decisions than --max-degraded allows, 8 a disk is full or fails, 130 interrupted.`

// runFlags are the flags of a run that are not settings: they say where settings
// come from and what to do with them, so no source but the command line has them.
type runFlags struct {
	// config is the configuration file; empty looks for settings.ConfigName.
	config string
	// printConfig shows the settings instead of running.
	printConfig bool
	// estimateOnly says what a run would take instead of running.
	estimateOnly bool
	// version shows which program this is instead of running.
	version bool
}

// runCommand is the default command. Its steps, each of which may refuse:
//
//	gather             flags with environment, file and defaults
//	newConfig          each value by itself
//	newPlan            the values together, and the files they name
//	run                files, model, engine, report
func runCommand(m *Main) *cobra.Command {
	var extra runFlags
	c := &cobra.Command{
		Use:   m.called() + " [scenario]",
		Short: "run a world of language-model agents",
		Long:  runHelp,
		// Any word is taken, so that an unknown one can be answered with the
		// scenarios as well as the commands.
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if extra.version {
				plaintext.Fprintf(m.Stdout, "%s %s%s\n", m.called(), versionText(), m.extensionNames())
				for _, line := range m.linked() {
					plaintext.Fprintf(m.Stdout, "%s\n", line)
				}
				return nil
			}
			if _, err := givenFlags(c.Flags()); err != nil {
				return err
			}
			// Given twice, the scenario must be the same: a guess would run the wrong one.
			scenario := ""
			if len(args) > 0 {
				scenario = strings.TrimSpace(args[0])
			}
			flag := c.Flags().Lookup("scenario").Value.String()
			switch {
			case len(args) > 1:
				if _, _, _, err := chooseScenario(m, namedScenario(args[0]), commandNames(c)); err != nil {
					return err // most often a misspelt command
				}
				return badInput("one scenario at a time: got %s and %s", shown(args[0]), shown(args[1]))
			case len(args) == 1 && scenario == "":
				return badInput("the scenario is empty; give a name or leave it out")
			case scenario != "" && flag != "" && strings.TrimSpace(flag) != scenario:
				return badInput("two scenarios given: argument %s and --scenario %s", shown(scenario), shown(flag))
			}
			values, err := m.gather(c.Flags(), scenario)
			if err == nil {
				err = m.metrics.read()
			}
			if err != nil {
				return err
			}
			extra.config = c.Flags().Lookup(configFlag).Value.String()
			return m.start(c.Context(), trace.DefaultSettings(), values, extra, nil, commandNames(c))
		},
	}
	addFlags(c.Flags(), m.table())
	m.metrics.addFlag(c.Flags())
	addConfigFlag(c.Flags())
	c.Flags().BoolVar(&extra.printConfig, "print-config", false,
		"show each setting and where it comes from, and run nothing")
	c.Flags().BoolVar(&extra.estimateOnly, "estimate-only", false, "say what the run would take and cost, and run nothing")
	c.InitDefaultHelpFlag()
	// Cobra's own flag would need the text of every call's start, and the prompts' version is slow to find.
	c.Flags().BoolVarP(&extra.version, "version", "v", false, "version for "+m.called())
	return c
}

// configFlag is the flag of the configuration file, which every command with settings has.
const configFlag = "config"

func addConfigFlag(flags *pflag.FlagSet) {
	flags.String(configFlag, "", "configuration file (default config.toml in the working directory, when there is one "+
		"and that is no run directory)")
}

// gather takes every setting from the strongest place that has it: argument, flag, a run
// that is forked, environment, file, default. scenario is the argument, empty for none.
// The texts are not yet checked, apart from the file's form.
func (m *Main) gather(flags *pflag.FlagSet, scenario string, parent ...settings.Source) (settings.Values, error) {
	given, err := givenFlags(flags)
	if err != nil {
		return nil, err
	}
	all, name := m.table(), flags.Lookup(configFlag).Value.String()
	var file settings.File
	if dir := m.runAround(); name == "" && dir != "" {
		if len(parent) == 0 { // a fork looks twice
			plaintext.Fprintf(m.Stderr, "note: %s is not read, since it lies in the run directory %s, which may be a "+
				"stranger's: name the endpoint with --base-url or %sBASE_URL, or the file with --%s %s\n",
				settings.ConfigName, dir, settings.EnvPrefix, configFlag, settings.ConfigName)
		}
	} else {
		file, err = m.loadConfigFile(name, all)
		if err != nil {
			return nil, err
		}
	}
	sources := []settings.Source{settings.Argument(scenario), settings.Flags(given)}
	sources = append(sources, parent...)
	sources = append(sources, settings.Environment(m.LookupEnv), file.Source())
	values := settings.Resolve(all, sources...)
	m.keys = append(m.keys, values.Keys()...)
	m.log(values)
	if len(parent) == 0 {
		noteUnknownVariables(m, all, values.Find(settings.AgentsTable).Text)
	}
	return values, nil
}

// givenFlags are the texts of the settings on the command line. A flag that has no text, or what
// stands after its missing value, is refused: taking the next source would hide an unset variable.
func givenFlags(flags *pflag.FlagSet) (given map[string]string, err error) {
	given = map[string]string{}
	refuse := func(format string, args ...any) {
		if err == nil {
			err = badInput(format, args...)
		}
	}
	flags.Visit(func(f *pflag.Flag) {
		text, ok := f.Value.(*flagText)
		if !ok {
			return
		}
		given[f.Name] = text.text
		next, isFlag := strings.CutPrefix(text.text, "--")
		next, _, _ = strings.Cut(next, "=")
		ofScenario := false
		if flags.NArg() == 0 && !flags.Changed("scenario") &&
			slices.Contains([]settings.Kind{settings.KindPath, settings.KindFile, settings.KindDir}, text.kind) {
			_, _, ofScenario = scenario.Embedded(text.text)
		}
		switch {
		case strings.TrimSpace(text.text) == "":
			refuse("flag --%s is empty; give it a value or leave it out", f.Name)
		case isFlag && flags.Lookup(next) != nil:
			refuse("flag --%s has no value: the flag --%s follows it", f.Name, next)
		case ofScenario:
			refuse("flag --%s has no value, or one that is the scenario %s; for a file of that name: ./%s", f.Name, text.text,
				text.text)
		}
	})
	return given, err
}

// noteUnknownVariables names the variables that look like settings and are none. agents are those
// with models of their own, whose keys may have any name.
func noteUnknownVariables(m *Main, all settings.Table, agents string) {
	if m.Environ == nil {
		return
	}
	known := []string{settings.EnvPrefix + "BATCH_LEASE_MS"}
	// The prefix, which all have, would make any two of them alike.
	near := func(name string) string {
		bare := make([]string, len(known))
		for i, k := range known {
			bare[i] = strings.TrimPrefix(k, settings.EnvPrefix)
		}
		if found := document.Nearest(strings.TrimPrefix(name, settings.EnvPrefix), bare); found != "" {
			return "did you mean " + known[slices.Index(bare, found)] + "?"
		}
		return "help settings lists all"
	}
	for _, s := range all {
		known = append(known, s.Env...)
	}
	own, _ := settings.ParseAgentModels(agents) // a wrong one is reported elsewhere
	for _, a := range own {
		known = append(known, a.KeyEnv)
	}
	for _, variable := range slices.Sorted(slices.Values(m.Environ())) {
		name, text, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, settings.EnvPrefix) && strings.TrimSpace(text) != "" && !slices.Contains(known, name) {
			plaintext.Fprintf(m.Stderr, "note: the variable %s is no setting and is not used; %s\n", name, near(name))
		}
	}
}

// configure reads the settings of a command that does not continue another run.
func (m *Main) configure(flags *pflag.FlagSet) (config, error) {
	values, err := m.gather(flags, "")
	if err != nil {
		return config{}, err
	}
	c, err := newConfig(trace.DefaultSettings(), values)
	c.configFile = flags.Lookup(configFlag).Value.String()
	return c, err
}

// start checks everything that can be checked without a call or a file, then
// runs; with --print-config it only shows the settings. They are shown also when
// they would not do for a run, a live model without a key being an example: that
// is when a user wants to see them. base has what comes from no source: defaults, or the
// settings of the run that is forked.
func (m *Main) start(ctx context.Context, base trace.Settings, values settings.Values, extra runFlags, fork *forkPoint,
	commands []string) error {
	c, err := newConfig(base, values)
	if err != nil {
		return err
	}
	if extra.printConfig {
		return m.printConfig(values)
	}
	c.configFile, c.estimateOnly = extra.config, extra.estimateOnly
	p, err := m.newPlan(c, fork, commands)
	if err != nil {
		return err
	}
	if p.spends() || extra.estimateOnly {
		p.Estimate = p.session.Expect()
	}
	if extra.estimateOnly {
		var text strings.Builder
		asked := trace.SourceScripted
		if p.Live() {
			asked = trace.SourceLive
		}
		plaintext.Fprintf(&text, "model: %s (%s)\ncalls: %s\n", p.Model, asked, p.calls())
		p.spending().announce(&text, m.Now())
		return m.print(text.String())
	}
	p.kept = append(p.kept, keptPath{what: "the configuration file",
		path: m.path(cmp.Or(extra.config, settings.ConfigName))})
	return m.run(ctx, p)
}
