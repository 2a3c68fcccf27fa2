package cli

import (
	"fmt"
	"strconv"
	"text/tabwriter"

	"example.com/agentworld/llmclient/openai"
)

// printConfig shows every setting with its value and its origin, and no secret:
//
//	setting  value                origin
//	ticks    30                   flag --ticks
//	api_key  set (51 characters)  environment OPENAI_API_KEY
//
// Origins are flags, variables, lines of the configuration file and defaults. The
// values have been checked before, so what is shown is what a run would use.
func (m *Main) printConfig(values []value) error {
	w := tabwriter.NewWriter(m.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "setting\tvalue\torigin")
	for _, v := range values {
		fmt.Fprintf(w, "%s\t%s\t%s\n", v.setting.name(), v.display(), oneLine(v.origin.String()))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	return nil
}

// display returns the value for a terminal. A key shows its length only; a URL
// shows its effective form, with what looks like a secret masked.
func (v value) display() string {
	if v.text == "" {
		return v.setting.absent
	}
	switch v.setting.kind {
	case kindSecret:
		return fmt.Sprintf("set (%d characters)", len([]rune(v.text)))
	case kindURL:
		if url, err := openai.ParseBaseURL(v.text); err == nil {
			return url.String()
		}
		return "not a base URL"
	case kindAgents:
		return shownAgentModels(v.text)
	case kindText, kindPath, kindFile, kindLayers:
		return strconv.Quote(v.text)
	}
	return v.text
}
