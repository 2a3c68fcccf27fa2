package behavior

import (
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
)

// wording is what the engine says to a model in one language, chosen once per [Runtime].
// docs/prompt.md describes each line.
type wording struct {
	*words.Language
	memory memory.Words
}

// wordsOf returns the wording of a language, which [trace.Settings.Validate] has checked.
func wordsOf(language string) *wording {
	w := words.In(language)
	return &wording{Language: w, memory: modules.MemoryWords(w)}
}
