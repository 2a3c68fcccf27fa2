//go:build unix

// Command yardstick judges what the tests of each package cost, on any machine. It does
// a fixed piece of work, the yardstick, and reads what .ci/timed wrote of a run of all
// tests. A package's ratio is its CPU time over the yardstick's. A ratio of more than
// 1.5 times the recorded one is an error, and so is one above the floor without a
// record. Ratios below the floor are noise and go unjudged.
//
//	go run -race ./.ci/yardstick [-update] TIMES
//
// The yardstick is built like the tests, with the race detector if they are.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	record    = ".ci/yardstick/ratios.txt"
	tolerance = 1.5
	floor     = 2.0
)

func main() {
	log.SetFlags(0)
	update := flag.Bool("update", false, "record the ratios instead of judging them")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: yardstick [-update] TIMES, from the root of the module")
	}
	root, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	measured := map[string]float64{}
	err = lines(flag.Arg(0), func(line string) error {
		var dir string
		var user, system float64
		if _, err := fmt.Sscan(line, &dir, &user, &system); err != nil {
			return err
		}
		name, err := filepath.Rel(root, dir)
		measured[name] += user + system
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	unit := yardstick()
	for name := range measured {
		measured[name] /= unit
	}
	if *update {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(measured)) {
			if measured[name] >= floor {
				fmt.Fprintf(&b, "%s %.1f\n", name, measured[name])
			}
		}
		if err := os.WriteFile(record, []byte(b.String()), 0o644); err != nil {
			log.Fatal(err)
		}
		return
	}
	recorded := map[string]float64{}
	err = lines(record, func(line string) error {
		var name string
		var ratio float64
		_, err := fmt.Sscan(line, &name, &ratio)
		recorded[name] = ratio
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("CPU time of tests; the yardstick took %.2f s\n", unit)
	slow := 0
	for _, name := range slices.SortedFunc(maps.Keys(measured), func(a, b string) int { return int(1000 * (measured[b] - measured[a])) }) {
		ratio, most := measured[name], max(floor, recorded[name])*tolerance
		verdict := ""
		if ratio > most {
			verdict = fmt.Sprintf("  too slow: at most %.1f", most)
			slow++
		}
		if ratio >= floor || recorded[name] > 0 {
			fmt.Printf("%-24s %6.1f recorded %6.1f%s\n", name, ratio, recorded[name], verdict)
		}
	}
	if slow > 0 {
		log.Fatalf("tests of %d packages take more than %.1f times what they took; make them faster, or record it with -update and say why", slow, tolerance)
	}
}

// lines calls each for every line of a file.
func lines(path string, each func(string) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if err := each(line); err != nil {
			return fmt.Errorf("%s: %q: %w", path, line, err)
		}
	}
	return nil
}

// yardstick does what the tests do most, reading and writing JSON, hashing and filling
// maps, and returns the CPU seconds that took.
func yardstick() float64 {
	before := cpu()
	type item struct {
		Name   string            `json:"name"`
		Counts map[string]int    `json:"counts"`
		Notes  []string          `json:"notes"`
		Extra  map[string]string `json:"extra"`
	}
	hash := sha256.Sum256(nil)
	for range 4000 {
		it := item{Name: hex.EncodeToString(hash[:]), Counts: map[string]int{}, Extra: map[string]string{}}
		for i, b := range hash {
			key := hex.EncodeToString(hash[i/2 : i/2+4])
			it.Counts[key] += int(b)
			it.Notes = append(it.Notes, strings.Repeat(key, 1+int(b)%4))
			it.Extra[key] = it.Name
		}
		text, err := json.Marshal(it)
		if err != nil {
			log.Fatal(err)
		}
		var back item
		var loose any
		if json.Unmarshal(text, &back) != nil || json.Unmarshal(text, &loose) != nil || len(back.Counts) != len(it.Counts) {
			log.Fatal("JSON does not come back")
		}
		slices.Sort(back.Notes)
		hash = sha256.Sum256([]byte(strings.Join(back.Notes, " ")))
	}
	return cpu() - before
}

// cpu is the CPU time of this process so far, in seconds.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
