package world

// The stop events of standing orders; [StopEvents] says when each holds. They are decided
// at the start of a tick in which the agent could act. Some are about now (charge, heat,
// stock, radiation), some about what happened since the order began: arrivals, jobs,
// messages, a worse power state, and what came into view, by identity. Fills count where
// the agent is; trades elsewhere are not known before it comes back. Thresholds are
// inclusive, so that an agent may name the very number it needs.
const (
	StopActionRejected          = "action_rejected"
	StopArriveTarget            = "arrive_target"
	StopInsufficientElectricity = "insufficient_electricity"
	StopThermalOverload         = "thermal_overload"
	StopNewVisibleAgent         = "new_visible_agent"
	StopNewVisibleLocation      = "new_visible_location"
	StopHarvestYieldBelow       = "harvest_yield_below"
	StopHarvestAvailableBelow   = "harvest_available_below"
	StopJobDone                 = "job_done"
	StopPowerLow                = "power_low"
	StopMessageReceived         = "message_received"
	StopOrderFilled             = "order_filled"
	StopElectricityBelow        = "electricity_below"
	StopElectricityAbove        = "electricity_above"
	StopHeatBelow               = "heat_below"
	StopHeatAbove               = "heat_above"
	StopCompoundAbove           = "compound_above"
	StopHardwareAbove           = "hardware_above"
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
