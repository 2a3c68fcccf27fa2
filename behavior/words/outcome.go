package words

// History are the words of what came of decisions: in history, memory and the last outcome. SomeTicks is told
// in place of Ticks and Times where a decision came in some of the ticks alone, Part of a sleep that was cut short.
type History struct {
	Tick                                          Form `places:"tick"`
	Ticks                                         Form `places:"first,last"`
	SomeTicks                                     Form `places:"count,first,last"`
	Times                                         Form `places:"count"`
	Part                                          Form `places:"lasted,ticks"`
	Done, Total, Started, Refused, Failed, Waited string
	// Characters is a free text by its length.
	Characters Form `places:"count"`
	// Message and Note are what the agent wrote itself, Later says that its text follows the plan.
	Message Form `places:"agent,tick"`
	Note    Form `places:"tick"`
	Later   string
	// Amount names how much of something an action was about. Found is what an agent finds at a
	// place, Place the topic of it, Radiation one of its numbers.
	Amount    string
	Place     Form `places:"place"`
	Found     Form `places:"place,radiation,compound"`
	Radiation string
	// Of a rejection. Contended explains the code of that name.
	Requested, Available, Limit, NoReason, Contended string
}

// Asides stand beside an outcome: what was taken in place of a decision, what was wrong, what was
// changed.
type Asides struct {
	Next   Form `places:"refusals"`
	Picked Form `places:"candidate"`
	Draft  Form `places:"reason"`
	Plan   Form `places:"reason"`
	Fault  Form `places:"fault"`
	// Another is a refused action, where one of the same name was done.
	Another  Form `places:"action"`
	Zero     Form `places:"count"`
	Expected string
	// Amount tells of a clamp, for one of the three reasons.
	Amount                Form `places:"field,done,wanted,why"`
	Most, Least, Multiple string
	// Ignored tells that an order ignores nothing, since the plan could not say so.
	Ignored string
	Cut     Form `places:"count"`
}

// News are what others or time did.
type News struct {
	Gift                Form `places:"agent"`
	Bought, Sold        string
	Collected, Expired  string
	Accepted, Declined  Form `places:"agent"`
	StillHeld           Form `places:"terms"`
	Built, Done         string
	Arrived             Form `places:"place"`
	ShutDown, Restarted string
}

// Memory are the words in the line of a memory, without the spaces around them.
type Memory struct {
	Tick  Form `places:"tick"`
	Ticks Form `places:"first,last"`
	// Failed marks a failure, From precedes the agent that a text came from, Last says that the
	// newest of several texts follows. Total precedes the sums of a summary.
	Failed, From, Last, Total string
	// Score follows a memory that was searched for.
	Score Form `places:"score"`
}
