package jetstream_test

import (
	"testing"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/extension/jetstream"
	"example.com/agentworld/trace"
)

func TestTheBudgetHoldsOverAllWorkers(t *testing.T) {
	slow(t)
	model := startModel(t, time.Millisecond)
	list, dir := jobs(t, 8, 6, model.URL), t.TempDir()
	server := serve(t, dir)
	const limit = 50
	play := func(calls int64) (outcome, error) {
		var stops []func()
		for range 3 {
			stops = append(stops, work(t, t.Context(), connect(t, jetstream.ConnectOptions{Server: server}), jetstream.WorkerOptions{Jobs: 2}))
		}
		defer func() {
			for _, stop := range stops {
				stop()
			}
		}()
		return coordinate(t, connect(t, jetstream.ConnectOptions{Server: server}), batch.Options{
			Dir: created(t, dir, list), Cells: list.Cells, Settings: list.Settings, Lease: 2 * time.Second,
		}, trace.Limit{Calls: calls})
	}
	out, err := play(limit)
	if err != nil || !out.Exhausted {
		t.Fatalf("Coordinate = %+v, %v, want an exhausted budget", out, err)
	}
	if asked := model.requests.Load(); asked > limit || asked < limit*9/10 {
		t.Errorf("%d requests with a budget of %d", asked, limit)
	}
	// A higher budget continues, and asks nothing again.
	if out, err = play(10_000); err != nil || out.Results != len(list.Cells) {
		t.Fatalf("Coordinate with more = %+v, %v", out, err)
	}
	asked := model.requests.Load()
	if out, err = play(0); err != nil {
		t.Fatal(err)
	}
	if calls := collected(t, dir, list, out.list); asked != calls {
		t.Errorf("%d requests in all for %d calls", asked, calls)
	}
}

func TestAProviderThatIsDownIsRetriedThenListed(t *testing.T) {
	slow(t)
	model := startModel(t, 0)
	model.status.Store(401)
	list, dir := jobs(t, 2, 2, model.URL), t.TempDir()
	server := serve(t, dir)
	defer work(t, t.Context(), connect(t, jetstream.ConnectOptions{Server: server}), jetstream.WorkerOptions{Jobs: 2})()
	l := connect(t, jetstream.ConnectOptions{Server: server})
	out, err := coordinate(t, l, batch.Options{Dir: created(t, dir, list), Cells: list.Cells, Settings: list.Settings, Retries: 1}, trace.Limit{})
	if err != nil || len(out.Failed) != 2 || out.Results != 0 {
		t.Fatalf("Coordinate = %+v, %v, want two failed cells", out, err)
	}
	// The same again tries them again, and continues with the runs there are.
	model.status.Store(0)
	if out, err = coordinate(t, l, batch.Options{Dir: created(t, dir, list), Cells: list.Cells, Settings: list.Settings, Retries: 1}, trace.Limit{}); err != nil || out.Results != 2 || len(out.Failed) > 0 {
		t.Fatalf("Coordinate again = %+v, %v", out, err)
	}
}

func TestAnInterruptedWorkerGivesItsCellsBack(t *testing.T) {
	slow(t)
	model := startModel(t, 3*time.Millisecond)
	list, dir := jobs(t, 4, 6, model.URL), t.TempDir()
	server := serve(t, dir)
	stop := work(t, t.Context(), connect(t, jetstream.ConnectOptions{Server: server}), jetstream.WorkerOptions{Jobs: 4})
	second := make(chan func(), 1)
	defer func() { (<-second)() }()
	go func() {
		for model.requests.Load() < 20 {
			time.Sleep(time.Millisecond)
		}
		stop()
		second <- work(t, t.Context(), connect(t, jetstream.ConnectOptions{Server: server}), jetstream.WorkerOptions{Jobs: 2})
	}()
	// The lease is far longer than the test: cells that are not given back would not be played.
	out, err := coordinate(t, connect(t, jetstream.ConnectOptions{Server: server}), batch.Options{Dir: created(t, dir, list), Cells: list.Cells, Settings: list.Settings, Lease: time.Hour}, trace.Limit{})
	if err != nil || out.Results != len(list.Cells) {
		t.Fatalf("Coordinate = %+v, %v", out, err)
	}
	asked := model.requests.Load()
	calls := collected(t, dir, list, out.list)
	if asked < calls || asked > calls+8 {
		t.Errorf("%d requests for %d calls, with at most 8 in flight at the interruption", asked, calls)
	}
}
