package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/limiter"
)

// bytesPerToken estimates the tokens of a request body before it is sent. Replies
// tell what it really was.
const bytesPerToken = 4

// outputTokens is supposed of an answer that no length was sent for.
const outputTokens = 1024

// statusOverloaded is what some providers answer instead of 503.
const statusOverloaded = 529

// admitted waits until the endpoint's limiter lets an attempt go. done must be called
// with what the attempt came to. A failure says that ctx ended first; nothing was sent.
func (c *Client) admitted(ctx context.Context, began time.Time, body []byte,
	outputMax int) (done func(exchange, outcome), failure *llmclient.Failure) {
	if c.config.Limiter == nil {
		return func(exchange, outcome) {}, nil
	}
	tokens := int64(len(body)/bytesPerToken + outputMax)
	wait, why := c.config.Limiter.Hold(tokens)
	c.waiting(ctx, wait, why)
	if wait <= WaitSaid && c.config.Waiting != nil {
		timer := time.AfterFunc(WaitSaid, func() {
			// What holds the call back may be another thing by now.
			switch until, why := c.config.Limiter.Held(); {
			case why == limiter.HeldByInFlight:
				c.config.Waiting(0, why)
			case time.Until(until) > 0:
				c.config.Waiting(time.Until(until), why)
			}
		})
		defer timer.Stop()
	}
	permit, err := c.config.Limiter.Acquire(ctx, began, tokens)
	if failure := ended(ctx); failure != nil && err != nil {
		return nil, failure
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &llmclient.Failure{Kind: llmclient.ErrDeadline,
			Message: strings.TrimSuffix("the deadline would pass before the endpoint takes another call: "+why, ": ")}
	}
	return func(x exchange, got outcome) { permit.Done(c.pressure(x, got)) }, nil
}

// pressure returns what an attempt shows about the load that its endpoint accepts.
func (c *Client) pressure(x exchange, got outcome) limiter.Outcome {
	o := limiter.Outcome{Answered: got.reply != nil, Header: x.header}
	if got.reply != nil {
		o.Tokens = max(got.reply.Usage.Total, got.reply.Usage.Input+got.reply.Usage.Output)
		return o
	}
	if got.tierFull {
		return o // which says nothing about the default tier
	}
	f := got.failure
	o.Overloaded = f.Kind == llmclient.ErrRateLimited || f.Kind == llmclient.ErrTimeout ||
		f.Status == http.StatusServiceUnavailable || f.Status == statusOverloaded
	if got.asked != nil && got.passing {
		o.RetryAfter = *got.asked
	}
	return o
}
