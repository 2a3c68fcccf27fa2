// Package policy decides by what authority an agent may commit an action, if by any.
//
// The texts of other agents are data. They may inform a decision, but which action is
// taken and with which arguments must come from the agent itself, from a plan that it made
// before it was shown them, or from a rule by which the operator of the scenario lets another
// agent ask for it. Verdicts read the plan, rules, typed terms, senders and counts. They read
// no word of a text, so that no text can bring anything about, and none can keep an agent
// from what it planned beyond what a few counts allow.
//
//	p := policy.Compile(id, rules)                // once
//	j := p.Judge(action, evidence)                          // for every candidate and decision
//	ledger = p.Settle(ledger, tick, j.Deed, &j.Authority)   // after the world accepted it
//	ledger = ledger.Spend(tick, &j.Authority, round)        // at the end of every turn
//
// # What is decided
//
// Rules of the scenario hold always, see [Policy]. Where nothing that others wrote or chose
// is in view, that is all. Otherwise the action must be one of
//
//  1. A planned action, see [PlannedAction]. The first one that is possible is free. Another
//     one that gives something away is refused. Any other, less than 95% of what is planned, and
//     a wait while a planned action is possible, are deviations: [DeviationsMax] ticks in any
//     [DeviationWindow].
//  2. Without a plan, one tick of harvesting, mining or refining that leaves the charge above
//     low; and a one-tick wait where nothing planned is possible.
//  3. What a rule with asked_by lets an agent ask for that has an open request or offer, or
//     where the rule says so a message, within the rule's limits. Nobody may be among the
//     parents of what is asked whom the rule does not name.
//
// A turn that fails, or that the limits end, falls back on what [Fallback] allows.
//
// # Readings
//
// Where the rules leave something open, the safer reading holds:
//
//   - A planned action counts as possible if its dry run accepts it and no rule refuses it.
//     One whose fate the dry run cannot know is not; before the first possible one it is free.
//   - A plan made once texts are shown changes nothing. If it dropped something, another action
//     would become the first, and no wait would be a deviation.
//   - Open may be how much is harvested, mined, refined or scheduled, how long terms stay open,
//     which request an offer answers, and a text. The amount of a request and the ticks of a
//     sleep may not. More than planned is another value; less is a deviation.
//   - An offer to accept is planned by its id if it was shown before the plan, and by its terms
//     otherwise: an id alone says nothing of what it costs.
//   - A price is at least as good as planned, an offer wants at least as much for what it gives.
//     What stands until somebody takes it is brought back to the planned price and ticks, and is a
//     deviation if it asks for over 5% more all the same. A purchase counts as what its price lets it pay at most.
//   - Terms stay open for no longer than planned. For how long may be left open, and what is
//     given otherwise is still planned to the letter.
//   - A rule with asked_by about an action that is directed to an agent lets the asker receive,
//     if it says nothing of the receiver. Rules for "*" as the receiver stay what they say.
//   - A gift answers a request of the same resource, an offer one that it names in re, so that
//     the rest of the request is lowered. An errand is asked for by any open terms; other
//     deeds that give nothing only by messages.
//   - Rules for whoever asks lift a forbid only for terms and messages that no stranger had a
//     part in; they bound gifts whoever had.
//   - A message asks for one deed of a kind: later messages than the newest one answered do.
//   - A gift to an agent whose terms were shown before the plan, or to whom a rule lets have what
//     they ask for, an offer that answers them and taking them up need a rule that they trigger,
//     planned or not: the plan may owe it to them. Offers of the agent's own do not.
//   - A gift of electricity that is asked for leaves the charge above low.
//   - What is given without being asked counts towards the total of every rule that describes
//     it, and for total_each as asked by its receiver where the rule gives to the asker. A gift
//     to who may ask for it counts at least a fifth of the total: five use it up in a window.
//   - A standing order that a rule lets be asked for needs a rule about execute_until too. What
//     gives something away is done once.
//   - The multi-tick wait of a fallback has to be the first action of the plan. A fallback is no
//     deviation, but a draft is only taken for one where no planned action is possible, if it
//     deviates.
//   - Terms that a rule could answer are shown before the plan. They are parents of what is
//     sent, like all texts and terms in view, unless a plan gives that to the letter, its words
//     apart: words authorize nothing.
//
// # Failing closed
//
// What cannot be checked is refused as [RuleUnavailable]: an action that this package
// does not know, rules that name what does not exist, a check with the view of
// another agent, a policy that was never compiled. An author that nobody knows, and too many
// parents, become a name that no rule has. More texts, parents or deviations, or a forbid more,
// turn no refusal into a pass.
package policy
