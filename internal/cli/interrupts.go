package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/session/access"
)

// interrupts is what happens when the user interrupts the program.
type interrupts struct {
	// Quit, when it ends, breaks off also what the end of Run's context leaves to be finished.
	// Nil never ends.
	Quit context.Context
	// interrupt is called when the context of Run ends.
	interrupt *interruption
}

// quitTime is how long the program may take to end after a second signal.
const quitTime = 2 * time.Second

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP ends, and one that the
// second ends, but for another SIGHUP, for a user who does not want to wait for what was begun. After that the program
// has quitTime for its records and its report; then, or at a third signal, it exits, after it
// called leave. stop gives the signals back and ends the goroutine that waits for them; it is
// called once.
func interruptible(leave func()) (ctx, quit context.Context, stop func()) {
	quit, cancelQuit := context.WithCancel(context.Background())
	ctx, cancel := context.WithCancel(quit)
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup, or a shell that lets its jobs go on
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		ends := []func(){cancel, cancelQuit}
		for len(ends) > 0 {
			s, ok := <-signals
			if !ok {
				return
			}
			if s == syscall.SIGHUP && len(ends) == 1 {
				continue // a shell passes on the hang-up that its jobs have heard of already
			}
			ends[0]()
			ends = ends[1:]
		}
		if !awaitAnother(signals, quitTime) {
			return
		}
		leave()
		os.Exit(exitInterrupted)
	}()
	return ctx, quit, func() {
		signal.Stop(signals)
		close(signals)
		cancelQuit()
	}
}

// awaitAnother waits for a signal that ends the program, or for the end of the time. It returns
// false once the signals were given back.
func awaitAnother(signals <-chan os.Signal, longest time.Duration) bool {
	end := time.After(longest)
	for {
		select {
		case s, ok := <-signals:
			if !ok || s != syscall.SIGHUP {
				return ok
			}
		case <-end:
			return true
		}
	}
}

// interruption says what happens when the program is interrupted.
type interruption struct {
	ctx context.Context

	mu   sync.Mutex
	say  func()
	said bool
}

// happened says it, once.
func (i *interruption) happened() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.said {
		i.said = true
		i.say()
	}
}

// during replaces what is said, until done is called. What happened before that is said, even
// if what ended by it was faster.
func (i *interruption) during(say func()) (done func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	before := i.say
	i.say = say
	return func() {
		if i.ctx.Err() != nil {
			i.happened()
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		i.say = before
	}
}

// whenInterrupted replaces what an interrupt does, until done is called: drain is called when the
// context of Run ends, breakOff when Quit does.
func (i *interrupts) whenInterrupted(drain, breakOff func()) (done func()) {
	heard := i.interrupt.during(drain)
	if i.Quit == nil {
		return heard
	}
	broken := make(chan struct{})
	unbegun := context.AfterFunc(i.Quit, func() { defer close(broken); breakOff() })
	return func() {
		if !unbegun() {
			<-broken
		}
		heard()
	}
}

// drained returns a context for runs that are to be drained at the end of ctx: it ends only with
// Quit, which breaks off the calls in flight. note says both; now is what the calls do.
func (i *interrupts) drained(ctx context.Context, now func() access.Traffic,
	note func(text string)) (calls context.Context,
	done func()) {
	calls, breakOff := context.WithCancel(context.WithoutCancel(ctx))
	heard := i.whenInterrupted(func() { note(terminal.DrainText(now())) }, func() {
		n := now().Sent
		breakOff()
		note(terminal.BreakOffText(n))
	})
	return calls, func() {
		heard()
		breakOff()
	}
}
