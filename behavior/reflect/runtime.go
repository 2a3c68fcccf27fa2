package reflect

import (
	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/trace"
)

// RoundsMax bounds the rounds of reflection of one turn.
const RoundsMax = 5

// repairsMax is how many further calls each stage may spend on an answer that could
// not be used.
const repairsMax = 1

// Runtime is what all turns of a run share. It is immutable and safe for concurrent use.
type Runtime struct {
	cfg    behavior.Config
	rounds int
	tools  []llmclient.Tool
	words  *words.Reflection
	// language has them and what is said about answers.
	language *words.Language
	// guarded says that reflections show no untrusted text and that lessons are checked against
	// it.
	guarded bool
	// inputTokens is what an opening may take, static what is the same in every request.
	inputTokens, static int
}

// NewRuntime prepares turns under the limits of cfg. rounds is how often a turn
// reflects before it consolidates, 1..RoundsMax; other values are brought into that
// range. own are the sections that the playbook adds to the built-in ones.
func NewRuntime(cfg behavior.Config, rounds int, own ...playbook.OwnSection) *Runtime {
	k := &Runtime{cfg: cfg.WithDefaults(), rounds: min(max(rounds, 1), RoundsMax)}
	k.guarded = k.cfg.Guards(trace.CheckLessons)
	said, err := words.With(k.cfg.Language, k.cfg.Words)
	if err != nil {
		panic("reflect: texts that the turns of the run have are none: " + err.Error())
	}
	k.language, k.words = said, &said.Reflection
	k.tools = tools(k.words, own)
	k.static = k.cfg.CountTokens(k.words.Instructions)
	for i, t := range k.tools {
		k.tools[i] = t.Ready()
		k.static += k.cfg.CountTokens(string(t.Wire()))
	}
	// Every answer comes back as input, and each stage may be answered twice.
	answers := (k.rounds + 2) * k.cfg.AnswerTokens("")
	k.inputTokens = min(max(k.cfg.ContextWindowTokens-k.static-answers, inputTokensMin), inputTokensMax)
	return k
}

// The bounds of an opening in tokens: it costs as much as it helps, and on the
// smallest windows a few decisions must still fit.
const (
	inputTokensMin = 600
	inputTokensMax = 6000
)

// vocabulary is what answers may name in a stage: an object that names no tool is meant
// for that of the stage.
func (k *Runtime) vocabulary(stage trace.Stage) *answer.Vocabulary {
	v := &answer.Vocabulary{Tools: k.tools, WindowTokens: k.cfg.ContextWindowTokens}
	for _, field := range []string{"deltas", "tags", "insights"} {
		v.Fields = append(v.Fields, answer.FieldTool{Field: field, Tool: string(stage)})
	}
	return v
}

// CallsMax is the most model calls one turn can make.
func (k *Runtime) CallsMax() int { return k.rounds + 1 + 2*repairsMax + 1 }

// Version names the wording of the turns: a digest of instructions and tools in all languages.
func Version() string {
	text := ""
	for _, l := range words.Languages() {
		w := &words.In(l).Reflection
		text += w.Instructions
		for _, t := range tools(w, nil) {
			text += string(t.Wire())
		}
	}
	return llmclient.Hash([]byte(text))[:8]
}
