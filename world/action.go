package world

// Action is what an agent can ask the world to do in a tick. It is a closed set
// of small values: the registry ([Actions]) describes each of them, and each is
// switched on in one place per concern.
type Action interface {
	// ActionName is the action's name in the registry, such as "mine_compound".
	ActionName() string
}

// Wait does nothing this tick; the agent is due again next tick.
type Wait struct{}

// WaitTicks sleeps until Ticks ticks have passed or something wakes the agent.
type WaitTicks struct {
	// Ticks is at least 1.
	Ticks int64
}

// Move starts a journey to the place with id To. The whole cost is paid at
// departure; the agent arrives one tick later per started range.
type Move struct {
	To string
}

// Harvest turns radiation at the agent's place into electricity and heat.
type Harvest struct {
	// MaxAmount is an upper bound in units of electricity, at least 1.
	MaxAmount int64
}

// Mine digs compound at the agent's place.
type Mine struct {
	// MassG is in grams, at least 1.
	MassG int64
}

// Refine turns compound into hardware.
type Refine struct {
	// MassG is the compound consumed, in grams.
	MassG int64
}

// BuildFactory starts building a factory at the agent's place. The world names
// it; the id is in the outcome and in later observations.
type BuildFactory struct {
	// FactoryKind is one of [FactoryKinds].
	FactoryKind string
}

// ScheduleRecipe puts batches of a recipe into the queue of a factory.
type ScheduleRecipe struct {
	FactoryID string
	RecipeID  string
	// Batches is at least 1.
	Batches int64
}

// Transfer gives part of the agent's stock to an agent at the same place.
type Transfer struct {
	// To is the receiving agent's id.
	To string
	// Kind is a resource name.
	Kind string
	// Amount is in the resource's own unit, at least 1.
	Amount int64
}

// SendMessage sends a text to another agent, however far. It arrives after a
// delay that grows with the distance.
type SendMessage struct {
	// To is the receiving agent's id; a message to nobody is lost.
	To string
	// Text is delivered as [MakeAction] makes it: cleaned and capped to [TextMax].
	Text string
}

// PostNote leaves a text at the agent's place for visitors to read.
type PostNote struct {
	// Text is posted as [MakeAction] makes it: cleaned and capped to [TextMax].
	Text string
}

// ExecuteUntil repeats Do every tick without asking the model again, until a
// condition holds, an attempt is rejected, or MaxTicks attempts were made. The
// first attempt is made in any case: conditions are looked at from the next tick on.
type ExecuteUntil struct {
	// Do is any action except another ExecuteUntil.
	Do Action
	// Until holds at least one condition; any of them ends the order.
	Until []Condition
	// MaxTicks is 1 to [StandingTicksMax].
	MaxTicks int64
	// Ignore names those of [StopAlways] that shall neither end the order nor cut
	// short a wait of it; each at most once. A condition that names one of them
	// holds all the same.
	Ignore []string
}

// Condition ends a standing order.
type Condition struct {
	// Event is one of [StopEvents].
	Event string `json:"event"`
	// Value is the threshold of the events that take one, at least 0, in the unit of
	// what they compare; nil for the others. Reaching it is enough.
	Value *int64 `json:"value,omitempty"`
}

// ActionName implements [Action].
func (Wait) ActionName() string { return "wait" }

// ActionName implements [Action].
func (WaitTicks) ActionName() string { return "wait_ticks" }

// ActionName implements [Action].
func (Move) ActionName() string { return "move_agent" }

// ActionName implements [Action].
func (Harvest) ActionName() string { return "harvest_radiation" }

// ActionName implements [Action].
func (Mine) ActionName() string { return "mine_compound" }

// ActionName implements [Action].
func (Refine) ActionName() string { return "refine_compound" }

// ActionName implements [Action].
func (BuildFactory) ActionName() string { return "build_factory" }

// ActionName implements [Action].
func (ScheduleRecipe) ActionName() string { return "schedule_recipe" }

// ActionName implements [Action].
func (Transfer) ActionName() string { return "transfer_resource" }

// ActionName implements [Action].
func (SendMessage) ActionName() string { return "send_message" }

// ActionName implements [Action].
func (PostNote) ActionName() string { return "post_note" }

// ActionName implements [Action].
func (ExecuteUntil) ActionName() string { return "execute_until" }
