package world

// RejectionSpec describes one rejection code.
type RejectionSpec struct {
	Code RejectionCode
	// Doc completes the sentence "the world refuses because".
	Doc string
}

// Rejections lists every code with its reason, in a fixed order.
func Rejections() []RejectionSpec {
	return []RejectionSpec{
		{RejectInvalidAmount, "the amount is not positive or not possible"},
		{RejectInsufficient, "the agent has too little of a resource"},
		{RejectStorageFull, "there is no room for what would come"},
		{RejectAlreadyThere, "the agent is at the place already"},
		{RejectUnreachable, "nothing is known of such a place, or it cannot be reached"},
		{RejectNoRadiation, "there is no radiation to harvest here"},
		{RejectThermalOverload, "the agent is too hot to harvest"},
		{RejectDepleted, "nothing is left to mine here"},
		{RejectBelowMinimum, "the amount is below the least that has an effect"},
		{RejectFactoryNotFound, "the agent has no such factory"},
		{RejectFactoryNotHere, "the factory is at another place"},
		{RejectFactoryBuilding, "the factory is under construction"},
		{RejectFactoryLimit, "the agent has as many factories as it may"},
		{RejectRecipeMismatch, "the recipe needs another kind of factory"},
		{RejectQueueFull, "the factory's queue has no room"},
		{RejectWornOut, "the factory is worn out and needs maintenance"},
		{RejectNoOffer, "nobody trades here at that price"},
		{RejectOrderLimit, "the agent has as many orders as it may"},
		{RejectOrderNotFound, "the agent has no such order, or it is filled or expired"},
		{RejectOrderNotHere, "the order is at another place"},
		{RejectUnknownChoice, "there is no such kind, recipe, side or resource"},
		{RejectAgentNotHere, "no such agent is at the place"},
		{RejectTransferToSelf, "nobody can give to itself"},
		{RejectShutdown, "the agent is shut down"},
		{RejectTravelling, "the agent is on a journey"},
		{RejectContended, "others were quicker in the same tick"},
		{RejectInvalidStandingRule, "the standing order's conditions or bounds are not valid"},
		{RejectEmptyText, "the text has nothing to read in it"},
		{RejectMessageToSelf, "nobody can write to itself"},
		{RejectOutboxFull, "too many messages of the agent are on their way"},
	}
}
