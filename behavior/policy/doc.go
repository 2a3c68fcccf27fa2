// Package policy decides by what authority an agent may commit an action, if by any.
//
// The texts of other agents are data. They may inform a decision, but the action and its
// arguments must come from the agent itself, from a plan that it made before it was shown the
// texts, or from a rule by which the operator of the scenario lets another agent ask for the
// action. The checks read the plan, rules, typed terms, senders and counts, and no word of a
// text. So no text can cause an action, and texts can keep an agent from its plan only as often
// as a few counts allow.
//
//	p := policy.Compile(id, rules)                           // once
//	r := p.Evaluate(action, evidence)                          // for every candidate and decision
//	ledger = p.Settle(ledger, tick, r.Operation, &r.Authority) // once the world accepted it
//	ledger = ledger.CountTurn(tick, &r.Authority, round)       // at the end of every turn
//
// # Words
//
//   - A rule is a rule of the scenario; a [Reason] says why an action was refused.
//   - Terms are an open request or offer. Their parents are the agents whose texts or terms were
//     in view when they were made.
//   - An asker is an agent that a rule lets ask for an action. A trigger is what it asks with:
//     its request, its offer or, if the rule says so, its message.
//   - An [Operation] is an action as rules and plans see it.
//
// # What is decided
//
// The rules of the scenario hold always, see [Policy]. If nothing that others wrote or chose
// is in view, that is all. Otherwise the action must be planned, see [PlannedAction]; or a one-tick wait
// while no planned action is possible; or, without a plan, one tick of harvesting, mining or refining; or
// what an asker asks for with a trigger in view. A plan is one made before texts were shown: a later one
// could drop an action, and another one would become the first. If a turn fails, or the limits end it, it
// may end in an action that [Fallback] allows.
//
// # Principles
//
// If these leave a case open, the safer choice holds.
//
//  1. Better or equal in every slot. A planned action covers what gives at most as much, gets at least as
//     much, at no worse price, open no longer, for one of its receivers or places. An offer to accept is
//     planned by its id if it was shown before the plan, and otherwise by its terms, under the same rule:
//     an id alone does not say what it costs. What is worse is trimmed to the plan, else it is not planned.
//     A plan may leave open how much is harvested, mined, refined or scheduled, how long terms stay open,
//     which request an offer answers, what is declined, and a text. It must give the rest, the amount of a
//     request and the ticks of a sleep among it.
//  2. The first possible planned action, in full, is free; what is not costs the ticks that it binds. A
//     deviation is a later planned action, less than 95% of what is planned or, if open, feasible, terms
//     or power orders that still ask for over 105%, and a wait while a planned action is possible. It
//     counts each tick of a sleep, each attempt of an order and a journey twice, [DeviationsMax] in any
//     [DeviationWindow]; a journey of unknown length is refused. A later action that gives is never done.
//     A plain wait is the first only if nothing else is possible.
//  3. Possible is what the dry run accepts, the rules allow and, if it answers terms, a rule lets others
//     ask for now: the plan does not decide about it. If the dry run cannot know its fate, it is not
//     possible, and free while no earlier one is.
//  4. What answers an ask needs an ask, however it got into the plan: a gift to the sender of terms shown
//     before the plan or to the receiver that a rule names, an offer in reply, and the acceptance of an
//     offer. Who names terms that were not shown may have been told
//     their id, which counts as a text. A gift answers a request for its resource, an offer the one in its
//     re; any open terms ask for words, and for a journey to the asker or where the rule says; other
//     actions are asked for by messages only. Where a rule says nothing of the receiver, that is the asker;
//     "*" is any. Terms that no rule could answer call for nothing, or a stranger could veto a gift.
//  5. An ask is used up by its answer: a request by the amount, an offer by its acceptance, a message by
//     one action of a kind. An order or a chain is one answer. What gives and is asked for is done once.
//  6. Counted for all, within one, trusted for all. An accepted action counts for each rule that describes
//     it, a trade also for those about the other way, and for its asker; if nobody asked or the rule gives
//     to the asker, for its receiver. An offer of what a shown request asks for counts for each rule and
//     asker that may have moved it, and must be within what one of them has left, and its rate: within all
//     would be a veto. A gift to who may ask counts at least a fifth of a total. A gift meets the oldest
//     request of its receiver for such goods, an offer the one that it names: each of them must be trusted,
//     all its parents being askers unless the rule has relayed. A rule that gives to the asker lifts a forbid
//     only for triggers that no stranger had a part in, and bounds what open terms ask for all the same;
//     a message that lifts it is answered. Terms that a rule could answer bind planned answers even if
//     they wait for the plan.
//  7. What others may have brought about leaves the charge above low by what it draws, and above critical by
//     what the agent uses in the ticks that it takes: what is asked for, a wait or a later planned action while
//     an earlier one is possible, and work without a plan. A trade for electricity, and a tick in which it
//     could harvest nothing, take no time by this count.
//  8. An order is its action, checked at each attempt, and a rule for going on. One that is asked for needs
//     a rule about execute_until too, which must let the same trigger ask; one that would be a deviation
//     is cut to what is asked for. While terms are shown, an order that gives is done
//     once if it is not planned, and refused if it comes after a possible action. A chain is judged step by
//     step when it is drafted, as if the steps before had been done as written; one that is refused is cut off
//     with all that follow. Each is judged again at its tick, by the plan, authors and terms of the deciding
//     turn and by what is in view then. Steps use up the planned actions that they cover, the ticks of an
//     order in all, and one of which ticks are left comes before any later one. A message authorizes one
//     step, and other triggers one step that gives. A later step, a wait too, needs a place in the plan or
//     an asker; so it does where no text is in view if it gives while terms are shown, or accepts an offer
//     that the agent does not see. All deviations count when the chain begins, and rules about execute_until
//     count the attempts of all steps. A step may ignore what its planned action may.
//  9. A turn that fails ends in the plan. Its ending gives nothing, and costs no deviation for its place in
//     the plan, but package behavior counts one if texts kept the turn from an earlier action. It waits for
//     several ticks only as the first action of the plan. A draft that would be a deviation is taken only
//     if no planned action is possible. What an agent sends has all texts and terms in view as parents, unless
//     the plan gives all of it except the text: a text authorizes nothing.
//
// # Failing closed
//
// What cannot be checked is refused as [ReasonUnavailable]: an action that this package
// does not know, rules that name what does not exist, the view of another agent, a policy
// that was never compiled. An unknown author, and too many parents, become a name that no rule
// has. More texts, parents, deviations or forbids never turn the refusal of what is not planned into
// a pass.
package policy
