package dashboard

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// endsAfter is a context that ends when it was asked a number of times.
type endsAfter struct {
	context.Context
	left atomic.Int64
}

func (e *endsAfter) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestAComparisonEndsWithItsClient compares runs for a client that is gone at some point: what
// follows is not read.
func TestAComparisonEndsWithItsClient(t *testing.T) {
	s, ids := serverOf(t, 4)
	for _, left := range []int64{0, 1, 3} {
		for what, compare := range map[string]func(context.Context) error{
			"a pair": func(ctx context.Context) error { return s.comparePair(ctx, &compareView{A: ids[:1], B: ids[1:2]}) },
			"sides":  func(ctx context.Context) error { return s.compareSides(ctx, &compareView{A: ids[:2], B: ids[2:]}) },
		} {
			ctx := &endsAfter{Context: t.Context()}
			ctx.left.Store(left)
			if err := compare(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, ended after %d looks: %v", what, left, err)
			}
			if err := compare(t.Context()); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}
