package words

// Reflection is what is said in a turn that reflects on outcomes and changes the playbook. The
// outcomes are written in English for every language.
type Reflection struct {
	Instructions string
	// Reflect and Consolidate describe the tools, OwnSections the sections that a playbook adds.
	Reflect, Consolidate string
	OwnSections          Form `places:"sections"`
	// The headings of the opening, in their order.
	Feedback, Goals, Decisions, Playbook, Texts string
	// Ticks follows the first heading. The others are lines.
	Ticks   Form `places:"first,last"`
	Counts  Form `places:"decisions,ok,refused,failed,waits"`
	Changes Form `places:"changes"`
	// NoChange stands for the changes where there are none.
	NoChange string
	Goal     Form `places:"goal,now,least"`
	Used     Form `places:"sources"`
	Worth    Form `places:"lesson,helpful,harmful,neutral"`
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
