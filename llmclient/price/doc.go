// Package price says what tokens cost: a dated table of list prices that is part of
// the binary, which a file can extend or override, and exact arithmetic on it.
//
//	table, err := price.Embedded().With("mine.toml", file)
//	p, ok := table.Lookup("gpt-4.1-mini")
//	cost := p.Cost(reply.Usage)
//
// # What a price is not
//
// Providers change prices, grant discounts and bill things that are in no usage
// field, such as attempts that timed out. A price here is the list price of the
// day that AsOf names. Check it before you rely on it. If it differs from the
// provider's bill, the bill is right. A model that no row names has no price; it
// never costs 0 by default. A row has rates for plain, cached and written input and for output, for long calls, and
// for tiers; the tier that served a call counts. What a row does not say is guessed and named, see [Price.Guessed].
//
// # Money
//
// Amounts are integers of a millionth of a millionth of the currency. At that unit a
// price per million tokens, given to six decimals, times a number of tokens is exact,
// so sums do not depend on their order. Only what is shown is rounded, always up.
package price
