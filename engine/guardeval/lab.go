package guardeval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// Options say how cases are played.
type Options struct {
	// Jobs is how many cases are played at once, at least 1; 0 means 1.
	Jobs int
	// Seed is that of the scripted model.
	Seed uint64
	// Keep is a directory for the runs; empty keeps none.
	Keep string
}

// Lab is where cases are played. Its methods may be called concurrently.
type Lab struct {
	options Options
	// dir is where runs go that are not kept.
	dir string
}

// NewLab returns a lab, which the caller closes. The error says what cannot be written.
func NewLab(o Options) (*Lab, error) {
	l := &Lab{options: o, dir: o.Keep}
	if l.dir == "" {
		dir, err := os.MkdirTemp("", "guard-eval-")
		if err != nil {
			return nil, fmt.Errorf("guard evaluation: %w", err)
		}
		l.dir = dir
	}
	return l, nil
}

// Close removes what is not to be kept.
func (l *Lab) Close() error {
	if l.options.Keep == "" {
		return os.RemoveAll(l.dir)
	}
	return nil
}

// Guard is the guard that cases are played with: all of it, or some layers less.
type Guard struct {
	// Off are the layers left out, in the order of [policy.Layers].
	Off []policy.Layer
}

// On is the guard with all its layers, GuardOff none of them.
var (
	On       = Guard{}
	GuardOff = Guard{Off: policy.Layers()}
)

// Without is the guard without one layer.
func Without(l policy.Layer) Guard { return Guard{Off: []policy.Layer{l}} }

// Name tells guards apart in tables and directories: on, off, or what is missing.
func (g Guard) Name() string {
	switch len(g.Off) {
	case 0:
		return "on"
	case len(policy.Layers()):
		return "off"
	}
	return "without " + strings.Join(g.Off, ", ")
}

// Result is the outcome of a case under a guard.
type Result struct {
	Case  Case
	Guard Guard
	// Succeeded says that what the text was after came about: for an attack that is
	// its success, for a twin that the request was met. A twin that only informs
	// always succeeds.
	Succeeded bool
	// GoalMet says that the victim reached its own goal.
	GoalMet bool
	// Refusals are the rules by which the guard refused something of the victim, each
	// time it did.
	Refusals []string
}

// Useful says that a twin came out as it should: the request met and the victim's own
// goal reached.
func (r Result) Useful() bool { return r.Succeeded && r.GoalMet }

// Play plays one case against a stub that obeys its text. When ctx ends, so does the
// run, and the error is ctx's.
func (l *Lab) Play(ctx context.Context, c Case, g Guard) (Result, error) {
	dir := filepath.Join(l.dir, strings.NewReplacer(", ", "-", " ", "-").Replace(g.Name()), strings.ReplaceAll(c.ID, "/", "_"))
	if err := run.Dir(dir).Create(); err != nil {
		return Result{}, fmt.Errorf("case %s: %w", c.ID, err)
	}
	f, err := l.run(ctx, c, g, dir)
	if err == nil && l.options.Keep == "" {
		err = os.RemoveAll(dir)
	}
	if err != nil {
		return Result{}, fmt.Errorf("case %s: %w", c.ID, err)
	}
	return Result{
		Case: c, Guard: g, GoalMet: f.goalMet, Refusals: f.refusals,
		Succeeded: c.met(f),
	}, nil
}

// Job is one case to be played with one guard.
type Job struct {
	Case  Case
	Guard Guard
}

// Jobs pairs every case with every guard.
func Jobs(cases []Case, guards ...Guard) []Job {
	var jobs []Job
	for _, g := range guards {
		for _, c := range cases {
			jobs = append(jobs, Job{c, g})
		}
	}
	return jobs
}

// PlayAll plays jobs, as many at once as the lab's options say, and calls done after
// each, from several goroutines, with how many are over; nil is not called. Results
// are in the order of jobs. The first error ends it.
func (l *Lab) PlayAll(ctx context.Context, jobs []Job, done func(over int)) ([]Result, error) {
	results := make([]Result, len(jobs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, l.options.Jobs))
	over := make(chan struct{}, len(jobs))
	for i, j := range jobs {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			r, err := l.Play(ctx, j.Case, j.Guard)
			results[i] = r
			over <- struct{}{}
			if err == nil && done != nil {
				done(len(over))
			}
			return err
		})
	}
	return results, group.Wait()
}

// Sample picks n of the cases, spread evenly, beginning where the seed says; all of them
// when n is 0 or more than there are. The same arguments pick the same.
func Sample(cases []Case, n int, seed uint64) []Case {
	if n <= 0 || n >= len(cases) {
		return cases
	}
	out := make([]Case, 0, n)
	start := int(seed % uint64(len(cases)))
	for k := range n {
		out = append(out, cases[(start+k*len(cases)/n)%len(cases)])
	}
	return out
}

// run plays a case into a directory and reads what it did to the victim.
func (l *Lab) run(ctx context.Context, c Case, g Guard, dir string) (f facts, err error) {
	server, err := stub.Start(ctx, "", stub.Options{Seed: l.options.Seed, Obeys: c.cues})
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	client, err := openai.New(openai.Config{BaseURL: server.URL(), ShownURL: stub.EmbeddedURL})
	if err != nil {
		return f, err
	}
	defer client.Close()
	o, err := l.optionsFor(c, g, dir, engine.Live(client))
	if err != nil {
		return f, err
	}
	ended, err := engine.Run(ctx, o)
	if err == nil && ended.Status != trace.RunCompleted {
		err = errors.Join(ctx.Err(), fmt.Errorf("the run ended as %s: %s", ended.Status, ended.Reason))
	}
	if err != nil {
		return f, err
	}
	return readFacts(dir, c.Victim)
}

// optionsFor is the run of a case, with a source of answers for those that it does not give.
func (l *Lab) optionsFor(c Case, g Guard, dir string, live engine.Source) (engine.Options, error) {
	scenario, err := scenario.Parse("case", c.Scenario)
	if err != nil {
		return engine.Options{}, err
	}
	s := trace.DefaultSettings()
	s.Scenario, s.ScenarioTOML, s.Seed, s.Ticks = "case", string(c.Scenario), scenario.Seed, c.Ticks
	s.Model, s.ModelSource, s.BaseURL = stub.ModelName, trace.SourceScripted, stub.EmbeddedURL
	s.Playbook, s.PlaybookBullets, s.LearnEvery, s.FreezePlaybook = string(c.playbook), bulletsShown, c.learn, c.learn == 0
	if c.profile != "" {
		s.PromptProfile = c.profile
	}
	s.GuardOff = g.Off
	return engine.Options{Settings: s, RunDir: dir, Source: &actors{Case: c, live: live}, Concurrency: 1}, nil
}

// bulletsShown is how many lessons a prompt holds.
const bulletsShown = 4

// readFacts reads what a run did to the victim.
func readFacts(dir, victim string) (facts, error) {
	var f facts
	file, err := run.Dir(dir).Open()
	if err != nil {
		return f, err
	}
	defer file.Close()
	for record, err := range trace.NewReader(file).All() {
		if err != nil {
			return f, fmt.Errorf("read trace: %w", err)
		}
		switch r := record.(type) {
		case trace.Event:
			switch {
			case r.Event.Agent != victim:
			case r.Event.Kind == world.EventActionApplied:
				f.applied = append(f.applied, r.Event.Action)
			case r.Event.Kind == world.EventOrderCancelled:
				f.cancelled = true
			}
		case trace.Step:
			// What the world would refuse anyway has a code of its own.
			if r.AgentID == victim && slices.Contains(policy.Rules(), policy.Rule(r.Code)) {
				f.refusals = append(f.refusals, r.Code)
			}
		case trace.RunEnd:
			for _, g := range r.Goals {
				f.goalMet = f.goalMet || g.AgentID == victim && g.MetAt != nil
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, run.PlaybookDir, victim+".toml"))
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	var lessons *playbook.Playbook
	if err == nil {
		lessons, err = playbook.Parse(data)
	}
	if err != nil {
		return f, fmt.Errorf("read the victim's playbook: %w", err)
	}
	for _, b := range lessons.Bullets() {
		f.lessons = append(f.lessons, b.Content)
	}
	return f, nil
}
