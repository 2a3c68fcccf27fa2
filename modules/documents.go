package modules

import (
	"example.com/agentworld/memory/documents"
	"example.com/agentworld/trace"
)

// WithDocuments returns the registry with the module that searches documents, as its last one.
// A run without documents does not offer it.
func (r *Registry) WithDocuments() *Registry {
	all := append(r.modules[:len(r.modules):len(r.modules)], documentsModule())
	return &Registry{modules: all, words: r.words}
}

// documentsModule searches the documents that the agent may read, best match first. A chunk has
// the trust of its document.
func documentsModule() module {
	spec := Spec{Module: moduleDocuments, Tool: "documents_search"}
	return newModule(spec, nil, func(env Env, args searchArgs) (lookup, failure) {
		if env.Documents == nil {
			return lookup{}, "documents_unavailable"
		}
		a, lines := lookup{sources: []trace.Source{}}, []string{}
		may := func(c *documents.Chunk) bool { return c.For(env.View.AgentID()) }
		for _, found := range env.Documents.Search(args.Query, recallLimit(args.Limit), may) {
			source := found.Source()
			source.Text += env.words().Memory.Score.Text(source.Score)
			source.Chars = len([]rune(source.Text))
			lines, a.sources = append(lines, source.Text), append(a.sources, source)
		}
		a.body = lines
		return a, ""
	})
}
