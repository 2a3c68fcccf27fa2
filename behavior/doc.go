// Package behavior is how an agent decides: prompt, turn, guard and budgets.
//
// A [Runtime] holds what all agents of a run share. An [Agent] is one agent and its memory. A
// [Turn] is one deliberation: a state machine without I/O. The caller carries out what the turn
// asks for and feeds back the result:
//
//	turn := agent.Begin(view)
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
//	plan --> module calls, if any --> [reason step] --> decision_draft --> decision
//	  |            |                                          |               |
//	  +------------+------------- may skip ahead to ----------+-------------->+
//
// Plan, draft, decision and modules are function tools with strict schemas. The tool list never
// changes in a run; a stage narrows what is offered through tool_choice. Many models keep an
// order of their own. A call out of order is taken where it makes sense, and counted: modules
// before the plan or after a draft, another plan or draft, all in one answer. Only counts bind.
// In a reason step no tool may be called: a call that comes anyway is vetoed, and the text of
// that answer is the step's. If the plan had another word for thinking, any call lets the model
// continue without the step.
//
// A turn is four things, each a file with its invariants: protocol says what may follow, plan what the
// agent means to do, draft what it proposed, and exposure what untrusted text it has seen and may see.
//
// A plan gives the kinds of its steps (call, reason, respond, skip), from which typed steps are
// made. It also gives the actions that the agent may take, in the slots of a candidate. A plan of
// only skip steps ends the turn in a wait. In one-step mode the best candidate of a draft is the
// decision; see [trace.CommitOneStep].
//
// # What may be committed
//
// Every candidate, every decision and every tick of a standing order passes the same steps in the
// same order: it is decoded, checked against the schema, clamped, checked against the plan and
// the rules of the scenario (package behavior/policy), tried in a dry run, and committed. Once a
// request shows untrusted text, only an action planned before may be done, or one that a rule of
// the scenario lets the authors ask for. A draft or decision made before the texts are shown
// counts as a plan. A decision keeps the proposed, the adjusted and the executed action, and what
// allowed it. Package policy limits what texts may cost; rounds.go applies those limits to the
// requests of a turn.
//
// # What can go wrong, and where it is decided
//
// A turn that fails, as below, ends in the best action it has, within [policy.Fallback]. That is
// the best accepted candidate of its draft, or else the first planned action that every check
// passes. Without either, after several decisions, or after a chosen wait, it ends in a wait that
// names the failure. A lean turn that has neither asks for a plan before it gives up.
//
//   - No answer (timeout, 5xx, ...): the turn fails, "llm_error:KIND".
//   - An answer that is cut, filtered or unfinished is dropped whole. One that is
//     empty, a refusal or no JSON is kept. Either gets one repair call, and another one
//     whenever the turn got further. Then the turn fails with "parse_error:KIND".
//   - A call that cannot be taken (no JSON, no object, a field that does not fit, an
//     unknown tool, one not allowed now, several decisions): an error output with
//     the code. A protocol call costs the repair; after a module call the model
//     continues.
//   - A module that ran and failed: an error output; the model continues.
//   - An action that the world would refuse goes back to the model with its numbers. An action
//     that the policy refuses goes back with the reason and the plan. After three refusals, or
//     fewer once texts are shown, the turn fails with "guard_rejected".
//   - Tools called in a reason step: an error output per call, two retries, then
//     "reasoning_step_failed". A call of a tool that does not exist, by a name of thinking,
//     is what was thought, in any step.
//   - Plan after plan, draft after draft: two more rounds, then "rounds_used_up".
//
// Package behavior/words holds all texts about errors. A text about a bounded retry says how many
// are left.
//
// # The conversation
//
// A [Conversation] holds the items of a turn's requests, whether it decides or reflects.
// Items go back to the provider in the order and with the bytes they came in. Before each
// request the input is checked: every output has its call, every call its output, no id
// twice, no reasoning without what it led to. What breaks a rule is repaired, and each
// repair is a step of its own. Package behavior/answer reads what came. Every turn ends
// within [Config.CallsMax] requests.
//
// # The prompt
//
// Instructions are constant: purpose, rules, protocol. The input opens with two messages. The first
// is the same for all agents and holds the rules that need no call. With instructions and tools it
// is the prefix that a provider caches once for all of them. The second is the agent's own: persona,
// goals, history, memory, playbook, last outcome and observation. It holds as much of them as the
// [Profile] wants and the token budget allows. The model's items and our outputs follow, and nothing
// is ever rewritten. docs/prompt.md gives the grammar of its lines. Package behavior/words holds what
// the engine itself says, in a file per language. Names, ids, codes and the grammar are the same in
// all languages.
//
// Messages and notes are untrusted text. They are withheld until the plan, or a draft in its
// place, is made. Then they follow as one item, encoded as JSON, as sources of little trust. The
// same holds for lessons of doubtful origin and for what the agent itself wrote last. The outcome
// of a decision is rendered without any word that only a model vouches for, see naming.
package behavior
