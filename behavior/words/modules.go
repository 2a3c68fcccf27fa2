package words

// Modules are what the modules of the program say, besides the rules.
type Modules struct {
	// The fixed texts of failures. Each says whether anything ran.
	NotJSON, NotObject, Invalid, Unknown, Execution string
	// Reason leads to the code of why a module could not answer.
	Reason string
	// Adjusted is an amount after clamping and before.
	Adjusted Form `places:"field,amount,wanted"`
	// Later says of a chain of so many steps that all but the first are checked at their tick.
	Later Form `places:"steps"`
	// LineStart separates an identifier and the text about it.
	LineStart string
	// Recipes introduces what a batch of each takes and yields, PerTick has the numbers of every tick.
	Recipes string
	PerTick Form `places:"draw,dissipation,capacity"`
	// Floor follows what a journey costs where any place has radiation besides its own.
	Floor Form `places:"floor"`
}

// Rules are the lines of the module world.rules, by its topics.
type Rules struct {
	// Recipes.
	Build              Form `places:"kind,cost,ticks,what"`
	Recipe             Form `places:"recipe,factory,inputs,outputs,ticks"`
	AnyFactory, NoWear string
	Runs               Form `places:"recipes"`
	RunsNothing        string
	Wear               Form `places:"batch,most"`
	Queue              Form `places:"batches,factories"`

	// Power.
	Capacity   Form `places:"capacity,draw"`
	PowerState Form `places:"low_charge,critical_charge,ticks"`
	Shutdown   Form `places:"ambient,restart"`
	// Finite says that no place regrows compound.
	Finite   string
	Harvest  Form `places:"most,heat"`
	Heat     Form `places:"capacity,refused"`
	Shedding Form `places:"dissipation,capacity"`

	// Travel.
	JourneyCost  Form `places:"cost"`
	JourneyTicks Form `places:"km"`
	OnTheWay     Form `places:"draw"`
	RanDry       string
	Messages     Form `places:"km"`
	Kept         Form `places:"messages,notes,travelling"`

	// Market.
	Plant                 Form `places:"rate,store"`
	PlantWear, PlantPrice Form `places:"most"`
	Trades                Form `places:"lot,price"`
	Orders                Form `places:"ticks,most"`
	HandedOver            string
	Quotes                Form `places:"km"`

	// Standing orders. And joins the names of events.
	StandingMost   Form `places:"most"`
	StandingIgnore Form `places:"events"`
	And            string
}
