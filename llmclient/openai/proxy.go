package openai

import (
	"net/http"
	"regexp"
	"strings"

	"example.com/agentworld/llmclient"
)

// proxyOf is the proxy through which a request without TLS goes, without what may be secret in its
// URL; empty for none. With TLS a proxy cannot answer in the server's place.
func (c *Client) proxyOf(request *http.Request) string {
	transport, known := c.carrier.Transport.(*http.Transport)
	if !known || transport.Proxy == nil || request.URL.Scheme != "http" {
		return ""
	}
	proxy, err := transport.Proxy(request)
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Scheme + "://" + proxy.Host
}

// isPage reports whether the body is a page for people.
func (x exchange) isPage() bool {
	return strings.HasPrefix(strings.TrimSpace(string(x.body[:min(len(x.body), hintBytesMax)])), "<")
}

// pageBytesMax is how much of a page is searched for the name of who made it.
const pageBytesMax = 4096

// proxyMade matches the headers and pages of answers that a proxy made itself, as well-known ones name
// themselves there.
var proxyMade = regexp.MustCompile(
	`(?i)\b(squid|blue ?coat|zscaler|tinyproxy|privoxy|forcepoint|websense|mcafee|fortigate|fortiguard|sophos|mwg|` +
		`netskope|cntlm|barracuda|umbrella|palo ?alto|check ?point (software|security)|contentkeeper|lightspeed)`)

// fromProxy reports whether a proxy answered in the server's place: its page came for a request that
// went through one, or a header names its maker. What is JSON is the server's own.
func (x exchange) fromProxy() bool {
	if llmclient.MembersOf(x.body) != nil || x.header == nil {
		return false
	}
	if x.header.Get("X-Squid-Error") != "" || proxyMade.MatchString(x.header.Get("Server")) {
		return true
	}
	if x.status == http.StatusNetworkAuthenticationRequired { // which none but a network on the way sends
		return true
	}
	if !x.isPage() {
		return false
	}
	if x.status == http.StatusForbidden && proxyMade.Match(x.body[:min(len(x.body), pageBytesMax)]) {
		return true
	}
	if x.proxy == "" {
		return false
	}
	switch x.status {
	case http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// through names the proxy of the environment that an answer came through.
func (x exchange) through() string {
	if x.proxy == "" {
		return ""
	}
	return " (through the proxy " + x.proxy + " of HTTP_PROXY)"
}

// proxyName is the proxy that answered, as far as it is known.
func (x exchange) proxyName() string {
	if x.proxy != "" {
		return "the proxy " + x.proxy + " of HTTP_PROXY"
	}
	return "a proxy on the way"
}
