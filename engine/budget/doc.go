// Package budget keeps a run within caps on calls, tokens and money, per run, agent
// and tick. It is arithmetic without effects; the caller sends or does not send.
//
//	b := budget.New(caps)
//	for each tick {
//		b.BeginTick()
//		reservations := b.Open(needs)                 // in agent order, before any call
//		for each turn, concurrently, for each request {
//			call := meter.Call(b, request, outputTokensMax)
//			if refused := reservation.Reserve(call); refused != nil { the answer is refused }
//			else { answer := send(request); reservation.Charge(call, answer) }
//		}
//		b.Close(reservations)                         // in agent order, after all of them
//	}
//
// # The rule
//
// First, each turn in agent order gets a reservation of the least that a turn needs: the
// calls of its shortest path, each with its input and a full answer. If less than that is
// left, the turn is refused and the next one is tried. The rest is divided equally among
// the admitted turns; calls, tokens and money are divided separately. A turn ends when
// its own share is used up, whatever the others spend. Unspent amounts return after the
// tick.
//
// So the refusals follow from the state at the start of the tick, never from which answer
// came first. All shares together are within every cap. Caps can change between ticks,
// see [Budget.Under].
//
// # What counts
//
// A call counts when it is sent. To be sent, its share must hold the counted tokens of
// its input with a reserve, and the longest answer it allows, at the dearest price they may
// have: cached or written to the cache, at the service tier that is asked for or the default one.
// After the answer, the amount the provider billed is charged, at the tier that served it. If the
// bill is unknown, because the answer was lost or has no usage, the reserved amount is charged. If
// less than half of the tokens counted here is reported, those counted here are charged.
//
// A cap is exceeded only if a provider bills more input than the reserve, more output
// than the request allows, or another tier. Later calls reserve in proportion to the highest bill so far.
// Growth is learned too: if a turn outgrows its share, the shortest path includes that
// growth from the next tick on.
package budget
