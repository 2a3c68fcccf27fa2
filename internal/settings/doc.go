// Package settings is where the values of a run come from: a table of settings, the sources that
// can have a value, and what they become.
//
//	table := settings.Standard()
//	file, err := settings.ParseFile("config.toml", data, table)
//	values := settings.Resolve(table, settings.Flags(given), settings.Environment(os.LookupEnv), file.Source())
//	config, err := settings.New(trace.DefaultSettings(), values)
//
// A [Setting] is a row of the table. The rows come from the tags of [trace.Settings], which shapes
// a run, and of [Process], which does not. A row says under which flag, variables and key of the
// file the value is found, what it may be, and what holds without it. A program adds rows of its
// own by appending to the table.
//
// A [Value] is the text of one setting with its [Origin], which every error about it names. A
// secret is in no error. Nothing is read from the process: flags, variables and the text of the
// file are handed over.
package settings
