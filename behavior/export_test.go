package behavior

import "example.com/agentworld/llmclient"

// What tests outside the package look at.

func (k *Kit) Tools() []llmclient.Tool { return k.tools }

func (m *Mind) Instructions() string { return m.instructions }

func Profiles() []Profile { return []Profile{ProfileCompact, ProfileBalanced, ProfileRich} }

func (k *Kit) RepairsMax() int { return k.cfg.RepairsMax }
