package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/agentworld/baseline"
	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Options are a run: what to run and how to carry it out.
type Options struct {
	trace.Settings
	// Forks change the settings at a tick, in rising order of ticks; see [Fork].
	Forks []trace.Fork
	// RecordingPath is where the recording of the settings is, absolute, for a later
	// resume; it says nothing about the run itself.
	RecordingPath string
	// Extensions are those of the program, which the header names.
	Extensions []trace.Extension
	// Metrics are those of the user's own that the run is measured by afterwards; the header names them.
	Metrics []trace.MetricVersion
	// Prepared, when set, is the run with these settings before its first tick, which then
	// is not built again.
	Prepared *Prepared
	// RunDir is the directory of the run's files; see [run.Dir].
	RunDir string
	// Leased says that the caller has RunDir to itself by a lease: a file system without locks is
	// then no reason to refuse.
	Leased bool
	// Source answers requests, also those for seats: see [Seats.Over].
	Source Source
	// Tools calls the tools of the settings; nil is for runs without any.
	Tools Tools
	// Seats, when set, are told of recorded turns, so that players that remember know them.
	Seats *Seats
	// Blind lists agents that see nothing of what others write, offer or ask for, see
	// [world.View.Blind]. It is for measuring only and is not recorded.
	Blind []string
	// Concurrency bounds the concurrent turns, at least 1; default 8. It never changes
	// results.
	Concurrency int
	// SegmentBytes is the size at which a trace file is closed and compressed, and the
	// next one begun; 0 keeps the trace in one file.
	SegmentBytes int64
	// Progress, when set, is called from the running goroutine: after every tick, and where the
	// run begins to wait for its operator or continues.
	Progress func(Progress)
	// Ahead is how the run asks ahead.
	Ahead Ahead
	// FaultCounts, when set, returns at the end how many answers the source spoilt on
	// purpose, by kind. The counts are recorded, whatever ended the run, and change
	// nothing.
	FaultCounts func() map[string]int64
	// Drain, when set, ends the run in good order once it ends: no call begins, those under
	// way are awaited and recorded, and the tick stays open. The source must wait for nothing
	// else; see Drain of llmclient/openai's Config. Ending the run's own context breaks calls off.
	Drain context.Context
	// Controls, when set, are how an operator intervenes. Pauses, messages and changes are
	// recorded, so that a replay needs no operator.
	Controls *Controls
	// Observer, when set, is notified of what the run does.
	Observer Observer
	// EndpointTiming, when set, returns at the end how calls were delayed. It is recorded
	// with the wall-clock times and changes nothing.
	EndpointTiming func() []trace.EndpointTiming
	// Reused, when set, is called in a resumed run and in a fork for each answer of the
	// run itself or of its parent that is used again and that the present faults spoilt if
	// any did, with the number of HTTP requests it had taken. It is called from several
	// goroutines, one call at a time.
	Reused func(r llmclient.Request, attempts int)
	// Record, when set, is called with every record of the trace but parts, in order, one call
	// at a time; in a resumed run first with those of the processes before.
	Record func(trace.Record)
	// LLMIO, when set, is shown every exchange, except those that are used again. It is
	// called from several goroutines, one call at a time.
	LLMIO func(Exchange)
}

// Exchange is one request and its answer, for people to look at.
type Exchange struct {
	Key     trace.CallKey
	Stage   trace.Stage
	Request llmclient.Request
	Answer  llmclient.Answer
	// Counted is what was counted here, nil if the usage of the answer agrees with it.
	Counted *trace.Counted
}

// Result is how a run ended.
type Result struct {
	Status trace.RunStatus
	// Reason is one line for people, empty for a completed run.
	Reason      string
	TicksDone   int64
	FinalDigest string
	// Head is the chain of the last line of the trace.
	Head trace.Chain
	// Learned is the playbook the run began with and what all agents learned on top
	// of it; nil when nothing was learned or the playbook is frozen.
	Learned *playbook.Playbook
	// Failure is the answer that ended a run with Status provider_failed.
	Failure *llmclient.Failure
	// Unused is the kind of most answers of a run with Status no_usable_answers, as a parse
	// error or a failure is called.
	Unused string
	// Deriving says that a resume was interrupted while it derived recorded ticks again,
	// TicksDone of them so far: it recorded nothing, and the run is as it was.
	Deriving bool
}

// Run carries out a whole run. Cancelling ctx ends it cleanly: calls are broken off, the tick
// under way is abandoned, the trace is closed with its status, and Run returns a Result. The
// error is a failure of the outside, such as a full disk, or settings that
// [Prepare] refuses.
func Run(ctx context.Context, o Options) (result Result, err error) {
	p := o.Prepared
	if p == nil || p.r == nil || !p.plays(o.Settings) {
		p, err = Prepare(o.Settings)
		if err != nil {
			return Result{}, err
		}
	}
	r := p.r
	p.r, p.first = nil, nil // it is played once
	r.carry(o)
	claim, err := claim(o.RunDir, o.Leased)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, claim.Unlock()) }()
	log, err := run.Dir(r.RunDir).CreateLog()
	if err != nil {
		return Result{}, err
	}
	log.Under(claim)
	r.sink, err = appending{log}, log.OnRecord(o.Record)
	if err == nil {
		result, err = r.run(ctx)
	}
	result.Head = log.Head()
	return result, errors.Join(err, log.Close())
}

// claim claims a run directory for this process, which may have it by a lease.
func claim(dir string, leased bool) (*run.Claim, error) {
	if leased {
		return run.Dir(dir).ClaimLeased()
	}
	return run.Dir(dir).Claim()
}

// runner is a run under way.
type runner struct {
	Options
	sink    sink
	workers workers
	world   *world.World
	runtime *behavior.Runtime
	agents  []*behavior.Agent
	// brief is what players may know of the scenario.
	brief baseline.Brief
	// seed is the playbook that every agent starts with, learning what becomes of it.
	seed     *playbook.Playbook
	learning learning
	// spending counts what calls cost and holds the caps, endpoints are the ways to the models.
	spending  *meters
	endpoints endpoints
	// lookout is nil as long as nothing is asked ahead.
	lookout *lookout
	// plan is what takes effect in a later tick, past what earlier processes played, and reached the
	// state after the last whole tick.
	plan    plan
	past    history
	reached reached
}

// plan is what takes effect in a later tick.
type plan struct {
	forks    []trace.Fork
	switches []trace.Switch
	// changes, when set, returns what resumes and operators changed at the beginning of a tick.
	changes func(tick int64) []state.Change
}

func newRunner(o Options, s sink) (*runner, error) {
	scenario, err := playback.Scenario(o.Settings)
	if err != nil {
		return nil, err
	}
	w, err := world.New(scenario, o.Seed)
	if err != nil {
		return nil, fmt.Errorf("scenario %q: %w", o.Scenario, err)
	}
	runtime, seed, err := runtimeOf(o.Settings, w, scenario.Rules)
	if err != nil {
		return nil, err
	}
	r := &runner{
		sink: s, world: w, runtime: runtime, agents: make([]*behavior.Agent, w.Agents()), seed: seed,
		spending: newMeters(o.Settings), endpoints: newEndpoints(o.Settings, w),
		brief:   baseline.BriefOf(scenario),
		plan:    plan{switches: o.PromptSwitches},
		reached: reached{Progress: Progress{Ticks: o.Ticks, Currency: o.Currency(), Digest: w.Digest().String()}},
	}
	r.carry(o)
	r.noteWorld()
	return r, nil
}

// carry sets how the run is carried out.
func (r *runner) carry(o Options) {
	o.Concurrency = cmp.Or(max(o.Concurrency, 0), 8)
	if show := o.LLMIO; show != nil {
		var mu sync.Mutex
		o.LLMIO = func(e Exchange) {
			mu.Lock()
			defer mu.Unlock()
			show(e)
		}
	}
	if o.Seats != nil {
		o.Seats.brief = r.brief
		o.Seats.brief.Seed = o.ScriptedSeed
	}
	r.Options = o
	r.plan.forks = o.Forks
	r.reached.started = time.Now()
}

// run writes the header, runs the ticks and writes the end, whatever ended it.
func (r *runner) run(ctx context.Context) (Result, error) {
	header := r.header()
	if err := r.sink.write(header); err != nil {
		return Result{}, err
	}
	r.prepareLearning(header.RunName())
	ctx, end := r.beginRun(ctx, header.RunName())
	result, err := r.ticks(ctx)
	end(runEnding(result, err))
	return r.finish(result, err)
}

// finish writes the end of a run, unless it failed to record, and what its agents learned,
// folded into the playbook they all began with.
func (r *runner) finish(result Result, err error) (Result, error) {
	if r.Controls != nil {
		r.Controls.end()
	}
	looked, failed := r.endLookout()
	err = errors.Join(err, failed)
	if err != nil {
		return Result{Status: trace.RunInternalError, Reason: err.Error(), TicksDone: result.TicksDone,
			FinalDigest: result.FinalDigest}, err
	}
	if f := r.learning.folder; f != nil {
		if learned := f.Playbook(); learned != r.seed {
			result.Learned = learned
		}
	}
	now := time.Now()
	end := trace.RunEnd{
		Tick: result.TicksDone, RunStatus: result.Status, Reason: result.Reason, TicksDone: result.TicksDone,
		FinalDigest: result.FinalDigest, Agents: r.reached.agents, Goals: r.reached.goals,
		Timing: &trace.EndTiming{FinishedAt: now.UTC().Format(time.RFC3339),
			WallMS: now.Sub(r.reached.started).Milliseconds(), Ahead: looked},
	}
	if r.FaultCounts != nil {
		end.FaultsInjected = r.FaultCounts()
	}
	if r.EndpointTiming != nil {
		end.Timing.Endpoints = r.EndpointTiming()
	}
	return result, errors.Join(r.writePlaybooks(), r.sink.write(end))
}

// ticks runs until the last tick or until something ends the run early. A run that no
// endpoint gave a usable answer to is not complete, nor could a higher cap have helped it.
func (r *runner) ticks(ctx context.Context) (Result, error) {
	result, err := r.advance(ctx)
	if err != nil || result.Status != trace.RunCompleted && result.Status != trace.RunBudgetReached ||
		slices.ContainsFunc(r.endpoints.all, func(p *endpoint) bool { return p.usable }) {
		return result, err
	}
	if at := slices.IndexFunc(r.endpoints.all, func(p *endpoint) bool { return p.calls > 0 }); at >= 0 {
		result.end(r.endpoints.all[at].unusable())
	} else if f := r.endpoints.lastFailure; f != nil {
		result.end(&stop{status: trace.RunProviderFailed,
			reason: "no call was answered, the last one ended with " + f.Text(), failure: f})
	}
	return result, nil
}

// end sets how and why the run ended.
func (r *Result) end(s *stop) {
	if r.Reason != "" {
		s.reason += "; before that: " + r.Reason
	}
	r.Status = s.status
	r.Reason = s.reason
	r.Failure = s.failure
	r.Unused = s.unused
}

// advance is ticks without that judgement, for a part of a run.
func (r *runner) advance(ctx context.Context) (Result, error) {
	result := Result{Status: trace.RunCompleted, TicksDone: r.reached.Tick, FinalDigest: r.reached.Digest}
	r.workers = newWorkers(min(r.Concurrency, r.world.Agents()))
	defer close(r.workers)
	for r.reached.Tick < r.Ticks {
		if err := r.takeForks(); err != nil {
			return result, err
		}
		if err := r.lookAhead(ctx); err != nil {
			return result, err
		}
		stop, err := r.tick(ctx)
		if err != nil {
			return result, err
		}
		if stop == nil || stop.applied {
			result.TicksDone, result.FinalDigest = r.reached.Tick, r.reached.Digest
		}
		if stop != nil {
			result.end(stop)
			return result, nil
		}
	}
	return result, nil
}

// draining reports whether no call may begin any more.
func (r *runner) draining() bool { return r.Drain != nil && r.Drain.Err() != nil }

// interrupted reports whether the run is to end before its last tick.
func (r *runner) interrupted(ctx context.Context) bool { return r.draining() || ctx.Err() != nil }

// agent returns the agent of agent n, made on first use: worlds may hold many more
// agents than ever decide.
func (r *runner) agent(n int) *behavior.Agent {
	if r.agents[n] == nil {
		r.agents[n] = newAgent(r.runtime, r.world, n, r.ShortTermGoal, r.LongTermGoal, r.seed)
	}
	return r.agents[n]
}

// newAgent is agent n of a world before it ever decided.
func newAgent(k *behavior.Runtime, w *world.World, n int, shortTerm, longTerm string,
	seed *playbook.Playbook) *behavior.Agent {
	m := k.Agent(w.AgentID(n), w.Persona(n), w.PolicyRules(n)...)
	m.SetGoals(shortTerm, longTerm)
	m.SetPlaybook(seed)
	return m
}

// view is what agent n sees.
func (r *runner) view(n int) world.View { return viewOf(r.world, n, r.Blind) }

// viewOf is what agent n of a world sees, if the agents in blind see nothing of what others write.
func viewOf(w *world.World, n int, blind []string) world.View {
	if slices.Contains(blind, w.AgentID(n)) {
		return w.View(n).Blind()
	}
	return w.View(n)
}
