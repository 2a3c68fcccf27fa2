package cli

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run/state"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// announce says what will be called, by whom, how often and at what cost, before the first call. It
// remembers the endpoints that get a key. No endpoint is said of a run whose answers are all recorded.
func announce(m *Main, w io.Writer, c config, reached []access.Endpoint, calls string, s spending) {
	for i, e := range reached {
		key := "no key"
		switch {
		case e.HasKey && e.Name == "":
			key = "key from " + c.Values.Find("llm.api_key").Origin.String()
		case e.HasKey:
			key = "key from environment " + e.Name
		}
		switch {
		case i > 0:
			plaintext.Fprintf(w, "model of %s: %s at %s, %s\n", e.Agent, e.Model, e.URL, key)
		case c.Live():
			plaintext.Fprintf(w, "model: live, %s (%s) at %s, %s\ncalls: %s\n", c.Model,
				c.Values.Find("llm.model").Origin, e.URL, key, calls)
		default:
			c.announceScripted(w, e.URL)
		}
		if e.HasKey {
			m.rememberEndpoint(e)
		}
		if i == 0 {
			s.announce(w, m.Now())
		}
	}
	if s.ahead != "" {
		plaintext.Fprintf(w, "%s\n", s.ahead)
	}
}

// announceScripted prints that no real model takes part.
func (c config) announceScripted(w io.Writer, url string) {
	plaintext.Fprintf(w, "model: scripted stub at %s (embedded, no network, no cost); results check the wiring and say "+
		"nothing about models\n", url)
	// What a user may believe to be in use is said.
	remedy := "a live run needs a model: --model or " + settings.EnvPrefix + "MODEL"
	if c.Offline {
		remedy = "the run is offline (" + c.Values.Find("llm.offline").Origin.String() + ")"
	}
	for _, s := range [][2]string{{"API key", "llm.api_key"}, {"endpoint", "llm.base_url"}, {"model", "llm.model"},
		{"list of agents' models", settings.AgentsTable}} {
		if v := c.Values.Find(s[1]); v.Text != "" {
			plaintext.Fprintf(w, "note: %s\n", fmt.Sprintf("the %s from %s is not used: %s", s[0], v.Origin, remedy))
		}
	}
}

// modelHint returns the settings that were used and where a key is set, for a run that the
// provider ended.
func (p plan) modelHint() string {
	if !p.Live() {
		return "the embedded scripted server failed; correct a setting of yours if the message names one"
	}
	hint := fmt.Sprintf("check the endpoint (--base-url), the model (%s), and the key",
		p.Values.Find("llm.model").Origin)
	switch {
	case p.hears.withheld != "":
		return hint + ": " + p.hears.withheld
	case p.APIKey.Empty():
		return hint + ": none is set; set " + settings.KeyPlaces
	}
	return fmt.Sprintf("%s (%s; it may be set in %s)", hint, p.Values.Find("llm.api_key").Origin,
		settings.KeyPlaces)
}

// calls renders how many model calls the run can make, and the factors of that number. If there is an
// estimate, all figures are from the estimate, so that no two lines disagree.
func (p plan) calls() string {
	c := p.session.Calls()
	figures := fmt.Sprintf("at most %d", c.Most)
	if e := p.Estimate; e != nil {
		figures = fmt.Sprintf("%d to %d, likely %d", e.Least.Calls, e.Most.Calls, e.Likely.Calls)
	}
	text := fmt.Sprintf("%s (%s x %s x up to %d per decision; fewer where agents wait or continue)", figures,
		plaintext.Count(c.Ticks, "tick"), plaintext.Count(c.Agents, "agent"), c.PerDecision)
	if c.Learning > 0 {
		text += fmt.Sprintf(", up to %d of them to learn", c.Learning)
	}
	return text
}

// spends reports whether the run can cost money or has a cap.
func (c config) spends() bool {
	return !c.strict() && (c.Live() || len(c.Prices) > 0 || c.Caps != (trace.Caps{}))
}

// spending is what is expected to be spent, and within what.
type spending struct {
	config
	// agents take turns at once. done is the last tick for which nothing is asked any more, and spent
	// what was spent before.
	agents, done int64
	spent        state.Spent
	// tools says what the user's tools add to each call, and ahead how far the run asks ahead; empty for nothing.
	tools, ahead string
}

// spending is that of a run.
func (p plan) spending() spending {
	s := spending{config: p.config, agents: int64(len(p.session.Agents())), done: p.session.Taken()}
	if was := p.session.State(); was != nil {
		s.spent = was.SpentByNow()
	}
	if p.Estimate != nil {
		s.tools = toolsCostOf(p.session.Settings())
	}
	switch how, never := p.session.Ahead(); {
	case how.Depth == 0:
	case never != "":
		s.ahead = "note: nothing is asked ahead " + never
	default:
		s.ahead = fmt.Sprintf("ahead: %s; calls in vain, at most %d%% of the run's, are paid beside all caps",
			plaintext.Count(int64(how.Depth), "tick"), how.WastePermille/10)
	}
	return s
}

// announce prints the estimated calls, tokens and cost of the run, and its caps,
// before the first call. It prints nothing if the run is free and has no cap. now dates the
// prices.
func (p spending) announce(w io.Writer, now time.Time) {
	if e := p.Estimate; e != nil {
		if p.tools != "" {
			plaintext.Fprintf(w, "%s\n", p.tools)
		}
		plaintext.Fprintf(w, "expected: %s; at least %s, at most %s\n", takes(e.Likely), takes(e.Least), takes(e.Most))
		// A figure without the day of its price would be taken for a promise.
		switch {
		case len(p.Prices) > 0:
			list := p.Prices[0]
			plaintext.Fprintf(w, "cost: likely %s %s, at least %s, at most %s, without discounts for cached input; prices of "+
				"%s (%s)\n",
				e.Likely.Cost, list.Currency, e.Least.Cost, e.Most.Cost, list.AsOf, list.Source)
			p.announcePrices(w)
		case p.Live():
			plaintext.Fprintf(w, "cost: unknown, there is no price of model %s%s; "+
				"a table with one can be given (--price-table)\n", shown(p.Model), price.Embedded().Looked(p.Model))
		default:
			plaintext.Fprintf(w, "cost: none, the scripted stub is free\n")
		}
		if p.Live() {
			plaintext.Fprintf(w, "time: likely %s, at least %s, at most %s, at %g to %g seconds a call (likely %g)\n",
				terminal.Brief(p.takesTime(e.Likely, callTime.likely)), terminal.Brief(p.takesTime(e.Least, callTime.least)),
				terminal.Brief(p.takesTime(e.Most, callTime.most)),
				callTime.least.Seconds(), callTime.most.Seconds(), callTime.likely.Seconds())
		}
		if age := priceAge(p.Prices, now); age != "" {
			plaintext.Fprintf(w, "%s\n", age)
		}
	}
	if p.Estimate != nil || p.spends() {
		caps := settings.None + "; --cap-calls, --cap-tokens and --cap-cost set some"
		if p.Caps != (trace.Caps{}) {
			caps = p.Caps.Text(p.Currency())
		}
		plaintext.Fprintf(w, "caps: %s\n", caps)
		p.announceShortfalls(w)
	}
}

// announcePrices prints what is special about the prices: other tiers, and models that are to be shut down.
func (p spending) announcePrices(w io.Writer) {
	for _, of := range p.Prices {
		for _, tier := range p.Settings.TiersOf(of.Model) {
			if of.Knows(tier) {
				plaintext.Fprintf(w, "tier: %s asks for %s; the most is at the dearer of that and the default tier\n",
					shown(of.Model), shown(tier))
			} else {
				plaintext.Fprintf(w, "tier: %s asks for %s, which has no price; "+
					"costs are guessed at the dearest tier that has one\n", shown(of.Model), shown(tier))
			}
		}
		if of.Until != "" {
			plaintext.Fprintf(w, "note: by the table of prices %s is shut down on %s\n", shown(of.Model), of.Until)
		}
	}
}

// callTime is how long a call of a live model is supposed to take.
var callTime = struct{ least, likely, most time.Duration }{time.Second, 5 * time.Second, 20 * time.Second}

// takesTime is how long usage takes at so long a call: turns of different agents are played at
// once, and rates that the user set are kept.
func (p spending) takesTime(u trace.Usage, call time.Duration) time.Duration {
	once := max(1, min(p.Concurrency, p.agents))
	took := time.Duration(u.Calls/once) * call
	for _, rate := range []struct{ amount, perMinute int64 }{{u.Calls, p.RequestsPerMinute},
		{u.InputTokens + u.OutputTokens, p.TokensPerMinute}} {
		if rate.perMinute > 0 {
			// A rate of one a minute can take longer than a Duration holds; a century is long enough to see why.
			const century = 100 * 365 * 24 * time.Hour
			took = max(took, time.Duration(min(float64(century),
				float64(rate.amount)/float64(rate.perMinute)*float64(time.Minute))))
		}
	}
	return max(took, call)
}

// announceShortfalls says which caps lie below what the run is expected to take, and what
// follows.
func (p spending) announceShortfalls(w io.Writer) {
	e := p.Estimate
	if e == nil {
		return
	}
	ticks, agents := max(1, p.Ticks-p.done), max(1, p.agents)
	amounts := func(u trace.Usage) [3]int64 { return [3]int64{u.Calls, u.InputTokens + u.OutputTokens, int64(u.Cost)} }
	least := amounts(e.Least)
	likely := amounts(e.Likely)
	spent := [3]int64{p.spent.Calls, p.spent.Tokens, int64(p.spent.Cost)}
	// What is left of the run's caps, and the ticks in which they probably end it.
	var ends [3]int64
	of := [3]int64{p.Caps.Run.Calls, p.Caps.Run.Tokens, int64(p.Caps.Run.Cost)}
	for i, most := range of {
		if most > 0 && most-spent[i] < likely[i] {
			ends[i] = p.done + 1 + int64(float64(ticks)*float64(max(0, most-spent[i]))/float64(likely[i]))
		}
	}
	for _, c := range []struct {
		of     string
		limit  trace.Limit
		divide int64
		then   string
	}{
		{"the run", p.Caps.Run, 1, ""},
		{"each agent", p.Caps.Agent, agents, "agents that reach it only wait"},
		{"each tick", p.Caps.Tick, ticks, "agents that it leaves nothing for wait"},
	} {
		bound := [3]int64{c.limit.Calls, c.limit.Tokens, int64(c.limit.Cost)}
		for i, unit := range []string{"calls", "tokens", "cost"} {
			if bound[i] == 0 {
				continue
			}
			whose := "the cap on " + unit + " of " + c.of
			if c.of != "each tick" && spent[i] > 0 { // only what is left bounds the rest
				bound[i] -= spent[i] / c.divide
				whose = "what is left of " + whose
			}
			if bound[i] >= likely[i]/c.divide {
				continue
			}
			wanted, needs := "the likely", likely[i]/c.divide
			if bound[i] < least[i]/c.divide {
				wanted, needs = "the least expected", least[i]/c.divide
			}
			show, then := fmt.Sprint(needs), c.then
			if unit == "cost" {
				show = price.Money(needs).String() + " " + p.Currency()
			}
			switch {
			case then != "":
			case slices.ContainsFunc(ends[:], func(tick int64) bool { return tick > 0 && tick < ends[i] }):
				then = fmt.Sprintf("alone it would end the run in tick %d, but another cap does so before", ends[i])
			default:
				then = fmt.Sprintf("the run probably ends in tick %d of %d, with exit code %d", ends[i], p.Ticks, exitBudget)
			}
			plaintext.Fprintf(w, "note: %s lies below %s %s: %s\n", whose, wanted, show, then)
		}
	}
}

// takes is an amount of calls and tokens in words.
func takes(s trace.Usage) string {
	return fmt.Sprintf("%s with %s in and %d out", plaintext.Count(s.Calls, "call"),
		plaintext.Count(s.InputTokens, "token"), s.OutputTokens)
}

// priceAgeMax is the age in days up to which a price is not remarked on.
const priceAgeMax = 180

// priceAge is a line about prices that are old, or of a day that has not come anywhere on earth
// yet, which a slip of the pen makes; empty for others.
func priceAge(prices []price.Price, now time.Time) string {
	if len(prices) == 0 {
		return ""
	}
	day, err := time.Parse(time.DateOnly, prices[0].AsOf)
	if err != nil {
		return "" // of a run that another version recorded
	}
	switch age := int(now.Sub(day).Hours() / 24); {
	case day.After(now.Add(14 * time.Hour)):
		return fmt.Sprintf("warning: the day of the prices, %s, is yet to come; check as_of in the table of prices",
			prices[0].AsOf)
	case age > priceAgeMax:
		return fmt.Sprintf("note: the prices are %d days old; check them", age)
	}
	return ""
}

// capsGiven returns how flags change the caps of a run that is resumed, nil without such
// flags. The other places for settings apply only to new runs.
func capsGiven(c config) func(trace.Caps) trace.Caps {
	var given settings.Table
	for _, v := range c.Values {
		if strings.HasPrefix(v.Setting.Key, "llm.cap_") && v.Origin.Rank == settings.FromFlag {
			given = append(given, v.Setting)
		}
	}
	if len(given) == 0 {
		return nil
	}
	return func(caps trace.Caps) trace.Caps {
		changed := settings.Config{Settings: trace.Settings{Caps: caps}}
		for _, s := range given {
			reflect.ValueOf(s.Into(&changed)).Elem().Set(reflect.ValueOf(s.Into(&c.Config)).Elem())
		}
		return changed.Caps
	}
}
