// Package run is a run directory.
//
//	dir := run.Dir(path)
//	err := dir.Create()            // a new one
//	claim, err := dir.Claim()      // one process at a time, also of several hosts
//	log, err := dir.CreateLog()    // append records; ends of ticks are synced
//	state, err := dir.State()      // where the run stands: the fold of its records
//	file, err := dir.Open()        // the trace, whatever files it is spread over
//	index, err := dir.Index(false) // what was counted in each tick, kept in a file
//
// [Answers] reads recorded answers, of a run directory or of a file that
// [Dir.ExportAnswers] wrote: by their key, or by what was asked.
//
// A run directory may come from a stranger. All of its files are opened by internal/folder, which
// follows nothing below it.
package run
