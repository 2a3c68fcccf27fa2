package modules

import "agentworld/memory"

// listModule names the modules of r, itself included.
func listModule(r *Registry) module {
	type none struct{}
	type entry struct {
		Module string `json:"module"`
		Tool   string `json:"tool"`
		Doc    string `json:"doc"`
	}
	spec := Spec{Module: "agent.modules.list", Tool: "agent_modules_list", Doc: "List these tools."}
	return newModule(spec, nil, func(Env, none) (answer, failure) {
		var entries []entry
		for _, s := range r.Specs() {
			entries = append(entries, entry{s.Module, s.Tool, s.Doc})
		}
		return answer{body: entries, id: "rules-modules", trust: memory.Rules}, ""
	})
}
