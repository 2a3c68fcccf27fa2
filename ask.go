package agentworld

import (
	"context"

	"example.com/agentworld/session"
)

// Question is put to agents of a run, as they were after a tick.
type Question = session.Question

// Answer is what one agent said, with its record, or why there is none.
type Answer = session.Answer

// Lessons are the runs that are learned from.
type Lessons = session.Lessons

// Learned is what came of one run.
type Learned = session.Learned

// Ask puts a question to agents of the run in the directory. Their models answer, as the run has them,
// or the one that the Settings name; the caps of the Settings bound what that takes. Answers are kept
// with the run, and a question that was answered before costs nothing. The answers are in the order of
// the agents; one that failed has its own error. The error says why nothing could be asked.
func Ask(ctx context.Context, o Options, q Question) ([]Answer, error) {
	i, err := session.Ask(o.config(), q, nil)
	if err != nil {
		return nil, err
	}
	defer i.Close()
	if i.Open() > 0 {
		if _, err := i.Reach(ctx); err != nil {
			return nil, err
		}
	}
	return i.Run(ctx), nil
}

// Learn has the model of the Settings reflect on finished runs and returns a playbook: Settings.Playbook
// as it is changed by what they teach, for the Settings of later runs. learned says what came of each
// run. Agents of a run that the playbook has learned from already are passed over. What was learned
// before an error is returned with it.
func Learn(ctx context.Context, o Options, from Lessons) (playbook string, learned []Learned, err error) {
	s, err := session.Learn(ctx, o.config(), from)
	if err != nil {
		return "", nil, err
	}
	defer s.Close()
	if _, err := s.Reach(ctx); err != nil {
		return "", nil, err
	}
	book, err := s.Run(ctx, func(l Learned) { learned = append(learned, l) })
	return string(book.Encode()), learned, err
}
