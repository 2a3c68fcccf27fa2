package world

import "slices"

// The stop events of the steps of a chain; [StopEvents] says when each holds. They are decided
// at the start of a tick in which the agent could act. Some are about now (charge, heat,
// stock, radiation, what is left at the place, the store of an own plant there), some about what
// happened since the step began: arrivals, jobs, a factory without further work,
// messages, a worse power state, and what came into view, by identity. Fills count where
// the agent is; it learns of trades elsewhere when it returns. Thresholds are
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
	StopPlantStoreAbove         = "plant_store_above"
	StopPlaceCompoundBelow      = "place_compound_below"
	StopQueueEmpty              = "queue_empty"
)

// StopAlways lists the events that end every chain without being named,
// unless the Ignore of its present step says otherwise: what an agent should hear of at once. A
// rejected attempt and a shutdown end every chain whatever it says.
func StopAlways() []string { return []string{StopMessageReceived, StopPowerLow} }

// Ignorable lists what a step may ignore, in a fixed order: what ends every chain, and what wakes
// from a sleep besides.
func Ignorable() []string { return append(StopAlways(), StopJobDone, StopOrderFilled) }

// NamedTicks is the time in which messages of agents that a rule of an agent names can end its
// chain once, all of them together. AlarmTicks is the time in which one power state wakes an agent
// or ends its chain once, however often its charge crosses the level.
const (
	NamedTicks = 3
	AlarmTicks = 10
)

// Further details of an execute_until_ended event, which no condition names.
const (
	// StopMaxTicks: all attempts were made.
	StopMaxTicks = "max_ticks"
	// StopShutdown: the agent ran out of electricity.
	StopShutdown = "shutdown"
	// StopReplaced: the agent did something else instead.
	StopReplaced = "replaced"
	// StopChanged: the run went on under other settings.
	StopChanged = "changed"
)

// StopEvent describes an event that may end a standing order.
type StopEvent struct {
	// Name is the event's name in a Condition.
	Name string
	// TakesValue says that a condition needs a threshold.
	TakesValue bool
}

// stopRule is a stop event with what decides it for an able agent n at the start of a
// tick, v being the threshold.
type stopRule struct {
	StopEvent
	holds func(w *World, n int32, a *agent, v int64) bool
}

var stopEvents = []stopRule{
	{StopEvent{StopActionRejected, false},
		func(w *World, n int32, a *agent, v int64) bool { return false }}, // decided before
	{StopEvent{StopArriveTarget, false},
		func(w *World, n int32, a *agent, v int64) bool { return a.standing.arrived }},
	{StopEvent{StopInsufficientElectricity, false},
		func(w *World, n int32, a *agent, v int64) bool { return w.electricityOf(a)*5 < w.law.PowerCapacity }},
	{StopEvent{StopThermalOverload, false},
		func(w *World, n int32, a *agent, v int64) bool { return w.heatOf(a) >= w.law.HeatCapacity }},
	{StopEvent{StopNewVisibleAgent, false},
		func(w *World, n int32, a *agent, v int64) bool { return anyNew(w.visibleAgents(n), a.standing.agents) }},
	{StopEvent{StopNewVisibleLocation, false},
		func(w *World, n int32, a *agent, v int64) bool { return anyNew(w.visiblePlaces(n), a.standing.places) }},
	{StopEvent{StopHarvestYieldBelow, true},
		func(w *World, n int32, a *agent, v int64) bool { return a.last.harvested(v) }},
	{StopEvent{StopHarvestAvailableBelow, true},
		func(w *World, n int32, a *agent, v int64) bool { return w.geo.radiation[a.place] <= v }},
	{StopEvent{StopElectricityBelow, true},
		func(w *World, n int32, a *agent, v int64) bool { return w.electricityOf(a) <= v }},
	{StopEvent{StopElectricityAbove, true},
		func(w *World, n int32, a *agent, v int64) bool { return w.electricityOf(a) >= v }},
	{StopEvent{StopHeatBelow, true},
		func(w *World, n int32, a *agent, v int64) bool { return w.heatOf(a) <= v }},
	{StopEvent{StopHeatAbove, true},
		func(w *World, n int32, a *agent, v int64) bool { return w.heatOf(a) >= v }},
	{StopEvent{StopCompoundAbove, true},
		func(w *World, n int32, a *agent, v int64) bool { return w.ledger.of(a.account, compound) >= v }},
	{StopEvent{StopHardwareAbove, true},
		func(w *World, n int32, a *agent, v int64) bool { return w.ledger.of(a.account, hardware) >= v }},
	{StopEvent{StopJobDone, false},
		func(w *World, n int32, a *agent, v int64) bool { return a.standing.jobDone }},
	{StopEvent{StopPlantStoreAbove, true},
		func(w *World, n int32, a *agent, v int64) bool { return w.fullestStore(n) >= v }},
	{StopEvent{StopPlaceCompoundBelow, true},
		func(w *World, n int32, a *agent, v int64) bool { return w.reserveOf(a.place) <= v }},
	{StopEvent{StopQueueEmpty, false},
		func(w *World, n int32, a *agent, v int64) bool { return a.standing.idled }},
	{StopEvent{StopOrderFilled, false},
		func(w *World, n int32, a *agent, v int64) bool { return a.standing.filled }},
	{StopEvent{StopPowerLow, false},
		func(w *World, n int32, a *agent, v int64) bool { return a.standing.powerFell }},
	{StopEvent{StopMessageReceived, false},
		func(w *World, n int32, a *agent, v int64) bool { return a.standing.messaged }},
}

// StopEvents lists the events a [Condition] may name, in a fixed order.
func StopEvents() []StopEvent {
	var list []StopEvent
	for _, e := range stopEvents {
		list = append(list, e.StopEvent)
	}
	return list
}

// stopEventNamed is the number of a stop event, -1 if there is none of that name.
func stopEventNamed(name string) int {
	return slices.IndexFunc(stopEvents, func(e stopRule) bool { return e.Name == name })
}

// holds decides one condition of a checked order.
func (w *World) holds(n int32, c Condition) bool {
	var v int64
	if c.Value != nil {
		v = *c.Value
	}
	return stopEvents[stopEventNamed(c.Event)].holds(w, n, &w.agents[n], v)
}
