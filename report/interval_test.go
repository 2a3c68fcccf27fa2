package report

import "testing"

// published is an interval as printed, in ten-thousandths.
type published struct{ value, low, high int64 }

// agrees reports whether e rounds to what was printed, each printed number being
// rounded itself.
func (p published) agrees(e Estimate) bool {
	for _, pair := range [][2]int64{{p.value, e.Value}, {p.low, e.Low}, {p.high, e.High}} {
		if d := pair[0] - 10*pair[1]; d < -5 || d > 5 {
			return false
		}
	}
	return true
}

// TestWilsonAgreesWithPublishedIntervals holds the formula to the examples of
// Newcombe's comparison of intervals for one proportion (Statistics in Medicine 17,
// 1998, 857-872, table I, method 3).
func TestWilsonAgreesWithPublishedIntervals(t *testing.T) {
	for _, tc := range []struct {
		n, total int64
		want     published
	}{
		{81, 263, published{3080, 2553, 3662}}, {15, 148, published{1014, 624, 1605}},
		{0, 20, published{0, 0, 1611}}, {1, 29, published{345, 61, 1718}},
	} {
		if got := *wilson(tc.n, tc.total).estimate(); !tc.want.agrees(got) {
			t.Errorf("%d of %d: %+v, want %+v", tc.n, tc.total, got, tc.want)
		}
	}
}

// TestDifferenceAgreesWithPublishedIntervals does so with Newcombe's examples for
// the difference of two proportions (873-890, table II, method 10).
func TestDifferenceAgreesWithPublishedIntervals(t *testing.T) {
	for _, tc := range []struct {
		a, m, b, n int64
		want       published
	}{
		{56, 70, 48, 80, published{2000, 524, 3339}}, {9, 10, 3, 10, published{6000, 1705, 8090}},
		{6, 7, 2, 7, published{5714, 582, 8062}}, {5, 56, 0, 29, published{893, -381, 1926}},
		{0, 10, 0, 20, published{0, -1611, 2775}}, {0, 10, 0, 10, published{0, -2775, 2775}},
		{10, 10, 0, 20, published{10000, 6791, 10000}}, {10, 10, 0, 10, published{10000, 6075, 10000}},
	} {
		if got := *wilson(tc.a, tc.m).minus(wilson(tc.b, tc.n)); !tc.want.agrees(got) {
			t.Errorf("%d/%d - %d/%d: %+v, want %+v", tc.a, tc.m, tc.b, tc.n, got, tc.want)
		}
	}
}

// TestIntervalsStayInBounds: shares are within 0..1 and differences within -1..1,
// and an interval holds its value.
func TestIntervalsStayInBounds(t *testing.T) {
	for total := int64(1); total <= 40; total++ {
		for n := range total + 1 {
			p := wilson(n, total)
			if e := *p.estimate(); e.Low < 0 || e.Low > e.Value || e.Value > e.High || e.High > 1000 {
				t.Errorf("%d of %d: %+v", n, total, e)
			}
			if d := *p.minus(wilson(total-n, total)); d.Low < -1000 || d.Low > d.Value || d.Value > d.High || d.High > 1000 {
				t.Errorf("difference of %d and %d of %d: %+v", n, total-n, total, d)
			}
		}
	}
}
