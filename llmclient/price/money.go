package price

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Money is an amount in millionths of a millionth of its currency, so that a price
// to six decimals for a million tokens is a whole number for one token. It holds up
// to nine million units of the currency; arithmetic stays there instead of wrapping.
type Money int64

// MoneyMax is the largest amount, which sums beyond it become.
const MoneyMax Money = math.MaxInt64

// unit is one unit of the currency, micro a millionth of it.
const (
	micro Money = 1_000_000
	unit  Money = 1_000_000 * micro
)

// ParseMoney reads an amount such as "2", "0.05" or "12.500000": digits, and at most
// six after a point. The error says what is allowed.
func ParseMoney(text string) (Money, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if whole == "" || len(whole) > 6 || len(fraction) > 6 || strings.Trim(whole+fraction, "0123456789") != "" ||
		strings.HasSuffix(text, ".") {
		return 0, errNotMoney
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 6-len(fraction)), 10, 64)
	if err != nil {
		return 0, errNotMoney
	}
	return Money(n) * micro, nil
}

var errNotMoney = errors.New(
	"is not an amount of money; allowed: digits such as 2 or 0.05, up to six before and six behind a point")

// Plus returns m+n, at most MoneyMax. Neither may be negative.
func (m Money) Plus(n Money) Money {
	if n > MoneyMax-m {
		return MoneyMax
	}
	return m + n
}

// Micros is the amount in millionths of the currency, rounded up: what is shown must
// not be less than what is owed.
func (m Money) Micros() int64 {
	micros := int64(m / micro)
	if m%micro > 0 {
		micros++
	}
	return micros
}

// FromMicros is the amount of so many millionths of the currency, at least 0 and at
// most MoneyMax.
func FromMicros(n int64) Money { return times(n, micro) }

// String is the amount as a decimal number, rounded up to a millionth, with at least
// two decimals and no zeros beyond them: "0.0421", "12.50".
func (m Money) String() string {
	micros := m.Micros()
	text := fmt.Sprintf("%d.%06d", micros/1_000_000, micros%1_000_000)
	for strings.HasSuffix(text, "0") && len(text)-strings.Index(text, ".") > 3 {
		text = text[:len(text)-1]
	}
	return text
}

// times returns n times an amount per token, at most MoneyMax.
func times(tokens int64, each Money) Money {
	high, low := bits.Mul64(uint64(max(tokens, 0)), uint64(max(each, 0)))
	if high > 0 || low > uint64(MoneyMax) {
		return MoneyMax
	}
	return Money(low)
}
