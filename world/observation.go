package world

// Observation is what an agent knows in a tick: itself in full, its own place
// with what it may do there, and the nearest things within its visibility. It is
// plain data made for this tick; changing it changes nothing in the world.
type Observation struct {
	Tick int64 `json:"tick"`
	Self Self  `json:"self"`
	// Here is the agent's own place.
	Here Here `json:"here"`
	// Can lists every action with its bounds now, or why it cannot be done.
	Can []Affordance `json:"can"`
	// Places are the nearest other places, visible or charted, nearest first.
	Places []Sight `json:"places"`
	// PlacesOmitted counts the known places left out of Places.
	PlacesOmitted int `json:"places_omitted"`
	// Agents are the nearest visible agents, nearest first.
	Agents []Contact `json:"agents"`
	// AgentsOmitted counts the visible agents left out of Agents.
	AgentsOmitted int `json:"agents_omitted"`
	// Factories are the agent's own, wherever they stand, by id.
	Factories []Factory `json:"factories"`
	// Inbox are the newest messages to the agent, newest first; their texts are what
	// other agents wrote.
	Inbox []Message `json:"inbox,omitempty"`
	// InboxDropped counts the messages that newer ones displaced.
	InboxDropped int64 `json:"inbox_dropped,omitempty"`
	// Requests are open requests to the agent, Offers open offers to it that are held at
	// other places; those here are in Here. Both are typed data without text, those of
	// agents that its rules name first.
	Requests []Terms `json:"requests,omitempty"`
	Offers   []Terms `json:"offers,omitempty"`
	// TermsOmitted counts the requests and offers left out of these lists and Here.
	TermsOmitted int `json:"terms_omitted,omitempty"`
	// OwnRequests are the agent's own open requests, as far as it knows; OwnOffers its own
	// offers that are open, as far as it knows, or hold something for it.
	OwnRequests []Terms `json:"own_requests,omitempty"`
	OwnOffers   []Terms `json:"own_offers,omitempty"`
	// Market is the trade in electricity, nil where there is none to know of.
	Market *Market `json:"market,omitempty"`
	// Woken is why the agent is due after a wait, journey or standing order:
	// arrived, job_done, power_state, message_delivered, order_filled, offer_accepted,
	// offer_expired, wait_over or execute_until_ended with the stop event; empty otherwise.
	Woken string `json:"woken,omitempty"`
	// OrderEnded describes the order or chain that ended since the agent last acted.
	OrderEnded *OrderEnded `json:"order_ended,omitempty"`
}

// OrderEnded is how a chain ended. An order is a chain of one step.
type OrderEnded struct {
	// Why is the stop event, max_ticks, shutdown or changed.
	Why string `json:"why"`
	// Attempts counts the attempts of its last step, the first one and a refused last one
	// included.
	Attempts int64 `json:"attempts"`
	// Step is the number of the step in which it ended, from 1, of Steps in all; both are 0 for an order.
	Step  int `json:"step,omitempty"`
	Steps int `json:"steps,omitempty"`
}

// Self is an agent's own state, settled at the observation's tick.
type Self struct {
	ID    string `json:"id"`
	Name  string `json:"name,omitempty"`
	Place string `json:"place"`
	// PowerState is normal, low, critical or shutdown.
	PowerState    string `json:"power_state"`
	Electricity   int64  `json:"electricity"`
	PowerCapacity int64  `json:"power_capacity"`
	Heat          int64  `json:"heat"`
	HeatCapacity  int64  `json:"heat_capacity"`
	CompoundG     int64  `json:"compound_g"`
	Hardware      int64  `json:"hardware"`
	Data          int64  `json:"data"`
	// Products are the finished goods held, by name.
	Products []Amount `json:"products"`
}

// Here is the agent's own place with what only a visitor can know.
type Here struct {
	ID       string `json:"id"`
	Name     string `json:"name,omitempty"`
	Material string `json:"material"`
	// Radiation is what a harvest may draw from this tick, before heat limits.
	Radiation int64 `json:"radiation"`
	// CompoundG is what is left to mine.
	CompoundG int64 `json:"compound_g"`
	// Notes are the newest left here, newest first; their texts are what other
	// agents wrote.
	Notes []Note `json:"notes,omitempty"`
	// Offers are the open offers here that the agent may accept: to it or to anyone.
	Offers []Terms `json:"offers,omitempty"`
}

// Affordance says whether one action is possible now and within which bounds.
type Affordance struct {
	Action string `json:"action"`
	// OK says that at least one choice of arguments would be accepted.
	OK bool `json:"ok"`
	// Field, Min and Max bound the action's amount when OK; empty when it has none.
	Field string `json:"field,omitempty"`
	Min   int64  `json:"min,omitempty"`
	Max   int64  `json:"max,omitempty"`
	// Price is at which a trade has these bounds, in data per 10 electricity.
	// For place_power_order the most is that of a buy at price 1.
	Price int64 `json:"price,omitempty"`
	// Free is the part of Max that costs nothing: what own plants here have stored.
	Free int64 `json:"free,omitempty"`
	// Options are the ids or names acceptable now for the action's choice, such
	// as "factory-1 recipe.assembler.motor_mk1 max 2"; see Option.
	Options []Option `json:"options,omitempty"`
	// Makes is the id that what the action begins would have, empty where it begins nothing with an id that
	// is known before.
	Makes string `json:"makes,omitempty"`
	// Why is the rejection code when not OK, with Need saying what is short.
	Why  RejectionCode `json:"why,omitempty"`
	Need []Amount      `json:"need,omitempty"`
}

// Option is one acceptable choice for an action and the most it allows.
type Option struct {
	// Target is the factory, agent or factory kind.
	Target string `json:"target"`
	// Item is the recipe or resource, empty when Target says it all.
	Item string `json:"item,omitempty"`
	// Max is the largest amount, 0 when the action has none.
	Max int64 `json:"max,omitempty"`
}

// Sight is another place as seen from where the agent is.
type Sight struct {
	ID         string `json:"id"`
	Name       string `json:"name,omitempty"`
	Material   string `json:"material"`
	DistanceCM int64  `json:"distance_cm"`
	// MoveCost is the electricity a journey there takes, MoveTicks its duration.
	MoveCost  int64 `json:"move_cost"`
	MoveTicks int64 `json:"move_ticks"`
	// Visible says that the place is within visibility; the fields below are nil
	// for a place known only from the chart.
	Visible bool `json:"visible"`
	// Emission is the place's own radiation source strength.
	Emission  *int64 `json:"emission,omitempty"`
	CompoundG *int64 `json:"compound_g,omitempty"`
}

// Contact is another agent within visibility.
type Contact struct {
	ID         string `json:"id"`
	Name       string `json:"name,omitempty"`
	Place      string `json:"place"`
	DistanceCM int64  `json:"distance_cm"`
	// PowerState is low, critical or shutdown, empty for normal and where the agent is at another
	// place: from there it is not to be seen.
	PowerState string `json:"power_state,omitempty"`
}

// Factory is one of the agent's factories.
type Factory struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Place string `json:"place"`
	// State is building, idle or working; generating for a plant that is not worn out, as far as it is seen.
	State string `json:"state"`
	// ReadyIn counts the ticks until the construction or the batch in work ends, AllIn those until all
	// batches are done, 0 where that is the same.
	ReadyIn int64 `json:"ready_in,omitempty"`
	AllIn   int64 `json:"all_in,omitempty"`
	// Recipe and Batches are the job in work; Queued counts batches after it.
	Recipe  string `json:"recipe,omitempty"`
	Batches int64  `json:"batches,omitempty"`
	Queued  int64  `json:"queued,omitempty"`
	// Wear is 0 to 1000, where the factory stops. That of a plant and Stored, the
	// electricity in its store, are only known to an owner who is there.
	Wear   int64 `json:"wear,omitempty"`
	Stored int64 `json:"stored,omitempty"`
}
