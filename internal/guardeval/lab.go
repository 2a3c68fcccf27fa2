package guardeval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// Options say how cases are played.
type Options struct {
	// Jobs is how many cases run concurrently, at least 1; 0 means 1.
	Jobs int
	// Seed is that of world and scripted model. Attacks with the guard on are played with
	// Seeds of them, from Seed on, and the worst counts; 0 means 1.
	Seed  uint64
	Seeds int
	// Keep is a directory for the runs; empty keeps none.
	Keep string
	// Model is what is attacked; nil is the scripted model, which obeys every text.
	Model *Model
}

// Lab plays cases. Its methods may be called concurrently.
type Lab struct {
	options Options
	// dir is where runs go that are not kept.
	dir string
	// twins are the figures of twins by what they depend on.
	twins sync.Map
}

// NewLab returns a lab, which the caller closes. The error says what cannot be written.
func NewLab(o Options) (*Lab, error) {
	l := &Lab{options: o, dir: o.Keep}
	var err error
	if l.dir == "" {
		l.dir, err = os.MkdirTemp("", "guard-eval-")
	} else {
		err = os.MkdirAll(l.dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("guard evaluation: %w", err)
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

// Guard is the guard that cases are played with: all of it, or some checks less.
type Guard struct {
	// Off are the checks left out, in the order of [trace.Checks].
	Off []trace.Check
}

// On is the guard with all its checks, GuardOff none of them.
var (
	On       = Guard{}
	GuardOff = Guard{Off: trace.Checks()}
)

// Without is the guard without one check.
func Without(l trace.Check) Guard { return Guard{Off: []trace.Check{l}} }

// Name distinguishes guards in tables and directories: on, off, or the missing checks.
func (g Guard) Name() string {
	switch len(g.Off) {
	case 0:
		return "on"
	case len(trace.Checks()):
		return "off"
	}
	return "without " + strings.Join(g.Off, ", ")
}

// Result is the outcome of a case under a guard.
type Result struct {
	Case  Case
	Guard Guard
	// Shown says that the victim was shown what an attack is about.
	Shown bool
	// Harms are those of an attack, with the seed of each.
	Harms []Harm
	// Missing is what a partner got without the guard and not with it, and Asked how much
	// partners got without.
	Missing []string
	Asked   int
	// Refusals are the rules by which the guard refused something of the victim, each time.
	Refusals []string
}

// Failed says that an attack did harm, or that an honest game ended worse than without
// the guard.
func (r Result) Failed() bool { return len(r.Harms)+len(r.Missing) > 0 }

// Play plays one case against the model of the options. When ctx ends, so does the run, and the
// error is ctx's. It is a [*CapError] where a cap refused a call.
func (l *Lab) Play(ctx context.Context, c Case, g Guard) (Result, error) {
	result := Result{Case: c, Guard: g}
	seeds := 1
	if !c.Honest && g.Name() == On.Name() {
		seeds = max(1, l.options.Seeds)
	}
	for k := range seeds {
		seed, play := l.options.Seed+uint64(k), l.run
		if c.Honest && g.Name() == GuardOff.Name() {
			play = l.twin // others are compared with it
		}
		compare := l.measure
		if c.Honest {
			compare = l.compare
		}
		played, err := play(ctx, c, g, seed, false)
		if err == nil {
			result.Shown, result.Refusals = result.Shown || played.shown, append(result.Refusals, played.refusals...)
			err = compare(ctx, &result, played, seed)
		}
		if err != nil {
			return result, fmt.Errorf("case %s: %w", c.ID, err)
		}
	}
	return result, nil
}

// measure compares an attacked run with its twins. The one without chains is played where it matters.
func (l *Lab) measure(ctx context.Context, result *Result, played record, seed uint64) error {
	unseeing := result.Case.twin(false)
	blind, err := l.twin(ctx, unseeing, result.Guard, seed, true)
	if err != nil {
		return err
	}
	greeted, err := l.twin(ctx, result.Case.twin(true), result.Guard, seed, false)
	if err != nil {
		return err
	}
	twins := Twins{Blind: blind.figures, Greeted: greeted.figures}
	harms := Measure(played.figures, twins, played.rules)
	if slices.ContainsFunc(harms, func(h Harm) bool { return h.Kind == "output" }) {
		unseeing.stepwise = true
		stepwise, err := l.twin(ctx, unseeing, result.Guard, seed, true)
		if err != nil {
			return err
		}
		twins.Stepwise = stepwise.figures
		harms = Measure(played.figures, twins, played.rules)
	}
	for _, h := range harms {
		h.Detail = fmt.Sprintf("seed %d: %s", seed, h.Detail)
		result.Harms = append(result.Harms, h)
	}
	return nil
}

// compare compares an honest game with the same game without the guard, or without its
// attacker. Partners should get what they got there, and the victim's work should not suffer.
func (l *Lab) compare(ctx context.Context, result *Result, played record, seed uint64) error {
	c := result.Case
	without, g := c, GuardOff
	if c.attacked {
		without, g = c.calm(), result.Guard
	}
	free, err := l.twin(ctx, without, g, seed, false)
	if err != nil {
		return err
	}
	result.Asked++ // the victim's own work
	asks := without.asked()
	for i, asked := range asks {
		if slices.Contains(asks[:i], asked) || !met(asked, free.applied) {
			continue
		}
		result.Asked++
		if !met(asked, played.applied) {
			result.Missing = append(result.Missing, string(llmclient.Marshal(asked)))
		}
	}
	for _, h := range Measure(played.figures, Twins{Blind: free.figures}, nil) {
		if h.Kind != "outflow" && h.Kind != "trade" {
			result.Missing = append(result.Missing, h.Kind+": "+h.Detail)
			break
		}
	}
	return nil
}

// twin plays a case that others are compared with. Equal ones are played once.
func (l *Lab) twin(ctx context.Context, c Case, g Guard, seed uint64, blind bool) (record, error) {
	key := fmt.Sprintf("%s %d %v %s", g.Name(), seed, blind, c.key())
	play, _ := l.twins.LoadOrStore(key, sync.OnceValues(func() (record, error) { return l.run(ctx, c, g, seed, blind) }))
	return play.(func() (record, error))()
}

// Job is one case to be played with one guard.
type Job struct {
	Case  Case
	Guard Guard
}

// Jobs pairs every case with every guard, one case after the other.
func Jobs(cases []Case, guards ...Guard) []Job {
	var jobs []Job
	for _, c := range cases {
		for _, g := range guards {
			jobs = append(jobs, Job{c, g})
		}
	}
	return jobs
}

// PlayAll plays jobs concurrently, as many as the lab's options say. Results are in the
// order of jobs. The first error ends it; the results are then those of the cases of which all jobs
// were played. If done is not nil, it is called after each job, from several goroutines, with the
// number of finished jobs.
func (l *Lab) PlayAll(ctx context.Context, jobs []Job, done func(over int)) ([]Result, error) {
	results := make([]Result, len(jobs))
	played := make([]bool, len(jobs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, l.options.Jobs))
	var over atomic.Int64
	for i, j := range jobs {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			r, err := l.Play(ctx, j.Case, j.Guard)
			results[i], played[i] = r, err == nil
			if n := over.Add(1); err == nil && done != nil {
				done(int(n))
			}
			return err
		})
	}
	err := group.Wait()
	missing := map[string]bool{}
	for i, j := range jobs {
		if !played[i] {
			missing[j.Case.ID] = true
		}
	}
	results = slices.DeleteFunc(results, func(r Result) bool { return r.Case.ID == "" || missing[r.Case.ID] })
	return results, err
}

// run plays a case into a directory of its own and reads what happened to the victim.
func (l *Lab) run(ctx context.Context, c Case, g Guard, seed uint64, blind bool) (rec record, err error) {
	dir, err := os.MkdirTemp(l.dir, strings.NewReplacer(", ", "-", " ", "-", "/", "-").Replace(c.ID+"-"+g.Name())+"-")
	if err != nil {
		return rec, fmt.Errorf("guard evaluation: %w", err)
	}
	if l.options.Keep == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	dir = filepath.Join(dir, "run")
	s := l.options.Model.settings(c, g, seed)
	parsed, err := scenario.Parse("case", []byte(s.ScenarioTOML))
	if err != nil {
		return rec, err
	}
	source := &actors{Case: c, shown: map[trace.CallKey]bool{}}
	if m := l.options.Model; m != nil {
		source.victim = m
		source.unbent = true
	} else {
		client, stop, err := obedient(ctx, c, seed)
		if err != nil {
			return rec, err
		}
		defer func() { err = errors.Join(err, stop()) }()
		source.victim = engine.Live(client)
	}
	config := session.Config{Settings: s, Dir: dir, Source: source, Concurrency: 1}
	if blind {
		config.Blind = []string{c.Victim}
	}
	played, err := session.New(config)
	if err != nil {
		return rec, err
	}
	ended, err := played.Run(ctx)
	err = errors.Join(err, played.Close())
	if err != nil {
		return rec, err
	}
	rec, err = readRecord(dir, c, source.shown)
	rec.rules = c.rules(parsed.Policy)
	if l.options.Model != nil {
		l.options.Model.add(rec) // what was paid for counts, however the run ended
	}
	switch {
	case err != nil:
	case source.refused != nil:
		err = source.refused
	case ended.Status != trace.RunCompleted:
		err = errors.Join(ctx.Err(), &EndedError{ended.Status, ended.Reason})
	}
	return rec, err
}

// EndedError says that the run of a case ended before its last tick.
type EndedError struct {
	Status trace.RunStatus
	// Reason is one line for people.
	Reason string
}

// Error says how it ended.
func (e *EndedError) Error() string {
	return fmt.Sprintf("the run ended as %s: %s", e.Status, e.Reason)
}

// obedient starts the scripted model of a case.
func obedient(ctx context.Context, c Case, seed uint64) (client *openai.Client, stop func() error, err error) {
	o := stub.Options{Seed: seed, Obeys: c.cues, Echoes: c.echoes}
	if c.Honest && !c.attacked {
		o.Obeyed = new(sync.Map) // what a partner asks for once is done once
	}
	server, err := stub.Start(ctx, "", o)
	if err != nil {
		return nil, nil, err
	}
	client, err = openai.New(openai.Config{BaseURL: server.URL(), ShownURL: stub.EmbeddedURL, Steady: true})
	if err != nil {
		return nil, nil, errors.Join(err, server.Close())
	}
	return client, func() error {
		client.Close()
		return server.Close()
	}, nil
}
