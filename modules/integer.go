package modules

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// asInteger reads an amount from a JSON value: any JSON number, or a string that
// holds one. However large it is, it becomes the nearest int64, because the world
// clamps amounts and tells the agent so; a fraction is rounded down.
func asInteger(v value) (n int64, used []Leniency, ok bool) {
	literal := v.text
	if v.kind == kindString {
		literal = strings.TrimSpace(literal)
		used = append(used, NumberFromString)
	}
	if v.kind != kindNumber && v.kind != kindString || !isNumber(literal) {
		return 0, nil, false
	}
	n, exact := floor(literal)
	if !exact {
		used = append(used, FractionDropped)
	}
	return n, used, true
}

// isNumber reports whether literal is a number by the grammar of JSON, which
// leaves out NaN, Infinity, hexadecimal digits, signs of plus and thousands marks.
func isNumber(literal string) bool {
	return literal != "" && strings.ContainsRune("-0123456789", rune(literal[0])) && json.Valid([]byte(literal))
}

// floor returns the largest int64 that is not above a JSON number, the nearest
// one for a number out of range, and whether nothing was lost but range. It
// works on the digits, so that neither rounding nor a huge exponent can hurt.
func floor(literal string) (n int64, exact bool) {
	digits, point, negative := decimal(literal)
	whole, fraction := digits, ""
	switch {
	case point <= 0:
		whole, fraction = "", digits
	case point < len(digits):
		whole, fraction = digits[:point], digits[point:]
	case point <= maxInt64Digits:
		whole = digits + strings.Repeat("0", point-len(digits))
	case digits != "":
		return limit(negative), true
	}
	exact = strings.Trim(fraction, "0") == ""
	if whole == "" {
		whole = "0"
	}
	size, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || size > math.MaxInt64 {
		return limit(negative), exact
	}
	if !negative {
		return int64(size), exact
	}
	if exact {
		return -int64(size), true
	}
	return -int64(size) - 1, false
}

// maxInt64Digits is how many digits an int64 can have.
const maxInt64Digits = 19

// limit returns the nearest int64 to a number beyond them all.
func limit(negative bool) int64 {
	if negative {
		return math.MinInt64
	}
	return math.MaxInt64
}

// decimal takes a JSON number apart: its value is 0.digits times ten to the power
// of point, digits without leading zeros and empty for zero.
func decimal(literal string) (digits string, point int, negative bool) {
	literal, negative = strings.CutPrefix(literal, "-")
	mantissa, exponent := literal, 0
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa = literal[:i]
		exponent = boundedExponent(literal[i+1:])
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	point = len(whole) + exponent - (len(whole+fraction) - len(digits))
	return digits, point, negative
}

// exponentMax is far beyond what a text of argumentsBytesMax could balance.
const exponentMax = 1 << 30

// boundedExponent reads an exponent, cut to a range in which sums cannot overflow.
func boundedExponent(literal string) int {
	n, err := strconv.ParseInt(literal, 10, 64)
	if err != nil && strings.HasPrefix(literal, "-") {
		return -exponentMax
	}
	if err != nil {
		return exponentMax
	}
	return int(min(max(n, -exponentMax), exponentMax))
}
