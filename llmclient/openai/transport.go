package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// redirectsMax bounds the redirects followed within one request.
const redirectsMax = 3

// pingInterval is how long an HTTP/2 connection may be silent before it is
// probed. Without probes a connection that died unnoticed would hold every call
// on it until its timeout.
const pingInterval = 15 * time.Second

// writeBytes is how much of a request is sent at once: most requests are shorter.
const writeBytes = 32 << 10

// errProxyRefused says that a proxy was reached and did not pass a connection on.
var errProxyRefused = errors.New("it answered")

// httpClient returns the client that carries requests: a copy of the configured
// one, or one with the standard transport and more idle connections.
func httpClient(configured *http.Client) *http.Client {
	client := http.Client{}
	if configured != nil {
		client = *configured
	}
	if client.Transport == nil {
		own := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
		if standard, ok := http.DefaultTransport.(*http.Transport); ok {
			own = standard.Clone()
		}
		own.MaxIdleConns, own.MaxIdleConnsPerHost = 2*ConnsIdleMax, ConnsIdleMax
		own.WriteBufferSize = writeBytes
		own.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingInterval}
		own.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
			if r.StatusCode != http.StatusOK {
				return fmt.Errorf("%w HTTP %s", errProxyRefused, r.Status)
			}
			return nil
		}
		client.Transport = own
	}
	if client.CheckRedirect == nil {
		client.CheckRedirect = sameServer
	}
	// Each attempt has a timeout of its own; a second clock would end calls
	// without saying which of the two it was.
	client.Timeout = 0
	return &client
}

// sameServer follows a redirect only when it keeps the request a POST and stays
// on the server that was configured: the key goes nowhere else, and a POST that
// turned into a GET would fail in a misleading way. A redirect that is not
// followed ends the request with its own status.
func sameServer(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	same := next.URL.Scheme == first.Scheme && next.URL.Host == first.Host
	if same && next.Method == http.MethodPost && len(via) <= redirectsMax {
		return nil
	}
	return http.ErrUseLastResponse
}
