// Package access is how a run reaches the models that it asks: which endpoint, with which key, at
// which price. It is a value made of settings and of the keys that the caller hands over:
//
//	a, err := access.Choose(&settings, access.Config{Keys: []access.Key{{Endpoint: url, Secret: key}}})
//	source, endpoints, err := a.Open(ctx, drain, stub.Options{Seed: settings.ScriptedSeed}, "")
//	defer a.Close()
//
// Rules, held by tests:
//
//  1. Nothing here reads an environment, a home directory or a file of keys.
//  2. A key goes to the endpoint that it was given for, and nowhere else. Settings may come from a
//     run directory of a stranger, so an endpoint that only they name gets none; the caller is told.
//  3. A live run is an explicit choice: without the name of a model the embedded one answers,
//     whatever keys there are.
package access
