package stub

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"example.com/agentworld/plaintext"
)

// exampleParts fill the templates of a listing.
var exampleParts = Parts{
	Name: "decision_draft", Arguments: []byte(`{"candidates":[{"action":"mine_compound","amount":5000}]}`),
	Decision: []byte(`{"decision":"mine_compound","compound_mass_g":5000}`),
	Action:   []byte(`{"action":"mine_compound","compound_mass_g":5000}`),
	Here:     "llm-hub", Place: "frag-amber", PlaceName: "Amber Fragment",
}

// WriteFaults lists every kind of fault: groups, faults of the transport, and each
// shape of the corpus with how it ends and an example.
func WriteFaults(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, g := range shapeGroups {
		fmt.Fprintf(t, "%s\t%s, each as likely as any other\t%s\n", g.name, g.doc, g.effect)
	}
	for _, f := range transportFaults {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.name, f.doc, f.effect)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range Corpus() {
		star := ""
		if s.Universal {
			star = " *"
		}
		fmt.Fprintf(t, "\n%s%s: %s\n    %s\n", s.Name, star, strings.Join(append(strings.Fields(s.Ends+" "+s.Error), s.Repairs...), " "), s.Doc)
		for line := range strings.Lines(s.Render(exampleParts)) {
			fmt.Fprintf(t, "    | %s\n", plaintext.EscapeLine(strings.TrimSuffix(line, "\n")))
		}
	}
	return t.Flush()
}
