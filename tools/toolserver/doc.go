// Package toolserver makes tools of MCP servers, which are processes of this machine or HTTP endpoints.
//
//	c, err := toolserver.Connect(ctx, toolserver.Server{Name: "notes", Command: []string{"notes-server"}})
//	defer c.Close()
//	run, err := agentworld.Run(ctx, agentworld.Options{Tools: c.Tools(), ...})
//
// A server is somebody else's program. Models are told its names, types and bounds and no other word of it:
// a description is the user's, or the server's if the user pinned the hash of what the server says. A tool
// that the server changes is not called any more. A process has an environment of its own, without what this
// process knows; it is closed at the end, and killed if it does not end then. Nothing that a server asks for
// is answered: it has no model, no files and no user here.
package toolserver
