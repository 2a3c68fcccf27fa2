package openai

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"example.com/agentworld/llmclient"
)

// lost judges an exchange that broke off below HTTP. Texts name neither addresses
// nor ports: those differ from run to run and say nothing the endpoint's URL does
// not say.
func (c *Client) lost(err error) outcome {
	if err == nil {
		panic("openai: an exchange ended with neither a whole response nor an error")
	}
	network, _ := errors.AsType[*net.OpError](err)
	if network != nil && network.Op == "proxyconnect" || errors.Is(err, errProxyRefused) {
		failure := c.broken(llmclient.ErrProxy,
			"the proxy of the environment (HTTPS_PROXY, HTTP_PROXY) did not connect: "+connectionText(err))
		failure.Unsent = true
		return outcome{failure: failure, passing: true}
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return outcome{
			failure: c.broken(llmclient.ErrDNS, "the host name "+dns.Name+" does not resolve: "+dns.Err),
			passing: !dns.IsNotFound && (dns.IsTemporary || dns.IsTimeout),
		}
	}
	// Part of the errors about a certificate or a handshake have no type of their own, only
	// the package's prefix.
	if text := bare(err); errors.Is(err, http.ErrSchemeMismatch) || strings.HasPrefix(text, "tls: ") ||
		strings.HasPrefix(text, "x509: ") {
		return outcome{failure: c.broken(llmclient.ErrTLS, "TLS failed: "+text)}
	}
	failure := c.broken(llmclient.ErrConnection, connectionText(err))
	failure.Unsent = network != nil && network.Op == "dial"
	return outcome{failure: failure, passing: true}
}

// broken returns a failure without a status: no response can be trusted to have
// arrived, even when its first bytes did.
func (c *Client) broken(kind llmclient.ErrorKind, text string) *llmclient.Failure {
	return &llmclient.Failure{Kind: kind, Message: c.scrub.message(text)}
}

// closedText is the one text for every way in which a connection can end early.
const closedText = "the connection was closed before a complete response"

// connectionText describes a connection that failed. A closing seen as a reset or
// as an end of file depends on timing alone, so both read the same.
func connectionText(err error) string {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "the connection was refused"
	}
	for _, closed := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed} {
		if errors.Is(err, closed) {
			return closedText
		}
	}
	// net/http keeps this one to itself.
	if strings.HasSuffix(err.Error(), "server closed idle connection") {
		return closedText
	}
	return "the connection failed: " + bare(err)
}

// bare returns the text of err without the URL and the addresses that net/http
// and net put before it.
func bare(err error) string {
	for {
		if request, ok := errors.AsType[*url.Error](err); ok {
			err = request.Err
		} else if network, ok := errors.AsType[*net.OpError](err); ok {
			err = network.Err
		} else {
			return err.Error()
		}
	}
}
