// Package dashboard serves a page over run and batch directories, live and finished.
//
//	s, err := dashboard.New(dashboard.Options{Dir: ".tmp/runs", Listen: "127.0.0.1:0"})
//	s.URL()
//	err = s.Serve(ctx)
//
// The page is files in static, plain ES modules without a build step. It asks for JSON under
// /api/ and is told by one stream of server-sent events which runs have changed. A history reads
// a run that somebody looks at, once and in the background, and plays its world again from the
// recorded decisions, so that any tick can be shown. All histories have a budget of memory in bytes;
// what does not fit is read again when it is asked for.
//
// The server listens on loopback. It answers only requests that name it as their host and come
// from its own page, reads nothing outside its directory, follows no link and changes nothing.
// Texts of models are JSON strings, which the page shows as text nodes.
package dashboard
