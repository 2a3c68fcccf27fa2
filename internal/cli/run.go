package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/doctor"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// run carries out a plan: it checks that files are writable, opens the model, runs
// the engine and writes the report, even of a run that ended early.
//
//	output          the report can be written; a refusal leaves no files
//	CreateRunDir    the same
//	openAnswers     starts the embedded server or a client; no call yet
//	engine.Run      all calls, the trace
//	conclude        report.json, the summary, the exit code
//
// The order matters: nothing is paid for before it is certain that the result
// can be kept.
func (m *Main) run(ctx context.Context, p plan) error {
	// Finding out at the end would lose what a long run has paid for.
	out, err := m.reportOutput(&p)
	if err != nil {
		return err
	}
	made := append(missingDirs(m.path(p.RunDir)), out.made...)
	if p.fork == nil {
		err = run.Dir(m.path(p.RunDir)).Create()
	} else {
		err = engine.CreateForkDir(m.forkOptions(p, engine.Options{RunDir: m.path(p.RunDir)}))
	}
	if err != nil {
		made.discard()
		if occupied, ok := errors.AsType[*run.OccupiedError](err); ok {
			return badInput("the run directory %s already holds a run, at least its %s; allowed: a new directory",
				shown(p.RunDir), occupied.File)
		}
		return badInput("the run directory %s cannot be used: %w; allowed: a new directory in a writable place",
			shown(p.RunDir), cause(err))
	}
	p.page, err = m.openPage(p)
	if err != nil {
		made.discard()
		return err
	}
	defer p.page.close()
	p.folding = report.NewFolding()
	result, began, err := m.play(ctx, p, p.taken(), func() {
		plaintext.Fprintf(m.Stderr, "run: %s, ticks %d, agents %d, seed %d, in %s\n", p.Scenario, p.Ticks,
			len(p.agentIDs), p.Seed, p.RunDir)
	}, func(ctx context.Context, o engine.Options) (engine.Result, error) {
		if p.fork == nil {
			return engine.Run(ctx, o)
		}
		plaintext.Fprintf(m.Stderr, "fork: %s after tick %d; the ticks before are derived again and cost nothing\n",
			p.fork.parent, p.fork.atTick)
		result, err := engine.Fork(ctx, m.forkOptions(p, o))
		return result, forkFailure(p.fork.parent, err)
	})
	if !began {
		made.discard()
		return err
	}
	if refused := notOurs(err); refused != nil {
		p.page.close()
		made.discard() // if nobody else has it
		return refused
	}
	if err != nil && !run.Dir(m.path(p.RunDir)).Begun() {
		p.page.close()
		made.discard() // there is nothing to report on
		return fmt.Errorf("run: %w", err)
	}
	err = m.conclude(p, out, result, err)
	if err == nil {
		m.stay(ctx, p.page)
	}
	return err
}

// notOurs is the error that a run directory cannot be this process's, or is not any more: nothing of
// it is read or written then. It is nil for any other error.
func notOurs(err error) error {
	if taken, ok := errors.AsType[*run.TakenOverError](err); ok {
		return badInput("%w", taken)
	}
	if locked, ok := errors.AsType[*run.LockedError](err); ok {
		return badInput("%w", locked)
	}
	if without, ok := errors.AsType[*run.NoLocksError](err); ok {
		return badInput("%w; --run-dir names the directory of a run; a batch works without locks, by leases", without)
	}
	if errors.Is(err, run.ErrIrregular) {
		return badInput("%w", err)
	}
	return nil
}

// play opens the source of answers, calls announce and plays the ticks after the given one
// with carryOut. began is false if the source could not be opened.
func (m *Main) play(
	ctx context.Context, p plan, after int64, announce func(),
	carryOut func(context.Context, engine.Options) (engine.Result, error),
) (result engine.Result, began bool, err error) {
	defer m.collectLess()()
	// The end of ctx lets calls under way be answered; only the end of Quit breaks them off.
	drain := ctx
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	p.endpoints.drain = drain
	if p.Learns() { // what is learned goes there at the end
		book, err := m.output("the playbook ", p.playbookFile)
		if err != nil {
			return result, false, err
		}
		defer book.made.discard()
	}
	scripted := stub.Options{Seed: p.ScriptedSeed, Mode: stub.Mode(p.ScriptedMode), Manners: p.manners,
		Faults: stub.NewInjector(p.faults, p.FaultSeed)}
	source, stop, err := m.openAnswers(ctx, p, scripted, p.calls(after))
	if err != nil {
		return result, false, err
	}
	defer stop()
	announce()
	if len(p.GuardOff) > 0 {
		// Such a run is a measurement, and its results must not be taken for those of another.
		plaintext.Fprintf(m.Stderr, "WARNING: the guard runs without %s (--guard-off); texts of other agents may decide "+
			"what agents do\n", strings.Join(p.GuardOff, ", "))
	}
	line := &terminal.RunLine{Printer: m.newProgressPrinter(p.Quiet), Now: m.Now, Prices: p.Prices,
		Traffic: p.endpoints.traffic}
	printer := line.Printer
	printer.Terminal = m.Terminal && !p.PrintLLMIO
	p.endpoints.say = printer.Note
	p.endpoints.now = m.Now
	p.endpoints.dir = run.Dir(m.path(p.RunDir))
	defer p.endpoints.dir.ForgetWaits()
	o := engine.Options{
		Settings: p.Settings, Prepared: p.prepared, RunDir: m.path(p.RunDir), Source: source, Concurrency: int(p.Concurrency),
		Progress: line.Show, Drain: drain, FaultCounts: scripted.Faults.Counts, EndpointTiming: p.endpoints.timing,
		SegmentBytes: p.SegmentMB << 20,
	}
	if p.recording.path != "" {
		o.RecordingPath = m.path(p.recording.path)
	}
	if !p.faults.Empty() { // answers that are used again were spoilt by these very faults
		o.Reused = func(r llmclient.Request, attempts int) { scripted.Recount(r.Body(), attempts) }
	}
	if p.page != nil {
		o.Controls = p.page.controls
	}
	o.Record = p.folding.Add
	exchanges := exchangePrinter{w: m.Stderr, charsMax: int(p.LLMIOMaxChars)}
	notes := failureNotes{printer: printer}
	o.LLMIO = func(x engine.Exchange) {
		notes.see(x)
		if p.PrintLLMIO {
			exchanges.show(x)
		}
	}
	line.Start(engine.Progress{Tick: after, Ticks: p.Ticks, Cap: p.Caps.Run, Currency: p.Currency()})
	defer line.Finish()
	defer m.whenInterrupted(line.Drain, func() { line.BreakOff(cancel) })()
	err = m.shielded(func() error {
		watched := observers{line}
		others, err := m.observe(ctx, p.config)
		if err != nil {
			return err
		}
		o.Observer = append(watched, others...)
		result, err = carryOut(ctx, o)
		return err
	})
	return result, true, err
}

// openModel makes the source of answers, the clients of the run and of agents with
// endpoints of their own, and announces the address that each of them calls. The same HTTP
// client reaches both kinds of model, so that a scripted run exercises everything that a
// live one does. stop releases what was opened. It is nil only if there is an error.
func (m *Main) openModel(ctx context.Context, p plan, scripted stub.Options, calls string) (source engine.Source,
	stop func(), err error) {
	defer func() {
		if err != nil {
			p.endpoints.close()
		}
	}()
	config := openai.Config{
		BaseURL: p.endpoint(), APIKey: p.APIKey,
		Timeout: settings.Millis(p.TimeoutMS), BackoffBase: settings.Millis(p.RetryBackoffMS),
		WindowTokens: p.ContextWindowTokens, AllowStore: p.AllowStore, Steady: !p.Live(),
	}
	if !p.Live() {
		// The server outlives an interrupt: the engine decides when calls end.
		server, err := stub.Start(context.WithoutCancel(ctx), stub.DefaultAddr, scripted)
		if err != nil {
			return nil, nil, fmt.Errorf("start the embedded scripted server: %w", err)
		}
		config.BaseURL = server.URL()
		config.ShownURL = stub.EmbeddedURL
		config.APIKey = openai.Secret{}
		p.endpoints.closers = append(p.endpoints.closers, func() { _ = server.Close() })
	}
	client, err := p.endpoints.client(p.BaseURL, config)
	if err != nil {
		return nil, nil, err
	}
	if p.Live() {
		p.announceLive(m.Stderr, client.URL(), calls)
		if url, err := openai.ParseBaseURL(p.endpoint()); err == nil && !p.APIKey.Empty() {
			m.rememberEndpoint(url, "")
		}
	} else {
		p.announceScripted(m.Stderr, client.URL())
	}
	p.announceSpending(m.Stderr, m.Now())
	own := map[string]engine.Responder{}
	for _, a := range p.own {
		config.BaseURL, config.APIKey = cmp.Or(a.BaseURL, p.endpoint()), a.key
		client, err := p.endpoints.client(a.url.String(), config)
		if err != nil {
			return nil, nil, err
		}
		own[a.Agent] = client
		key := "no key"
		if !a.key.Empty() {
			key = "key from " + a.keyFrom
			m.rememberEndpoint(a.url, a.KeyEnv)
		}
		plaintext.Fprintf(m.Stderr, "model of %s: %s at %s, %s\n", a.Agent, cmp.Or(a.Model, p.Model), client.URL(), key)
	}
	return engine.LiveByAgent(client, own), p.endpoints.close, nil
}

// conclude writes the report and says how the run ended. It is called for every
// run that began, so that each leaves a report with its run status: also one that
// was interrupted, that the provider ended, or that failed here (runErr).
func (m *Main) conclude(p plan, out outputFile, result engine.Result, runErr error) error {
	r, reportErr := report.Report{}, error(nil)
	if runErr == nil {
		r, reportErr = p.folding.Report(result.Head)
	} else { // what reached the disk is for the trace to say
		r, reportErr = m.foldTrace(p.RunDir)
	}
	if reportErr == nil {
		reportErr = m.finishReport(p, out, &r)
	}
	reportErr = errors.Join(reportErr, m.keepLearned(p, result))
	if runErr != nil {
		if !p.resumable(result) || errors.Is(runErr, engine.ErrFork) {
			return fmt.Errorf("run: %w", errors.Join(runErr, reportErr))
		}
		return advise(fmt.Errorf("run: %w", errors.Join(runErr, reportErr)),
			p.resumeAdvice("once that is mended, continues after the last whole tick"))
	}
	return cmp.Or(reportErr, m.verdict(p, result, r))
}

// verdict turns the way a run ended into an error with its exit code; nil for a
// completed run in which enough was decided. What a cap refused was asked for.
func (m *Main) verdict(p plan, result engine.Result, r report.Report) error {
	ticks := plaintext.Count(p.Ticks, "tick")
	switch statusCode(result.Status) {
	case exitCompleted:
		d := r.DecisionCounts
		turns := d.Act + d.Wait + d.WaitTicks - r.ContinuedDecisions
		if d.Undecided*100 <= turns*int64(p.MaxDegradedPct) {
			return p.gateVerdict(r)
		}
		hint := p.undecidedHint(d)
		return advise(failWith(exitGate, fmt.Errorf(
			"completed, but %d of %d turns ended without a usable draft or decision, "+
				"more than the %d%% that --max-degraded allows; %s",
			d.Undecided, turns, p.MaxDegradedPct, hint)), p.doctorAdvice())
	case exitProvider:
		hint, next := p.providerHint(result.Failure), []advice{}
		if result.Status == trace.RunNoUsableAnswers {
			hint = p.unusableHint(result.Unused)
		}
		if p.Live() {
			next = append(next, p.doctorAdvice())
		}
		if p.resumable(result) && result.TicksDone < p.Ticks {
			next = append(next, p.resumeAdvice("continues the run once that is mended"))
		}
		return advise(failWith(exitProvider, fmt.Errorf("%s after %d of %s: %s; %s",
			result.Status, result.TicksDone, ticks, result.Reason, hint)), next...)
	case exitBudget:
		return advise(failWith(exitBudget, fmt.Errorf("%s after %d of %s: %s; the report is complete up to there",
			result.Status, result.TicksDone, ticks, result.Reason)), p.raiseAdvice(m.spentOf(p.RunDir)))
	}
	reason, next := result.Reason, []advice{}
	switch {
	case result.Status == trace.RunRecordingDamaged:
		// Asking a model in place of what is lost is a choice with a price, and not made here.
		reason += fmt.Sprintf("; nothing was asked from there on; with a whole copy of %s in its place the run can continue",
			shown(p.recording.path))
		next = append(next, p.resumeAdvice("continues it; --replay-from names another place"))
	case result.Status == trace.RunReplayDiffers:
		reason += fmt.Sprintf("; if the change is meant, record a new run; or use --replay-miss %s", missAsk)
		next = append(next, explainAdvice(p.RunDir, result.Reason)...)
	case p.resumable(result):
		next = append(next, p.resumeAdvice("continues the run"))
	}
	return advise(failWith(statusCode(result.Status),
		fmt.Errorf("%s after %d of %s: %s", result.Status, result.TicksDone, ticks, reason)), next...)
}

// gateVerdict names the conditions that the report of a completed run breaks.
func (p plan) gateVerdict(r report.Report) error {
	var broken []string
	for _, b := range p.gates {
		if text := b.Broken(r); text != "" {
			broken = append(broken, text)
		}
	}
	if len(broken) == 0 {
		return nil
	}
	return failWith(exitGate, fmt.Errorf("completed, but %s", strings.Join(broken, "; ")))
}

// undecidedHint says what to change when most turns end without a usable draft or decision, given how
// they ended.
func (p plan) undecidedHint(d report.DecisionCounts) string {
	ends := map[string]int64{}
	for reason, n := range d.WaitDegradedByReason {
		ends[reason] += n
	}
	for reason, n := range d.FallbacksByReason {
		ends[reason] += n
	}
	most := slices.MaxFunc(slices.Sorted(maps.Keys(ends)), func(a, b string) int {
		return cmp.Compare(ends[a], ends[b])
	})
	if kind, parsed := strings.CutPrefix(most, trace.WaitParsePrefix); parsed {
		return p.unusableHint(kind)
	}
	if kind, failed := strings.CutPrefix(most, trace.WaitModelPrefix); failed {
		return "most of them failed with " + kind + ", which explain shows"
	}
	return p.unusableHint(most)
}

// unusableHint says what to change, given the most frequent kind of unusable answer: a
// parse error, a failure, or how turns ended. It names no setting that is in force.
func (p plan) unusableHint(kind string) string {
	less := "--protocol lean asks for less, or take another model"
	if p.Protocol == behavior.ProtocolLean {
		less = "another model may do better"
	}
	switch kind {
	case "truncated", "incomplete", "empty_output":
		if p.ReasoningEffort == "none" || p.ReasoningEffort == "minimal" {
			return "a model that thinks needs room: raise --max-output-tokens and --timeout"
		}
		return "a model that thinks needs room: raise --max-output-tokens and --timeout, or lower --reasoning-effort"
	case "endless":
		return "the model repeats itself until its answers are cut: more room would not help; " +
			"set a --temperature above 0, or take another model"
	case "malformed_call":
		return "the server cannot read its own model's calls: check its chat template and tool parser, or take another model"
	case "no_json":
		return "the model writes prose where it should call a tool: " + less
	case "empty_plan", "module_call", "rounds_used_up", "not_allowed_now":
		return "the model plans and looks things up, and decides nothing: " + less
	case "refusal", "content_filter":
		return "the model or its provider refuses: change --system-prompt or the model"
	case "malformed_body", "foreign_object", "chat_completions", "wrong_path", "body_too_large", "unfinished_response":
		_, advice := doctor.Advice(llmclient.Failure{Kind: llmclient.ErrorKind(kind)})
		return withFlags(advice)
	case "error_object", "failed_response", "cancelled_response":
		return "the endpoint reports errors in place of answers: see its log, or name another model"
	}
	return "the model does not keep to the form of tool calls: " + less
}

// resumable reports whether another process can continue the run. It cannot continue a fork
// that has not reached its own ticks, because only the parent has the answers before those.
func (p plan) resumable(result engine.Result) bool {
	return p.fork == nil || result.TicksDone >= p.fork.atTick
}

// providerHint names the setting that may have ended the run: a bound on time if
// it was exceeded, otherwise those of the model.
func (p plan) providerHint(f *llmclient.Failure) string {
	switch {
	case f == nil:
	case f.Kind == llmclient.ErrDeadline && p.DecisionDeadlineMS > 0:
		return fmt.Sprintf("decisions may take %s (--decision-deadline); allow more or leave it out",
			settings.Millis(p.DecisionDeadlineMS))
	case f.Kind == llmclient.ErrTimeout:
		return fmt.Sprintf("calls may take %s (--timeout) and then 180s once more; check the endpoint (--base-url) or "+
			"allow more", settings.Millis(p.TimeoutMS))
	}
	if !p.faults.Empty() {
		return fmt.Sprintf("faults were injected on purpose (--faults %s); leave out those that end a run", shown(p.Faults))
	}
	if f == nil || !p.Live() {
		return p.modelHint()
	}
	var set []llmclient.Sampling
	for _, of := range p.SamplingSet() {
		set = append(set, of.Sampling)
	}
	check, advice := doctor.Advice(*f, set...)
	if check == doctor.CheckKey {
		return withFlags(advice) + "; " + p.modelHint() // which says where the key is from
	}
	return withFlags(advice)
}

// finishReport compares the report of a fork with its parent's, writes it to the run directory
// and where the user asked for it, and prints its summary. It was folded from the records as they
// were written, never from what the engine still knows, so that "report RUN" gives the
// same one at any later time. The summary is printed also when a file could
// not be written: it may be all that is left of a run on a full disk.
func (m *Main) finishReport(p plan, out outputFile, r *report.Report) error {
	parent := ""
	if p.fork != nil {
		parent = p.fork.parent
	}
	m.compareWithParent(p.RunDir, parent, r)
	for _, o := range m.observed {
		o.Evaluate(p.evaluations(r)...)
	}
	var text, files strings.Builder
	err := run.Dir(m.path(p.RunDir)).KeepReport(r.JSON())
	if err == nil {
		plaintext.Fprintf(&files, "report  %s\n", filepath.Join(p.RunDir, run.ReportFile))
	}
	if out.path != "" {
		failed := atomicfile.Write(out.path, r.JSON())
		err = errors.Join(err, failed)
		if failed == nil {
			plaintext.Fprintf(&files, "report  %s\n", p.ReportJSON)
		}
	}
	text.WriteString(r.Text())
	plaintext.Fprintf(&text, "trace   %s\nhead    %s\n", filepath.Join(p.RunDir, run.TraceFile), r.Timing.TraceHead)
	text.WriteString(files.String())
	result, where := text.String(), m.Stdout
	if out.stdout { // then the summary is for people, beside what a program reads
		_, _ = io.WriteString(m.Stderr, result)
		result = string(r.JSON())
	}
	if _, printErr := io.WriteString(where, result); printErr != nil {
		err = errors.Join(err, fmt.Errorf("print the summary: %w", cause(printErr)))
	}
	return err
}

// observers are several observers of a run.
type observers []engine.Observer

// Begin implements [engine.Observer].
func (list observers) Begin(ctx context.Context, s engine.Span) (context.Context, func(engine.Ending)) {
	ends := make([]func(engine.Ending), len(list))
	for i, o := range list {
		ctx, ends[i] = o.Begin(ctx, s)
	}
	return ctx, func(e engine.Ending) {
		for _, end := range slices.Backward(ends) {
			end(e)
		}
	}
}
