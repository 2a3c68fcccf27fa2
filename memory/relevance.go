package memory

import "math/bits"

// The parameters of BM25 in thousandths: term saturation k1 = 1.2 and length
// normalisation b = 0.75.
const (
	bm25K1 = 1200
	bm25B  = 750
)

// corpus is the texts that a query is compared with.
type corpus struct {
	texts []*record
	total int64 // terms in all texts, at least 1
}

func newCorpus(texts []*record) corpus {
	c := corpus{texts: texts}
	for _, t := range texts {
		c.total += int64(t.length)
	}
	c.total = max(c.total, 1)
	return c
}

// relevances returns the BM25 relevance of each text to the query, in thousandths
// of the most that any text could reach: 0 where no term of the query occurs.
//
// All arithmetic is on integers, so that ranks agree on every machine.
func (c corpus) relevances(query string) []int64 {
	out := make([]int64, len(c.texts))
	var best int64
	for _, term := range queryTerms(query) {
		idf := c.inverseFrequency(term)
		best += idf * (1000 + bm25K1)
		for i, t := range c.texts {
			out[i] += idf * c.saturation(int64(count(t.terms, term)), int64(t.length))
		}
	}
	for i := range out {
		out[i] = out[i] * 1000 / max(best, 1)
	}
	return out
}

// inverseFrequency returns log2(1 + (n-df+1/2)/(df+1/2)) in units of 1/1024, the
// weight of a term that stands in df of n texts.
func (c corpus) inverseFrequency(term string) int64 {
	df := 0
	for _, t := range c.texts {
		if count(t.terms, term) > 0 {
			df++
		}
	}
	return log2(uint64(2*len(c.texts)+2)) - log2(uint64(2*df+1))
}

// saturation returns tf*(k1+1) / (tf + k1*(1-b + b*length/mean length)) in
// thousandths: how much tf occurrences count in a text of that length.
func (c corpus) saturation(tf, length int64) int64 {
	if tf == 0 {
		return 0
	}
	relative := bm25B * length * int64(len(c.texts)) / c.total
	norm := bm25K1 * (1000 - bm25B + relative) / 1000
	return tf * 1000 * (1000 + bm25K1) / (tf*1000 + norm)
}

// log2 returns the binary logarithm of n >= 1 in units of 1/1024, by repeated
// squaring of the mantissa.
func log2(n uint64) int64 {
	whole := bits.Len64(n) - 1
	mantissa := n << (63 - whole) >> 32 // 1 <= mantissa < 2 in units of 2^-31
	result := int64(whole)
	for range 10 {
		result <<= 1
		mantissa = mantissa * mantissa >> 31
		if mantissa >= 1<<32 {
			mantissa >>= 1
			result++
		}
	}
	return result
}
