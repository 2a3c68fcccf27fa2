package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld"
	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
)

// extensions are commands about what extensions add.
type extensions struct{ *Main }

// clusterProgram is the program with the extensions that are ours, and elsewhere says what it has that a
// program without extensions answers with its name: commands, flags and keys. A flag counts with all that begin
// so.
const clusterProgram = "agentworld_cluster"

var elsewhere = struct{ commands, flags, keys []string }{
	commands: []string{"worker"},
	flags:    []string{"nats", "otel"},
	keys:     []string{"run.otel"},
}

// hasIt refuses what this program does not have, and says which one does.
func hasIt(what string) error {
	return badInput("%s is not in this program; allowed: %s, which has every command", what, clusterProgram)
}

// flagElsewhere says that a flag is one of [elsewhere].
func flagElsewhere(name string) bool {
	return slices.ContainsFunc(elsewhere.flags, func(f string) bool {
		return name == f || strings.HasPrefix(name, f+"-")
	})
}

// extensionCommands are the commands of the extensions, and those that answer with where they are.
func (m extensions) extensionCommands() (list []*cobra.Command) {
	for _, e := range m.Extensions {
		for _, c := range e.Commands {
			list = append(list, m.extensionCommand(c))
		}
	}
	for _, name := range elsewhere.commands {
		if !slices.ContainsFunc(list, func(c *cobra.Command) bool { return c.Name() == name }) {
			list = append(list, &cobra.Command{Use: name, Hidden: true, DisableFlagParsing: true,
				RunE: func(*cobra.Command, []string) error { return hasIt(name) }})
		}
	}
	return list
}

// extensionCommand is a command of an extension.
func (m extensions) extensionCommand(e agentworld.Command) *cobra.Command {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	do := e.New(flags)
	c := &cobra.Command{Use: e.Use, Short: e.Short, Long: e.Long, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			err := refusal(do(c.Context(), m.program(c.Flags())))
			if err == nil && c.Context().Err() != nil {
				return failWith(exitInterrupted, c.Context().Err())
			}
			return err
		}}
	addGoFlags(c.Flags(), flags)
	addConfigFlag(c.Flags())
	return c
}

// addGoFlags gives a command the flags of an extension.
func addGoFlags(to *pflag.FlagSet, from *flag.FlagSet) {
	from.VisitAll(func(f *flag.Flag) {
		if to.Lookup(f.Name) != nil {
			panic("cli: two flags are called --" + f.Name)
		}
	})
	to.AddGoFlagSet(from)
}

// refusal makes an error of an extension about its user's input one of ours.
func refusal(err error) error {
	if _, ok := errors.AsType[*agentworld.RefusedError](err); ok {
		return badInput("%w", err)
	}
	return err
}

// program is what a command of an extension may use; flags are those of the command.
func (m extensions) program(flags *pflag.FlagSet) agentworld.Program {
	say := func(text string) { plaintext.Fprintf(m.Stderr, "%s\n", plaintext.Line(text)) }
	return agentworld.Program{
		Say: say, Note: func(text string) { say("note: " + text) }, Path: m.path, Shown: m.shownPath,
		Advise: func(does string, words ...string) { m.printAdvice(m.Stderr, advice{words, does}) },
		Cells: func(ctx context.Context, jobs int) (batch.Player, context.Context, func(), error) {
			return foreignCells(ctx, m.Main, flags, jobs)
		},
	}
}

// table returns every setting of a run, with those of the extensions at its end.
func (i *identity) table() settings.Table {
	all := settingTable()
	for _, e := range i.Extensions {
		for _, s := range e.Settings {
			if _, twice := all.ByKey(s.Key); twice {
				panic("cli: two settings are called " + s.Key)
			}
			all = append(all, settings.Setting{Flag: s.Flag, Key: s.Key, Kind: settings.KindSwitch, Fallback: "false",
				Doc: s.Doc, Into: func(*settings.Config) any { return new(bool) }}) // what it says is asked of the values
		}
	}
	return all
}

// extended says that a key is that of a setting of an extension.
func (i *identity) extended(key string) bool {
	return slices.ContainsFunc(i.Extensions, func(e agentworld.Extension) bool {
		return slices.ContainsFunc(e.Settings, func(s agentworld.Setting) bool { return s.Key == key })
	})
}

// keyElsewhere refuses a key of a file that another program has.
func keyElsewhere(all settings.Table, name string, data []byte) error {
	wider := slices.Clone(all)
	for _, key := range elsewhere.keys {
		if _, known := all.ByKey(key); !known {
			wider = append(wider, settings.Setting{Key: key, Kind: settings.KindSwitch})
		}
	}
	file, err := settings.ParseFile(name, data, wider)
	if err != nil {
		return nil // it is refused for that
	}
	for _, s := range wider[len(all):] {
		if v, set := file.Source()(s); set {
			return hasIt(v.Where())
		}
	}
	return nil
}

// players are what the flags of "batch run" say of the ways to play that extensions add.
type players struct {
	names []string
	ways  []agentworld.BatchPlayers
}

// addPlayers gives "batch run" the flags of the extensions.
func addPlayers(m *Main, flags *pflag.FlagSet) (list players) {
	for _, e := range m.Extensions {
		for _, s := range e.Stores {
			own := flag.NewFlagSet("", flag.ContinueOnError)
			list.names = append(list.names, s.Name)
			list.ways = append(list.ways, s.New(own))
			addGoFlags(flags, own)
		}
	}
	return list
}

// chosen is the one that the flags choose, with its name.
func (p players) chosen() (way agentworld.BatchPlayers, name string, err error) {
	for i, w := range p.ways {
		switch {
		case !w.Wanted():
		case way != nil:
			return nil, "", badInput("--%s and --%s are two ways to play a batch; give one of them", name, p.names[i])
		default:
			way, name = w, p.names[i]
		}
	}
	if way != nil {
		err = refusal(way.Check())
	}
	return way, name, err
}

// observersOf are how to begin to observe a run with these settings. The error is about what was asked.
func (m extensions) observersOf(c config) (starts []agentworld.StartObserver, err error) {
	on := func(key string) bool {
		i := slices.IndexFunc(c.Values, func(v settings.Value) bool { return v.Setting.Key == key })
		return i >= 0 && (c.Values[i].Text == "true" || c.Values[i].Text == "1")
	}
	for _, e := range m.Extensions {
		for _, one := range e.Observers {
			start, err := one.New(on, m.LookupEnv)
			if err != nil {
				return nil, wrongSettings(err)
			}
			if start != nil {
				starts = append(starts, start)
			}
		}
	}
	return starts, nil
}

// observe begins to observe a run that is played. What is observed is closed when the program ends.
func (m extensions) observe(ctx context.Context, c config) (list []engine.Observer, err error) {
	m.noteExport()
	starts, err := m.observersOf(c)
	if err != nil {
		return nil, err
	}
	for _, start := range starts {
		r, err := start(ctx, func(text string) { plaintext.Fprintf(m.Stderr, "note: %s\n", text) })
		if err != nil {
			return nil, badInput("%w", err)
		}
		m.observed = append(m.observed, r)
		m.ending = append(m.ending, func() { _ = r.Close() }) // a failure was noted
		list = append(list, r)
	}
	return list, nil
}

// noteExport says once that variables ask for an export which this program does not have.
func (m extensions) noteExport() {
	observes := func(e agentworld.Extension) bool { return len(e.Observers) > 0 }
	if m.Environ == nil || slices.ContainsFunc(m.Extensions, observes) {
		return
	}
	for _, one := range m.Environ() {
		name, text, _ := strings.Cut(one, "=")
		if strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") && text != "" {
			plaintext.Fprintf(m.Stderr, "note: %s is set, and this program exports nothing; %s does\n", name, clusterProgram)
			return
		}
	}
}

// evaluations are what the report says of the run as a whole: the score of its task, the share of
// goals met, and the bounds that the user set.
func (p plan) evaluations(r *report.Report) (list []agentworld.Evaluation) {
	if r.Task != nil {
		score, label := float64(r.Task.Score), "incomplete"
		if r.Task.Complete {
			label = "complete"
		}
		list = append(list, agentworld.Evaluation{Name: "task_score", Score: &score, Label: label})
	}
	passed := func(yes bool) string {
		if yes {
			return "pass"
		}
		return "fail"
	}
	if n := len(r.Goals); n > 0 {
		met := float64(r.GoalsMet) / float64(n)
		list = append(list, agentworld.Evaluation{Name: "goals_met", Score: &met, Label: passed(r.GoalsMet == int64(n))})
	}
	for _, b := range p.gates {
		list = append(list, agentworld.Evaluation{Name: b.Metric.Name, Label: passed(b.Broken(*r) == "")})
	}
	return list
}

// seats are those of the extensions.
func (i *identity) seats() (list []agentworld.Seat) {
	for _, e := range i.Extensions {
		list = append(list, e.Seats...)
	}
	return list
}

// linked are for --version all seats, and the tools and metrics of extensions, with their versions: a line for
// each kind that there is.
func (i *identity) linked() []string {
	seats := "seats: " + trace.ModelSeat
	for _, s := range append(session.OwnSeats(), i.seats()...) {
		seats += ", " + strings.TrimSpace(s.Name+" "+s.Version)
	}
	lines := []string{seats}
	var tools, metrics []string
	for _, e := range i.Extensions {
		for _, t := range e.Tools {
			tools = append(tools, t.Name+" "+t.Version)
		}
		for _, m := range e.Metrics {
			metrics = append(metrics, m.Name+" "+m.Own().Version)
		}
	}
	if len(tools) > 0 {
		lines = append(lines, "tools: "+strings.Join(tools, ", "))
	}
	if len(metrics) > 0 {
		lines = append(lines, "metrics: "+strings.Join(metrics, ", "))
	}
	return lines
}

// extensionNames are the extensions for --version; empty for none.
func (i *identity) extensionNames() (text string) {
	for _, e := range i.Extensions {
		text += fmt.Sprintf(", %s %s", e.Name, e.Version)
	}
	return text
}
