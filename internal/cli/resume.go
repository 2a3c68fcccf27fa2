package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
)

// resumeHelp is the long help of the resume command.
const resumeHelp = `Go on with a run that was killed, interrupted or ended early, or extend a finished one.

Everything recorded is derived again from the recorded answers and compared, which calls
no model; answers of the unfinished tick are used too. Then the run goes on in the same
trace. Model, endpoint and settings are recorded with the run. The key is not: it comes from
the environment or the configuration file, and goes to an endpoint that you used with a key
before or that one of them names. --base-url names another endpoint of the same model.
Another model makes another run.

Caps can be raised, lowered, set and taken away (none). What was spent counts.`

// resumeSettings are the settings that a resume takes: who answers, what it may cost, and
// what is shown and written. Everything else is recorded with the run, and what is recorded
// holds where no flag says otherwise.
func resumeSettings(m *Main) settings.Table {
	keys := append(settings.Caps().Keys(""),
		"llm.model", "llm.base_url", "llm.max_requests_per_minute", "llm.max_tokens_per_minute", "llm.offline",
		"llm.retry_backoff_ms",
		"run.concurrency", "run.ahead", "run.ahead_waste", "run.playbook", "run.report_json", "run.trace_segment_mb",
		"run.print_llm_io", "run.llm_io_max_chars",
		"run.dashboard", "run.dashboard_listen", "run.dashboard_host", "run.control", "run.paused", "run.quiet",
		"run.log_level",
		"run.log_timestamps", "run.replay_from", "run.min_score", "run.max_parse_errors", "run.gate", "run.seats")
	var taken settings.Table
	for _, s := range m.table() {
		if !slices.Contains(keys, s.Key) && !m.extended(s.Key) {
			continue
		}
		if strings.HasPrefix(s.Key, "llm.cap_") || s.Key == "run.replay_from" || s.Key == "run.trace_segment_mb" ||
			s.Key == "run.seats" {
			s.Env = nil
			s.Fallback = ""
			s.Absent = asRecorded
		}
		taken = append(taken, s)
	}
	return taken
}

// resumeFlags are the flags of the command that are not settings.
type resumeFlags struct {
	UntilTick  int64 `flag:"until-tick" doc:"last tick to run (default the last one the run was asked for)"`
	Abandon    bool  `flag:"abandon-tick" doc:"end the open turns of the unfinished tick, so that other caps hold from the next one on"`
	AllowDrift bool  `flag:"allow-version-drift" doc:"also go on with a run that another version recorded"`
}

// words are the flags as they were given.
func (f resumeFlags) words() (words []string) {
	if f.UntilTick > 0 {
		words = append(words, "--until-tick", fmt.Sprint(f.UntilTick))
	}
	if f.AllowDrift {
		words = append(words, "--allow-version-drift")
	}
	if f.Abandon {
		words = append(words, "--abandon-tick")
	}
	return words
}

// resumeCommand returns the command that continues a run.
func resumeCommand(m *Main) *cobra.Command {
	var f resumeFlags
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "go on with a run that was killed or interrupted, or extend a finished one",
		Long:  resumeHelp,
		Args:  oneArgument("a run directory"),
		RunE: func(c *cobra.Command, args []string) error {
			ticks, _ := settingTable().ByKey("run.ticks")
			if f.UntilTick < 0 || f.UntilTick > ticks.Max {
				return badInput("--until-tick %d is out of range; allowed: 1 to %d, or 0 for the run's own end", f.UntilTick,
					ticks.Max)
			}
			config, err := m.configure(c.Flags())
			if err == nil {
				err = m.metrics.read()
			}
			if err != nil {
				return err
			}
			return resumeRun(c.Context(), m, args[0], config, f)
		},
	}
	addFlags(c.Flags(), recorded(resumeSettings(m), func(s settings.Setting) bool { return s.Shapes }))
	addOptions(c.Flags(), &f)
	m.metrics.addFlag(c.Flags())
	addConfigFlag(c.Flags())
	return c
}

// resumeRun claims the run, prints its progress and continues it with the recorded settings.
// The user may change the source of answers, the caps, the last tick and the output files.
// A complete run is left as it is and reported, so that a script may resume until nothing
// is left to do.
func resumeRun(ctx context.Context, m *Main, runDir string, c config, f resumeFlags) error {
	if err := m.checkRun(runDir); err != nil {
		return err
	}
	p, err := planResume(m, runDir, c, f)
	if err != nil {
		return err
	}
	defer p.session.Close()
	out, err := reportOutput(m, &p)
	if err != nil {
		return err
	}
	if p.session.Complete() {
		return reportComplete(m, p, out)
	}
	p.page, err = openPage(m, p)
	if err != nil {
		return err
	}
	defer p.page.close()
	result, began, err := m.play(ctx, &p, func() { announceResume(m, p) })
	if !began {
		return err
	}
	if refused := notOurs(err); refused != nil {
		return refused
	}
	if difference, ok := errors.AsType[*trace.DifferenceError](err); ok {
		return failWith(exitDiffers, fmt.Errorf("%s does not come out as recorded and is not resumed: %w", shown(p.RunDir),
			difference))
	}
	if err == nil && result.Deriving {
		out.made.discard()
		return advise(failWith(statusCode(result.Status),
			fmt.Errorf("interrupted while the %d recorded ticks of %s were derived again, after %d of them; nothing of the "+
				"run has changed",
				p.session.Taken(), shown(p.RunDir), result.TicksDone)), p.resumeAdvice("starts over", f.words()...))
	}
	if run.Damaged(err) {
		return badInput("%s cannot be resumed: %w", shown(p.RunDir), err)
	}
	err = conclude(m, p, out, result, err)
	if err == nil {
		stay(ctx, m, p.page)
	}
	return err
}

// planResume claims the run. Its session has to be closed.
func planResume(m *Main, runDir string, c config, f resumeFlags) (p plan, err error) {
	c.RunDir = runDir
	c.places[settings.AgentsTable] = "agent-model"
	c.playbookFile = c.Values.Find("run.playbook").Text
	if v := c.Values.Find("run.replay_from"); v.Origin.Rank == settings.FromFlag {
		c.recording = v.Text
	} else if h, err := run.Dir(m.path(runDir)).Header(); err == nil && h.Latest().Recording != nil && h.Timing != nil {
		c.recording = h.Timing.RecordingPath
	}
	reach := m.reach(c, c.Values)
	c.leaveModelToRun()
	if c.Values.Find("run.trace_segment_mb").Origin.Rank != settings.FromFlag {
		c.SegmentMB = -1
	}
	p = plan{config: c, hears: &listener{m: m, config: c}}
	of := m.sessionOf(c, reach)
	of.Listener = p.hears
	how := session.Continued{UntilTick: f.UntilTick, AllowVersionDrift: f.AllowDrift, AbandonTick: f.Abandon,
		Caps: capsGiven(c)}
	if c.Values.Find("run.seats").Origin.Rank == settings.FromFlag { // a file is about new runs
		how.Seats = c.Seats
	}
	p.session, err = session.Resume(of, how)
	if err != nil {
		return p, resumeRefusal(m, runDir, c, err)
	}
	p.Settings = p.session.Settings()
	p.takeModelOf(p.Settings)
	p.gates, err = p.bounds(m.metrics.known())
	if err == nil {
		err = cmp.Or(p.checkPage(), p.checkAhead())
	}
	if err != nil {
		return p, errors.Join(err, p.session.Close())
	}
	p.kept = m.keptPaths(p.config)
	return p, nil
}

// reportComplete reports on a run with nothing left to do. The exit code says only that.
func reportComplete(m *Main, p plan, out outputFile) error {
	s := p.session.State()
	plaintext.Fprintf(m.Stderr, "resume: %s is complete with %s, nothing is left to do; --until-tick extends it\n",
		p.RunDir, plaintext.Count(s.Tick, "tick"))
	if before, _ := p.session.CapsBefore(); p.session.CapsWanted() != before {
		plaintext.Fprintf(m.Stderr, "note: there is nothing left that other caps could bound, so that they are not changed\n")
	}
	if end := s.End; end.RunStatus != trace.RunCompleted {
		plaintext.Fprintf(m.Stderr, "note: it ended as %s: %s\n", end.RunStatus, end.Reason)
		m.printAdvice(m.Stderr, forkAdvice(p.RunDir, 0, "plays it again"))
	}
	r, err := m.foldTrace(p.RunDir)
	if err != nil {
		return err
	}
	return finishReport(m, p, out, &r)
}

// announceResume prints the progress of the run.
func announceResume(m *Main, p plan) {
	s := p.session.State()
	if before, from := p.session.CapsBefore(); from > 0 {
		plaintext.Fprintf(m.Stderr, "caps: changed from %s to %s in tick %d; what was spent counts\n",
			before.Text(p.Currency()), p.Caps.Text(p.Currency()), from)
	}
	if _, err := os.Lstat(filepath.Join(p.RunDir, run.AheadFile)); err == nil && p.Ahead == 0 {
		plaintext.Fprintf(m.Stderr, "note: without --ahead, answers that were asked ahead are not used, and not counted\n")
	}
	for _, seat := range p.session.Reseated() {
		plaintext.Fprintf(m.Stderr, "seat: %s is played by %s from now on\n", seat.Agent, seat.Who())
	}
	plaintext.Fprintf(m.Stderr, "resume: %s, tick %d of %d is the last whole one, answers of the next one at hand: %d\n",
		p.RunDir, s.Tick, p.Ticks, len(s.Open.Exchanges))
	if s.Open.FileLost {
		plaintext.Fprintf(m.Stderr, "note: %s is gone or lost its first line; it starts again behind the closed parts of "+
			"the trace, which hold these ticks\n", run.TraceFile)
	}
	if n := s.Open.CutBytes(); n > 0 {
		plaintext.Fprintf(m.Stderr, "note: %d bytes that belong to no whole tick and are no answer go from the trace to %s\n",
			n, run.CutFile)
	}
}
