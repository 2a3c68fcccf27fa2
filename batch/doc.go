// Package batch plays a matrix of runs and keeps their results.
//
// A [File] describes the matrix: scenarios, seeds, repeats and axes of settings. Each
// combination is a [Cell], one run, whose [ID] is the hash of everything that shapes it. A
// [Player] plays one cell in a run directory and returns its [Result]. [Attempt.Play] does so as a
// session; its caller says how models are reached, and with which keys.
//
// The batch directory holds all of it:
//
//	batch.json              the cells, in order
//	cells/ID/attempt-N/     an attempt: who plays it, and its run directory; the highest N is
//	                        who may, and so the fence
//	cells/ID/result.json    the result; written once, and then the cell is done
//	budget/lease-N.json     what is leased of the budget after N leases; the highest N holds
//	results.jsonl           all results; can be made again from the cells
//
// Attempts and leases are claims and entries of a [Store], which needs no lock.
//
// A cell is done when its result is there, whatever else says so. It may be taken over when
// its owner has gone: the successor makes the next attempt of a copy of the last one, and the
// former owner may neither call a model nor write a result any more.
package batch
