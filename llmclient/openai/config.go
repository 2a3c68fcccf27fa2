package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"example.com/agentworld/llmclient/limiter"
)

const (
	// TimeoutDefault is DefaultTimeout where a Config leaves it zero.
	TimeoutDefault = 180 * time.Second
	// RetriesDefault is RetriesMax where a Config leaves it zero.
	RetriesDefault = 3
	// BackoffBaseDefault is BackoffBase where a Config leaves it zero.
	BackoffBaseDefault = 500 * time.Millisecond
	// BackoffMax is the longest wait between attempts that no server asked for.
	BackoffMax = 8 * time.Second
	// WaitSaid is the longest wait that is not reported.
	WaitSaid = 5 * time.Second
	// ConnsIdleMax is how many connections to an endpoint stay open between calls,
	// so that many agents thinking at once do not shake hands for every call.
	ConnsIdleMax = 128
)

// Config says where a model is and how patient a client is. The zero value of
// every field except APIKey works; durations must not be negative.
type Config struct {
	// BaseURL is the place of the API, read by ParseBaseURL. Empty means OpenAI,
	// which needs an APIKey; a server of your own may do without. A secret in its
	// query is masked when the Config itself is printed.
	BaseURL string
	// APIKey is sent as a bearer token. Empty sends none.
	APIKey Secret
	// Timeout bounds the first attempt of a call, from dialing to the last byte.
	// Zero means DefaultTimeout. Choose a little more than what a healthy model
	// needs for one answer.
	Timeout time.Duration
	// DefaultTimeout bounds the one attempt that follows a timeout, when it is
	// longer than Timeout. Zero means TimeoutDefault.
	DefaultTimeout time.Duration
	// RetriesMax bounds the further attempts of a call after failures that may
	// pass. Zero means RetriesDefault, a negative number none. The attempt after a
	// timeout is not counted.
	RetriesMax int
	// BackoffBase is the longest wait before the first retry; it doubles with each
	// one, up to BackoffMax. The wait is drawn evenly from zero up to it, so that clients that
	// failed together do not come back together. Zero means BackoffBaseDefault.
	BackoffBase time.Duration
	// WindowTokens is the model's context window. A body that cannot be an answer within it
	// is refused unread. Zero means the largest window that is supported.
	WindowTokens int
	// ShownURL replaces the endpoint's address in the texts of failures. These texts are
	// recorded, and equal runs must have equal records, so a server that gets a new port in
	// every run needs it. Empty means the address itself.
	ShownURL string
	// AllowStore lets requests go without store: false where an endpoint refuses it, so that the
	// provider may keep them. False makes that refusal a failure of kind ErrStoreRefused.
	AllowStore bool
	// Steady keeps what earlier answers looked like from changing later requests, which depends on
	// the order in which they come. It is for a scripted endpoint: its runs are equal at any concurrency.
	Steady bool
	// Noted is called once with each thing about the endpoint that later requests are changed for,
	// in one line. Several goroutines may call it. Nil reports nothing.
	Noted func(text string)
	// Limiter admits each attempt; clients of one endpoint share it. Nil admits all.
	Limiter *limiter.Limiter
	// Drain, when it ends, lets no attempt begin and ends every wait for one; an attempt under
	// way continues to its end. Calls without an answer end with ErrInterrupted. Nil never ends.
	Drain context.Context
	// Waiting is called when a wait of more than WaitSaid begins, with its reason. A wait of
	// zero has lasted that long and has an unknown end. Several goroutines may call it. Nil
	// reports nothing.
	Waiting func(wait time.Duration, why string)
	// Response is called with the body of every response, usable or not, and must not keep
	// it. Nil is not called.
	Response func(body []byte)
	// HTTPClient carries the requests; its own Timeout is ignored. Nil means a
	// client with the standard transport, proxy variables included, that keeps
	// ConnsIdleMax connections open.
	HTTPClient *http.Client
}

// String describes the configuration without its secrets.
func (c Config) String() string {
	place := "invalid base URL"
	if base, err := c.base(); err == nil {
		place = base.String()
	}
	return fmt.Sprintf("openai.Config{%s, key %q, timeout %s then %s, retries %d}",
		place, c.APIKey.String(), c.Timeout, c.DefaultTimeout, c.RetriesMax)
}

// Format writes what String returns, for every verb.
func (c Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// base returns the parsed base URL.
func (c Config) base() (BaseURL, error) {
	if strings.TrimSpace(c.BaseURL) == "" {
		return ParseBaseURL(BaseURLDefault)
	}
	return ParseBaseURL(c.BaseURL)
}

// completed returns c with its defaults filled in, or says what cannot work.
func (c Config) completed() (Config, error) {
	c.APIKey = NewSecret(strings.TrimSpace(c.APIKey.Reveal()))
	if !printable(c.APIKey.Reveal()) {
		return Config{}, errors.New("API key holds spaces or special characters: only visible ASCII characters are allowed")
	}
	if strings.TrimSpace(c.BaseURL) == "" && c.APIKey.Empty() {
		return Config{}, errors.New("no API key: OpenAI needs one (a base URL of your own may do without)")
	}
	if min(c.Timeout, c.DefaultTimeout, c.BackoffBase) < 0 {
		return Config{}, errors.New("a timeout or wait is negative: only zero (the default) and more are allowed")
	}
	c.DefaultTimeout = cmp.Or(c.DefaultTimeout, TimeoutDefault)
	c.Timeout = cmp.Or(c.Timeout, c.DefaultTimeout)
	c.BackoffBase = cmp.Or(c.BackoffBase, BackoffBaseDefault)
	c.RetriesMax = max(cmp.Or(c.RetriesMax, RetriesDefault), 0)
	return c, nil
}
