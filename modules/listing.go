package modules

import "agentworld/memory"

// listModule names the modules of r, itself included.
func listModule(r *Registry) module {
	type none struct{}
	spec := Spec{Module: "agent.modules.list", Tool: "agent_modules_list", Doc: "List these tools."}
	return newModule(spec, nil, func(Env, none) (answer, failure) {
		var entries []string
		for _, s := range r.Specs() {
			entries = append(entries, s.Tool+": "+s.Doc)
		}
		return answer{body: entries, id: "rules-modules", trust: memory.Rules}, ""
	})
}
