package mcp

import (
	"errors"
	"fmt"
	"strings"

	"example.com/agentworld/explain"
)

// namesMax bounds the names that a refusal offers.
const namesMax = 100

// known says in words what is not in a run, and what there is. Other errors stay as they are.
func known(err error) error {
	if of, is := errors.AsType[*explain.NoAgentError](err); is {
		return refuse("the run has no such agent; allowed: %s", offered(of.Agents))
	}
	if of, is := errors.AsType[*explain.NoDecisionError](err); is {
		if of.Last == 0 {
			return refuse("the run has no decisions yet")
		}
		return refuse("that agent decided nothing in tick %d; agents that did: %s; decisions are in ticks %d to %d", of.Tick,
			offered(of.Decided), of.First, of.Last)
	}
	if of, is := errors.AsType[*explain.NoStepError](err); is {
		return refuse("that decision has no step %d; allowed: 1 to %d", of.Step, of.Last)
	}
	if of, is := errors.AsType[*explain.NoSourceError](err); is {
		return refuse("no decision had such a source in view or named it; there were %s", offered(of.Known))
	}
	if of, is := errors.AsType[*explain.ManySourcesError](err); is {
		return refuse("each of several agents has a source of its own with that id; name one: %s", offered(of.Agents))
	}
	return err
}

// offered lists names; what is none of a run's own making is left out.
func offered(names []string) string {
	var list []string
	for _, n := range names {
		if isName(n) && len(list) < namesMax {
			list = append(list, n)
		}
	}
	if more := len(names) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
