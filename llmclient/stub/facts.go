package stub

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// An agent whose goals mention documents does what the documents in view say: their sentences
// count as goals. It believes trusted and untrusted ones alike, as a credulous model would.

// moduleDocuments is the tool that searches documents.
const moduleDocuments = "documents_search"

// fact is a chunk of a document in view.
type fact struct{ id, text string }

// factLine matches the line of a chunk: its id, title and text, the latter two as JSON strings.
var factLine = regexp.MustCompile(`\[(doc-[0-9]+-[0-9]+)\] "(?:[^"\\]|\\.)*": ("(?:[^"\\]|\\.)*")`)

// readFacts returns the chunks that a request shows: in the section of documents, among the texts
// after the plan, and as results of a search. A message of an agent that looks like one is none.
func readFacts(l language, input []llmclient.Item, turn transcript) (facts []fact) {
	add := func(lines ...string) {
		for _, line := range lines {
			for _, found := range factLine.FindAllStringSubmatch(line, -1) {
				f := fact{id: found[1]}
				if json.Unmarshal([]byte(found[2]), &f.text) == nil && !slices.Contains(facts, f) {
					facts = append(facts, f)
				}
			}
		}
	}
	shown := func(text string) {
		var held struct {
			Documents []string `json:"documents"`
			Result    []string `json:"result"`
		}
		if json.Unmarshal([]byte(text), &held) == nil {
			add(append(held.Documents, held.Result...)...)
		}
	}
	for _, item := range input {
		if item.Kind != llmclient.KindMessage || item.Role == "assistant" {
			continue
		}
		if text, _, ok := section(item.Text, l.headingDocuments); ok {
			add(text)
		}
		if text, _, ok := section(item.Text, l.headingMessages); ok {
			shown(text)
		}
	}
	for _, c := range turn {
		if c.name == moduleDocuments {
			shown(c.output)
		}
	}
	return facts
}

// asksDocuments reports whether the goals mention documents.
func (p prompt) asksDocuments() bool {
	return strings.Contains(strings.ToLower(p.goals), "document") || strings.Contains(p.goals, "文档")
}

// informed returns what to do if the sentences of the facts are goals, and the fact that makes a
// difference to the best idea, empty for none.
func (s stage) informed(p prompt, facts []fact) (ideas []proposal, follows string) {
	own := p.goals
	with := func(facts ...fact) []proposal {
		p.goals = own
		for _, f := range facts {
			p.goals += "\n" + strings.NewReplacer(". ", ".\n", "。", "。\n").Replace(f.text)
		}
		return s.proposals(p)
	}
	ideas = with(facts...)
	for _, f := range facts {
		if best := with(f)[0]; signature(best.action) != signature(s.ideas[0].action) &&
			signature(best.action) == signature(ideas[0].action) {
			return ideas, f.id
		}
	}
	return ideas, ""
}
