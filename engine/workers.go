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
// another, and returns the first error once all of it is done. Without workers it is done here,
// one after the other: then no i may wait for a later one.
func (w workers) each(n int, do func(i int) error) (first error) {
	if w == nil {
		for i := range n {
			first = cmp.Or(first, do(i))
		}
		return first
	}
	var all sync.WaitGroup
	var once sync.Once
	for i := range n {
		all.Add(1)
		w <- func() {
			defer all.Done()
			if err := do(i); err != nil {
				once.Do(func() { first = err })
			}
		}
	}
	all.Wait()
	return first
}
