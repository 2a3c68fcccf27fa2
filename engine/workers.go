package engine

import (
	"cmp"
	"sync"
)

// workers are goroutines that carry out turns, of one tick after the other: each turn is deep
// in calls, and a goroutine of its own would grow its stack anew, step by step.
type workers chan func()

// newWorkers starts n workers, which end when the channel is closed.
func newWorkers(n int) workers {
	w := make(workers)
	for range n {
		go func() {
			for work := range w {
				work()
			}
		}()
	}
	return w
}

// each lets the workers do i for each i below n, in rising order as far as one waits for
// another, and returns the first of the errors once all of it is done. Without workers it is
// done here, one after the other: then no i may wait for a later one.
func (w workers) each(n int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		work := func() {
			defer all.Done()
			errs[i] = do(i)
		}
		if w == nil {
			work()
		} else {
			w <- work
		}
	}
	all.Wait()
	return cmp.Or(errs...)
}
