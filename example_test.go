package agentworld_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.com/agentworld"
)

// A world of one agent, played by the embedded model.
func ExampleRun() {
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 5
	dir, remove := runDir()
	defer remove()
	run, err := agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Status, run.TicksDone)
	fmt.Println("accepted actions:", run.Report.ActionSuccess)
	// Output:
	// completed 5
	// accepted actions: 5
}

// A replay derives every record of a run again, without a model.
func ExampleReplay() {
	dir, remove := runDir()
	defer remove()
	settings, err := agentworld.Defaults("two_bases")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 3
	if _, err := agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir}); err != nil {
		log.Fatal(err)
	}
	found, err := agentworld.Replay(context.Background(), dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d ticks, equal %t\n", found.Ticks, found.Equal)
	// Output: 3 ticks, equal true
}

// The report of a run can be made at any later time.
func ExampleReadReport() {
	dir, remove := runDir()
	defer remove()
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		log.Fatal(err)
	}
	settings.Ticks = 5
	if _, err := agentworld.Run(context.Background(), agentworld.Options{Settings: settings, Dir: dir}); err != nil {
		log.Fatal(err)
	}
	report, err := agentworld.ReadReport(dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Scenario, report.RunStatus, report.Model)
	// Output: minimal completed scripted
}

// runDir is a new directory for a run, and what removes it.
func runDir() (dir string, remove func()) {
	parent, err := os.MkdirTemp("", "agentworld")
	if err != nil {
		log.Fatal(err)
	}
	return filepath.Join(parent, "run"), func() { _ = os.RemoveAll(parent) }
}
