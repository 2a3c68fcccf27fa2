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

// wordsOf returns the wording of a language; nil is English.
func wordsOf(w *words.Language) *wording {
	if w == nil {
		w = words.In(words.English)
	}
	return &wording{Language: w, memory: modules.MemoryWords(w)}
}
