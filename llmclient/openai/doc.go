// Package openai sends requests to a model over HTTP. It is the only HTTP client
// of the product and works with OpenAI and with every server that speaks the
// Responses API.
//
// A [Client] is made once and used by any number of goroutines:
//
//	client, err := openai.New(openai.Config{
//		BaseURL: "localhost:8000",          // or empty for OpenAI
//		APIKey:  openai.NewSecret(key),
//		Timeout: 20 * time.Second,          // of the first attempt
//	})
//	if err != nil { ... }                   // a setting that cannot work
//	defer client.Close()
//	fmt.Println("model endpoint:", client.URL())
//	answer := client.Respond(ctx, request)
//
// [Client.Respond] returns no error: a failure is an answer too.
// Inside one call this happens:
//
//	request.Body() --> exchange --> outcome --> reply, or a failure that stays
//	      ^                            |
//	      |      a failure that may    |
//	      +------ pass: wait, again <--+
//
// What may pass, and how long to wait:
//
//   - An attempt that outlives Timeout is repeated once, at once, with DefaultTimeout.
//   - Statuses 408, 409, 425, 429 and 5xx and lost connections are repeated up to
//     RetriesMax times, after the wait the server asked for or an exponential
//     backoff with full jitter. An account without credit is never asked again.
//   - A refusal that names something asked for unasked, such as a cache key, is followed by
//     a request without it, and so are all later ones for the model; see [RepairWithout].
//   - A refusal because the service tier that is set has no room is followed by a request at the default
//     tier, and so are some of the next calls; see [llmclient.RepairTierFallback].
//   - The context bounds everything, waits included.
//
// Replies are read tolerantly, because servers differ: the content type is not
// trusted, and a missing status, id, usage or object is no error. Content encodings,
// byte order marks and event streams that were not requested are undone and named in
// Reply.Repairs. A body too large for an answer within the window is not read. Output
// items keep the server's bytes. A body that is not a response is named for what it
// is, so that a wrong URL reads differently from a broken server.
//
// Of the environment only the standard proxy variables matter. Keys are held in [Secret]
// values, which no format verb prints, and are removed from every text that comes back.
package openai
