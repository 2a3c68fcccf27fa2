package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// BodyBytesMax is the largest response body that is read, after decompression.
// It is far beyond any reply of a model and protects memory from a server that
// never stops sending.
const BodyBytesMax = 8 << 20

// exchange is what one HTTP request came to, before anything is made of it.
type exchange struct {
	status   int // 0 when no response began
	header   http.Header
	body     []byte // at most BodyBytesMax bytes
	whole    bool   // body was read to its end
	cut      bool   // body was longer than BodyBytesMax
	err      error  // why there is no whole body
	timedOut bool   // the attempt's own timeout passed
}

// retryCount is the header in which OpenAI's own clients count the repetitions of a
// request. The SDK would say 0 each time, because it is not what repeats here.
const retryCount = "X-Stainless-Retry-Count"

// exchange posts body once, as the given attempt counted from 1, and reads the
// response within timeout.
func (c *Client) exchange(ctx context.Context, body []byte, attempt int, timeout time.Duration) (x exchange) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// capture sends the request to the exact target, query included, and keeps the
	// response.
	capture := func(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		request.URL = c.base.endpoint()
		response, err := next(request)
		if err != nil {
			x.err = err
			return response, err
		}
		x.read(response)
		response.Body = http.NoBody
		return response, nil
	}
	var unused *http.Response
	_, err := c.service.New(ctx, responses.ResponseNewParams{},
		option.WithRequestBody("application/json", body),
		// The SDK would decode by content type and lose bodies it does not expect,
		// so it gets an empty one and the capture keeps the real one.
		option.WithResponseBodyInto(&unused),
		option.WithHeader(retryCount, strconv.Itoa(attempt-1)),
		option.WithMiddleware(capture),
	)
	if x.err == nil && x.status == 0 {
		x.err = err
	}
	x.timedOut = errors.Is(ctx.Err(), context.DeadlineExceeded)
	return x
}

// read takes the response's parts and closes its body. Reading stops one byte
// beyond the bound, which tells a body of exactly that size from a longer one.
func (x *exchange) read(response *http.Response) {
	defer func() { _ = response.Body.Close() }()
	x.status, x.header = response.StatusCode, response.Header
	var body bytes.Buffer
	_, err := body.ReadFrom(io.LimitReader(response.Body, BodyBytesMax+1))
	x.body = body.Bytes()
	if len(x.body) > BodyBytesMax {
		x.body, x.cut = x.body[:BodyBytesMax], true
		return
	}
	x.whole, x.err = err == nil, err
}
