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
	// FlipDrawsFew is that number from [FlipClustersMany] clusters on.
	FlipDrawsFew = 10_000
	// FlipClustersMany is the number of clusters from which on fewer arrangements are drawn.
	FlipClustersMany = 1000
)

// SignFlip is the two-sided p-value of the sign-flip permutation test (R. A. Fisher,
// The Design of Experiments, 1935, section 21). The null hypothesis is that the arms are
// exchangeable: that exchanging them in any cluster does not change the distribution of the
// scores. The pairs of a cluster are exchanged together. The p-value is the share of the
// arrangements of signs whose sum is at least as far from 0 as the observed sum.
//
// Up to [ExactMax] nonzero differences the p-value is exact. Beyond that, k of
// [FlipDraws] arrangements drawn by seed give (1+k)/(1+FlipDraws), which is also a valid
// p-value. Differences of 0 add nothing to any sum and are left out. Sums within
// rounding of the observed one count as ties, so that scores like 0.1 and 0.3 tie as
// they do on paper; a false tie can only raise the p-value. The p-value is 1 without
// clusters.
func (s Sample) SignFlip(seed uint64) float64 { return s.flips(seed)(0) }

// flips is the sign-flip test of differences that are symmetric about any number.
func (s Sample) flips(seed uint64) test {
	var drawn []arrangement
	return func(theta float64) float64 {
		observed, magnitude := 0.0, 0.0
		nonzero := make([]float64, 0, ExactMax+1) // more are too many in any case
		for i, d := range s.differences {
			w := s.weights[i]
			rest := float64(w * (d - theta))
			observed += rest
			magnitude += float64(w * (math.Abs(d) + math.Abs(theta)))
			if rest != 0 && len(nonzero) <= ExactMax {
				nonzero = append(nonzero, rest)
			}
		}
		threshold := math.Abs(observed) - roundingMax*magnitude
		switch {
		case threshold <= 0:
			return 1
		case len(nonzero) <= ExactMax:
			return flipShare(nonzero, threshold)
		}
		if drawn == nil {
			drawn = s.draw(seed)
		}
		count := 0
		for _, a := range drawn {
			if math.Abs(a.differences-float64(theta*a.weights)) >= threshold {
				count++
			}
		}
		return float64(1+count) / float64(1+len(drawn))
	}
}

// flipShare is the share of all arrangements whose sum is at least threshold in
// magnitude; threshold is positive. The differences are split in two halves with sorted
// sums (E. Horowitz and S. Sahni, J. ACM 21, 1974, 277-292), so that 2^20 arrangements
// take a thousand steps. The distribution of the sum is symmetric: counting one tail is
// enough.
func flipShare(differences []float64, threshold float64) float64 {
	half := len(differences) / 2
	left, right := signedSums(nil, differences[:half]), signedSums(nil, differences[half:])
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

// arrangement is the sums of weighted differences and of weights under random signs.
type arrangement struct{ differences, weights float64 }

// draw makes random arrangements. A byte of random bits selects the signs of eight clusters through
// a table of their sums. Tables are taken one by one, since all of them do not fit into a cache.
func (s Sample) draw(seed uint64) []arrangement {
	draws := FlipDraws
	if len(s.differences) >= FlipClustersMany {
		draws = FlipDrawsFew
	}
	drawn := make([]arrangement, draws)
	random := splitMix(seed)
	var sums, sumsOfWeights []float64
	for from := 0; from < len(s.differences); from += 8 {
		// The last group is filled up with zeros, whose signs do not matter.
		differences, weights := make([]float64, 8), make([]float64, 8)
		for k := from; k < min(from+8, len(s.differences)); k++ {
			weights[k-from] = s.weights[k]
			differences[k-from] = float64(s.weights[k] * s.differences[k])
		}
		var table [256]arrangement
		sums = signedSums(sums, differences)
		sumsOfWeights = signedSums(sumsOfWeights, weights)
		for at, weight := range sumsOfWeights {
			table[at] = arrangement{sums[at], weight}
		}
		bits := uint64(0)
		for n := range drawn {
			if n%8 == 0 {
				bits = random.next()
			}
			of := &table[byte(bits)]
			drawn[n].differences += of.differences
			drawn[n].weights += of.weights
			bits >>= 8
		}
	}
	return drawn
}

// signedSums lists the sums of xs under all 2^n arrangements of signs, in place of another list.
func signedSums(sums, xs []float64) []float64 {
	sums = append(slices.Grow(sums[:0], 1<<len(xs)), 0)
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

// uniform is a number from 0 to below 1.
func (s *splitMix) uniform() float64 { return float64(s.next()>>11) / (1 << 53) }
