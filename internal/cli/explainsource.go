package cli

import (
	"bytes"
	"fmt"

	"example.com/agentworld/explain"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// explainSource prints every decision that had a source in view or named it, with its outcome. If
// the id stands for several sources, or for none, the error says which there are.
func explainSource(m *Main, runDir string, f explainFlags) error {
	dir, err := m.openRun(runDir)
	if err != nil {
		return err
	}
	all, err := explain.ReadSource(dir, f.Source, f.Agent, wordingHint)
	switch {
	case err != nil:
		return m.unread(runDir, err)
	case f.JSON:
		return m.printJSON(all)
	}
	var b bytes.Buffer
	plaintext.Fprintf(&b, "[%s]  (%s)\n", all.ID, runText(all.Header.Settings))
	writeSource(&b, all)
	return m.print(b.String())
}

// writeSource writes the source, where it comes from, and the decisions of each agent.
func writeSource(b *bytes.Buffer, all explain.SourceUses) {
	if all.Source != nil {
		plaintext.Fprintf(b, "%s\n", sourceText(*all.Source, ""))
	}
	if len(all.Origin) > 0 {
		plaintext.Fprintf(b, "\nOrigin\n")
		for _, line := range all.Origin {
			plaintext.Fprintf(b, "  %s\n", line)
		}
	}
	for _, of := range all.Agents {
		plaintext.Fprintf(b, "\nDecisions of %s\n", of.AgentID)
		for _, u := range of.Decisions {
			use := fmt.Sprintf("named (%s) and not in view", u.Channel)
			if u.InView {
				use = fmt.Sprintf("score %d, %s", u.Score, useText(u.Used, u.Channel))
			}
			did := explain.DecisionText(trace.Decision{Executed: u.Executed, WaitReason: u.WaitReason, Outcome: u.Outcome})
			plaintext.Fprintf(b, "  tick %d  %s: %s\n", u.Tick, use, did)
		}
		plaintext.Fprintf(b, "  in view of %d, used by %d, named out of view by %d; accepted: %d of %s after use, %d of "+
			"%s in view and not used\n", of.InView, of.Used, of.NamedOnly,
			of.AfterUse.Accepted, plaintext.Count(of.AfterUse.Actions, "action"), of.AfterUnused.Accepted,
			plaintext.Count(of.AfterUnused.Actions, "action"))
	}
}
