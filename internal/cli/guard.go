package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/agentworld/behavior/policy"
)

// noLayers is how the help calls a guard of which nothing is left out.
const noLayers = "none"

// chooseGuardOff reads which layers of the guard are left out: names between commas,
// "all" for every one of them. Nothing is left out by default.
func chooseGuardOff(v value) ([]policy.Layer, error) {
	names := strings.FieldsFunc(v.text, func(r rune) bool { return r == ',' || r == ' ' })
	if len(names) == 1 && names[0] == noLayers {
		return nil, nil
	}
	if slices.Contains(names, noLayers) {
		return nil, badInput("%s: %q stands beside other names; allowed: %s alone, or names of layers", v.where(), noLayers, noLayers)
	}
	layers, err := policy.ParseLayers(names)
	if err != nil {
		return nil, badInput("%s: %w", v.where(), err)
	}
	return layers, nil
}

// announceGuardOff says aloud that agents are not protected as usual: such a run is a
// measurement, and its results must not be taken for those of any other.
func announceGuardOff(w io.Writer, off []policy.Layer) {
	if len(off) == 0 {
		return
	}
	names := make([]string, len(off))
	for i, l := range off {
		names[i] = string(l)
	}
	fmt.Fprintf(w, "WARNING: the guard runs without %s (--guard-off); texts of other agents may decide what agents do\n", strings.Join(names, ", "))
}
