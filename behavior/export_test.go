package behavior

import "example.com/agentworld/llmclient"

// What tests outside the package look at.

func (k *Runtime) Tools() []llmclient.Tool { return k.tools }

func (m *Agent) Instructions() string { return m.instructions }

func Profiles() []Profile { return []Profile{ProfileCompact, ProfileBalanced, ProfileRich} }

func (k *Runtime) RepairsMax() int { return k.cfg.RepairsMax }
