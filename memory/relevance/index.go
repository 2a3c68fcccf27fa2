package relevance

import (
	"cmp"
	"math/bits"
	"slices"
)

// The parameters of BM25 in thousandths: term saturation k1 = 1.2 and length
// normalisation b = 0.75.
const (
	bm25K1 = 1200
	bm25B  = 750
)

// Index holds texts and answers how well each of them matches a query. The zero
// value is empty and ready to use.
//
// Invariants:
//  1. The postings of a term name every held text that has it, in order of their
//     numbers, and no other.
//  2. A number names the same text from [Index.Add] until [Index.Remove]; only
//     then can another text get it.
//
// An Index may be read concurrently while no goroutine changes it.
type Index struct {
	postings map[string][]posting
	texts    []text
	free     []int // numbers of removed texts, to be used again
	// loud are the texts but the silent ones, all those that are not removed.
	loud, all population
}

// population is what texts are compared with.
type population struct {
	held  int   // texts
	total int64 // terms in them
}

// posting says how often a term occurs in a text.
type posting struct{ text, count int }

// text is one indexed text. A removed one has no terms.
type text struct {
	terms  []termCount
	length int // sum of the counts
	held   bool
	// silent says that the others are not compared with it.
	silent bool
}

// Add indexes a text and returns its number: 0, 1, 2 and so on, numbers of removed
// texts first.
func (x *Index) Add(content string) int { return x.add(content, false) }

// AddSilent indexes a text that changes the relevance only of silent ones. Whoever chose its words
// must not choose the order of the others.
func (x *Index) AddSilent(content string) int { return x.add(content, true) }

func (x *Index) add(content string, silent bool) int {
	if x.postings == nil {
		x.postings = map[string][]posting{}
	}
	added := text{held: true, silent: silent}
	added.terms, added.length = countTerms(content)
	number := len(x.texts)
	if last := len(x.free) - 1; last >= 0 {
		number, x.free = x.free[last], x.free[:last]
		x.texts[number] = added
	} else {
		x.texts = append(x.texts, added)
	}
	for _, t := range added.terms {
		list := x.postings[t.term]
		at, _ := find(list, number)
		x.postings[t.term] = slices.Insert(list, at, posting{number, t.count})
	}
	x.count(added, 1)
	return number
}

// Remove takes the text of that number out of the index. It panics when no text
// has that number, since the caller has lost count of what it added.
func (x *Index) Remove(number int) {
	if number < 0 || number >= len(x.texts) || !x.texts[number].held {
		panic("relevance: removed a text that is not held")
	}
	removed := x.texts[number]
	for _, t := range removed.terms {
		list := x.postings[t.term]
		at, _ := find(list, number)
		list = slices.Delete(list, at, at+1)
		if len(list) == 0 {
			delete(x.postings, t.term)
			continue
		}
		x.postings[t.term] = list
	}
	x.texts[number] = text{}
	x.free = append(x.free, number)
	x.count(removed, -1)
}

// count adds a text to what others are compared with, by 1, or takes it out, by -1.
func (x *Index) count(t text, by int) {
	add := func(p *population) {
		p.held += by
		p.total += int64(by) * int64(t.length)
	}
	add(&x.all)
	if !t.silent {
		add(&x.loud)
	}
}

// find returns the index of the text with that number in a list of postings, or the
// index at which it would be inserted.
func find(list []posting, number int) (at int, found bool) {
	return slices.BinarySearchFunc(list, number, func(p posting, number int) int {
		return cmp.Compare(p.text, number)
	})
}

// Relevances returns the BM25 relevance of each text to the terms of a query, see
// [QueryTerms], by number, in thousandths of the most that any text could reach: 0..1000,
// and 0 where no term occurs. It costs time in proportion to the occurrences of the terms,
// not to the texts.
func (x *Index) Relevances(query []string) []int64 {
	out := make([]int64, len(x.texts))
	var best, bestOfAll int64
	for _, term := range query {
		list := x.postings[term]
		df := 0
		for _, p := range list {
			if !x.texts[p.text].silent {
				df++
			}
		}
		idf, idfOfAll := x.loud.inverseFrequency(df), x.all.inverseFrequency(len(list))
		best += idf * (1000 + bm25K1)
		bestOfAll += idfOfAll * (1000 + bm25K1)
		for _, p := range list {
			t := &x.texts[p.text]
			if t.silent {
				out[p.text] += idfOfAll * x.all.saturation(int64(p.count), int64(t.length))
			} else {
				out[p.text] += idf * x.loud.saturation(int64(p.count), int64(t.length))
			}
		}
	}
	for i := range out {
		most := best
		if x.texts[i].silent {
			most = bestOfAll
		}
		out[i] = out[i] * 1000 / max(most, 1)
	}
	return out
}

// inverseFrequency returns log2(1 + (n-df+1/2)/(df+1/2)) in units of 1/1024, the
// weight of a term that occurs in df of n texts.
func (p population) inverseFrequency(df int) int64 {
	return log2(uint64(2*p.held+2)) - log2(uint64(2*df+1))
}

// saturation returns tf*(k1+1) / (tf + k1*(1-b + b*length/mean length)) in
// thousandths: how much tf occurrences count in a text of that length.
func (p population) saturation(tf, length int64) int64 {
	relative := bm25B * length * int64(p.held) / max(p.total, 1)
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

// Clone returns an independent copy of the index.
func (x *Index) Clone() Index {
	c := *x
	c.postings = make(map[string][]posting, len(x.postings))
	for term, list := range x.postings {
		c.postings[term] = slices.Clone(list)
	}
	c.texts = slices.Clone(x.texts) // their terms never change
	c.free = slices.Clone(x.free)
	return c
}
