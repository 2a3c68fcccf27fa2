package limiter

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestCallsBehindLetOthersGoFirst: a call that was asked ahead waits for all others, also for those that come
// later, until it is needed; then it has the place of when it began.
func TestCallsBehindLetOthersGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{InFlightMax: 1})
		first, err := l.Acquire(t.Context(), time.Now(), 1)
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		wait := func(name string, ctxOf func() (began time.Time, needed func())) (needed func()) {
			began, needed := ctxOf()
			ctx := t.Context()
			if needed == nil {
				ctx, needed = Behind(ctx)
			}
			go func() {
				p, err := l.Acquire(ctx, began, 1)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, name)
				p.Done(Outcome{Answered: true})
			}()
			synctest.Wait()
			time.Sleep(time.Millisecond)
			return needed
		}
		ahead := func() (time.Time, func()) { return time.Now(), nil }
		own := func() (time.Time, func()) { return time.Now(), func() {} }
		wait("ahead", ahead)
		needed := wait("ahead and needed", ahead)
		wait("own", own)
		needed()
		synctest.Wait()
		first.Done(Outcome{Answered: true})
		synctest.Wait()
		if want := []string{"ahead and needed", "own", "ahead"}; len(order) != 3 || order[0] != want[0] || order[1] != want[1] || order[2] != want[2] {
			t.Errorf("calls went as %q, want %q", order, want)
		}
	})
}
