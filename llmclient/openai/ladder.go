package openai

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// Some servers take a tool_choice and do not keep to it, or answer a forced one with nothing. What
// an answer shows of that is a symptom, and for each symptom there are steps that may help. They are
// taken for all later requests of a model, and undone if the next answers are no better.

// symptom is what an answer shows of a tool choice that is not kept.
type symptom string

const (
	// overlooked: text without a call, or a call of a tool that may not be called now.
	overlooked symptom = "the endpoint does not keep to the tools that may be called"
	// silenced: nothing at all although a call was forced.
	silenced symptom = "the endpoint answers a forced call with nothing"
)

// symptomSteps are the steps of each symptom, the next one where one did not help.
var symptomSteps = map[symptom][][]string{
	overlooked: {{fieldAllowedTools}, {fieldOtherTools}},
	silenced:   {{fieldAllowedTools, fieldRequired}},
}

const (
	// judgedFirst is how many answers show whether a tool choice is kept, and badMost how many bad
	// ones of them show that it is not. A step is judged by trialAnswers.
	judgedFirst, badMost, trialAnswers = 3, 2, 2
)

// ladder is what is known of the tool choices of a model.
type ladder struct {
	// rung counts the steps taken and undone: an answer to a request of an earlier rung is not judged.
	rung int
	// judged are the answers on this rung, bad those that overlooked the choice, silent those in a row
	// without anything.
	judged, bad, silent int
	// step is on trial for a symptom, nil for none.
	step []string
	of   symptom
	// tried is how many of the steps of a symptom were taken.
	tried map[symptom]int
}

// rung is the present rung of a model.
func (c *Client) rung(model string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.ladders[model]; l != nil {
		return l.rung
	}
	return 0
}

// judge takes a reply to a request of some rung, and moves to the next rung if what was seen by now
// asks for one. r is the request as it was asked for.
func (c *Client) judge(r llmclient.Request, reply llmclient.Reply, rung int) {
	seen, shows := symptomOf(r, reply)
	if !shows || c.config.Steady {
		return
	}
	c.mu.Lock()
	l := c.ladders[r.Model]
	if l == nil {
		l = &ladder{tried: map[symptom]int{}}
		c.ladders[r.Model] = l
	}
	text := ""
	if l.rung == rung {
		text = c.climb(l, r.Model, seen)
	}
	c.mu.Unlock()
	if text != "" {
		c.note(text)
	}
}

// climb counts what an answer showed. It returns what there is to say if that decided something.
// The caller holds mu.
func (c *Client) climb(l *ladder, model string, seen symptom) (text string) {
	l.judged++
	switch seen {
	case overlooked:
		l.bad++
		l.silent = 0
	case silenced:
		l.silent++
	default:
		l.silent = 0
	}
	if l.step != nil {
		switch {
		case seen == "", l.of == silenced && seen == overlooked: // a text can be read
			step := l.step
			l.settle()
			return fmt.Sprintf("requests to %s go without %s from now on: %s", model, strings.Join(step, " and "), l.of)
		case l.judged >= trialAnswers:
			c.retreat(l, model)
			c.step(l, model, l.of)
		}
		return ""
	}
	switch {
	case l.silent >= badMost:
		c.step(l, model, silenced)
	case l.bad >= badMost && l.judged <= judgedFirst:
		c.step(l, model, overlooked)
	}
	return ""
}

// settle ends the trial of a step, and begins to judge the rung that it led to.
func (l *ladder) settle() { l.step, l.judged, l.bad, l.silent = nil, 0, 0, 0 }

// step takes the next step of a symptom that is not taken yet. If none is left the choice stays as
// it was.
func (c *Client) step(l *ladder, model string, s symptom) {
	for l.tried[s] < len(symptomSteps[s]) {
		step := symptomSteps[s][l.tried[s]]
		l.tried[s]++
		var given []string
		for _, name := range step {
			if at := (refusal{model, name}); c.refusals[at] == 0 {
				c.refusals[at] = chosen
				given = append(given, name)
			}
		}
		if len(given) > 0 {
			l.settle()
			l.step, l.of = given, s
			l.rung++
			return
		}
	}
}

// retreat undoes the step on trial.
func (c *Client) retreat(l *ladder, model string) {
	for _, name := range l.step {
		delete(c.refusals, refusal{model, name})
	}
	l.settle()
	l.rung++
}

// symptomOf is what a reply shows of the choice that was asked for, empty where it was kept. shows is
// false for a choice that narrows nothing, and for a reply that shows nothing of it.
func symptomOf(r llmclient.Request, reply llmclient.Reply) (s symptom, shows bool) {
	forced := r.Choice.Mode == llmclient.ChoiceRequired
	if len(r.Tools) == 0 || !forced && r.Choice.Mode != llmclient.ChoiceNone {
		return "", false
	}
	switch (llmclient.Answer{Reply: &reply}).Kind() {
	case llmclient.AnswerCalls:
		for _, it := range reply.Items {
			if it.Kind == llmclient.KindFunctionCall && isOther(r, it.Name) {
				return overlooked, true
			}
		}
		return "", true
	case llmclient.AnswerText:
		if forced {
			return overlooked, true
		}
		return "", true
	case llmclient.AnswerEmpty, llmclient.AnswerBilledEmpty, llmclient.AnswerBlank:
		if forced {
			return silenced, true
		}
	}
	return "", false
}

// isOther reports whether a call is one of a tool of the run that may not be called now. A name that
// no tool has is the model's own and shows nothing of the choice.
func isOther(r llmclient.Request, name string) bool {
	name = name[strings.LastIndexAny(name, ".:/")+1:]
	known := slices.ContainsFunc(r.Tools, func(t llmclient.Tool) bool { return t.Name == name })
	if r.Choice.Mode == llmclient.ChoiceNone {
		return known
	}
	return known && r.Choice.Allowed != nil && !slices.Contains(r.Choice.Allowed, name)
}
