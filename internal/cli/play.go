package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/summary"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
)

// run carries out a plan: it checks that files are writable, makes the run directory, opens the model,
// plays and writes the report, even of a run that ended early.
//
//	output           the report can be written; a refusal leaves no files
//	session.Create   the same
//	session.Open     starts the embedded server or a client; no call yet
//	session.Run      all calls, the trace
//	conclude         report.json, the summary, the exit code
//
// The order matters: nothing is paid for before it is certain that the result
// can be kept.
func (m *Main) run(ctx context.Context, p plan) error {
	// Finding out at the end would lose what a long run has paid for.
	out, err := reportOutput(m, &p)
	if err != nil {
		return err
	}
	made := append(missingDirs(m.path(p.RunDir)), out.made...)
	if err := p.session.Create(); err != nil {
		made.discard()
		if occupied, ok := errors.AsType[*run.OccupiedError](err); ok {
			return badInput("the run directory %s already holds a run, at least its %s; allowed: a new directory",
				shown(p.RunDir), occupied.File)
		}
		return badInput("the run directory %s cannot be used: %w; allowed: a new directory in a writable place",
			shown(p.RunDir), cause(err))
	}
	p.page, err = openPage(m, p)
	if err != nil {
		made.discard()
		return err
	}
	defer p.page.close()
	result, began, err := m.play(ctx, &p, func() {
		plaintext.Fprintf(m.Stderr, "run: %s, ticks %d, agents %d, seed %d, in %s\n", p.Scenario, p.Ticks,
			len(p.session.Agents()), p.Seed, p.RunDir)
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
	if p.fork != nil && err != nil {
		err = cmp.Or(forkFailure(p.fork.parent, err), fmt.Errorf("fork %s: %w", shown(p.fork.parent), err))
	}
	if err != nil && !run.Dir(m.path(p.RunDir)).Begun() {
		p.page.close()
		made.discard() // there is nothing to report on
		return fmt.Errorf("run: %w", err)
	}
	err = conclude(m, p, out, result, err)
	if err == nil {
		stay(ctx, m, p.page)
	}
	return err
}

// play opens the models, says what will be called, calls announce and plays the run. began is false if
// the models could not be opened.
func (m *Main) play(ctx context.Context, p *plan, announce func()) (result session.Result, began bool, err error) {
	m.collectLess()
	// The end of ctx lets calls under way be answered; only the end of Quit breaks them off.
	hooks := session.Hooks{Drain: ctx, Listener: p.hears}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if p.Learns() { // what is learned goes there at the end
		book, err := m.outputPlaybook(p.playbookFile)
		if err != nil {
			return result, false, err
		}
		defer book.made.discard()
	}
	line := &terminal.RunLine{Printer: m.newProgressPrinter(p.Quiet), Now: m.Now, Prices: p.Prices,
		Traffic: p.session.Access().Traffic}
	line.Terminal = m.Terminal && !p.PrintLLMIO
	p.hears.line = line
	if p.page != nil {
		hooks.Controls = p.page.controls
	}
	exchanges := exchangePrinter{w: m.Stderr, charsMax: int(p.LLMIOMaxChars)}
	notes := failureNotes{printer: line.Printer}
	hooks.Exchange = func(x engine.Exchange) {
		notes.see(x)
		if p.PrintLLMIO {
			exchanges.show(x)
		}
	}
	p.session.Attach(hooks)
	if err := m.open(ctx, p); err != nil {
		return result, false, err
	}
	defer func() {
		if p.recording != "" {
			recorded, asked := p.session.Answers()
			plaintext.Fprintf(m.Stderr, "answers: %d recorded, %d asked\n", recorded, asked)
		}
		_ = p.session.Close() // its trace is closed
	}()
	announce()
	if len(p.GuardOff) > 0 {
		// Such a run is a measurement, and its results must not be taken for those of another.
		plaintext.Fprintf(m.Stderr, "WARNING: the guard runs without %s (--guard-off); texts of other agents may decide "+
			"what agents do\n", strings.Join(p.GuardOff, ", "))
	}
	if p.fork != nil {
		plaintext.Fprintf(m.Stderr, "fork: %s after tick %d; the ticks before are derived again and cost nothing\n",
			p.fork.parent, p.fork.AtTick)
	}
	line.Start(engine.Progress{Tick: p.session.Taken(), Ticks: p.Ticks, Cap: p.Caps.Run, Currency: p.Currency()})
	defer line.Finish()
	defer m.whenInterrupted(line.Drain, func() { line.BreakOff(cancel) })()
	err = m.shielded(func() error {
		watched := observers{line}
		others, err := extensions{m}.observe(ctx, p.config)
		if err != nil {
			return err
		}
		hooks.Observer = append(watched, others...)
		p.session.Attach(hooks)
		result, err = p.session.Run(ctx)
		return err
	})
	return result, true, err
}

// open makes the source of answers reachable and announces who will be called, how often and at what
// cost, before the first call.
func (m *Main) open(ctx context.Context, p *plan) error {
	if p.recording != "" {
		miss := "the model is asked"
		if p.strict() {
			miss = "the run ends; no model is asked"
		}
		plaintext.Fprintf(m.Stderr, "answers: recorded in %s; without one %s\n", p.recording, miss)
		for _, of := range p.session.RecordedOtherwise() {
			plaintext.Fprintf(m.Stderr, "note: %s was %s when the answers were recorded and is %s now\n", of.What,
				of.Recorded, of.Now)
		}
	}
	if err := p.session.Open(ctx); err != nil {
		return p.unopened(err)
	}
	announce(m, m.Stderr, p.config, p.session.Endpoints(), p.calls(), p.spending())
	return nil
}

// unopened is the error of models that cannot be opened.
func (c config) unopened(err error) error {
	if of, ok := errors.AsType[*session.RecordingError](err); ok {
		return badInput("%s cannot be replayed from: %w", shown(c.recording), cause(of.Err))
	}
	if _, ok := errors.AsType[*access.Problem](err); ok {
		return c.refused(err)
	}
	return err
}

// listener shows what a session tells.
type listener struct {
	m *Main
	// config says where the run's key comes from.
	config config
	// line is nil before the run begins, and for what is no run.
	line *terminal.RunLine
	// withheld says that the run's key is not sent, empty if it is.
	withheld string
}

// Notice implements [session.Listener].
func (l *listener) Notice(n access.Notice) {
	w, ok := n.(access.Withheld)
	switch {
	case !ok && l.line == nil:
		l.m.newProgressPrinter(false).Note(noticeText(n))
		return
	case !ok:
		l.line.Note(noticeText(n))
		return
	}
	named, remedy := "run directory", "name it with --base-url "+w.URL
	if l.config.own != nil {
		named = "batch file"
		remedy = "set " + settings.EnvPrefix + "BASE_URL to it, or run a scenario once with --base-url " + w.URL
	}
	text := withheld(w, l.config.Values.Find("llm.api_key").Origin.String(), named, remedy)
	if w.Agent == nil {
		l.withheld = text
	}
	plaintext.Fprintf(l.m.Stderr, "note: %s\n", text)
}

// Progress implements [session.Listener].
func (l *listener) Progress(p engine.Progress) { l.line.Show(p) }

// noticeText is a wait for an endpoint or what later requests are changed for, as a line.
func noticeText(n access.Notice) string {
	switch n := n.(type) {
	case access.Wait:
		long := ""
		if n.For > 0 {
			long = " for " + n.For.Round(time.Second).String()
		}
		return fmt.Sprintf("waiting%s for %s: %s", long, n.Endpoint, n.Why)
	case access.Remark:
		return "note: " + n.Text
	case access.Change:
		return "note: " + n.Endpoint + ": " + n.Text
	}
	panic(fmt.Sprintf("cli: a notice of type %T", n))
}

// conclude writes the report and says how the run ended. It is called for every
// run that began, so that each leaves a report with its run status: also one that
// was interrupted, that the provider ended, or that failed here (runErr).
func conclude(m *Main, p plan, out outputFile, result session.Result, runErr error) error {
	r, failed := result.Report, &session.KeepError{}
	if kept, ok := errors.AsType[*session.KeepError](runErr); ok {
		runErr, failed = nil, kept
	}
	if result.Playbook != "" && result.Playbook != m.path(p.playbookFile) {
		plaintext.Fprintf(m.Stderr,
			"note: the playbook %s changed meanwhile and is left as it is; what was learned is in %s\n", p.playbookFile,
			filepath.Join(p.RunDir, run.PlaybookDir, filepath.Base(result.Playbook)))
	}
	var reportErr error
	if runErr != nil { // what reached the disk is for the trace to say
		r, reportErr = m.foldTrace(p.RunDir)
	}
	if reportErr == nil {
		reportErr = finishReport(m, p, out, &r)
	}
	reportErr = errors.Join(reportErr, failed.Lessons)
	if runErr != nil {
		if !p.resumable(result.Result) || errors.Is(runErr, engine.ErrFork) {
			return fmt.Errorf("run: %w", errors.Join(runErr, reportErr))
		}
		return advise(fmt.Errorf("run: %w", errors.Join(runErr, reportErr)),
			p.resumeAdvice("once that is mended, continues after the last whole tick"))
	}
	return cmp.Or(reportErr, verdict(m, p, result.Result, r))
}

// finishReport compares the report of a fork with its parent's, writes it to the run directory
// and where the user asked for it, and prints its summary. It was folded from the records as they
// were written, never from what the engine still knows, so that "report RUN" gives the
// same one at any later time. The summary is printed also when a file could
// not be written: it may be all that is left of a run on a full disk.
func finishReport(m *Main, p plan, out outputFile, r *report.Report) error {
	parent := ""
	if p.fork != nil {
		parent = p.fork.parent
	}
	compareWithParent(m, p.RunDir, parent, r)
	for _, o := range m.observed {
		o.Evaluate(p.evaluations(r)...)
	}
	var files strings.Builder
	plaintext.Fprintf(&files, "trace   %s\nhead    %s\n", filepath.Join(p.RunDir, run.TraceFile), r.Timing.TraceHead)
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
	files.WriteString(m.looksText(p.RunDir, *r))
	if out.stdout { // then the summary is for people, beside what a program reads
		m.showSummary(*r, files.String())
		return errors.Join(err, m.print(string(r.JSON())))
	}
	return errors.Join(err, m.printSummary(*r, summary.Options{}, files.String()))
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
