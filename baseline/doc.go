// Package baseline plays scenarios without a model, to say what a score means.
//
// A [Policy] makes a [Decider] for one run; a decider turns an agent's view into
// an action. There are two: [Nothing] waits, [Scripted] works. [Play] runs a world
// with either and returns the score of the scenario's task:
//
//	w, score, err := baseline.Play(scenario, scenario.Seed, scenario.Task.Ticks, baseline.Scripted)
//
// The embedded model of the stub server decides by the policy of the scripted agents, too:
// see [Brief.Wishes], which takes a [Situation] from whoever read one.
//
// The scripted agents harvest, mine, refine, build and schedule, help where a task wants
// it, and trade where a scenario has requests and offers. They know what a player of the scenario may know: their own view, what they
// have seen before, and the task, the goals and the charted places. A score above theirs
// means that an agent planned better than a fixed list of priorities.
//
// [BoundOf] computes a score that the rules allow nobody to exceed, by giving up
// on detail in the players' favour: travel is free, every harvest happens at the
// best place, all goods are shared. What is left is arithmetic about matter,
// energy, factories and the number of actions.
//
// [Lint] puts it together: it proves that a scenario can be played (places can be
// reached, goals can be met) and that the numbers of its task are true. [Flows] tells what
// the scenario's rules let strangers get out of each agent at most.
package baseline
