// Package ask puts questions to the agents of a recorded run, and keeps the answers with it.
//
//	agent, err := ask.Agent(dir, index, tick, "agent-1")   // as the trace knows it
//	record, err := ask.Ask(ctx, agent, question, ask.Options{Source: source, ...})
//	err = ask.Keep(dir, record)
//	records, err := ask.Kept(dir)
//	err = ask.Check(dir, index, records[0], count)          // the same request, the same reading
//
// The trace is only read: no tick, digest or decision depends on a question. See package
// behavior/interview for what an agent is shown.
package ask
