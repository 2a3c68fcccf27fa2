// Package tools is what agents of a run may call besides the modules: functions of the program that runs the
// world, and tools of servers that its user names.
//
//	lookup := tools.New("lookup", "1", "What a resource costs.", func(ctx context.Context, a struct {
//		Resource string `json:"resource"`
//	}) (any, error) {
//		return prices[a.Resource], nil
//	})
//	set := tools.NewSet(lookup)
//	offered, notes, err := set.Offer(access, agents)   // what the run records
//	result := set.CallTool(ctx, call)                  // one call, within its limits
//
// A tool is outside of the world: what it returns is data of an unknown author, and what it does cannot be
// undone. So it is called once for each call of a turn that commits, its result is recorded, and nobody who
// reads the run calls it again. Only an answer that was lost between the call and the sync of the record is
// asked for again.
package tools
