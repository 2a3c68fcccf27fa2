package settings

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// SeatForm is the form of one entry, for errors and help.
const SeatForm = "AGENT=NAME[@VERSION], separated by spaces; AGENT may be * for all others"

// seatEntry is the form of an entry.
var seatEntry = regexp.MustCompile(`^([^=]+)=([A-Za-z0-9][A-Za-z0-9._-]*)(?:@([A-Za-z0-9._+-]+))?$`)

// ParseSeats reads a text with any number of entries, separated by spaces, each of the form
//
//	AGENT=NAME[@VERSION]
//
// such as agent-2=greedy. With a version no other one will do.
func ParseSeats(text string) (all []trace.AgentSeat, err error) {
	for _, entry := range strings.Fields(text) {
		found := seatEntry.FindStringSubmatch(entry)
		if found == nil {
			return nil, errors.New("an entry is not of the form AGENT=NAME; allowed: " + SeatForm)
		}
		s := trace.AgentSeat{Agent: found[1], Seat: found[2], Version: found[3]}
		if slices.ContainsFunc(all, func(other trace.AgentSeat) bool { return other.Agent == s.Agent }) {
			return nil, fmt.Errorf("agent %s is given twice; allowed: once", openai.Quoted(s.Agent))
		}
		all = append(all, s)
	}
	return all, nil
}

// SeatsText are the entries as ParseSeats reads them.
func SeatsText(all []trace.AgentSeat) string {
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = s.Agent + "=" + s.Seat
		if s.Version != "" {
			texts[i] += "@" + s.Version
		}
	}
	return strings.Join(texts, " ")
}
