package limiter

import (
	"testing"
	"time"
)

// BenchmarkAcquire measures an attempt that does not wait, with all limits set.
func BenchmarkAcquire(b *testing.B) {
	l := New(Limits{InFlightMax: 8, RequestsPerMinute: 1 << 40, TokensPerMinute: 1 << 50})
	began := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		p, err := l.Acquire(b.Context(), began, 1000)
		if err != nil {
			b.Fatal(err)
		}
		p.Done(Outcome{Answered: true, Tokens: 1200})
	}
}
