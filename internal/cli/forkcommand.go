package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
)

// forkHelp is the long help of the fork command.
const forkHelp = `Leave a recorded run after a tick and go on differently.

The ticks up to --at-tick are derived again from the recorded answers, at no cost, and
checked against the recorded digests. From then on the flags hold and the model is
asked. What no flag changes stays as the run has it: settings of the environment and of
config.toml count only where they shape no decision, the key among them.

The fork is a run of its own, in a directory of its own. Its report tells in which ticks
and decisions it differs from the run it left.`

// forkFlags are the flags of a fork that are not settings: AtTick is -1 and UntilTick 0 if not given.
type forkFlags struct {
	AtTick    int64    `flag:"at-tick" doc:"last tick of the run that is kept; 0 keeps none"`
	UntilTick int64    `flag:"until-tick" doc:"another name for --ticks: both count from the beginning of the run"`
	Set       []string `flag:"set" doc:"from the fork on: rules.FIELD=VALUE, personas.AGENT.text=TEXT or goals.ID.at_least=NUMBER; docs/forks.md lists the fields; may be repeated"`
	Drift     bool     `flag:"allow-version-drift" doc:"also fork a run that another version recorded"`
}

// notForked are the settings that a fork cannot change, since the ticks before it
// would be others, and those of recorded answers, which it has already.
var notForked = []string{"run.scenario", "run.seed", "run.agents", "run.replay_from", "run.replay_miss", "run.tools"}

// forkCommand forks a run. It is checked as a whole before anything is made or asked.
func forkCommand(m *Main) *cobra.Command {
	f := forkFlags{AtTick: -1}
	c := &cobra.Command{
		Use:   "fork RUN --at-tick N",
		Short: "leave a run after a tick and go on with another model, prompt, goal, rule or playbook",
		Long:  forkHelp,
		Args:  oneArgument("a run directory"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := m.metrics.read(); err != nil {
				return err
			}
			return forkRun(c.Context(), m, args[0], c.Flags(), f)
		},
	}
	taken := slices.DeleteFunc(m.table(), func(s settings.Setting) bool { return slices.Contains(notForked, s.Key) })
	addFlags(c.Flags(), recorded(taken, func(s settings.Setting) bool { return s.Shapes }))
	addOptions(c.Flags(), &f)
	m.metrics.addFlag(c.Flags())
	addConfigFlag(c.Flags())
	return c
}

// forkPoint is where a run leaves another.
type forkPoint struct {
	forkFlags
	// parent is the run directory as the user wrote it, settings what held there.
	parent   string
	settings trace.Settings
	// own are the settings without those of the parent.
	own settings.Values
}

// forkRun takes the settings of the run that is forked where no flag says otherwise, and
// starts.
func forkRun(ctx context.Context, m *Main, runDir string, flags *pflag.FlagSet, f forkFlags) error {
	if f.UntilTick != 0 {
		if flags.Changed("ticks") {
			return badInput("--until-tick and --ticks are the same; give one of them")
		}
		if err := flags.Set("ticks", strconv.FormatInt(f.UntilTick, 10)); err != nil {
			return err
		}
	}
	if f.AtTick < 0 {
		return badInput("fork needs --at-tick; allowed: a tick from 0 to the last one of the run")
	}
	if err := m.checkRun(runDir); err != nil {
		return err
	}
	parent, err := session.Parent(m.path(runDir), f.AtTick, m.readings[m.path(runDir)])
	if err != nil {
		return cmp.Or(forkFailure(runDir, err), fmt.Errorf("fork %s: %w", shown(runDir), err))
	}
	own, err := m.gather(flags, "")
	if err != nil {
		return err
	}
	at, live := &forkPoint{f, runDir, parent, own}, parent.Model != ""
	named := flags.Changed("model")
	// What shapes decisions is as the parent has it; a text that was read from a file is in
	// the trace. The endpoint is the user's to say again when the parent had none and a model
	// is named, and two settings hold for one run alone.
	values, err := m.gather(flags, "", func(s settings.Setting) (settings.Value, bool) {
		if !s.Shapes && s.Key != "llm.offline" && s.Key != "run.replay_miss" || s.Key == "llm.base_url" && named && !live {
			return settings.Value{}, false
		}
		if text := s.Text(&settings.Config{Settings: parent}); s.Shapes && text != "" {
			return settings.Value{Setting: s, Text: text, Origin: settings.Origin{Rank: settings.FromRun}}, true
		}
		return settings.Value{Setting: s, Text: s.Fallback, Origin: settings.Origin{Rank: settings.FromDefault}}, true
	})
	if err != nil {
		return err
	}
	return m.start(ctx, parent, values, runFlags{config: flags.Lookup(configFlag).Value.String()}, at, nil)
}
