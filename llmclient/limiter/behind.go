package limiter

import (
	"context"
	"sync"
	"time"
)

// behindKey is the key of a [behind] in a context.
type behindKey struct{}

// behind is a call that lets others go first until it is needed.
type behind struct{ needed chan struct{} }

// Behind returns a context for a call that lets all others go first, where calls wait for each other, until
// needed is called. That may be called more than once.
func Behind(ctx context.Context) (behindOthers context.Context, needed func()) {
	b := behind{make(chan struct{})}
	return context.WithValue(ctx, behindKey{}, b), sync.OnceFunc(func() { close(b.needed) })
}

// Optional reports whether a context is that of a call that lets all others go first and is not needed yet.
func Optional(ctx context.Context) bool {
	b, waits := ctx.Value(behindKey{}).(behind)
	if !waits {
		return false
	}
	select {
	case <-b.needed:
		return false
	default:
		return true
	}
}

// later is how much later than they began calls that let others go first come in a queue.
const later = 1000 * time.Hour

// placeOf is where a call that began at a moment has its place in a queue: as if it had begun then. needed
// is closed when the call is to take the place that it would have had without [Behind]; it is nil for a
// call that has it already.
func placeOf(ctx context.Context, began time.Time) (place time.Time, needed <-chan struct{}) {
	b, waits := ctx.Value(behindKey{}).(behind)
	if !waits {
		return began, nil
	}
	select {
	case <-b.needed:
		return began, nil
	default:
		return began.Add(later), b.needed
	}
}
