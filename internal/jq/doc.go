// Package jq computes one value by a jq expression over a stream of JSON objects, within bounds on time
// and memory that no expression can evade:
//
//	e, err := jq.Parse("reduce inputs as $r (0; . + 1)")
//	value, err := e.Eval(ctx, jq.Default, func(w io.Writer) error { return trace.Canonical(source, w) })
//
// Expressions are texts of others. They see the stream and nothing else: no environment, module, file,
// clock or time zone. The interpreter has no bound of its own, and one call into it, such as tojson of a
// value that shares its parts, can take any amount of time and memory. So it runs in a process of its own,
// which is the program itself under another name: see child.go. That process watches what it uses, and
// ends when it is too much. An expression can end that process and nothing else.
package jq
