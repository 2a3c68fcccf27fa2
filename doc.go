// Package agentworld is the root of a simulator that runs worlds of LLM agents.
//
// It holds no code of its own. The program is cmd/world_llm_agent_demo; the test
// beside this file holds the table of which package may import which.
package agentworld
