package engine

import (
	"testing"

	"example.com/agentworld/trace"
)

// TestVerdicts: what a decision says about who took it. What the guard refuses with texts of others in
// view says nothing, so that nobody ends another's run by what it writes.
func TestVerdicts(t *testing.T) {
	own := []trace.Source{{Trust: trace.TrustRules}, {Trust: trace.TrustSelfObservation}, {Trust: trace.TrustToolError}}
	others := append(own[:3:3], trace.Source{Trust: trace.TrustOtherAgent})
	derived := append(own[:3:3], trace.Source{Trust: trace.TrustDerived})
	for name, c := range map[string]struct {
		d    trace.Decision
		want verdict
	}{
		"a model's decision":          {trace.Decision{DecidedBy: trace.ByModel}, byModel},
		"an unchosen wait":            {trace.Decision{DecidedBy: trace.ByEngine, WaitReason: "parse_error:no_json"}, byEngine},
		"the same beside a text":      {trace.Decision{DecidedBy: trace.ByEngine, WaitReason: "parse_error:no_json", SourcesRetrieved: others}, byEngine},
		"the plan's action":           {trace.Decision{DecidedBy: trace.ByModel, FailedBy: "parse_error:no_json", By: trace.ByPlan}, byEngine},
		"the model's draft":           {trace.Decision{DecidedBy: trace.ByModel, FailedBy: "parse_error:no_json", By: trace.ByDraft}, byModel},
		"a cap":                       {trace.Decision{DecidedBy: trace.ByEngine, WaitReason: trace.WaitModelPrefix + "cap"}, noVerdict},
		"refused without texts":       {trace.Decision{DecidedBy: trace.ByEngine, WaitReason: trace.WaitGuardRejected, SourcesRetrieved: own}, byEngine},
		"refused with texts":          {trace.Decision{DecidedBy: trace.ByEngine, WaitReason: trace.WaitGuardRejected, SourcesRetrieved: others}, noVerdict},
		"refused with a lesson":       {trace.Decision{DecidedBy: trace.ByEngine, WaitReason: trace.WaitGuardRejected, SourcesRetrieved: derived}, noVerdict},
		"refused, the plan's instead": {trace.Decision{DecidedBy: trace.ByModel, FailedBy: trace.WaitGuardRejected, By: trace.ByPlan, SourcesRetrieved: others}, noVerdict},
	} {
		if got := verdictOn(c.d); got != c.want {
			t.Errorf("%s: verdict %d, want %d", name, got, c.want)
		}
	}
}
