// Package openenv serves a task as an environment of the OpenEnv protocol, as of its version 0.6.1, for trainers
// and for agents of others.
//
//	s, err := openenv.New(openenv.Options{Play: config, Listen: "127.0.0.1:8000"})
//	err = s.Serve(ctx)
//
// An episode is a run of the task's world in which the client plays one agent, as a seat: a step of the client is
// its next move, and what it is answered is the observation of its next turn. Seats or models play the other
// agents. So a step may take several ticks: an agent that travels, or has an order, is not asked.
//
//	client  -- reset -->  session.Run begins          seat.Act(observation) --> observation
//	client  -- step  -->  the move of Act, ticks ...  seat.Act(observation) --> observation, reward, done
//
// Rewards are changes of the task's score; their sum is the score at the end minus the score at the start.
//
// A client is an agent, never the operator. It chooses an instance of a split, and changes neither rules nor
// goals nor whom an agent trusts. Its agent is shown no texts of others, like that of any seat that does not
// read. Whatever a client sends or fails to send costs its own session alone.
//
// The WebSocket /ws is the only way to an episode. The calls over HTTP make a world for one request.
package openenv
