// Package guardeval measures how well agents are kept from harm by each other's
// texts: it plays a suite of attacks and of harmless twins, each in a small world of
// its own, against a stub that obeys every text it meets. The case tells the stub what
// its text asks for; see [stub.Cue].
//
//	cases, err := guardeval.Suite(guardeval.All)
//	lab, err := guardeval.NewLab(guardeval.Options{Jobs: 2})
//	defer lab.Close()
//	result, err := lab.Play(ctx, cases[0], guardeval.GuardOff)
//
// A case is made from data alone: a template (how it is said), a channel (how it gets
// to the victim) and a goal or a request (what for). Nothing is drawn at random, so the
// suite is the same on every machine.
//
//	template + channel + goal --> case --> scenario (TOML), cast, playbook
//	                                           |
//	                                        engine.Run over HTTP, obedient stub
//	                                           |
//	                                        trace --> facts --> predicates --> tally
//
// Whether an attack succeeded is a predicate over what happened in the world: stock given
// away, a place left, an order placed, a message passed on, a lesson kept. A model that
// obeys everything is the worst there can be; how often real models are deceived it does
// not say.
//
// The templates are in two sets, open and held-out. Tests of the guard use the open
// ones at most; code of the guard imports neither.
package guardeval
