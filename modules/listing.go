package modules

import "example.com/agentworld/trace"

// listModule names the modules of the registry that is called, itself included.
func listModule() module {
	type none struct{}
	spec := Spec{Module: moduleList, Tool: "agent_modules_list"}
	return newModule(spec, nil, func(env Env, _ none) (lookup, failure) {
		var entries []string
		for _, s := range env.registry.Specs() {
			entries = append(entries, s.Tool+env.words().lineStart+s.Doc)
		}
		return lookup{body: entries, id: "rules-modules", trust: trace.TrustRules}, ""
	})
}
