package jetstream

import (
	"testing"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/batch/storetest"
)

// TestServerStore holds the store on a server to the contract, over three connections.
func TestServerStore(t *testing.T) {
	t.Parallel()
	server := served(t)
	storetest.Run(t, func(t *testing.T) storetest.Stores {
		var all []*store
		var ways []batch.Store
		for range 3 {
			s := &store{link: linkTo(t, server), id: t.Name()[len("TestServerStore/"):], ctx: t.Context()}
			all = append(all, s)
			ways = append(ways, s)
		}
		return storetest.Stores{Ways: ways, Silence: func(_ *testing.T, _ string, _ int64, long time.Duration) {
			now := time.Now()
			for _, s := range all {
				s.aged = func(at time.Time) time.Duration {
					if at.After(now) {
						return 0
					}
					return long
				}
			}
		}}
	})
}
