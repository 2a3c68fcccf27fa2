// Package behavior is how an agent decides: prompt, turn, guard and budgets.
//
// A [Kit] holds what all agents of a run share, a [Mind] what one agent is and
// remembers, a [Turn] one deliberation. A turn is a state machine without I/O. The
// caller carries out what it asks for and feeds back what came of it:
//
//	turn := mind.Begin(view)
//	for {
//		switch step := turn.Next().(type) {
//		case behavior.Ask:
//			turn.Answer(send(step.Request))
//		case behavior.Call:
//			turn.Result(registry.Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
//		case behavior.Decision:
//			return step
//		}
//	}
//
// # The path of a turn
//
//	plan --> module calls (0 to 3) --> [reason step] --> decision_draft --> decision
//	  |            |                                          |               |
//	  +------------+------------- may skip ahead to ----------+-------------->+
//
// Plan, draft, decision and modules are function tools with strict schemas. The
// tool list never changes in a run; a stage narrows it through tool_choice, and
// the turn enforces the narrowing itself, because many providers ignore it. In a
// reason step no tool may be called: a call that comes anyway is vetoed.
//
// # What can go wrong, and where it is decided
//
//   - No answer (timeout, 5xx, ...): the turn ends in a wait, "llm_error:KIND".
//   - An answer that cannot be used (empty, truncated, no JSON, wrong arguments,
//     several decisions): one repair call, then a wait, "parse_error:KIND".
//   - A module call with wrong arguments: an error output; the model goes on.
//   - An action the world would refuse: it goes back with numbers, at most three
//     times, then a wait, "guard_rejected".
//   - Tools called in a reason step: an error output per call, two retries, then a
//     wait, "reasoning_step_failed".
//
// Every turn ends within [Config.CallsMax] requests. Text where a call was expected
// is read leniently: each leniency has a name and is counted, and what it yields
// passes the same checks as a call.
//
// # The prompt
//
// Instructions are constant per agent: purpose, persona, rules, protocol. What the
// actions are stands in the description of the tool that takes them.
// The input opens with goals, history, memory, last outcome and observation, each
// an item of its own, clipped by priority to the token budget; then the model's
// items and our outputs are appended, nothing is ever rewritten.
//
// Messages and notes are words of other agents. They are held back until the plan,
// or a draft in its place, is made; the lean protocol asks for a plan of its own
// then. They follow as one item, encoded as JSON, and are sources of little
// trust; what the agent itself wrote last stays with them.
package behavior
