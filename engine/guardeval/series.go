package guardeval

import (
	"context"

	"golang.org/x/sync/errgroup"
)

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
// each, from several goroutines, with how many are over; nil calls nobody. Results
// stand in the order of jobs. The first error ends it.
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
