package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// exchange is what one HTTP request came to, before anything is made of it.
type exchange struct {
	model string // that was asked
	tier  string // that the call asks for, empty for none
	// leaves says that the call can go to the default tier instead.
	leaves bool
	// outputMax is the longest answer that was asked for, in tokens; 0 for any.
	outputMax int
	status    int // 0 when no response began
	header    http.Header
	body      []byte
	whole     bool   // body was read to its end
	cut       int    // the bound that body was longer than, 0 for none
	unread    string // what the body is instead of text, empty where it is text
	repairs   []string
	items     []json.RawMessage // output items that came in a stream
	err       error             // why there is no whole body
	timedOut  bool              // the attempt's own timeout passed
	proxy     string            // the proxy that a request without TLS went through, empty for none
}

// retryCount is the header in which OpenAI's own clients count the repetitions of a
// request. The SDK would say 0 each time, because it is not what repeats here.
const retryCount = "X-Stainless-Retry-Count"

// exchange posts body once, as the given attempt counted from 1, and reads the
// response within timeout.
func (c *Client) exchange(ctx context.Context, body []byte, attempt int, timeout time.Duration) (x exchange) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// capture sends the request to the exact target, query included, and keeps the response, of which
	// the SDK would read any amount.
	capture := func(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		request.URL = c.target()
		x.proxy = c.proxyOf(request)
		response, err := next(request)
		if err != nil {
			x.err = err
			return response, err
		}
		x.read(response, c.config.bodyBytesMax(len(body)))
		response.Body = http.NoBody
		return response, nil
	}
	var unused *http.Response
	_, err := c.service.New(ctx, responses.ResponseNewParams{},
		option.WithRequestBody("application/json", body),
		option.WithHeader(retryCount, strconv.Itoa(attempt-1)),
		// The SDK would decode by content type and lose bodies it does not expect,
		// so it gets an empty one and the capture keeps the real one.
		option.WithResponseBodyInto(&unused),
		option.WithMiddleware(capture),
	)
	if x.err == nil && x.status == 0 {
		x.err = err
	}
	x.timedOut = errors.Is(ctx.Err(), context.DeadlineExceeded)
	return x
}
