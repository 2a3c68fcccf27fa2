// Package interview asks an agent about what it did.
//
// An [Agent] is an agent as a trace knows it after a tick: the last conversation in which it
// decided, and the outcomes of its decisions since. A [Turn] continues that conversation, unchanged
// item by item, with a question. It is a state machine without I/O, like a turn of package behavior:
//
//	turn, err := agent.Begin(question, with)
//	for ask, more := turn.Next(); more; ask, more = turn.Next() {
//		turn.Answer(send(ask.Request))
//	}
//	turn.Result()
//
// The agent answers in plain text, no tool may be called, and nothing that it says reaches a
// world. The same agent, question and model give the same requests, so that an answer can be
// kept and checked against the trace later. The first request begins with what the agent's last
// one began with, which a provider may still have in its cache.
package interview
