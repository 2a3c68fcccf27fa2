package words

// Lines are the keys of the lines of an observation.
type Lines struct {
	You, Here, Woken, Ended, Standing, Sent, News, Texts string
	// Goal and Planned lead to the goal of the newest plan and to what of it is not done.
	Goal, Planned Form `places:"tick"`
	// Limits leads to the limits of the scenario's rules that always hold, Asks to those of what others ask for.
	Limits, Asks string
	// Can and Cannot lead to the actions.
	Can, Cannot            string
	Terms, OwnTerms        string
	Places, PlacesDetailed Form `places:"aged"`
	Agents, Factories      string
	Market, Orders, Quotes string
}

// Observation are the words within the lines of an observation.
type Observation struct {
	At                     Form `places:"place"`
	Here, Travelling, None string
	More                   Form `places:"count"`
	Power                  Form `places:"state"`
	Heat                   Form `places:"heat,capacity"`
	Radiation              Form `places:"amount"`
	KM                     string
	// Aged explains the mark of old numbers in the columns of places.
	Aged  string
	Ended Form `places:"why,attempts"`
	// ChainEnded says in which step a chain ended, AllDone that it was done, NotDone which steps were not.
	ChainEnded Form `places:"why,attempts,step,steps"`
	AllDone    Form `places:"steps"`
	NotDone    Form `places:"actions"`
	Attempts   Form `places:"action,left"`
	// Texts and Terms count what is withheld until the plan, Documents is a sender of it, and
	// Withheld tells all that. Held is told of a module result with texts in it.
	Texts, Terms Form `places:"count"`
	Documents    string
	Withheld     Form `places:"what,senders,unread"`
	Held         string
	Dropped      Form `places:"count"`
	// Of factories.
	Batches, Queued Form `places:"count"`
	ReadyIn         Form `places:"ticks"`
	NextIn          Form `places:"ticks,all"`
	Wear            Form `places:"wear"`
	Stored          Form `places:"amount"`
	// Strands follows a place that the agent would reach without charge, Reach an offer at a place that it
	// cannot reach with charge before the offer expires.
	Strands, Reach string
}

// Allowed are the words of the limits that rules set, and of what others may ask for without a plan.
type Allowed struct {
	// AskedBy leads to what some agents may ask for, Anyone is all of them. Answer follows what is limited
	// only where it answers who asks.
	AskedBy Form `places:"agents"`
	Anyone  string
	Answer  string
	// Trade is to offer or to accept, Rate what a trade brings. Taking is what it brings to the partner whose
	// rule it is: both name first what this agent gives.
	Trade        string
	Rate, Taking Form `places:"given,resource,amount,wanted"`
	// Counted says of the limits of offers what counts.
	// Gift says it of gifts that others may ask for.
	Counted, Gift string
	// A unit begins with a space, or is empty. Times is that of what has no amount. Window is OfTotal where
	// the total is that of some ticks.
	Times     string
	Once      Form `places:"most,unit"`
	OfTotal   Form `places:"left,total,unit"`
	Window    Form `places:"left,total,unit,ticks"`
	Each      Form `places:"total,unit"`
	Spent     Form `places:"agents"`
	ByMessage string
	// Partner is what the rules of another agent let it give.
	Partner Form `places:"agent,rules"`
}

// Options are the words of what can and cannot be done now.
type Options struct {
	To string
	// As leads to the id that a factory would have, Limited to how much may be offered for a resource.
	As      Form `places:"id"`
	Limited Form `places:"resource,amount"`
	Free    Form `places:"amount"`
	Price   Form `places:"price"`
	Most    Form `places:"amount"`
	Short   Form `places:"resource,amount"`
}

// Terms are the words of requests and offers.
type Terms struct {
	From, Receiver Form `places:"agent"`
	Gives, Wants   Form `places:"resource,amount"`
	Left, Claim    Form `places:"amount"`
	Answers        Form `places:"request"`
	Expires        Form `places:"ticks"`
	Over           string
	// For and ForTicks are those of an action that makes an offer.
	For      Form `places:"resource"`
	ForTicks Form `places:"ticks"`
}

// Market are the words of orders and quotes. Order is an own order here, Far one elsewhere.
type Market struct {
	Asks, Bids string
	Level      Form `places:"amount,price"`
	OwnStore   Form `places:"amount"`
	Order      Form `places:"id,side,amount,price,place"`
	Far        Form `places:"id,side,price,place"`
	Quote      Form `places:"place,bid,ask,tick"`
}
