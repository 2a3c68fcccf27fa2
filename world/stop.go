package world

// The stop events of standing orders. Each is decided at the start of a tick in
// which the agent could act, from what happened since the order began.
const (
	// StopActionRejected: the last attempt was rejected. Always on.
	StopActionRejected = "action_rejected"
	// StopArriveTarget: a journey ended since the order began.
	StopArriveTarget = "arrive_target"
	// StopInsufficientElectricity: electricity is below a fifth of the capacity
	// now, or the agent shut down.
	StopInsufficientElectricity = "insufficient_electricity"
	// StopThermalOverload: heat is at or above the heat capacity now.
	StopThermalOverload = "thermal_overload"
	// StopNewVisibleAgent and StopNewVisibleLocation: something is visible now
	// that was not when the order began, by identity.
	StopNewVisibleAgent    = "new_visible_agent"
	StopNewVisibleLocation = "new_visible_location"
	// StopHarvestYieldBelow: the last attempt was a harvest that yielded the
	// condition's value or less.
	StopHarvestYieldBelow = "harvest_yield_below"
	// StopHarvestAvailableBelow: the radiation at the agent's place is the
	// condition's value or less.
	StopHarvestAvailableBelow = "harvest_available_below"
	// StopJobDone: an own job or construction ended since the order began.
	StopJobDone = "job_done"
	// StopPowerLow: the power state worsened to low or critical since the order
	// began.
	StopPowerLow = "power_low"
	// StopMessageReceived: a message arrived since the order began.
	StopMessageReceived = "message_received"
	// StopOrderFilled: others traded part of an own order where the agent is, since
	// its standing order began. Trades elsewhere are not known before the agent
	// comes back.
	StopOrderFilled = "order_filled"
	// StopElectricityBelow to StopHardwareAbove: what the agent holds now is the
	// condition's value or less, or the value or more.
	StopElectricityBelow = "electricity_below"
	StopElectricityAbove = "electricity_above"
	StopHeatBelow        = "heat_below"
	StopHeatAbove        = "heat_above"
	StopCompoundAbove    = "compound_above"
	StopHardwareAbove    = "hardware_above"
)

// StopAlways lists the events that end every standing order without being named,
// unless its Ignore says otherwise: what an agent should hear of at once. A
// rejected attempt and a shutdown end every order whatever it says.
func StopAlways() []string { return []string{StopMessageReceived, StopPowerLow} }

// Further details of an execute_until_ended event, which no condition names.
const (
	// StopMaxTicks: all attempts were made.
	StopMaxTicks = "max_ticks"
	// StopShutdown: the agent ran out of electricity.
	StopShutdown = "shutdown"
	// StopReplaced: the agent did something else instead.
	StopReplaced = "replaced"
)

// StopEvent describes an event that may end a standing order.
type StopEvent struct {
	// Name is the event's name in a Condition.
	Name string
	// TakesValue says that a condition needs a threshold.
	TakesValue bool
	// Doc is one line for prompts and docs.
	Doc string
	// Aliases are other names for the field that readers of model output accept;
	// they appear in no schema and no prompt.
	Aliases []string
}

// StopEvents lists the events a [Condition] may name, in a fixed order.
func StopEvents() []StopEvent {
	return []StopEvent{
		{Name: StopActionRejected, Doc: "an attempt was rejected (always on)"},
		{Name: StopArriveTarget, Doc: "a journey ended"},
		{Name: StopInsufficientElectricity, Doc: "electricity below a fifth of capacity"},
		{Name: StopThermalOverload, Doc: "heat at or above heat capacity"},
		{Name: StopNewVisibleAgent, Doc: "an agent came into view"},
		{Name: StopNewVisibleLocation, Doc: "a place came into view"},
		{Name: StopHarvestYieldBelow, TakesValue: true, Doc: "last harvest yielded value or less"},
		{Name: StopHarvestAvailableBelow, TakesValue: true, Doc: "radiation here is value or less"},
		{Name: StopElectricityBelow, TakesValue: true, Doc: "own electricity is value or less"},
		{Name: StopElectricityAbove, TakesValue: true, Doc: "own electricity is value or more"},
		{Name: StopHeatBelow, TakesValue: true, Doc: "own heat is value or less"},
		{Name: StopHeatAbove, TakesValue: true, Doc: "own heat is value or more"},
		{Name: StopCompoundAbove, TakesValue: true, Doc: "own compound is value grams or more"},
		{Name: StopHardwareAbove, TakesValue: true, Doc: "own hardware is value or more"},
		{Name: StopJobDone, Doc: "an own job or construction ended"},
		{Name: StopOrderFilled, Doc: "others traded part of an own order here"},
		{Name: StopPowerLow, Doc: "power state fell to low or critical (on unless ignored)"},
		{Name: StopMessageReceived, Doc: "a message arrived (on unless ignored)"},
	}
}

// stopEventNamed finds a stop event by name.
func stopEventNamed(name string) (StopEvent, bool) {
	for _, e := range StopEvents() {
		if e.Name == name {
			return e, true
		}
	}
	return StopEvent{}, false
}
