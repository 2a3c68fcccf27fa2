package llmclient

import (
	"fmt"
	"slices"
	"strings"
)

// The parts of a tool choice that a [Ladder] may go without, as a client names them in what its
// requests went without: the list of tools that may be called, all other tools, and that one has to
// be called.
const (
	PartAllowedTools = "allowed_tools"
	PartOtherTools   = "other_tools"
	PartRequired     = "required"
)

// RepairWithout begins the name under which a reply counts what its request went without.
const RepairWithout = "without_"

// Symptom is what an answer shows of a tool choice that is not kept: some servers take one and do
// not keep to it, or answer a forced one with nothing. It is empty where the choice was kept.
type Symptom string

// The symptoms.
const (
	// Overlooked: text without a call, or a call of a tool that may not be called now.
	Overlooked Symptom = "the endpoint does not keep to the tools that may be called"
	// Silenced: nothing at all although a call was forced.
	Silenced Symptom = "the endpoint answers a forced call with nothing"
)

// symptomSteps are the steps that may help against each symptom, the next one where one did not.
var symptomSteps = map[Symptom][][]string{
	Overlooked: {{PartAllowedTools}, {PartOtherTools}},
	Silenced:   {{PartAllowedTools, PartRequired}},
}

const (
	// judgedFirst is how many answers show whether a tool choice is kept, and badMost how many bad
	// ones of them show that it is not. A step is judged by trialAnswers.
	judgedFirst, badMost, trialAnswers = 3, 2, 2
)

// Ladder is what is known of the tool choices of a model, and what its requests go without therefore.
// It is a function of the answers that it takes, in their order. The zero value knows nothing.
type Ladder struct {
	// judged are the answers on this rung, bad those that overlooked the choice, silent those in a row
	// without anything.
	judged, bad, silent int
	// step is on trial for a symptom, nil for none; settled are those that helped.
	step    []string
	of      Symptom
	settled []Step
	// tried is how many of the steps of a symptom were taken.
	tried map[Symptom]int
	// gone are the parts that requests went without for another reason: the endpoint refused them.
	gone map[string]bool
}

// Step is what requests go without at once, and why.
type Step struct {
	Parts []string
	Why   Symptom
}

// Shown is what one answer shows.
type Shown struct {
	// Symptom says how the choice was not kept, empty where it was.
	Symptom Symptom
	// Judges says that the answer shows anything of the choice: that it narrowed something.
	Judges bool
	// Without are the parts that the request went without.
	Without []string
}

// ShownBy is what a reply shows of the choice of its request, as that was asked for.
func ShownBy(r Request, reply Reply) (s Shown) {
	s.Symptom, s.Judges = symptomOf(r, reply)
	for _, repair := range reply.Repairs {
		if name, found := strings.CutPrefix(repair, RepairWithout); found {
			s.Without = append(s.Without, name)
		}
	}
	return s
}

// Without are the parts that requests go without now.
func (l *Ladder) Without() (names []string) {
	for _, s := range l.settled {
		names = append(names, s.Parts...)
	}
	return append(names, l.step...)
}

// Settled are the steps that helped.
func (l *Ladder) Settled() []Step { return l.settled }

// Take takes what an answer showed, which may lead to another step or undo one. The request must have
// gone without what [Ladder.Without] says: an answer to an earlier one shows nothing of a step. moved
// says that later requests go without something else.
func (l *Ladder) Take(s Shown) (moved bool) {
	own := l.Without()
	for _, name := range s.Without {
		if l.gone == nil {
			l.gone = map[string]bool{}
		}
		l.gone[name] = l.gone[name] || !slices.Contains(own, name)
	}
	if !s.Judges {
		return false
	}
	l.judged++
	switch s.Symptom {
	case Overlooked:
		l.bad++
		l.silent = 0
	case Silenced:
		l.silent++
	default:
		l.silent = 0
	}
	if l.step != nil {
		switch {
		case s.Symptom == "", l.of == Silenced && s.Symptom == Overlooked: // a text can be read
			l.settled = append(l.settled, Step{l.step, l.of})
			l.judgeFresh()
		case l.judged >= trialAnswers:
			l.judgeFresh()
			l.take(l.of)
			return true
		}
		return false
	}
	switch {
	case l.silent >= badMost:
		return l.take(Silenced)
	case l.bad >= badMost && l.judged <= judgedFirst:
		return l.take(Overlooked)
	}
	return false
}

// judgeFresh ends the trial of a step, and begins to judge what comes after it.
func (l *Ladder) judgeFresh() {
	l.step = nil
	l.judged = 0
	l.bad = 0
	l.silent = 0
}

// take takes the next step of a symptom that is not taken yet. If none is left the choice stays as
// it was.
func (l *Ladder) take(s Symptom) (moved bool) {
	if l.tried == nil {
		l.tried = map[Symptom]int{}
	}
	for l.tried[s] < len(symptomSteps[s]) {
		step := symptomSteps[s][l.tried[s]]
		l.tried[s]++
		step = slices.DeleteFunc(slices.Clone(step), func(name string) bool { return l.gone[name] })
		if len(step) > 0 {
			l.judgeFresh()
			l.step, l.of = step, s
			return true
		}
	}
	return false
}

// Text says for people what requests to a model go without.
func (s Step) Text(model string) string {
	return fmt.Sprintf("requests to %s go without %s from now on: %s", model, strings.Join(s.Parts, " and "), s.Why)
}

// symptomOf is what a reply shows of the choice that was asked for, empty where it was kept. shows is
// false for a choice that narrows nothing, and for a reply that shows nothing of it.
func symptomOf(r Request, reply Reply) (s Symptom, shows bool) {
	forced := r.Choice.Mode == ChoiceRequired
	if len(r.Tools) == 0 || !forced && r.Choice.Mode != ChoiceNone {
		return "", false
	}
	switch (Answer{Reply: &reply}).Kind() {
	case AnswerCalls:
		for _, it := range reply.Items {
			if it.Kind == KindFunctionCall && isOther(r, it.Name) {
				return Overlooked, true
			}
		}
		return "", true
	case AnswerText:
		if forced {
			return Overlooked, true
		}
		return "", true
	case AnswerEmpty, AnswerBilledEmpty, AnswerBlank:
		if forced {
			return Silenced, true
		}
	}
	return "", false
}

// isOther reports whether a call is one of a tool of the run that may not be called now. A name that
// no tool has is the model's own and shows nothing of the choice.
func isOther(r Request, name string) bool {
	name = name[strings.LastIndexAny(name, ".:/")+1:]
	known := slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == name })
	if r.Choice.Mode == ChoiceNone {
		return known
	}
	return known && r.Choice.Allowed != nil && !slices.Contains(r.Choice.Allowed, name)
}
