package price

import (
	"math/bits"
	"strings"

	"example.com/agentworld/llmclient"
)

// Price is what the tokens of one model cost. It is recorded with a run, so that later
// tables do not change the run's cost. A usage is billed at the rates of the tier that served it.
type Price struct {
	// Model is the model's name as asked for.
	Model string `json:"model"`
	// Currency is the currency's code, such as USD.
	Currency string `json:"currency"`
	// Rates are those of the default tier.
	Rates
	// Long are the rates of a call with more than LongOver input tokens, for all of its tokens; nil if
	// they are the same. LongOver holds for the tiers, too.
	LongOver int64  `json:"long_over,omitempty"`
	Long     *Rates `json:"long,omitempty"`
	// Tiers are the rates of other tiers, by name.
	Tiers []Tier `json:"tiers,omitempty"`
	// AsOf is the day the price was right, as YYYY-MM-DD; Source says where it is from.
	AsOf   string `json:"as_of"`
	Source string `json:"source"`
	// Until is the day on which the provider shuts the model down, empty if none was announced.
	Until string `json:"until,omitempty"`
}

// Rates are the amounts for one token of each kind, which is as many millionths of the currency
// as a million tokens cost. Reasoning tokens are output.
type Rates struct {
	// Input is for tokens that are neither read from the provider's cache nor written to it,
	// CachedInput for those that are read.
	Input       Money `json:"input_micros_per_million"`
	CachedInput Money `json:"cached_input_micros_per_million"`
	// CacheWrite is for tokens that are written, CacheWriteLong for those that are kept for more than
	// half an hour. Nil is a rate that the table does not give; see [Rates.Cost].
	CacheWrite     *Money `json:"cache_write_micros_per_million,omitempty"`
	CacheWriteLong *Money `json:"cache_write_long_micros_per_million,omitempty"`
	Output         Money  `json:"output_micros_per_million"`
}

// Tier is what a tier of a provider costs.
type Tier struct {
	// Name is the provider's word for the tier, such as flex.
	Name string `json:"tier"`
	Rates
	// Long are the rates of a long call; nil if they are the same.
	Long *Rates `json:"long,omitempty"`
}

// DefaultTier is the tier of a call that asks for none, and the one it falls back to.
const DefaultTier = "default"

// sameTier maps words to the tier that providers mean by them. OpenAI renamed priority to fast.
var sameTier = map[string]string{
	"": DefaultTier, "auto": DefaultTier, "on_demand": DefaultTier,
	"standard": DefaultTier, "standard_only": DefaultTier,
	"priority": "fast", "batches": "batch",
}

// TierName returns one name for all words that providers have for a tier.
func TierName(word string) string {
	word = strings.ToLower(word)
	if same, known := sameTier[word]; known {
		return same
	}
	return word
}

// At returns the rates of a call of a tier with so many input tokens. A tier that the price
// does not list is not known; its rates are the dearest of each kind that are.
func (p Price) At(tier string, input int64) (r Rates, known bool) {
	long := p.LongOver > 0 && input > p.LongOver
	of := func(short Rates, longer *Rates) Rates {
		if long && longer != nil {
			return *longer
		}
		return short
	}
	r, tier = of(p.Rates, p.Long), TierName(tier)
	if tier == DefaultTier {
		return r, true
	}
	for _, t := range p.Tiers {
		if TierName(t.Name) == tier {
			return of(t.Rates, t.Long), true
		}
	}
	for _, t := range p.Tiers {
		r = r.dearest(of(t.Rates, t.Long))
	}
	return r, false
}

// Knows reports whether the price has rates for a tier.
func (p Price) Knows(tier string) bool {
	_, known := p.At(tier, 0)
	return known
}

// Dearest returns the highest rates that a call may be billed at if it asks for a tier: those of the
// tier or, since a provider may fall back to it, of the default one.
func (p Price) Dearest(tier string, input int64) Rates {
	asked, _ := p.At(tier, input)
	back, _ := p.At(DefaultTier, input)
	return asked.dearest(back)
}

// Cost is the price of a usage, at the rates of the tier that served it.
func (p Price) Cost(u llmclient.Usage) Money {
	r, _ := p.At(u.ServiceTier, u.Input)
	return r.Cost(u)
}

// Most is the most that a usage can cost if its service tier was asked for; see [Price.Dearest] and
// [Rates.Most].
func (p Price) Most(u llmclient.Usage) Money { return p.Dearest(u.ServiceTier, u.Input).Most(u) }

// Most is the most that a usage can cost at the rates, however much of its input turns out to be read
// from the cache or written to it for a short time.
func (r Rates) Most(u llmclient.Usage) Money {
	dearest := max(r.Input, r.CachedInput)
	if r.CacheWrite != nil {
		dearest = max(dearest, *r.CacheWrite)
	}
	return times(u.Input, dearest).Plus(times(u.Output, r.Output))
}

// Guessed names what the cost of a usage was guessed for, because the price does not say it:
// the tier that served the call, or its cache writes. It is empty if the cost is the price's own.
func (p Price) Guessed(u llmclient.Usage) (what []string) {
	r, known := p.At(u.ServiceTier, u.Input)
	if !known {
		what = append(what, "tier "+u.ServiceTier)
	}
	if r.CacheWrite == nil && u.Written > u.WrittenLong || r.CacheWriteLong == nil && u.WrittenLong > 0 {
		what = append(what, "cache writes")
	}
	return what
}

// The rates of cache writes that a table does not give, in percent of the rate for input. OpenAI
// documents them for GPT-5.6 and later (30 minutes and 12 hours), Anthropic the first (5 minutes).
const (
	writePercent     = 125
	writeLongPercent = 250
)

// Cost is the exact price of a usage, whatever tier served it. Cached and written tokens are part of
// the input and reasoning tokens part of the output, as in [llmclient.Usage]; a provider that
// reports more of a part than of the whole is taken to mean all of it. Cache writes without a rate
// cost 1.25 times the input, or 2.5 times if they are kept for more than half an hour.
func (r Rates) Cost(u llmclient.Usage) Money {
	input := max(u.Input, 0)
	cached := min(max(u.Cached, 0), input)
	written := min(max(u.Written, 0), input-cached)
	long := min(max(u.WrittenLong, 0), written)
	cost := times(input-cached-written, r.Input).Plus(times(cached, r.CachedInput))
	cost = cost.Plus(times(written-long, r.write())).Plus(times(long, r.writeLong()))
	return cost.Plus(times(u.Output, r.Output))
}

// write is the rate of cache writes, or what it probably is.
func (r Rates) write() Money {
	if r.CacheWrite != nil {
		return *r.CacheWrite
	}
	return percent(r.Input, writePercent)
}

// writeLong is the rate of writes that are kept for more than half an hour, or what it probably is.
func (r Rates) writeLong() Money {
	switch {
	case r.CacheWriteLong != nil:
		return *r.CacheWriteLong
	case r.CacheWrite != nil:
		return max(*r.CacheWrite, percent(*r.CacheWrite, writeLongPercent*100/writePercent))
	}
	return percent(r.Input, writeLongPercent)
}

// dearest returns the higher rate of each kind.
func (r Rates) dearest(s Rates) Rates {
	higher := func(a, b *Money) *Money {
		if a == nil || b != nil && *b > *a {
			return b
		}
		return a
	}
	return Rates{
		Input:          max(r.Input, s.Input),
		CachedInput:    max(r.CachedInput, s.CachedInput),
		CacheWrite:     higher(r.CacheWrite, s.CacheWrite),
		CacheWriteLong: higher(r.CacheWriteLong, s.CacheWriteLong),
		Output:         max(r.Output, s.Output),
	}
}

// scaled returns the rates times a factor in millionths, rounded up.
func (r Rates) scaled(micros int64) Rates {
	by := func(m Money) Money {
		high, low := bits.Mul64(uint64(m), uint64(micros))
		whole, rest := bits.Div64(high, low, uint64(micro))
		if rest > 0 {
			whole++
		}
		return Money(whole)
	}
	also := func(m *Money) *Money {
		if m == nil {
			return nil
		}
		return new(by(*m))
	}
	return Rates{by(r.Input), by(r.CachedInput), also(r.CacheWrite), also(r.CacheWriteLong), by(r.Output)}
}

// percent returns that many hundredths of an amount for one token, rounded up.
func percent(m Money, n int64) Money { return Money((int64(m)*n + 99) / 100) }
