// Command same shows that a change left the program as it was for its users. It plays with an
// older binary and with the present tree, and compares:
//
//   - runs of every embedded scenario at several seeds: executed actions and digests, then the whole
//     canonical traces;
//   - the older binary's runs, which the newer one replays;
//   - --help and --print-config of every command, and what the commands that read a run print;
//   - results, summary and asks of one batch.
//
// Build the older binary before the change, and keep it:
//
//	go build -o .tmp/old ./cmd/world_llm_agent_demo
//	go run ./.ci/same --old .tmp/old [--seeds 3] [--ticks 12] [--only NAME,NAME] [--faults SPEC]
//
// The older binary's traces are kept next to it.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// comparison is what is compared with what.
type comparison struct {
	old, fresh string
	// dir is for files that nobody keeps.
	dir         string
	seeds       int
	ticks       int
	faults      string
	actionsOnly bool
}

func main() {
	var c comparison
	flag.StringVar(&c.old, "old", "", "the older binary")
	flag.StringVar(&c.fresh, "new", "", "the newer binary; empty builds the tree")
	flag.IntVar(&c.seeds, "seeds", 3, "seeds a scenario is run at")
	flag.IntVar(&c.ticks, "ticks", 12, "ticks of a run")
	only := flag.String("only", "", "scenarios, between commas; empty is all")
	flag.StringVar(&c.faults, "faults", "repairable=20%", "faults of the embedded model; empty is none")
	flag.BoolVar(&c.actionsOnly, "actions-only", false, "of runs, compare executed actions and digests alone")
	outputs := flag.Bool("outputs", true, "compare also what commands print, and a batch")
	flag.Parse()
	err := c.run(*only, *outputs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(1)
	}
}

func (c *comparison) run(only string, outputs bool) (err error) {
	if c.old == "" {
		return fmt.Errorf("--old names the older binary")
	}
	c.old, err = filepath.Abs(c.old)
	if err != nil {
		return err
	}
	c.dir, err = os.MkdirTemp("", "same")
	if err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	if c.fresh == "" {
		c.fresh = filepath.Join(c.dir, "new", "world_llm_agent_demo")
		build := exec.Command("go", "build", "-o", c.fresh, "./cmd/world_llm_agent_demo")
		out, err := build.CombinedOutput()
		if err != nil {
			return fmt.Errorf("build: %w: %s", err, out)
		}
	}
	c.fresh, err = filepath.Abs(c.fresh)
	if err != nil {
		return err
	}
	failed := c.runs(only)
	if outputs {
		failed += c.outputs()
		failed += c.batch()
	}
	if failed > 0 {
		return fmt.Errorf("%d differences", failed)
	}
	return nil
}

// runs compares runs of scenarios, and returns how many differ.
func (c *comparison) runs(only string) (failed int) {
	names, err := scenarios(c.old, only)
	if err != nil {
		fmt.Println("DIFFERS", err)
		return 1
	}
	type job struct {
		name string
		seed int
	}
	work := make(chan job)
	var mu sync.Mutex
	lines := 0
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for j := range work {
				n, err := c.traces(j.name, j.seed)
				mu.Lock()
				lines += n
				if err != nil {
					failed++
					fmt.Printf("DIFFERS %s seed %d: %v\n", j.name, j.seed, err)
				}
				mu.Unlock()
			}
		})
	}
	for _, name := range names {
		for seed := 1; seed <= c.seeds; seed++ {
			work <- job{name, seed}
		}
	}
	close(work)
	group.Wait()
	fmt.Printf("runs: %d scenarios at %d seeds, %d records, %d runs differ\n", len(names), c.seeds, lines, failed)
	return failed
}
