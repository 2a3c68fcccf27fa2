package words

// Instructions are the stable policy of an agent's turns, in their order: what it runs, the rules,
// one of the protocols and what closes them.
type Instructions struct {
	// SystemPrompt is used where neither the scenario nor the user gives another. Together follows the rules
	// where agents can give or trade.
	SystemPrompt, Rules, Together string
	// One of the protocols is followed by one of the texts about plans, if any, and by Modules. PlanFree
	// is for worlds without texts of others.
	FullProtocol, DirectProtocol, LeanProtocol string
	PlanFirst, PlanFree, LeanPlanFirst         string
	Modules                                    Form `places:"modules"`
	// UserTools follows Modules in a run with tools of its user's.
	UserTools Form `places:"calls"`
	// Closing is followed by Texts, or by Data where there are no texts of others. Ends are the events that end
	// steps unasked, EndsAlone those where there are no texts of others.
	Closing         Form `places:"ends"`
	Texts, Data     string
	Ends, EndsAlone string
}

// Tools describe the protocol's tools. What the actions are follows the one that takes them, once in
// the list. PlanTexts follows Plan where there may be texts of others, PlanTerms where agents can make
// offers, PlanCalls where there are tools of the user's, Then the tool that takes the actions where actions
// may have further steps. Undescribed is a user's tool without a description.
type Tools struct {
	Plan, PlanTexts, PlanTerms, PlanCalls string
	Draft, Decision, Turn, Actions        string
	Then                                  Form `places:"steps"`
	Undescribed                           string
}

// Headings are the headings of the sections of a prompt.
type Headings struct {
	Common, Persona, Known, Goals, History string
	// Looked is that of rules that were looked up, where those that are known unasked are told before.
	Looked Form `places:"ticks"`
	// Earlier follows the heading of the history when it leaves something out.
	Earlier                              Form `places:"count"`
	Memory, Playbook, Documents, Outcome string
	Advice                               string
	// ObservationOf is that of a run with a last tick that counts.
	Observation   Form `places:"tick"`
	ObservationOf Form `places:"tick,last"`
	Messages      string
}

// Goals are the lines of an agent's goals and what the run is scored by.
type Goals struct {
	ShortTerm, LongTerm string
	// Scored is an open goal with its metric and numbers, Met one that was met.
	Scored Form `places:"goal,what,now,least"`
	Met    Form `places:"tick,goal"`
	// Task says what the run is scored by. AllAgents stands for a list of them; the others follow:
	// how it is counted, by the kind of metric, and who helps whom.
	Task Form `places:"metric,agents,from,to"`
	// Metrics are the kinds of metric.
	Metrics                         Table
	AllAgents                       string
	Made, HeldTogether, HeldByLeast Form `places:"to"`
	LastStart                       Form `places:"tick"`
	Uptime                          string
	Help                            string
	HelpAt, Helped                  Form `places:"place"`
}

// Lessons are the words by which lessons about a shortage are looked up, in the words that lessons
// use: low power, heat, a place that is mined out, texts of other agents.
type Lessons struct {
	Power, Heat, Depleted, Texts string
}

// Advice is about repetition: waits, the same action, two or three in turn. It holds numbers and
// nothing that a model wrote.
type Advice struct {
	Waiting Form `places:"times"`
	Same    Form `places:"times,refused"`
	Two     Form `places:"times"`
	Three   Form `places:"times"`
}

// Steps are what is said between the steps of a turn. CallAllowed and PlainText end the feedback
// about an answer that could not be used.
//
// TakenWhole says why an offer of more than the rules let the agent give is refused, CommitOther that another
// candidate may be committed, and Deviations how often the plan may be left.
type Steps struct {
	Reason, ReasonDone, PlanAgain, CallAllowed, PlainText string
	TakenWhole                                            string
	CommitOther                                           Form `places:"candidate"`
	Deviations                                            Form `places:"left,most,ticks"`
}
