package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/agentworld/engine"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
)

// refused puts why a session cannot be into the words of the command line: the settings as flags or
// variables, and where they come from. All of it is the user's input.
func (c config) refused(err error) error {
	if p, ok := errors.AsType[*access.Problem](err); ok {
		text := p.Text(c.called)
		if p.Key != "" {
			text = c.where(p.Key) + ": " + text
		}
		return badInput("%s", text)
	}
	if of, ok := errors.AsType[*access.UnknownError](err); ok {
		return badInput("%s: %s; %s", c.where(of.Key), of.Text(), offered(of.Name, of.Names))
	}
	if of, ok := errors.AsType[*session.MissingToolError](err); ok {
		return missingTools(of)
	}
	if of, ok := errors.AsType[*access.MissingKeyError](err); ok {
		if of.Name == "" {
			return badInput("%s: agent %s: %s needs a key: name the environment variable that holds it with key_env",
				c.where(of.Key), shown(of.Agent), openai.BaseURLDefault)
		}
		return badInput("%s: agent %s: the environment variable %s is not set; it should hold the key", c.where(of.Key),
			shown(of.Agent), of.Name)
	}
	if of, ok := errors.AsType[*session.SeatError](err); ok {
		return badInput("%s", c.missingSeat(of))
	}
	if of, ok := errors.AsType[*session.RecordingError](err); ok {
		return badInput("%s: %s cannot be replayed from: %v; allowed: a run directory, %s, or a file of answers",
			c.where("run.replay_from"), shown(c.recording), cause(of.Err), latestRun)
	}
	return wrongSettings(err)
}

// missingSeat says that a seat is not there, where it was chosen, and how another one is in its place: where the
// settings of the run are written.
func (c config) missingSeat(of *session.SeatError) string {
	const inFile = "seats = \"%s\""
	chosen := c.Values.Find("run.seats").Origin.Rank
	switch {
	case chosen == settings.FromFile:
		return c.where("run.seats") + ": " + of.Text(inFile)
	case chosen == settings.FromFlag || chosen == settings.FromEnv:
		return c.where("run.seats") + ": " + of.Text("--seat %s")
	case c.Values.Find("run.scenario").Origin.Rank == settings.FromFile: // the scenario's, in a batch
		return c.where("run.scenario") + ": " + of.Text(inFile+" in this file")
	}
	return of.Text("--seat %s")
}

// ofSettings reports whether an error is about settings that do not fit, and not about a run.
func ofSettings(err error) bool {
	_, problem := errors.AsType[*access.Problem](err)
	_, unknown := errors.AsType[*access.UnknownError](err)
	_, missing := errors.AsType[*access.MissingKeyError](err)
	_, tools := errors.AsType[*session.MissingToolError](err)
	_, seat := errors.AsType[*session.SeatError](err)
	return problem || unknown || missing || tools || seat
}

// where names the place of a setting for an error: the flag, variable or line that it comes from.
func (c config) where(key string) string {
	if place := c.places[key]; place != "" {
		return place
	}
	return c.Values.Find(key).Where()
}

// called is what a session's problem calls a setting, or where its value comes from, see
// [access.Problem].
func (c config) called(name string) string {
	if key, from := strings.CutPrefix(name, "from "); from {
		return c.Values.Find(key).Origin.String()
	}
	key, value, _ := strings.Cut(name, " ")
	if key == "llm.api_key" {
		return settings.KeyPlaces
	}
	return strings.TrimSpace(withFlags("{"+key+"}") + " " + value)
}

// The values of --replay-miss.
const (
	// missError ends the run at the first request that has no recorded answer.
	missError = "error"
	// missAsk asks the model instead.
	missAsk = "ask"
)

// wrongSettings makes an error about settings one about the input.
func wrongSettings(err error) error {
	if _, several := err.(interface{ Unwrap() []error }); several {
		return badInputs(linesOf(err))
	}
	if err == nil {
		return nil
	}
	return badInput("%w", err)
}

// linesOf are the errors that err joins, or its own, each on a line; none for nil.
func linesOf(err error) (lines []string) {
	if joined, several := err.(interface{ Unwrap() []error }); several {
		for _, one := range joined.Unwrap() {
			lines = append(lines, one.Error())
		}
	} else if err != nil {
		lines = append(lines, err.Error())
	}
	return lines
}

// notOurs is the error that a run directory cannot be this process's, or is not any more: nothing of
// it is read or written then. It is nil for any other error.
func notOurs(err error) error {
	if taken, ok := errors.AsType[*run.TakenOverError](err); ok {
		return badInput("%w", taken)
	}
	if locked, ok := errors.AsType[*run.LockedError](err); ok {
		return badInput("%w", locked)
	}
	if without, ok := errors.AsType[*run.NoLocksError](err); ok {
		return badInput("%w; --run-dir names the directory of a run; a batch works without locks, by leases", without)
	}
	if errors.Is(err, run.ErrIrregular) {
		return badInput("%w", err)
	}
	return nil
}

// forkFailure sorts the reasons why a run cannot be forked, which come from the engine. It is nil for
// any other error, and for none.
func forkFailure(runDir string, err error) error {
	switch {
	case errors.Is(err, engine.ErrForkDiffers):
		return failWith(exitDiffers, fmt.Errorf("%s cannot be forked: %w", shown(runDir), err))
	case errors.Is(err, engine.ErrFork):
		return badInput("%s cannot be forked: %s", shown(runDir),
			strings.ReplaceAll(err.Error(), engine.ErrFork.Error()+": ", ""))
	case run.Damaged(err), errors.Is(err, engine.ErrVersionDrift):
		return badInput("%s cannot be forked: %w", shown(runDir), driftHint(err))
	}
	return nil
}

// resumeRefusal explains why a run cannot be resumed.
func resumeRefusal(m *Main, runDir string, c config, err error) error {
	if of, ok := errors.AsType[*session.RecordingError](err); ok {
		return badInput("%s takes its answers from the recording %s, which cannot be read: %w; allowed: --replay-from with "+
			"the place where it is now", shown(runDir), shown(c.recording), cause(of.Err))
	}
	if ofSettings(err) {
		return c.refused(err)
	}
	if errors.Is(err, engine.ErrOtherModel) {
		refused := badInput("%s: %w; allowed: the run's own model, which needs no flag", shown(runDir), err)
		if offline := c.Values.Find("llm.offline"); c.Offline {
			return badInput("%w, without offline (%s)", refused, offline.Origin)
		}
		s, err := run.Dir(m.path(runDir)).State()
		if err != nil {
			return refused
		}
		other := forkAdvice(runDir, s.Tick, "continues it with the other model, as a run of its own")
		other.words = append(other.words, again(c.Values, "llm.model", "llm.base_url")...)
		return advise(refused, other)
	}
	if open, ok := errors.AsType[*engine.OpenTickError](err); ok {
		return badInput("%s: %w; allowed: caps with room for that; --abandon-tick ends the open turns of the tick instead",
			shown(runDir), open)
	}
	if refused := notOurs(err); refused != nil {
		return refused
	}
	if errors.Is(err, engine.ErrNotResumable) {
		return badInput("%s: %w", shown(runDir), err)
	}
	return badInput("%s cannot be resumed: %w", shown(runDir), driftHint(err))
}

// replayFailure sorts the reasons why a replay could not be finished: stopped by
// the user, a run that this program cannot replay, or a failure of our own. None
// of them says anything about whether the run would have agreed.
func replayFailure(ctx context.Context, runDir string, err error) error {
	switch {
	case ctx.Err() != nil:
		return failWith(exitInterrupted, fmt.Errorf("replay of %s interrupted", shown(runDir)))
	case run.Damaged(err), errors.Is(err, engine.ErrVersionDrift):
		return badInput("%s cannot be replayed: %w", shown(runDir), driftHint(err))
	}
	return fmt.Errorf("replay %s: %w", shown(runDir), err)
}
