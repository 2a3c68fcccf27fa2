// Package export turns the records of runs into tables and conversations for other programs.
//
//	w := export.NewWriter(file, export.CSV, trades, nil)
//	recording := export.Recording{Trace: run.Dir("runs/mine"), Of: export.Of{Run: "mine"}}
//	summary, err := recording.Rows([]export.Table{trades}, w.Row)
//
// A table has a type of row, whose fields are its columns: the JSON tag is the name, the tag "unit" the unit, and
// the comment what docs/data.md says. Every row begins with the run that it is of, so that the tables of many runs
// can be one. [Recording.Conversations] writes each decision as a conversation with tools and reward.
//
// A recording is read from its first record to its last, and never held: memory is that of one tick, its shared
// prompts, and a few bytes for each decision.
package export
