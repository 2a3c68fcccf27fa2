package batch

import (
	"fmt"
	"strconv"
	"strings"
)

// seedsOf reads a list of seeds: numbers, or a text such as "1-10,15".
func seedsOf(v any) (seeds []uint64, err error) {
	seen := map[uint64]bool{}
	const allowed = `allowed: a list of numbers such as [1, 2, 3], or a text such as "1-10,15"`
	add := func(from, to uint64) error {
		if to < from || to-from >= SeedsMost || len(seeds)+int(to-from) >= SeedsMost {
			return fmt.Errorf("%d-%d is no range, or too long; allowed: up to %d seeds, from the lower to the higher", from, to,
				SeedsMost)
		}
		for s := from; ; s++ {
			if seen[s] {
				return fmt.Errorf("%d is given twice; allowed: each seed once", s)
			}
			seen[s] = true
			seeds = append(seeds, s)
			if s == to {
				return nil
			}
		}
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		if len(v) == 0 {
			return nil, fmt.Errorf("the list is empty; %s, or leave it out for each scenario's own", allowed)
		}
		for _, one := range v {
			n, ok := one.(int64)
			if !ok || n < 0 {
				return nil, fmt.Errorf("%v is no seed; %s", one, allowed)
			}
			if err := add(uint64(n), uint64(n)); err != nil {
				return nil, err
			}
		}
	case string:
		for part := range strings.SplitSeq(v, ",") {
			low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
			from, err := strconv.ParseUint(strings.TrimSpace(low), 10, 64)
			to := from
			if err == nil && isRange {
				to, err = strconv.ParseUint(strings.TrimSpace(high), 10, 64)
			}
			if err != nil {
				return nil, fmt.Errorf("%q is no seed or range; %s", part, allowed)
			}
			if err := add(from, to); err != nil {
				return nil, err
			}
		}
	default:
		return nil, fmt.Errorf("the value has the wrong type; %s", allowed)
	}
	return seeds, nil
}
