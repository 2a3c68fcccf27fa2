package behavior

import (
	"cmp"
	"math"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// headroom is how long an agent's answers may be since one was cut for length and a longer
// one was whole: length tokens, of which what was cut had cut. Zero is as set.
type headroom struct{ length, cut int }

// answerRoom is how long the answers of a conversation may be. Zero is as set.
type answerRoom struct {
	// begun is the headroom that it began with, widened the one it found, and longest the
	// longest whole answer in it.
	begun, widened headroom
	longest        int
	// cut is what the last answer took if it was cut for length, else 0. length is the
	// longest answer that is asked for since one was, lengthened says that it was so once.
	// asked is what the last request asked for, 0 where it said nothing.
	cut, length, asked int
	lengthened         bool
}

// next is the headroom of the agent's next turn. It shrinks by half with each turn that would
// have done without it.
func (r *answerRoom) next() headroom {
	next := r.begun
	switch {
	case r.longest == 0: // nothing shows whether it does
	case r.widened.length > r.widened.cut:
		next = r.widened
	case r.longest <= next.cut:
		next.length /= 2
		if next.length <= next.cut {
			next = headroom{}
		}
	}
	return next
}

// cutAt takes in that an answer was cut for length.
func (r *answerRoom) cutAt(u llmclient.Usage) {
	r.cut = int(min(cmp.Or(max(u.Output, u.Reasoning, 0), int64(r.asked), trace.OutputTokensReserved), math.MaxInt32))
}

// whole takes in that an answer was not cut.
func (r *answerRoom) whole(u llmclient.Usage) {
	r.longest = max(r.longest, int(min(u.Output, math.MaxInt32)))
}

// Lengthen reports whether the last answer was cut for length and its request is to be
// sent once more, with four times the room, as far as the window has it free. Nothing is
// said to the model, which may only have thought. It happens once: the next answer that is
// cut cannot be used. The requests that follow ask for as much, those of the next turns too
// if an answer was whole then.
func (c *Conversation) Lengthen(free func() int) bool {
	r := &c.room
	if r.cut == 0 {
		return false
	}
	used := r.cut
	r.cut = 0
	r.length = max(r.length, min(max(4*used, answerTokens), free()))
	r.longest = 0
	r.widened = headroom{r.length, used}
	if r.lengthened || r.length <= max(used, r.asked) {
		return false
	}
	r.lengthened = true
	c.Note(trace.Step{Kind: trace.StepLengthened, Code: string(answer.Truncated),
		Detail: llmclient.Marshal(map[string]int{"used": used, "asked": r.length})})
	return true
}

// Sampling is how the next request asks: as set, except for the length after an answer that was
// cut, and never for more than is free of the window.
func (c *Conversation) Sampling(set llmclient.Sampling, free int) llmclient.Sampling {
	set.MaxOutputTokens = max(set.MaxOutputTokens, c.room.length)
	if set.MaxOutputTokens > 0 {
		set.MaxOutputTokens = max(min(set.MaxOutputTokens, free), llmclient.MaxOutputTokensLeast)
	}
	c.room.asked = set.MaxOutputTokens
	return set
}
