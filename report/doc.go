// Package report folds a trace into numbers.
//
//	r, err := report.Fold(trace.NewReader(file))
//	os.WriteFile("report.json", r.JSON(), 0o644)
//	fmt.Print(r.Text())
//
// [Fold] needs nothing but the trace, so the report of a run can be made while it
// runs, after it was killed, or years later. It goes through the trace once.
//
// How to read a report:
//
//   - Who decided: total_decisions (a model), continued_decisions (a standing
//     order went on) and decision_counts.wait_degraded (nothing usable came, the
//     agent waited) add up to trace_counts.traces.
//   - What the world said: action_success and action_failure count actions other
//     than waits, so an agent that waits all day does not look successful.
//   - Whose merit it was: actions.proposed, adjusted, executed and dropped keep
//     the model's own proposals apart from what clamping and the guard made of
//     them.
//   - What it cost: per model call, never per decision or tick, with the share of
//     ticks without a call next to it.
//   - model_source "scripted" marks results that check wiring and say nothing
//     about models.
//
// Equal runs have equal reports but for the "timing" object. report.schema.json
// describes the JSON, whose version is [Version].
package report
