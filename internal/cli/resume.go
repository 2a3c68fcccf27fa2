package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// resumeHelp is the long help of the resume command.
const resumeHelp = `Go on with a run that was killed, interrupted or ended early, or extend a finished one.

Everything recorded is derived again from the recorded answers and compared, which calls
no model; answers of the unfinished tick are used too. Then the run goes on in the same
trace. What shapes the run is recorded with it; who answers is said anew: a live run needs
its model named again, and its key where it was. Another model makes another run.

Caps can be raised, lowered, set and taken away (none). What was spent counts.`

// resumeSettings are the keys of the settings that a resume takes: who answers, what it
// may cost, and what is shown and written. Everything else is recorded with the run.
func resumeSettings() []string {
	return append(capKeys(), []string{
		"llm.model", "llm.base_url", "llm.max_requests_per_minute", "llm.max_tokens_per_minute", "llm.offline", "llm.retry_backoff_ms",
		"run.concurrency", "run.playbook", "run.report_json", "run.trace_segment_mb", "run.print_llm_io", "run.llm_io_max_chars",
		"run.otel", "run.quiet", "run.replay_from",
	}...)
}

// resumeFlagsOf are the settings as a resume has them: what is recorded with the run holds
// where no flag says otherwise.
func resumeFlagsOf(all settings) settings {
	var taken settings
	for _, s := range all {
		if !slices.Contains(resumeSettings(), s.key) {
			continue
		}
		if s.removable || s.key == "run.replay_from" || s.key == "run.trace_segment_mb" {
			s.env, s.fallback, s.absent = nil, "", "as the run has it"
		}
		taken = append(taken, s)
	}
	return taken
}

// resumeFlags are the flags of the command that are not settings.
type resumeFlags struct {
	config     string
	untilTick  int64
	allowDrift bool
}

// resumeCommand goes on with a run.
func (m *Main) resumeCommand() *cobra.Command {
	var f resumeFlags
	all := settingTable()
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "go on with a run that was killed or interrupted, or extend a finished one",
		Long:  resumeHelp,
		Args:  oneArgument("a run directory"),
		RunE: func(c *cobra.Command, args []string) error {
			if f.untilTick < 0 || f.untilTick > ticksMax {
				return badInput("--until-tick %d is out of range; allowed: 1 to %d, or 0 for the run's own end", f.untilTick, ticksMax)
			}
			given, err := givenFlags(c.Flags())
			if err != nil {
				return err
			}
			values, err := m.gather(all, "", given, f.config)
			if err != nil {
				return err
			}
			return m.resume(c.Context(), args[0], values, f)
		},
	}
	addFlags(c.Flags(), resumeFlagsOf(settingTable()))
	c.Flags().Int64Var(&f.untilTick, "until-tick", 0, "last tick to run (default the last one the run was asked for)")
	c.Flags().BoolVar(&f.allowDrift, "allow-version-drift", false, "also go on with a run that another version recorded")
	c.Flags().StringVar(&f.config, "config", "", "configuration file (default config.toml in the working directory, when there is one)")
	return c
}

// resume claims the run, says where it stands, and goes on with it.
func (m *Main) resume(ctx context.Context, runDir string, values []value, f resumeFlags) error {
	file, err := m.openTrace(runDir)
	if err != nil {
		return err
	}
	file.Close()
	c, err := newConfig(values)
	if err != nil {
		return err
	}
	model, recording, err := m.chooseAnswersAgain(runDir, c, values)
	if err != nil {
		return err
	}
	s, err := engine.PrepareResume(m.path(runDir), engine.ResumeOptions{
		UntilTick: f.untilTick, AllowVersionDrift: f.allowDrift, Caps: capsGiven(values),
		Model: model.model, ModelSource: recording.source(model), BaseURL: recording.endpoint(model),
		Recording: recording.describe(model.source()),
	})
	if err != nil {
		return resumeRefusal(runDir, err)
	}
	defer s.Close()
	if size, known := s.SegmentBytes(); known && find(values, "run.trace_segment_mb").origin.rank != fromFlag {
		c.SegmentMB = size >> 20
	}
	p, err := m.resumePlan(c, model, recording, s, runDir)
	if err != nil {
		return err
	}
	return m.goOn(ctx, p, s)
}

// resumeRefusal explains why a run cannot be gone on with.
func resumeRefusal(runDir string, err error) error {
	if errors.Is(err, engine.ErrOtherModel) {
		return badInput("%s: %w; allowed: the run's own model: --model for a live one, --offline or no --model for the scripted stub; fork %s --at-tick N goes on with another",
			shown(runDir), err, oneLine(runDir))
	}
	if errors.Is(err, engine.ErrNotResumable) {
		return badInput("%s: %w", shown(runDir), err)
	}
	return badInput("%s cannot be resumed: %w", shown(runDir), err)
}

// resumePlan is the plan of the run as it was recorded, with what the user says now
// about who answers and what is written where.
func (m *Main) resumePlan(c config, model modelAccess, recording chosenRecording, s *engine.Resumption, runDir string) (plan, error) {
	settings := s.Settings()
	c.RunDir, c.Ticks, c.Seed = runDir, settings.Ticks, optionalSeed{Set: true, Value: settings.Seed}
	c.Timeout, c.DecisionDeadline = millis(settings.TimeoutMS), millis(settings.DecisionDeadlineMS)
	c.Faults, c.FaultSeed = settings.Faults, optionalSeed{Set: true, Value: settings.FaultSeed}
	c.Protocol, c.PromptProfile, c.PromptLanguage = settings.Protocol, settings.PromptProfile, settings.Language
	c.ModuleCallsMax, c.RepairsMax = int64(settings.ModuleCallsMax), int64(settings.RepairsMax)
	c.LearnEvery, c.FreezePlaybook, c.Caps = settings.LearnEvery, settings.FreezePlaybook, settings.Caps
	c.ScriptedMode, c.ScriptedSeed = settings.ScriptedMode, optionalSeed{Set: true, Value: settings.ScriptedSeed}
	faults, err := stub.ParseFaults(settings.Faults)
	if err != nil {
		return plan{}, badInput("%s cannot be resumed: the recorded faults: %w", shown(runDir), err)
	}
	scenario, err := recordedScenario(settings)
	if err != nil {
		return plan{}, err
	}
	agents, err := m.chooseAgentAnswers(model, recording, recordedAgents(settings.AgentModels), scenario.agents)
	if err != nil {
		return plan{}, err
	}
	p := plan{
		config: c, scenario: scenario, switches: settings.PromptSwitches, model: model, agents: agents, endpoints: newEndpoints(c), recording: recording,
		playbook: []byte(settings.Playbook), prices: settings.Prices, faults: faults, runDir: runDir,
	}
	for _, name := range settings.GuardOff {
		p.guardOff = append(p.guardOff, policy.Layer(name))
	}
	p.kept = []keptPath{m.keptTrace(runDir), {"the run directory", m.path(runDir)}, {"the playbook", m.path(c.Playbook)}}
	if recording.path != "" {
		p.kept = append(p.kept, keptPath{"the recording", m.path(recording.path)}, m.keptTrace(recording.path))
	}
	return p, nil
}

// recordedAgents are the models of agents as a run records them, in the form of the
// setting. Their keys are looked up again where the run found them.
func recordedAgents(models []trace.AgentModel) value {
	var entries []string
	for _, a := range models {
		entries = append(entries, agentModel{a.Agent, a.Model, a.BaseURL, a.KeyEnv}.text())
	}
	return value{setting: setting{flag: "agent-model", key: agentsTable}, text: strings.Join(entries, " ")}
}

// goOn carries out a resume as run does a plan. A run that is complete is left as it
// is and reported on, so that a script may resume until nothing is left to do.
func (m *Main) goOn(ctx context.Context, p plan, s *engine.Resumption) error {
	out, err := m.prepareReport(p)
	if err != nil {
		return err
	}
	if s.Complete() {
		m.announceComplete(p, s)
		return m.finishReport(p, out)
	}
	faults := stub.NewInjector(p.faults, p.faultSeed())
	calls := p.calls()
	calls.ticks -= s.TicksDone()
	source, given, stop, err := m.openAnswers(ctx, p, faults, calls)
	if err != nil {
		return err
	}
	defer stop()
	m.announceResume(p, s)
	announceGuardOff(m.Stderr, p.guardOff)
	printer := &progressPrinter{w: m.Stderr, terminal: m.Terminal && !p.config.PrintLLMIO, quiet: p.config.Quiet}
	options := m.engineOptions(p, source, faults, printer)
	options.Reused = p.recounting(faults)
	var result engine.Result
	err = m.shielded(func() (err error) {
		result, err = m.observed(ctx, p.config, options, s.Run)
		return err
	})
	printer.finish()
	given()
	if difference, ok := errors.AsType[*engine.DifferenceError](err); ok {
		return failWith(engine.ExitDiffers, fmt.Errorf("%s does not come out as recorded and is not resumed: %w", shown(p.runDir), difference))
	}
	if err == nil && result.Deriving {
		out.made.discard()
		return failWith(result.ExitCode(), fmt.Errorf("interrupted while the %d recorded ticks of %s were derived again, after %d of them; nothing of the run has changed; resume %s starts over",
			s.TicksDone(), shown(p.runDir), result.TicksDone, oneLine(p.runDir)))
	}
	if engine.Damaged(err) {
		return badInput("%s cannot be resumed: %w", shown(p.runDir), err)
	}
	return m.conclude(p, out, result, err)
}

// announceComplete says that nothing is left to do, and how the run came out if that is
// not as one would want: the exit code says only that there is no more to resume.
func (m *Main) announceComplete(p plan, s *engine.Resumption) {
	fmt.Fprintf(m.Stderr, "resume: %s is complete with %d ticks, nothing is left to do; --until-tick N extends it\n", oneLine(p.runDir), s.TicksDone())
	if before, _ := s.CapsBefore(); s.CapsWanted() != before {
		fmt.Fprintln(m.Stderr, "note: there is nothing left that other caps could bound, so that they are not changed")
	}
	if end := s.Ended(); end.RunStatus != trace.RunCompleted {
		fmt.Fprintf(m.Stderr, "note: it ended as %s: %s; fork %s --at-tick N plays ticks once more\n", end.RunStatus, oneLine(end.Reason), oneLine(p.runDir))
	}
}

// announceResume says where the run stands.
func (m *Main) announceResume(p plan, s *engine.Resumption) {
	if before, changed := s.CapsBefore(); changed {
		fmt.Fprintf(m.Stderr, "caps: changed from %s to %s; what was spent counts\n", capsListed(before, p.prices), capsListed(p.config.Caps, p.prices))
	}
	fmt.Fprintf(m.Stderr, "resume: %s, tick %d of %d is the last whole one, answers of the next one at hand: %d\n",
		oneLine(p.runDir), s.TicksDone(), p.config.Ticks, s.Exchanges())
	if s.FileLost() {
		fmt.Fprintf(m.Stderr, "note: %s is gone or lost its first line; it begins anew behind the closed parts of the trace, which hold these ticks\n", engine.TraceFile)
	}
	if n := s.CutBytes(); n > 0 {
		fmt.Fprintf(m.Stderr, "note: %d bytes that belong to no whole tick and are no answer go from the trace to %s\n", n, engine.CutFile)
	}
}
