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

// readLayers reads which layers of the guard are left out: names between commas, "all"
// for every one of them. Nothing is left out by default.
func readLayers(text string, off *[]string) error {
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	if len(names) == 1 && names[0] == noLayers {
		*off = nil
		return nil
	}
	if slices.Contains(names, noLayers) {
		return fmt.Errorf("%q stands beside other names; allowed: %s alone, or names of layers", noLayers, noLayers)
	}
	layers, err := policy.ParseLayers(names)
	if err != nil {
		return err
	}
	*off = layers
	return nil
}

// announceGuardOff says aloud that agents are not protected as usual: such a run is a
// measurement, and its results must not be taken for those of any other.
func announceGuardOff(w io.Writer, off []string) {
	if len(off) > 0 {
		fmt.Fprintf(w, "WARNING: the guard runs without %s (--guard-off); texts of other agents may decide what agents do\n", strings.Join(off, ", "))
	}
}
