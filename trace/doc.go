// Package trace is the transcript of a run: plain, versioned records, one JSON
// object per line, each beginning with its "type" and "tick".
//
// It only encodes. The caller owns files, flushing and clocks, and passes an io.Writer or
// io.Reader. A run writes in this order:
//
//	w := trace.NewWriter(file)
//	w.Write(trace.Header{Format: trace.FormatVersion, ...})
//	for each tick {
//	    for each turn {
//	        instructions, _ := w.Blob(tick, trace.BlobInstructions, []byte(policy))
//	        input, _ := w.Items(tick, request.Input)       // stored once each
//	        answer, _ := w.Answer(tick, llmAnswer)
//	        w.Write(trace.ModelCall{Instructions: instructions, Input: input, Answer: answer, ...})
//	        w.Write(trace.Refusal{...})                    // instead, if a cap refused the request
//	        w.Write(trace.Step{...})                       // what the turn did with it
//	    }
//	    w.Write(trace.Decision{...})                       // once the world applied it
//	    w.Write(trace.Event{...})
//	    w.Write(trace.TickEnd{Digest: digest, ...})
//	}
//	w.Write(trace.RunEnd{...})
//
// Every record is one write of one line, so a killed process truncates at most the last
// line. A reader recognizes that case:
//
//	r := trace.NewReader(file)
//	for record, err := range r.All() {
//	    if errors.Is(err, trace.ErrTorn) { ... cut the file at r.Offset() ... }
//	    switch record := record.(type) {
//	    case trace.ModelCall: ...
//	    }
//	}
//
// A run that ended early is continued in the same file, see [Resume]. Requests are stored
// as hashes of blobs, which [Blobs] resolves; [Answer.Restore] gives back the recorded
// answer for a replay. [WriteAnswers] reduces a trace to what recorded answers need.
//
// What depends on the clock, the network or the machine lives under "timing" and
// nowhere else. [Canonical] drops it and puts the records of concurrent turns in
// a fixed order: two runs are the same when their canonical traces are equal.
//
// The package refuses other formats than its own ([ErrFormat]).
// Within a format new record types may appear; they are kept as [Unknown].
package trace
