// Package mcp serves runs to assistants as tools of the Model Context Protocol: what a directory holds, how a run
// went, why an agent decided as it did, in what runs differ. With an allowance of its user it also asks agents,
// starts runs, and lets the assistant play an agent.
//
//	server, err := mcp.New(mcp.Options{Dir: ".tmp/runs"})
//	err = server.Stdio(ctx, os.Stdin, os.Stdout)
//
// An assistant reads what agents, models, servers and files of others wrote, and may take it for an instruction. So
// each such text is an object that says who wrote it, how far it is trusted, and that it is data: see [Text]. A
// result is made of numbers, of short names, and of those; nothing else leaves the server. Without an allowance
// there is no tool that spends or writes anything.
package mcp
