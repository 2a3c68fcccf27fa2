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
// is in view, that is all. Otherwise the action must be one of
//
//  1. A planned action, see [PlannedAction]. The first one that is possible is free; a plain wait
//     is the first only if nothing else is possible. A later one that gives something away is
//     refused. A later one that gives nothing, less than 95% of what is planned, and a wait while a
//     planned action is possible, are deviations: [DeviationsMax] ticks in any [DeviationWindow].
//  2. A one-tick wait if no planned action is possible. Without a plan, also one tick of
//     harvesting, mining or refining that leaves the charge above low.
//  3. What an asker asks for with a trigger in view, within the limits of the rule. All parents
//     of the trigger must be askers of the rule too, unless it has relayed.
//
// If a turn fails, or the limits end it, it may end in an action that [Fallback] allows.
//
// # Details
//
// If the rules above leave a case open, the safer choice holds. About plans:
//
//   - A planned action is possible if its dry run accepts it and no rule refuses it. If the dry
//     run cannot know its fate, it is not possible, and free while no earlier one is. An action
//     that answers terms is possible only while a rule allows it: the plan does not decide about it.
//   - A plan made once texts are shown changes nothing. If it could drop an action, another one
//     would become the first, and no wait would be a deviation.
//   - A plan may leave open how much is harvested, mined, refined or scheduled, how long terms stay
//     open, which request an offer answers, what is declined, and a text. It must give the amount of
//     a request and the ticks of a sleep. More than planned is not the planned action.
//   - An offer to accept is planned by its id if it was shown before the plan, and by its terms
//     otherwise: an id alone does not say what the offer costs.
//   - A price must be at least as good as planned, and an offer must want at least as much for what
//     it gives. Offers and power orders are trimmed to the planned price and ticks. If one still
//     asks for over 5% more, it is a deviation. A purchase counts the most that its price lets it
//     pay.
//   - Terms stay open for no longer than planned.
//   - A later journey counts twice its ticks; one of unknown length is refused. A sleep counts each
//     tick, an order each attempt.
//
// About what is asked for:
//
//   - If a rule with askers says nothing of the receiver, the asker receives what is directed to
//     an agent. A rule with the receiver "*" allows any receiver.
//   - A gift answers a request for the same resource. An offer answers such a request if it names
//     it in re, so that the rest of the request is lowered. Any open terms ask for words, and for a
//     journey to the asker or where the rule says. Other actions are asked for by messages only.
//   - A gift meets the oldest request of its receiver for such goods, an offer the one that it names.
//     So every request that they may meet must be trusted, whoever asks for them, and how.
//   - A rule that gives to the asker lifts a forbid only for triggers that no stranger had a part
//     in; if that is a message, the action answers it. The rule bounds what open terms ask for no
//     matter who had a part in them.
//   - A message asks for one action of a kind. After that, only newer messages of its sender do.
//   - Some actions need a rule and a trigger even if they are planned, because the plan may owe
//     them to terms that were shown before it: a gift to the sender of such terms or to the
//     receiver that the rule names, an offer in reply, and the acceptance of an offer.
//     The agent's other offers do not. But one to the asker or to anyone, of what a request shown
//     asks for, counts for the asker and each rule that could answer, and must be within what one
//     of them has left, and its rate.
//   - Who names terms that it was not shown may have been told their id. That counts as a text.
//   - While terms are shown, an order that gives and is not planned is done once. A planned one that
//     comes after a possible action is refused.
//   - A gift of electricity that is asked for leaves the charge above low.
//   - Every accepted action counts towards the total of each rule that describes it, a trade that is
//     offered or accepted also towards those of the rules about the other way, and towards
//     total_each for its asker. If nobody asked, or the rule gives to the asker, it counts for its
//     receiver; a journey has none. Once a share is used up, that agent gets no more, whoever asks.
//   - A gift to an agent that may ask for it, or at the request of one, counts at least a fifth of
//     the total, so that five of them use it up.
//   - Terms that a rule could answer bind planned answers even if they wait for the plan because no
//     deviations or rounds are left.
//   - A standing order that is asked for needs a rule about execute_until too, which must let the
//     same trigger ask. Each attempt keeps to the rule about the action. What gives something away
//     and is asked for is done once. An order that would be a deviation is cut to what is asked for,
//     if that is anything.
//
// About fallbacks and parents:
//
//   - A wait of several ticks is a fallback only as the first action of the plan. A fallback costs no
//     deviation for its place in the plan, but package behavior counts one if texts kept the turn
//     from an earlier planned action. A draft that would be a deviation is taken only if no planned
//     action is possible.
//   - Terms that a rule could answer are shown before the plan. Like all texts and terms in view
//     they are parents of what the agent sends, unless the plan gives all of it except the
//     text: a text authorizes nothing.
//
// # Failing closed
//
// What cannot be checked is refused as [ReasonUnavailable]: an action that this package
// does not know, rules that name what does not exist, the view of another agent, a policy
// that was never compiled. An unknown author, and too many parents, become a name that no rule
// has. More texts, parents, deviations or forbids never turn the refusal of what is not planned into
// a pass.
package policy
