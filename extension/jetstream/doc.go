// Package jetstream plays the cells of a batch on many machines over NATS JetStream.
//
//	server, err := jetstream.Serve(ctx, jetstream.ServerOptions{Dir: dir})   // or one that runs already
//	link, err := jetstream.Connect(jetstream.ConnectOptions{Server: server})
//	ending, err := jetstream.Coordinate(link, batch.Options{Dir: dir, Cells: cells, Drain: ctx}, limit, note)
//
//	err := jetstream.Work(ctx, link, jetstream.WorkerOptions{Play: play})  // on every machine
//
// [Coordinate] owns the batch directory. It offers the cells that have no result on the
// server, and writes what comes back into the directory. [Work] plays them by [batch.Play], over a store and runs that
// are on the server.
//
// What is promised:
//
//  1. A cell gets one result. Results are created, never replaced.
//  2. An answer is used only after it is in the coordinator's stream, and on the coordinator's
//     disk while a coordinator runs. The worker that continues a cell is answered from
//     there, so that nothing is paid for twice but the calls in flight when a worker died.
//  3. The first answer stored for a call is the only one: two workers that play the same
//     cell for a while see the same answers and make the same run.
//  4. Who may ask a model for a cell is decided by its epoch, a number that only rises. It is
//     checked before each call and before the result.
//  5. All cells together take at most the budget: a worker leases a part of it before
//     it spends it. What a dead worker had leased counts as spent.
//  6. The store may be deleted: the coordinator makes it again from the batch directory.
//
// Beside the files of package batch the directory of a cell holds exchanges.jsonl, one
// [Exchange] a line, and the batch directory holds playing.json and jetstream.id.
package jetstream
