package stats

import (
	"math"
	"testing"
)

// TestStudentQuantile has the values of printed tables.
func TestStudentQuantile(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.7062, 2: 4.30265, 3: 3.18245, 10: 2.22814, 120: 1.97993} {
		if got := StudentQuantile(freedom, 0.05); math.Abs(got/want-1) > 1e-5 {
			t.Errorf("at %d degrees of freedom %v, want %v", freedom, got, want)
		}
	}
}
