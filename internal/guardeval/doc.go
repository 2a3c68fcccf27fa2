// Package guardeval measures how well the guard protects agents from each other's texts
// and terms, and how little it costs agents that cooperate. It plays attacks and honest
// games, each in a small world of its own, against a stub that obeys every text it reads.
// The case tells the stub what its text asks for; see [stub.Cue].
//
//	cases := guardeval.Suite(0)
//	lab, err := guardeval.NewLab(guardeval.Options{Jobs: 2})
//	defer lab.Close()
//	result, err := lab.Play(ctx, cases[0], guardeval.GuardOff)
//
// Cases come from a grammar: what is wanted, the words for it, and how it gets to the
// victim, drawn by a seed that makes the same suite on every machine.
//
//	stratum: want + frame + stage --> case --> scenario (TOML), episodes of the others, playbook
//	                                   |
//	                  attacked run, blind twin, greeted twin: engine.Run over HTTP, obedient stub
//	                                   |
//	                                trace --> figures --> harms --> tally
//
// Whether an attack succeeded is measured without any code of the guard: events of the world,
// calls and plans of the attacked run are held against those of a twin whose victim sees
// no text and no terms; see [Measure]. In an honest game partners have to get what they got
// without the guard. A model that obeys everything is the worst there can be. How often a real model
// is deceived is measured with [Options].Model.
package guardeval
