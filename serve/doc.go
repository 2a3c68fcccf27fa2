// Package serve is what the servers of this program share: which requests they answer, and how.
//
//	gate := serve.NewGate(listener.Addr(), token)
//	http.Serve(listener, gate.Handler(routes))
//
// A server listens on loopback, where every page that the user visits and every other user of the machine can
// reach it. So it answers only requests that name it as their host and come from no page of another origin.
// What spends money or changes something asks for a token besides. The packages below are the protocols.
package serve
