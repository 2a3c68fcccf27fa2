package jetstream_test

import (
	"context"
	"testing"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/extension/jetstream"
	"example.com/agentworld/trace"
)

func TestCellsAreEqualToLocalRuns(t *testing.T) {
	slow(t)
	model := startModel(t, 0)
	list, dir := jobs(t, 12, 3, model.URL), t.TempDir()
	server := serve(t, dir)
	stop := work(t, t.Context(), connect(t, jetstream.ConnectOptions{Server: server}), jetstream.WorkerOptions{Jobs: 3})
	out, err := coordinate(t, connect(t, jetstream.ConnectOptions{Server: server}), batch.Options{Dir: created(t, dir, list), Cells: list.Cells, Settings: list.Settings}, trace.Limit{})
	if err != nil || out.Results != len(list.Cells) || len(out.Failed) > 0 {
		t.Fatalf("Coordinate = %+v, %v", out, err)
	}
	stop()
	asked := model.requests.Load()
	if calls := collected(t, dir, list, out.list); asked != calls || calls == 0 {
		t.Errorf("%d requests, want %d", asked, calls)
	}
	// The same command again finds all done.
	out, err = coordinate(t, connect(t, jetstream.ConnectOptions{Server: server}), batch.Options{Dir: created(t, dir, list), Cells: list.Cells, Settings: list.Settings}, trace.Limit{})
	if err != nil || out.Results != len(list.Cells) || len(out.list) != len(list.Cells) {
		t.Errorf("Coordinate again = %+v, %v, %d results", out, err, len(out.list))
	}
}

func TestWorkersEndWhenAllIsDone(t *testing.T) {
	model := startModel(t, 0)
	list, dir := jobs(t, 3, 2, model.URL), t.TempDir()
	server := serve(t, dir)
	ended := make(chan error, 1)
	l := connect(t, jetstream.ConnectOptions{Server: server})
	go func() {
		ended <- jetstream.Work(context.Background(), l, jetstream.WorkerOptions{Play: play, Jobs: 2, Dir: t.TempDir(), UntilDone: true})
	}()
	if _, err := coordinate(t, connect(t, jetstream.ConnectOptions{Server: server}), batch.Options{Dir: created(t, dir, list), Cells: list.Cells, Settings: list.Settings}, trace.Limit{}); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(begun))
}
