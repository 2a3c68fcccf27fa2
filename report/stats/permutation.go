package stats

import (
	"math"
	"slices"
)

const (
	// ExactMax is the largest number of nonzero differences for which
	// [Sample.SignFlip] enumerates all signs.
	ExactMax = 20
	// FlipDraws is the number of random arrangements beyond that.
	FlipDraws = 100_000
)

// SignFlip is the two-sided p-value of the sign-flip permutation test (R. A. Fisher,
// The Design of Experiments, 1935, section 21). The null hypothesis is that exchanging
// the arms in any cluster does not change the distribution of the scores. The pairs of
// a cluster are exchanged together. The p-value is the share of the arrangements of
// signs whose sum is at least as far from 0 as the observed sum.
//
// Up to [ExactMax] nonzero differences the p-value is exact. Beyond that, k of
// [FlipDraws] arrangements drawn by seed give (1+k)/(1+FlipDraws), which is also a valid
// p-value. Differences of 0 add nothing to any sum and are left out. Sums within
// rounding of the observed one count as ties, so that scores like 0.1 and 0.3 tie as
// they do on paper; a false tie can only raise the p-value. The p-value is 1 without
// clusters.
func (s Sample) SignFlip(seed uint64) float64 {
	observed, magnitude := 0.0, 0.0
	var nonzero []float64
	for _, d := range s.differences {
		observed += d
		magnitude += math.Abs(d)
		if d != 0 {
			nonzero = append(nonzero, d)
		}
	}
	threshold := math.Abs(observed) - roundingMax*magnitude
	switch {
	case threshold <= 0:
		return 1
	case len(nonzero) <= ExactMax:
		return flipShare(nonzero, threshold)
	default:
		return flipEstimate(nonzero, threshold, seed)
	}
}

// flipShare is the share of all arrangements whose sum is at least threshold in
// magnitude; threshold is positive. The differences are split in two halves with sorted
// sums (E. Horowitz and S. Sahni, J. ACM 21, 1974, 277-292), so that 2^20 arrangements
// take a thousand steps. The distribution of the sum is symmetric: counting one tail is
// enough.
func flipShare(differences []float64, threshold float64) float64 {
	half := len(differences) / 2
	left, right := signedSums(differences[:half]), signedSums(differences[half:])
	slices.Sort(left)
	slices.Sort(right)
	count, rest := 0, len(right)
	for _, l := range left {
		for rest > 0 && l+right[rest-1] >= threshold {
			rest--
		}
		count += len(right) - rest
	}
	return math.Ldexp(float64(count), 1-len(differences))
}

// flipEstimate estimates that share from random arrangements. A byte of random bits
// selects the signs of eight differences through a table of their sums.
func flipEstimate(differences []float64, threshold float64, seed uint64) float64 {
	tables := make([][256]float64, (len(differences)+7)/8)
	for i := range tables {
		group := make([]float64, 8) // the last is filled up with zeros, whose signs do not matter
		copy(group, differences[8*i:])
		copy(tables[i][:], signedSums(group))
	}
	random := splitMix(seed)
	count := 0
	for range FlipDraws {
		sum, bits := 0.0, uint64(0)
		for i := range tables {
			if i%8 == 0 {
				bits = random.next()
			}
			sum += tables[i][byte(bits)]
			bits >>= 8
		}
		if math.Abs(sum) >= threshold {
			count++
		}
	}
	return float64(1+count) / float64(1+FlipDraws)
}

// signedSums lists the sums of xs under all 2^n arrangements of signs.
func signedSums(xs []float64) []float64 {
	sums := append(make([]float64, 0, 1<<len(xs)), 0)
	for _, x := range xs {
		for i, sum := range sums {
			sums[i] = sum - x
			sums = append(sums, sum+x)
		}
	}
	return sums
}

// splitMix is the state of the generator SplitMix64 (G. L. Steele, D. Lea and C. H.
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Its n-th
// number is a function of the seed and n.
type splitMix uint64

// next is the next number; all 64 bits are random.
func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
