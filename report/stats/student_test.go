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

// TestNoise has groups whose spread is known: only repeats tell of it, each group around its own mean.
func TestNoise(t *testing.T) {
	if noise, known := Noise([][]float64{{1}, {5}}, 0.05); known {
		t.Errorf("without repeats the noise is %v", noise)
	}
	// Squares of 2 and 8 at 1 and 2 degrees of freedom.
	noise, known := Noise([][]float64{{1, 3}, {100}, {8, 10, 12}}, 0.05)
	if want := 3.182446 * math.Sqrt(2*10.0/3); !known || math.Abs(noise/want-1) > 1e-5 {
		t.Errorf("the noise is %v, %v, want %v", noise, known, want)
	}
}
