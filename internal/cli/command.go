package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/document"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// programName is the program's name in usage texts and errors.
const programName = "world_llm_agent_demo"

// rootCommand is the default command, a run, with the others below it. Errors and
// usage are printed by Main alone, so that a refusal is one line. Every error that cobra
// makes itself is a refusal of the arguments.
func rootCommand(m *Main) *cobra.Command {
	root := withTools(m, runCommand(m))
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if word := c.Flags().Arg(0); c == root && word != "" {
			// A misspelt command has no flags; that it is none is the better answer.
			if _, _, _, unknown := chooseScenario(m, namedScenario(word), commandNames(c)); unknown != nil {
				return unknown
			}
		}
		return flagError(c, err)
	})
	root.AddCommand(
		scenariosCommand(m),
		m.readsUnverified(continuesWithTools(m, resumeCommand(m))),
		m.readsUnverified(inspectCommand(m)),
		m.readsUnverified(replayCommand(m)),
		m.readsUnverified(continuesWithTools(m, forkCommand(m))),
		m.readsUnverified(compareCommand(m)),
		m.readsUnverified(explainCommand(m)),
		askCommand(m),
		traceCommand(m),
		reportCommand(m),
		exportCommand(m),
		answersCommand(m),
		playbookCommand(m),
		benchCommand(m),
		wordsCommand(m),
		modelServerCommand(m),
		guardEvalCommand(m),
		batchCommand(m),
		suiteCommand(m),
		runsCommand(m),
		dashboardCommand(m),
		serveCommand(m),
		doctorCommand(m),
		completionCommand(m),
		settingsTopic(m),
	)
	root.AddCommand(extensions{m}.extensionCommands()...)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			helpWithWords(m, c)
		}
	}
	describe(root)
	if len(m.Args) > 0 && strings.HasPrefix(m.Args[0], cobra.ShellCompRequestCmd) {
		completeArguments(m, root) // cobra keeps it, with all commands, as long as the process lives
	}
	refuseRepeated(root)
	return root
}

// versionText names the build and everything that a run can be replayed by: a program with the
// same engine, rules, prompts and format.
func versionText() string {
	version, commit := buildVersion(), ""
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = ", commit " + s.Value[:min(len(s.Value), 12)]
			case s.Key == "vcs.modified" && s.Value == "true":
				commit += " with changes"
			}
		}
	}
	return fmt.Sprintf("%s%s, engine %s, rules %s, prompts %s, trace format %d, %s",
		version, commit, engine.Version, world.RulesVersion, behavior.PromptVersion(behavior.ProtocolFull, words.English, ""),
		trace.FormatVersion, runtime.Version())
}

// buildVersion is the version of the module that this program was built from.
func buildVersion() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return cmp.Or(build.Main.Version, "(devel)")
}

// flagError says which flag was refused and which there are, on one line. A key
// given as a flag has an answer of its own, which does not repeat it. A request
// for help passes through.
func flagError(c *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if unknown.GetSpecifiedName() == "api-key" {
			return badInput("keys are not given on the command line, where other users could read them; set %s",
				settings.KeyPlaces)
		}
		if flagElsewhere(unknown.GetSpecifiedName()) {
			return hasIt("--" + unknown.GetSpecifiedName())
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		list := c.CommandPath() + " --help"
		if slices.ContainsFunc(names, func(name string) bool { return isSetting(c.Flags().Lookup(name)) }) {
			list += " or help settings"
		}
		if near := document.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return badInput("%v; did you mean --%s? %s lists all", err, near, list)
		}
		for i, name := range names {
			names[i] = "--" + name
		}
		return badInput("%v; %s", err, document.Offer("", names, list))
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		// What the parser of the value says is worded for programmers.
		f := invalid.GetFlag()
		if errors.Is(err, errRepeated) {
			return badInput("--%s is given twice, with different values; allowed: once", f.Name)
		}
		if errors.Is(err, errBlank) {
			return badInput("flag --%s is empty; give it a value or leave it out", f.Name)
		}
		allowed := map[string]string{"int": "a whole number", "int64": "a whole number", "uint64": "a whole number from 0",
			"float64": "a number", "bool": "true or false", "intSlice": "whole numbers, with commas between"}
		return badInput("--%s: %s is not allowed; allowed: %s", f.Name, shown(invalid.GetValue()),
			cmp.Or(allowed[f.Value.Type()], "a "+f.Value.Type()))
	}
	return badInput("%v; see %s --help", err, c.CommandPath())
}

// commandNames lists the subcommands a user can call; help topics, which only
// have a text, are not among them.
func commandNames(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

// helpWithWords makes the help command take a word after "settings", which only those that have it answer.
func helpWithWords(m *Main, c *cobra.Command) {
	c.Args = helpArguments
	about := c.Run
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) < 2 || args[0] != settingsTopicName {
			about(c, args)
			return nil
		}
		text, err := settingsAbout(m, args[1:])
		if err != nil {
			return err
		}
		_, _ = io.WriteString(c.OutOrStdout(), folded(text, 0)) // a screen, which escapes it
		return nil
	}
}

// helpArguments accepts what there is help about. Cobra's own help succeeds with an unknown word.
func helpArguments(c *cobra.Command, args []string) error {
	about, rest, _ := c.Root().Find(args)
	if len(rest) == 0 || !about.HasAvailableSubCommands() {
		return nil
	}
	names := commandNames(about)
	if about == c.Root() {
		names = append(names, settingsTopicName)
	}
	return noCommand(about, rest[0], names)
}

// noCommand refuses a word that is no command below one.
func noCommand(c *cobra.Command, word string, names []string) error {
	return badInput("%s has no command %s; %sallowed: %s", commandPath(c), shown(word), settings.DidYouMean(word, names),
		strings.Join(names, ", "))
}

// oneArgument accepts exactly one argument, called what in the error. Cobra's own
// checks of arguments carry no exit code and do not say what is allowed.
func oneArgument(what string) cobra.PositionalArgs {
	return arguments(1, "exactly one argument, "+what)
}

// arguments accepts exactly n of them, called what in the error.
func arguments(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return badInput("%s needs %s, and got %d", commandPath(c), what, len(args))
		}
		return nil
	}
}

// commandPath is what a command is called in an error, which begins with the program's name.
func commandPath(c *cobra.Command) string {
	if !c.HasParent() {
		return "the program"
	}
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

// noArguments accepts none.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return badInput("%s takes no arguments and got %s", commandPath(c), shown(args[0]))
	}
	return nil
}

// group is a command that only holds others. Called without one of them, it lists
// them and fails. Cobra would print its help and succeed, and a script with a
// misspelt command would continue.
func group(name, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short, Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return badInput("%s needs a command; allowed: %s", commandPath(c), strings.Join(commandNames(c), ", "))
			}
			return noCommand(c, args[0], commandNames(c))
		}}
	c.AddCommand(subs...)
	return c
}

// flagText is a flag whose text is read later, together with the other places a
// setting can come from, so that every refusal reads the same. It implements
// pflag.Value.
type flagText struct {
	// kind is the setting's kind, for help.
	kind settings.Kind
	// separator is the setting's, for a flag that may be given more than once.
	separator string
	// text is what the user gave, once or joined; given says that it was.
	text  string
	given bool
}

// String returns the text given, empty before.
func (f *flagText) String() string { return f.text }

// Set keeps the text. It refuses nothing but a second value of a setting that takes one.
func (f *flagText) Set(text string) error {
	switch {
	case f.separator == "" && f.given && text != f.text:
		return errRepeated
	case f.separator != "" && f.text != "":
		text = f.text + f.separator + text
	}
	f.text, f.given = text, true
	return nil
}

// Type names the kind of value in help. "bool" is what makes pflag accept the
// flag without a value.
func (f *flagText) Type() string {
	return f.kind.Word()
}

// asRecorded is the default of a setting that a command takes from the run that it is given.
const asRecorded = "as the run has it"

// recorded says of the settings that are of a kind that their default is what a run has. Values are not
// changed by it: the command takes them from the run itself.
func recorded(all settings.Table, of func(settings.Setting) bool) settings.Table {
	for i, s := range all {
		if of(s) {
			all[i].Fallback, all[i].Absent = "", asRecorded
		}
	}
	return all
}

// addFlags gives a command a flag for each setting that has one.
func addFlags(flags *pflag.FlagSet, all settings.Table) {
	flags.SortFlags = false
	for _, s := range all {
		if s.Flag == "" {
			continue
		}
		usage := s.Doc
		if d := cmp.Or(s.Fallback, s.Absent); d != "" && s.Kind != settings.KindSwitch || d == asRecorded {
			usage += " (default " + d + ")"
		}
		f := flags.VarPF(&flagText{kind: s.Kind, separator: s.Separator}, s.Flag, "", usage)
		if s.Kind == settings.KindSwitch {
			f.NoOptDefVal = "true"
		}
	}
}

// borrowSettings gives a command the flags of some settings of a run, and the one of the
// configuration file, for [Main.gather]. Those of ofRun have the run's as their default.
func borrowSettings(flags *pflag.FlagSet, keys []string, ofRun ...string) {
	unwanted := func(s settings.Setting) bool { return !slices.Contains(keys, s.Key) }
	taken := slices.DeleteFunc(settingTable(), unwanted)
	addFlags(flags, recorded(taken, func(s settings.Setting) bool { return slices.Contains(ofRun, s.Key) }))
	addConfigFlag(flags)
}

// addOptions gives a command a flag for each field of *options that has a tag flag, which is its name. The
// tag doc is its help, and what the field holds the default.
func addOptions(flags *pflag.FlagSet, options any) {
	of := reflect.ValueOf(options).Elem()
	for i := range of.NumField() {
		tag := of.Type().Field(i).Tag
		name, doc := tag.Get("flag"), tag.Get("doc")
		if name == "" {
			continue
		}
		switch to := of.Field(i).Addr().Interface().(type) {
		case *bool:
			flags.BoolVar(to, name, *to, doc)
		case *string:
			flags.StringVar(to, name, *to, doc)
		case *int:
			flags.IntVar(to, name, *to, doc)
		case *int64:
			flags.Int64Var(to, name, *to, doc)
		case *uint64:
			flags.Uint64Var(to, name, *to, doc)
		case *float64:
			flags.Float64Var(to, name, *to, doc)
		case *[]string:
			flags.StringArrayVar(to, name, *to, doc)
		default:
			panic(fmt.Sprintf("cli: a flag of type %T", to))
		}
	}
}

// errRepeated refuses a flag that takes one value and was given two, errBlank one that was given none, such as a
// variable of a shell that is not set.
var (
	errRepeated = errors.New("given twice")
	errBlank    = errors.New("empty")
)

// onceValue is a flag that takes one value, which is not blank. Given again it must have the same: of two values none
// is ignored silently.
type onceValue struct {
	pflag.Value
	// text is what was given, nil before.
	text *string
}

// Set takes the value, and refuses another one and an empty one.
func (v *onceValue) Set(text string) error {
	switch {
	case v.text != nil && *v.text != text:
		return errRepeated
	case strings.TrimSpace(text) == "":
		return errBlank
	}
	v.text = &text
	return v.Value.Set(text)
}

// refuseRepeated makes all flags of a command and of those below it refuse a second value, but
// lists and settings, which see to it themselves.
func refuseRepeated(c *cobra.Command) {
	for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			switch f.Value.(type) {
			case *onceValue, *flagText, pflag.SliceValue:
			default:
				f.Value = &onceValue{Value: f.Value}
			}
		})
	}
	for _, sub := range c.Commands() {
		refuseRepeated(sub)
	}
}
