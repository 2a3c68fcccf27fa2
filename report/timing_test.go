package report

import "testing"

func TestPercentilesAreByNearestRank(t *testing.T) {
	hundred := latencies{}
	for v := int64(1); v <= 100; v++ {
		hundred[v]++
	}
	for _, test := range []struct {
		values latencies
		want   Latency
	}{
		{latencies{}, Latency{}},
		{latencies{7: 1}, Latency{7, 7, 7, 7, 1}},
		{latencies{1: 1, 2: 1}, Latency{1, 2, 2, 2, 2}},
		{latencies{5: 99, 900: 1}, Latency{5, 5, 5, 900, 100}},
		{latencies{5: 98, 900: 2}, Latency{5, 5, 900, 900, 100}},
		{latencies{5: 98, 900: 1}, Latency{5, 5, 900, 900, 99}},
		{hundred, Latency{50, 95, 99, 100, 100}},
	} {
		if got := test.values.summary(); got != test.want {
			t.Errorf("%v: %+v, want %+v", test.values, got, test.want)
		}
	}
}
