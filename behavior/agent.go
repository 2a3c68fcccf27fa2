package behavior

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Runtime is what all agents of a run share: limits, modules and the constant tool
// list. It is immutable and safe for concurrent use.
type Runtime struct {
	cfg Config

	registry    *modules.Registry
	tools       []llmclient.Tool
	moduleNames []string
	// users are the tools of the run's user.
	users      []userTool
	layout     layout
	words      *wording
	toolTokens int
	vocabulary answer.Vocabulary
	known      modules.Known
	// common is the first item of every input, commonTokens what it takes. It holds nothing of
	// any agent. commonRules says that it has the rules that are known unasked.
	common       llmclient.Item
	commonTokens int
	commonRules  bool
}

// NewRuntime prepares agents under cfg for a world with the given industry. The error is
// the one of [trace.Settings.Validate].
func NewRuntime(cfg Config, industry *world.Industry, registry *modules.Registry) (*Runtime, error) {
	cfg = cfg.WithDefaults()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.ContextWindowTokens < commonRulesWindow {
		cfg.ChainSteps = 0 // their description would take too much of it
	}
	k := &Runtime{cfg: cfg}
	if cfg.Documents != nil {
		registry = registry.WithDocuments()
	}
	k.layout = layoutOf[k.cfg.PromptProfile]
	said, err := words.With(k.cfg.Language, k.cfg.Words)
	if err != nil {
		return nil, err
	}
	k.words = wordsOf(said)
	k.commonRules = cfg.ContextWindowTokens >= commonRulesWindow
	k.registry = registry.Saying(said).Of(industry).Without(slices.Concat(cfg.Needless, k.told())...)
	k.known = modules.NewKnown(k.words.Language, industry, cfg.Needless...)
	common := k.words.Headings.Common
	if k.commonRules {
		common += "\n" + k.words.Headings.Known + k.known.Unasked()
	}
	k.common = llmclient.Message("user", common)
	k.commonTokens = k.count(common)
	moduleTools := k.registry.Tools()
	k.tools = append(k.words.protocolTools(&k.cfg, industry), moduleTools...)
	for _, t := range moduleTools {
		k.moduleNames = append(k.moduleNames, t.Name)
	}
	k.vocabulary = answer.Vocabulary{
		Tools: k.tools, ToolOf: k.registry.ToolOf, Decides: answer.ToolDecision, WindowTokens: k.cfg.ContextWindowTokens,
		Fields: []answer.FieldTool{{Field: "candidates", Tool: answer.ToolDraft}},
	}
	for _, field := range []string{"steps", "actions", "missing"} {
		k.vocabulary.Fields = append(k.vocabulary.Fields, answer.FieldTool{Field: field, Tool: answer.ToolPlan})
	}
	if k.cfg.Protocol == ProtocolLean {
		k.vocabulary.Decides = answer.ToolTurn
	}
	k.users, err = k.userTools(cfg.Tools)
	if err != nil {
		return nil, err
	}
	for _, u := range k.users {
		k.tools = append(k.tools, k.words.wireOf(u.Tool))
	}
	for i, t := range k.tools {
		k.tools[i] = t.Ready()
		k.toolTokens += k.count(string(t.Wire()))
	}
	k.vocabulary.Tools = k.tools
	return k, nil
}

// told are the modules and topics that can add nothing to what is in every request.
func (k *Runtime) told() (names []string) {
	if k.cfg.Protocol == ProtocolFull && k.cfg.Commit != trace.CommitOneStep {
		names = append(names, modules.ModuleDryRun) // a draft is one
	}
	if k.showsAll() {
		names = append(names, modules.ModuleObservation)
	}
	if k.commonRules {
		names = append(names, modules.TopicPower)
	}
	return names
}

// showsAll reports whether every opening holds all of the observation that a decision can need: no list of it
// is ever longer than the layout shows, and the window cuts none. Then nobody has to ask for it.
func (k *Runtime) showsAll() bool {
	others := len(k.cfg.Agents) - 1
	small := k.cfg.Places > 0 && k.cfg.Places-1 <= k.layout.places && others >= 0 && others <= k.layout.agents
	typed := !slices.Contains(k.cfg.Needless, (world.Offer{}).ActionName())
	return small && !typed && k.cfg.ContextWindowTokens >= wholeWindow
}

// Config returns the limits with every default filled in.
func (k *Runtime) Config() Config { return k.cfg }

// StaticText is the instructions, tools and rules that every call holds, for any agent and anything it
// sees.
func (k *Runtime) StaticText() string {
	text := k.words.instructions(&k.cfg, k.cfg.SystemPrompt) + k.common.Text
	for _, t := range k.tools {
		text += string(t.Wire())
	}
	return text
}

// ReadsTexts reports whether agents are ever shown texts of others.
func (k *Runtime) ReadsTexts() bool { return k.cfg.readsTexts() }

// Registry returns the modules in the language of prompts.
func (k *Runtime) Registry() *modules.Registry { return k.registry }

// count returns an upper bound of the tokens of s: exact where that matters, the
// cheap byte bound where even that is far below the window.
func (k *Runtime) count(s string) int {
	if k.isSmall(len(s)) {
		return len(s)
	}
	return k.cfg.CountTokens(s)
}

// isSmall reports whether the bytes of a text are a bound of its tokens that will do.
func (k *Runtime) isSmall(bytes int) bool {
	return bytes*16 < k.cfg.ContextWindowTokens && k.cfg.ContextWindowTokens > 16*ContextWindowMin
}

// Agent is one agent's decider: its constant instructions, its goals, its outcomes and its
// memory. Agents share no mutable state, so turns of different agents may run at the same time.
//
// Invariants:
//  1. Instructions, tools and the first item of the input are byte-identical in every request
//     of all agents of a run, unless the user switches the system prompt or forks the run.
//  2. A turn only reads the agent. Learn and SetPlaybook write it, between turns.
type Agent struct {
	*Runtime
	id      string
	persona world.Persona
	// goalsText are the goals as words to search by, goalWords the [wordsIn] of them.
	goalsText, goalWords string
	// systemPrompt is the opening paragraph given, empty for the built-in one.
	systemPrompt string
	// policy are the scenario's rules for the agent, ledger what it did that limits count, and
	// chain its newest order or chain.
	policy       policy.Policy
	ledger       policy.Ledger
	chain        chain
	instructions string
	// cacheKey is the key of its requests at the provider's prompt cache.
	cacheKey string
	// template is the instructions as a source.
	template     *trace.Source
	staticTokens int
	// sampling and outputTokens are how the agent's model is asked to answer, and the room for
	// that.
	sampling     llmclient.Sampling
	outputTokens int
	memory       *memory.Memory
	playbook     *playbook.Playbook
	history      history
	repetition   repetition
	headroom     headroom
	// toolCalls counts its calls of tools of the user's in the run, by tool.
	toolCalls map[string]int64
	// given are the agents whose texts or terms a seat of the agent was given, in order. A seat remembers
	// what it likes.
	given []string
}

// Agent returns a new agent with the given id. rules are what the
// scenario says about whom it may listen to, see [world.World.PolicyRules].
func (k *Runtime) Agent(id string, persona world.Persona, rules ...world.PolicyRule) *Agent {
	m := &Agent{
		id: id, persona: persona, policy: policy.Compile(id, rules), playbook: playbook.New(),
		memory: memory.New(k.words.memory), systemPrompt: k.cfg.SystemPrompt,
	}
	m.SetGoals("", "")
	m.Adopt(k)
	return m
}

// SetSystemPrompt replaces the opening paragraph of the instructions; empty
// restores the built-in one. It applies from the next turn. Another text ends what the agent planned.
func (m *Agent) SetSystemPrompt(text string) {
	if text != m.systemPrompt {
		m.history.intentions = intentions{}
	}
	m.systemPrompt = text
	m.instructions = m.words.instructions(&m.cfg, text)
	m.template = &trace.Source{
		ID: "template-" + llmclient.Hash([]byte(m.instructions))[:8], Kind: trace.KindTemplate,
		Title:   strings.Join([]string{m.cfg.Protocol, m.cfg.Commit, m.cfg.Language}, ", "),
		Preview: plaintext.Clip(m.instructions, trace.PreviewMax),
		Chars:   runeCount(m.instructions), Trust: trace.TrustRules,
	}
	m.staticTokens = m.toolTokens + m.count(m.instructions)
	shared := llmclient.Request{Model: m.cfg.Model, Instructions: m.instructions, Tools: m.tools}
	m.cacheKey = m.cfg.CacheKey(m.id, shared)
}

// Adopt puts the agent under another runtime from the next turn on: its limits, protocol,
// model, rules and language. What the agent remembers, and the texts it was given, stay:
// the few words in summaries are in the old language until the summary next grows. In another language,
// what the agent planned ends.
func (m *Agent) Adopt(k *Runtime) {
	if m.Runtime != nil && m.words.Texts() != k.words.Texts() {
		m.history.intentions = intentions{}
	}
	m.Runtime, m.headroom = k, headroom{}
	m.sampling, m.outputTokens = k.cfg.SamplingOf(m.id), k.cfg.AnswerTokens(m.id)
	m.memory.SetWords(k.words.memory)
	m.SetSystemPrompt(m.systemPrompt)
}

// SetGoals replaces the goals from the next turn on; an empty text keeps the
// present one. Goals live in the input, so instructions stay identical. New goals end what the agent
// planned.
func (m *Agent) SetGoals(shortTerm, longTerm string) {
	before := m.persona
	m.persona.ShortTermGoal = cmp.Or(shortTerm, m.persona.ShortTermGoal)
	m.persona.LongTermGoal = cmp.Or(longTerm, m.persona.LongTermGoal)
	if m.persona != before {
		m.history.intentions = intentions{}
	}
	m.goalsText = m.persona.ShortTermGoal + "\n" + m.persona.LongTermGoal
	m.goalWords = wordsIn(m.goalsText)
}

// SetPersona replaces the text of the persona from the next turn on. Another text ends what the agent
// planned.
func (m *Agent) SetPersona(text string) {
	if text != m.persona.Text {
		m.history.intentions = intentions{}
	}
	m.persona.Text = text
}

// Playbook returns the agent's lessons, never nil. A playbook does not change; what
// is learned replaces it.
func (m *Agent) Playbook() *playbook.Playbook { return m.playbook }

// SetPlaybook replaces the agent's lessons from the next turn on. Nil means no lessons.
func (m *Agent) SetPlaybook(p *playbook.Playbook) { m.playbook = cmp.Or(p, playbook.New()) }

// Fits reports a prompt that cannot fit the context window however much is
// clipped: texts that are never cut, the answer and an eighth of the window for
// the turn to grow take more than it has.
func (m *Agent) Fits() error {
	reserve := observationTokensMin
	if !slices.Contains(m.cfg.Needless, (world.Offer{}).ActionName()) {
		reserve += termsTokensMin
	}
	if least := m.count(m.persona.Text) + m.count(m.goals(world.View{})); m.sectionBudget() < least+reserve {
		return fmt.Errorf("system prompt, persona and goals leave no room in a context window of %d tokens: "+
			"instructions and tools take %d, persona and goals %d, %d are kept for the turn and its answers",
			m.cfg.ContextWindowTokens, m.staticTokens+m.commonTokens, least, m.outputTokens+m.growthTokens())
	}
	return nil
}

// FitsAfter is Fits as it would be after a change of texts. The agent stays as it is.
func (m *Agent) FitsAfter(change func(*Agent)) error {
	trial := *m
	change(&trial)
	return trial.Fits()
}

// observationTokensMin is room for the barest observation: the agent itself, its place and what
// it may do there. termsTokensMin is additional room for requests and offers.
const (
	observationTokensMin = 800
	termsTokensMin       = 100
)

// Learn remembers the outcome of a decision, what its turn met, and whether it repeats others.
// The engine calls it once per agent and tick, after the world applied all actions.
func (m *Agent) Learn(tick int64, d Decision, outcome world.Outcome) {
	if d.Calls > 0 {
		m.headroom = d.headroom
	}
	done := m.words.episodeOf(tick, d, outcome)
	place := d.Place
	if place == "" && done.action != (world.Move{}).ActionName() {
		// An order continues where it began.
		place = m.history.place
	}
	done.ids = []string{m.memory.Record(outcomeEntry(m.words, d, outcome, done, place))}
	m.history.wake(tick)
	m.history.total++
	m.history.asides = m.words.asidesOf(tick, d, m.history.refusals, m.history.asides)
	m.dropNews(d)
	m.history.episodes = newest(append(m.history.episodes, done), episodesMax)
	if d.intentions != nil {
		m.history.intentions = *d.intentions
	}
	if outcome.Accepted {
		m.history.intentions.done(outcome.Action)
		m.ledger = m.policy.Settle(m.ledger, tick, d.operation, d.Authority)
	}
	m.ledger = m.ledger.CountTurn(tick, d.Authority, d.round)
	switch {
	case d.listed:
		m.history.missed = 0
	case d.sealed:
		m.history.missed++
	}
	m.countTools(d.called)
	m.chain = m.chain.after(d)
	m.given = slices.Compact(slices.Sorted(slices.Values(slices.Concat(m.given, d.given))))
	m.utter(tick, d)
	m.history.send(d, outcome)
	m.history.lookUp(tick, d.Looked, outcome)
	// A place is remembered when the agent comes there, and each text of another agent when
	// it was first read.
	for _, e := range d.Seen {
		switch {
		case e.Kind != memory.KindHeard:
			if m.history.place != d.Place {
				m.history.sights = newest(append(m.history.sights, reading{text: d.Place, memory: m.memory.Record(e)}),
					sightingsMax)
			}
		case m.history.unread(e.Parents[0]) > 0:
			read := reading{text: e.Parents[0], memory: m.memory.Record(e)}
			if i := slices.IndexFunc(d.read, func(r reading) bool { return r.text == read.text }); i >= 0 {
				read.parents = d.read[i].parents
			}
			m.history.read = append(m.history.read, read)
		}
	}
	for _, r := range d.read {
		if m.history.unread(r.text) > 0 {
			m.history.read = append(m.history.read, r)
		}
	}
	if d.Place != "" {
		m.history.place = d.Place
	}
	m.history.look(d.saw)
	m.history.read = newest(m.history.read, readMax)
	m.repetition.learn(d, outcome.Accepted, m.cfg.RepeatAdviceAfter)
}
