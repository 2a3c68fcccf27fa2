package price

import (
	"regexp"
	"strconv"
)

// writeRule is what a provider documents about the price of cache writes, in percent of the
// input's: of those kept for up to half an hour, and of longer ones.
type writeRule struct {
	write, long int64
}

// Where the rules are from: https://developers.openai.com/api/docs/guides/prompt-caching ("no additional
// fee on models before the GPT-5.6 family", 1.25 times the input from then on; the model pages have 2.5 times for 12
// hours) and https://platform.claude.com/docs/en/build-with-claude/prompt-caching (1.25 times for 5 minutes, 2 times
// for an hour).
var (
	openAIBefore = writeRule{100, 100}
	openAI       = writeRule{writePercent, writeLongPercent}
	anthropic    = writeRule{writePercent, 200}
)

var (
	gptName    = regexp.MustCompile(`^(?:.*/)?gpt-(\d{1,3})(?:\.(\d{1,3}))?(?:[a-z]|-|$)`)
	oName      = regexp.MustCompile(`^(?:.*/)?o\d(?:-|$)`)
	claudeName = regexp.MustCompile(`^(?:.*/)?(?:anthropic[./])?claude-`)
)

// ruleOf returns the rule of a model's provider, by the model's name.
func ruleOf(model string) (writeRule, bool) {
	if v := gptName.FindStringSubmatch(model); v != nil {
		major, _ := strconv.Atoi(v[1])
		minor, _ := strconv.Atoi(v[2]) // none is 0
		if major > 5 || major == 5 && minor >= 6 {
			return openAI, true
		}
		return openAIBefore, true
	}
	switch {
	case oName.MatchString(model):
		return openAIBefore, true
	case claudeName.MatchString(model):
		return anthropic, true
	}
	return writeRule{}, false
}

// withWrites returns the price with the rates of cache writes that its row leaves open, where the
// provider's rule is documented.
func (p Price) withWrites() Price {
	rule, known := ruleOf(p.Model)
	if !known {
		return p
	}
	p.Rates = rule.fill(p.Rates)
	if p.Long != nil {
		p.Long = new(rule.fill(*p.Long))
	}
	tiers := make([]Tier, len(p.Tiers))
	for i, t := range p.Tiers {
		t.Rates = rule.fill(t.Rates)
		if t.Long != nil {
			t.Long = new(rule.fill(*t.Long))
		}
		tiers[i] = t
	}
	if p.Tiers != nil {
		p.Tiers = tiers
	}
	return p
}

// fill adds the rates that are missing. A given rate for short writes also says what long ones cost.
func (w writeRule) fill(r Rates) Rates {
	if r.CacheWriteLong == nil {
		long := percent(r.Input, w.long)
		if r.CacheWrite != nil {
			long = max(*r.CacheWrite, percent(*r.CacheWrite, w.long*100/w.write))
		}
		r.CacheWriteLong = &long
	}
	if r.CacheWrite == nil {
		r.CacheWrite = new(percent(r.Input, w.write))
	}
	return r
}
