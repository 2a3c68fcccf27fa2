// Package batch plays a matrix of runs and keeps their results.
//
// A [File] describes the matrix: scenarios, seeds, repeats and axes of settings. Each
// combination is a [Cell], one run, whose [ID] is the hash of everything that shapes it. A
// [Player] plays one cell in a run directory and returns its [Result]; the command line
// provides it, since it knows settings and models.
//
// The batch directory holds all of it:
//
//	batch.json              the cells, in order
//	cells/ID/claim-N        who plays the cell; N counts up and is the fence
//	cells/ID/attempt-N/     the run directory of claim N
//	cells/ID/result.json    the result; written once, and then the cell is done
//	results.jsonl           all results; can be made again from the cells
//
// A cell is done when its result is there, whatever else says so. Claims may be taken over
// when their owner has gone: the successor continues a copy of the last attempt, and the
// former owner may neither call a model nor write a result any more.
package batch
