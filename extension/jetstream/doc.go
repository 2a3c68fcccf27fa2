// Package jetstream plays the cells of a batch on many machines over NATS JetStream.
//
//	server, err := jetstream.Serve(ctx, jetstream.ServerOptions{Dir: dir})   // or one that runs already
//	link, err := jetstream.Connect(jetstream.ConnectOptions{Server: server})
//	outcome, err := jetstream.Coordinate(ctx, link, jetstream.CoordinatorOptions{Dir: dir, Jobs: jobs})
//
//	err := jetstream.Work(ctx, link, jetstream.WorkerOptions{Play: play})  // on every machine
//
// [Coordinate] owns the batch directory. It offers the cells that have no result in a queue,
// and writes what comes back into the directory. [Work] takes one cell at a time, plays it in
// a directory of its own and sends the run directory back.
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
//     checked before each call and before the result. An acknowledgement of the queue
//     decides nothing.
//  5. All cells together take at most the budget: a worker leases a part of it before
//     it spends it. A dead worker's part counts as spent, until the cell's exchanges prove less.
//  6. The store may be deleted: the coordinator makes it again from the batch directory.
//
// Beside the files of package batch the directory of a cell holds exchanges.jsonl, one
// [Exchange] a line, and the batch directory holds ledger.json, playing.json and jetstream.id.
package jetstream
