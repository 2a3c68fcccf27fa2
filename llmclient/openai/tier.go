package openai

import (
	"net/http"
	"regexp"

	"example.com/agentworld/llmclient"
)

// defaultTier is the tier that a call falls back to.
const defaultTier = "default"

// How many calls go straight to the default tier after one found its own tier full. The number doubles
// with each call that tries the tier again and finds it full.
const (
	latchCallsLeast = 8
	latchCallsMost  = 128
)

// tierKey is a tier of a model.
type tierKey struct{ model, tier string }

// latch is the state of a tier that was full. It counts calls, not time.
type latch struct {
	// calls is how many calls still go to the default tier; the next one tries the tier again.
	calls int
	// next is how many go there if the tier is found full once more.
	next int
}

// tierCall is the service tier of one call.
type tierCall struct {
	client *Client
	key    tierKey
	// fallen says that the call goes to the default tier instead.
	fallen bool
}

// tierCall decides the tier of a new call.
func (c *Client) tierCall(r llmclient.Request) *tierCall {
	t := &tierCall{client: c, key: tierKey{r.Model, r.Sampling.Tier()}}
	if !t.falls() {
		return t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if full := c.tiers[t.key]; full != nil && full.calls > 0 {
		full.calls--
		t.fallen = true
	}
	return t
}

// falls reports whether there is another tier to go to.
func (t *tierCall) falls() bool {
	switch t.key.tier {
	case "", defaultTier, "auto":
		return false
	}
	return true
}

// request returns the request at the tier of the call.
func (t *tierCall) request(r llmclient.Request) llmclient.Request {
	if t.fallen {
		r.Sampling = r.Sampling.WithTier(defaultTier)
	}
	return r
}

// fallsBack reports whether the call is to be sent again at the default tier, and remembers that for the
// calls to come. last says that the attempt was the last one at its tier: then any refusal for the rate
// is taken for a full tier.
func (t *tierCall) fallsBack(got outcome, last bool) bool {
	limited := got.failure != nil && got.failure.Kind == llmclient.ErrRateLimited
	full := got.tierFull || last && limited
	if !full || !t.falls() || t.fallen {
		return false
	}
	t.fallen = true
	c := t.client
	if c.config.Steady {
		return true // other calls do not learn from this one
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.tiers[t.key]
	if held == nil {
		held = &latch{next: latchCallsLeast}
		c.tiers[t.key] = held
	}
	if held.calls == 0 { // or else a call that was under way before says what is known
		held.calls = held.next
		held.next = min(2*held.next, latchCallsMost)
	}
	return true
}

// served takes note of a reply: a tier that answered is not full.
func (t *tierCall) served(reply *llmclient.Reply) {
	switch {
	case reply == nil || !t.falls():
	case t.fallen:
		reply.Repairs = append(reply.Repairs, llmclient.RepairTierFallback)
	default:
		t.client.mu.Lock()
		defer t.client.mu.Unlock()
		if held := t.client.tiers[t.key]; held != nil && held.calls == 0 {
			delete(t.client.tiers, t.key)
		}
	}
}

// saysFull finds the words of a refusal for want of capacity at a tier: OpenAI's resource_unavailable, Groq's
// capacity_exceeded, and those of gateways and Azure.
var saysFull = regexp.MustCompile(
	`resources? ?(is |are )?(temporarily |currently )?unavailable|capacity ?(is )?(exceeded|unavailable|exhausted|full)|` +
		`(no|not enough|insufficient|out of|lacks?|at) (\w+ ){0,3}capacity|(not enough|insufficient) resources|` +
		`(flex|tier|queue)\b.{0,60}(unavailable|capacity|full|overloaded|busy|saturated)`)

// statusCapacity is Groq's for a flex tier that is full.
const statusCapacity = 498

// tierFull reports whether a server refuses a request because the tier that it asks for has no room.
func (x exchange) tierFull(p problem) bool {
	switch p.status {
	case http.StatusTooManyRequests, statusCapacity, http.StatusRequestTimeout, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return x.leaves && saysFull.MatchString(p.words())
	}
	return false
}

// servedTier is the tier that served a call which asked for another, or for none.
func servedTier(answered, asked string) string {
	if asked == "" && answered == defaultTier {
		return "" // which is what a call without a tier gets
	}
	return answered
}
