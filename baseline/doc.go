// Package baseline plays scenarios without a model, to say what a score means.
//
// A [Policy] makes a [Decider] for one run; a decider turns an agent's view into
// an action. [Nothing] waits, [Random] draws, [Greedy] and [Scripted] work. [Play] runs
// a world with one and returns the score of the scenario's task:
//
//	w, score, err := baseline.Play(scenario, scenario.Seed, scenario.Task.Ticks, baseline.Scripted)
//
// The embedded model of the stub server follows the same policy: [Brief.Wishes] takes a
// [Situation], such as one read from a prompt.
//
// The scripted agents harvest, mine, refine, build and schedule. They help if the task
// asks for help, and trade if the scenario has requests and offers. They know only what a
// player may know: their own view, what they have seen before, the task, the goals and
// the charted places. A score above theirs means that an agent planned better than a
// fixed list of priorities.
//
// A [Plan] is what a search found for one instance: the scripted agents with other
// tastes and with orders for some ticks, or a whole sequence of actions. The best plan
// known for each built-in task is recorded. So is what the embedded model scores
// ([EmbeddedScore]), and how well a task tells players apart ([SensitivityOf]).
//
// [BoundOf] computes a score that no player can exceed under the rules. It simplifies in
// the players' favour: travel is free, every harvest happens at the best place, all goods
// are shared. What is left is arithmetic about matter, energy, factories and actions.
//
// [Lint] combines these: it proves that a scenario can be played (places can be reached,
// goals can be met) and that the numbers of its task are true. [Flows] lists the most that
// strangers can get out of each agent under the scenario's rules.
package baseline
