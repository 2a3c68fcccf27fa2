// Package budget keeps a run within caps on calls, tokens and money, per run, agent
// and tick. It is arithmetic without effects; the caller sends or does not send.
//
//	b := budget.New(caps)
//	for each tick {
//		b.BeginTick()
//		reservations := b.Open(needs)                 // in agent order, before any call
//		for each turn, concurrently, for each request {
//			call := b.Call(inputTokens, outputTokensMax, price)
//			if refused := reservation.Admit(call); refused != nil { the answer is refused }
//			else { answer := send(request); reservation.Charge(call, answer) }
//		}
//		b.Close(reservations)                         // in agent order, after all of them
//	}
//
// # The rule
//
// First every turn, in agent order, is set aside the least a turn needs: the calls of
// its shortest path, each with its input and a full answer. A turn for which less than
// that is left is refused, and the next one is asked. What is left then is divided
// equally among the turns that were admitted, calls, tokens and money apart. A turn
// ends where its own share ends, whatever the others spend. What was not spent returns
// after the tick.
//
// So who is refused follows from the state at the start of the tick, never from which
// answer came first; and all shares together are within every cap. Caps can change in
// between, see [Budget.Under].
//
// # What counts
//
// A call counts when it is sent. Before that, its share must hold the tokens of its
// input, counted, with a reserve, and of the longest answer it allows. Afterwards
// counts what the provider billed. Where nobody knows what was billed, because the
// answer was lost or holds no usage, what was set aside counts.
//
// A cap can only be passed by a provider that bills more than the reserve for the input it
// was sent, or more output than the request allows; later calls set aside as much in
// proportion as was ever billed. A turn that outgrew its share teaches as well: from the
// next tick on the shortest path is reckoned with such growth.
package budget
