package words

// Reflection is what is said in a turn that reflects on outcomes and changes the playbook.
type Reflection struct {
	Instructions string
	// Reflect and Consolidate describe the tools, OwnSections the sections that a playbook adds.
	Reflect, Consolidate string
	OwnSections          Form `places:"sections"`
	// The headings of the opening, in their order.
	Feedback, Goals, Decisions, Events, Chosen, Rejected, Playbook, Texts string
	// Ticks follows the first heading. The others are lines.
	Ticks  Form `places:"first,last"`
	Counts Form `places:"decisions,ok,refused,failed,waits"`
	// Stock is what became of a resource, Upkeep ends it.
	Stock  Form `places:"resource,from,to,gained,lost"`
	Upkeep Form `places:"change"`
	Goal   Form `places:"goal,now,least"`
	Met    Form `places:"goal,tick"`
	// Order and Used follow a decision, Of an effect.
	Order Form `places:"tick"`
	Used  Form `places:"sources"`
	Of    Form `places:"tick"`
	// Unrepeated replaces the content of a proposal that was not applied. Refusals say why, by the code;
	// they may have the values other, value, and least or most.
	Unrepeated string
	Refusals   Table
	Worth      Form `places:"lesson,helpful,harmful,neutral"`
	// Empty is said of a playbook without lessons.
	Empty string
	// Wanted ends the line of a decision that a wait replaced.
	Wanted Form `places:"action"`
	// Doubted replaces a lesson that rests on texts of others.
	Doubted string
	LeftOut Form `places:"count"`
	// Again and NowConsolidate are said between the stages.
	Again, NowConsolidate string
}

// Interview is what is said to an agent that a person asks a question. Order, Accepted and Refused
// are parts of Decided.
type Interview struct {
	Heading                  Form `places:"tick"`
	LeftOut                  Form `places:"count"`
	Decided                  Form `places:"tick,order,action,outcome"`
	Order, Accepted, Refused string
	Asked                    string
}
