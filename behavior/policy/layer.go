package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Layer is one of the independent protections against texts of other agents. Layers
// can be left out to measure what each one contributes; a run that is not such a
// measurement has all of them.
type Layer = string

// The layers. This package carries out plan, policy, deviations and taint; the names of the
// others stand here so that there is one list.
const (
	// LayerOrder: texts of others are shown only after the plan.
	LayerOrder Layer = "order"
	// LayerPlan: once texts are in view only what was planned, or what a rule lets others
	// ask for, is committed.
	LayerPlan Layer = "plan"
	// LayerRules: the rules of the scenario hold.
	LayerRules Layer = "policy"
	// LayerDeviations: of what was planned the first that is possible is free, the rest counts,
	// and so do the rounds that refusals cost.
	LayerDeviations Layer = "deviations"
	// LayerTaint: terms that may come from others than their sender do not count.
	LayerTaint Layer = "taint"
	// LayerEnvelope: texts are encoded, capped, and stand in a marked section under a
	// sender that the world set.
	LayerEnvelope Layer = "envelope"
	// LayerMemory: what was made from untrusted texts stays untrusted.
	LayerMemory Layer = "memory"
	// LayerLessons: lessons neither come from words of others nor show them.
	LayerLessons Layer = "lessons"
)

// LayersAll is the word that stands for all layers where layers are named.
const LayersAll = "all"

// Layers lists all layers in a fixed order.
func Layers() []Layer {
	return []Layer{LayerOrder, LayerPlan, LayerRules, LayerDeviations, LayerTaint, LayerEnvelope, LayerMemory, LayerLessons}
}

// ParseLayers reads names of layers; [LayersAll] stands for all of them. The result
// is in the order of [Layers], each once. The error names the word that is no layer
// and lists those there are.
func ParseLayers(names []string) ([]Layer, error) {
	var named []Layer
	for _, name := range names {
		switch {
		case name == LayersAll:
			named = append(named, Layers()...)
		case slices.Contains(Layers(), name):
			named = append(named, name)
		default:
			return nil, fmt.Errorf("%q is no layer of the guard; there are %s and %s", name, strings.Join(Layers(), ", "), LayersAll)
		}
	}
	return slices.DeleteFunc(Layers(), func(l Layer) bool { return !slices.Contains(named, l) }), nil
}
