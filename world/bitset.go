package world

import "math/bits"

// bitset is a set of small numbers, iterated in order at a cost of one word per
// 64 of them.
type bitset []uint64

// newBitset is an empty set with room for the numbers below n.
func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(n int32) bool { return b[n/64]&(1<<(n%64)) != 0 }

func (b bitset) set(n int32, member bool) {
	if member {
		b[n/64] |= 1 << (n % 64)
	} else {
		b[n/64] &^= 1 << (n % 64)
	}
}

// appendBoth appends the numbers in both b and with, in order.
func (b bitset) appendBoth(list []int, with bitset) []int {
	for i, word := range b {
		list = appendWord(list, word&with[i], i)
	}
	return list
}

// appendWord appends the numbers of word i of a set, lowest bit first.
func appendWord(list []int, word uint64, i int) []int {
	for ; word != 0; word &= word - 1 {
		list = append(list, i*64+bits.TrailingZeros64(word))
	}
	return list
}
