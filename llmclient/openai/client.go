package openai

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"example.com/agentworld/llmclient"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// Client sends requests to one endpoint. Make one with [New]. It is safe for
// concurrent use, and printing it shows the endpoint without secrets.
type Client struct {
	config Config
	base   BaseURL
	// target makes the URL that requests are posted to, secrets included. It is a function
	// because package fmt prints no more of one than its address.
	target  func() *url.URL
	carrier *http.Client
	service responses.ResponseService
	scrub   scrubber

	// sent are the attempts under way; mu guards it, too.
	sent *[]flight

	mu *sync.Mutex
	// refusals are the fields that requests go without, accepted those that they were answered with. No
	// field at all stands there for a model that answered.
	refusals map[refusal]standing
	accepted map[refusal]bool
	// said is what the endpoint said when a field was given up.
	said map[refusal]string
	// ladders are what is known of tool choices, by model, where callers know nothing of it.
	ladders map[string]*climbing
	// settled is what was said of ladders.
	settled []string
	// patient are the time limits that were learned, by model.
	patient map[string]time.Duration
	// tiers are the service tiers that were found full.
	tiers map[tierKey]*latch

	// sleep and jitter are the two effects of waiting; tests replace them.
	sleep  func(ctx context.Context, wait time.Duration)
	jitter func() float64 // in [0, 1)
}

// New returns a client, or an error that says which setting cannot work and what
// is allowed. Nothing is sent yet.
func New(cfg Config) (*Client, error) {
	base, err := cfg.base()
	if err != nil {
		return nil, err
	}
	cfg, err = cfg.completed()
	if err != nil {
		return nil, err
	}
	cfg.BaseURL = base.String() // without secrets
	_, secrets := maskedQuery(base.query.Reveal())
	target := base.endpoint()
	c := &Client{
		config: cfg, base: base, target: func() *url.URL { own := *target; return &own }, carrier: httpClient(cfg.HTTPClient),
		scrub: newScrubber(append(secrets, cfg.APIKey.Reveal())...),
		sent:  &[]flight{}, mu: &sync.Mutex{}, sleep: sleep, jitter: rand.Float64,
		refusals: map[refusal]standing{}, accepted: map[refusal]bool{}, said: map[refusal]string{},
		ladders: map[string]*climbing{}, patient: map[string]time.Duration{},
		tiers: map[tierKey]*latch{},
	}
	// The service is built from these options alone, not through the SDK's client, which
	// would read OPENAI_* variables.
	options := []option.RequestOption{option.WithBaseURL(base.place), option.WithHTTPClient(c.carrier),
		option.WithMaxRetries(0)}
	if !cfg.APIKey.Empty() {
		options = append(options, option.WithAPIKey(cfg.APIKey.Reveal()))
	}
	c.service = responses.NewResponseService(options...)
	return c, nil
}

// URL returns the effective URL that requests are posted to, for printing: query
// values that look like secrets are masked.
func (c *Client) URL() string { return c.base.shown("/responses") }

// Close closes idle connections. Calls in flight are not disturbed, and a closed
// client may be used again.
func (c *Client) Close() { c.carrier.CloseIdleConnections() }

// String describes the client without its secrets.
func (c *Client) String() string { return "openai.Client{" + c.URL() + "}" }

// Format writes what String returns, for every verb.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// Respond sends r and returns what ended it: a reply, or a failure whose kind
// says what a caller can do. It returns no error. It repeats attempts as the
// package comment says, ends with ErrDeadline or ErrInterrupted when ctx ends,
// and sends nothing when ctx has already ended.
func (c *Client) Respond(ctx context.Context, r llmclient.Request) (answer llmclient.Answer) {
	// The call began now, which is its place among those that wait.
	began := time.Now()
	defer func() { answer.LatencyMS = time.Since(began).Milliseconds() }()
	waits, release := c.waits(ctx)
	defer release()
	patience := c.patience(r.Model)
	tier := c.tierCall(r)
	mend := mending{client: c, asked: r}
	defer func() { mend.ended(answer.Reply != nil) }()
	sent, late := false, false
	for {
		answer.Failure = ended(waits)
		if answer.Failure != nil {
			answer.Failure.Unsent = !sent
			return answer
		}
		mend.asked = tier.request(r)
		asked, rung := mend.next(), c.rung(r.Model)
		body := asked.Body()
		done, failure := c.admitted(waits, began, body, cmp.Or(r.Sampling.MaxOutputTokens, outputTokens))
		answer.Failure = failure
		if failure != nil {
			failure.Unsent = !sent
			return answer
		}
		answer.Attempts++
		begun := time.Now()
		back := c.send(ctx, patience.timeout)
		x := c.exchange(ctx, body, answer.Attempts, patience.timeout)
		back()
		x.model, x.outputMax = r.Model, asked.Sampling.MaxOutputTokens
		x.tier, x.leaves = tier.key.tier, tier.falls() && !tier.fallen
		got := c.outcome(ctx, x)
		done(x, got)
		if got.failure != nil {
			answer.FailedAttempts = append(answer.FailedAttempts, got.failure.Kind)
			sent = sent || !got.failure.Unsent
			got.failure.Unsent = !sent
			if got.failure.Kind == llmclient.ErrTimeout {
				if late {
					c.learn(r.Model, patience.timeout) // not even the long limit was enough
				}
				late = true
			}
		}
		mends := tier.fallsBack(got, false) || mend.mends(x, got)
		if mends {
			continue
		}
		tier.served(got.reply)
		if got.reply != nil {
			if late {
				c.learn(r.Model, time.Since(begun))
			}
			got.reply.Repairs = append(got.reply.Repairs, mend.without...)
			c.judge(r, *got.reply, rung)
		}
		wait, again := patience.after(got, c.jitter())
		if !again && tier.fallsBack(got, true) {
			patience = c.patience(r.Model)
			continue
		}
		if !again && mend.mendsBlindly(x, got) {
			continue
		}
		if !again {
			answer.Reply, answer.Failure = got.reply, got.failure
			return answer
		}
		answer.Failure = c.pause(waits, wait, got)
		if answer.Failure != nil {
			return answer
		}
	}
}

// flight is an attempt under way: when it was sent, and when it ends at the latest.
type flight struct{ since, until time.Time }

// Sent returns how many attempts were sent and have no response yet, when the first of them was, and
// when all of them have ended at the latest. Calls that wait are not among them.
func (c *Client) Sent() (attempts int, since, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, a := range *c.sent {
		if i == 0 || a.since.Before(since) {
			since = a.since
		}
		if a.until.After(until) {
			until = a.until
		}
	}
	return len(*c.sent), since, until
}

// send counts an attempt as sent, until back is called. It ends after timeout, or with ctx.
func (c *Client) send(ctx context.Context, timeout time.Duration) (back func()) {
	now := time.Now()
	one := flight{now, now.Add(timeout)}
	if deadline, bounded := ctx.Deadline(); bounded && deadline.Before(one.until) {
		one.until = deadline
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.sent = append(*c.sent, one)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		at := slices.Index(*c.sent, one)
		*c.sent = slices.Delete(*c.sent, at, at+1)
	}
}

// waits is ctx for what comes before an attempt: it ends with Config.Drain, too.
func (c *Client) waits(ctx context.Context) (waits context.Context, release func()) {
	if c.config.Drain == nil {
		return ctx, func() {}
	}
	waits, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.config.Drain, cancel)
	if c.config.Drain.Err() != nil {
		cancel()
	}
	return waits, func() { stop(); cancel() }
}

// waiting reports a wait that begins, unless ctx ends before it.
func (c *Client) waiting(ctx context.Context, wait time.Duration, why string) {
	deadline, bounded := ctx.Deadline()
	if wait > WaitSaid && c.config.Waiting != nil && !(bounded && time.Until(deadline) < wait) {
		c.config.Waiting(wait, why)
	}
}

// pause waits before the attempt after got. It returns a failure when ctx ends first.
func (c *Client) pause(ctx context.Context, wait time.Duration, got outcome) *llmclient.Failure {
	if wait == 0 {
		return ended(ctx)
	}
	if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) <= wait {
		return &llmclient.Failure{
			Kind: llmclient.ErrDeadline, Status: got.failure.Status, Code: got.failure.Code,
			Message: c.scrub.message("the deadline would pass before the next attempt; the last one: " + got.failure.Message),
		}
	}
	why := "tried again after a failure (" + string(got.failure.Kind) + ")"
	if got.asked != nil {
		why = fmt.Sprintf("it asked for that with HTTP %d", got.failure.Status)
	}
	c.waiting(ctx, wait, why)
	c.sleep(ctx, wait)
	return ended(ctx)
}

// ended returns the failure of a context that has ended, nil while it has not.
func ended(ctx context.Context) *llmclient.Failure {
	switch ctx.Err() {
	case nil:
		return nil
	case context.DeadlineExceeded:
		return &llmclient.Failure{Kind: llmclient.ErrDeadline, Message: "the deadline passed before an answer came"}
	}
	return &llmclient.Failure{Kind: llmclient.ErrInterrupted, Message: "interrupted before an answer came"}
}

// sleep waits until the time is over or ctx ends.
func sleep(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
