package modules

import (
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/memory"
)

// MemoryWords are the words around a remembered text, in a language.
func MemoryWords(w *words.Language) memory.Words {
	m := &w.Memory
	return memory.Words{
		When: func(first, last int64) string {
			if first == last {
				return m.Tick.Text(last)
			}
			return m.Ticks.Text(first, last)
		},
		Kind: w.Word, Failed: m.Failed, From: m.From, Last: m.Last, Total: m.Total,
	}
}

// FaultIn returns an argument error as a model reads it in a language: path and names
// stay, sentences are translated. Errors are made, logged and recorded in English; only
// what goes into a prompt is not.
func FaultIn(w *words.Language, e *answer.ArgumentError) *answer.ArgumentError {
	told := *e
	told.Expected, told.Got = phraseIn(w, e.Expected), phraseIn(w, e.Got)
	told.Also = nil
	for _, other := range e.Also {
		told.Also = append(told.Also, FaultIn(w, other))
	}
	return &told
}

// phraseIn returns a phrase in a language. Names of JSON types alone, and numbers, are the same in
// every language and in no table.
func phraseIn(w *words.Language, p answer.Phrase) answer.Phrase {
	form, translated := w.Faults[p.Form]
	if !translated {
		return p
	}
	return answer.Phrase{Form: "{text}", Values: []any{form.Text(p.In(w.Noun)...)}}
}
