// Package words holds all that the program says to models, as data: one TOML file per language,
// read when the program starts.
//
//	w := words.In("en")
//	line := w.Observation.Wear.Text(words.Num(60)) // "wear 60, stops at 1000"
//
// A text without values is a string. A text with values is a [Form] with named places, "wear {wear},
// stops at 1000". A [Table] holds the texts about things that other packages name: actions, stop events,
// modules, codes.
//
// Names of actions, tools, fields, resources, ids and codes are the same in all languages and are
// not here. So is the grammar of the prompt's lines (commas, semicolons, colons, bars).
//
// Invariants, which [Read] checks:
//
//  1. Every field of [Language] has a text, and a file has no other texts.
//  2. A text has exactly the places that its field's tag names, in any order and as often as it likes.
//  3. A table of any language has the names of the English one, each with the same places. Tests of
//     the packages that name the things hold that the English tables are complete.
//
// A new language is a copy of english.toml, translated, and a row of the setting "language".
package words
