//go:build unix

// Command yardstick runs all tests and judges what those of each package cost, on any
// machine. It does a fixed piece of work, the yardstick, three times before the tests and
// three times after them. The ratio of a package is the CPU time of its tests, with all the
// processes that they start, over the median of those six. An error is a ratio of more than
// 1.3 times the recorded one that is also more than one percent of the recorded sum above it,
// or a sum of all of more than 1.3 times the recorded sum. So a package whose tests take two
// seconds may take six, and then counts in the sum: what a machine's disk and clock do to so
// short a time is more than 30%, and nobody waits for it.
//
// What other work on the machine does to caches and clocks only adds to CPU time, and to that
// of one package more than to the six yardsticks. So a package that looks too slow is measured
// up to twice more by itself, between yardsticks of its own, and its least ratio is judged.
//
//	go run ./.ci/yardstick [-update] -- ARGUMENT...
//
// It runs go test ARGUMENT... with itself as the program that starts the test binaries.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	record = ".ci/yardstick/ratios.txt"
	// sum is the name of the line for all packages.
	sum       = "sum"
	tolerance = 1.3
	// slack is how much of the recorded sum a package may take more, whatever it took.
	slack = 0.01
	// times of the yardstick, before the tests and after.
	times = 3
	// again is how often a package that looks too slow is measured once more.
	again = 2
)

func main() {
	log.SetFlags(0)
	if path := os.Getenv(costVariable); path != "" {
		os.Exit(runTimed(path, os.Args[1:]))
	}
	update := flag.Bool("update", false, "record the ratios instead of judging them")
	flag.Parse()
	if err := measure(*update, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// measure runs the tests and records their ratios, or judges them.
func measure(update bool, arguments []string) error {
	ratios, unit, err := timed(arguments)
	if err != nil {
		return err
	}
	if update {
		ratios[sum] = total(ratios)
		return writeRatios(ratios)
	}
	recorded, err := readRatios()
	if err != nil {
		return err
	}
	for range again {
		slow := tooSlow(ratios, recorded)
		if len(slow) == 0 {
			break
		}
		if err := remeasure(ratios, slow); err != nil {
			return err
		}
	}
	ratios[sum] = total(ratios)
	return judge(os.Stdout, ratios, recorded, unit)
}

// timed runs go test ARGUMENT... between yardsticks, and returns the ratios of its packages and
// what a yardstick took in seconds.
func timed(arguments []string) (ratios map[string]float64, unit float64, err error) {
	units := yardsticks(nil)
	seconds, err := runTests(arguments)
	if err != nil {
		return nil, 0, err
	}
	units = yardsticks(units)
	unit = (units[times-1] + units[times]) / 2
	fmt.Printf("a yardstick took %.2f s, the least %.2f, the most %.2f\n", unit, units[0], units[len(units)-1])
	ratios = map[string]float64{}
	for name, s := range seconds {
		ratios[name] = s / unit
	}
	return ratios, unit, nil
}

// remeasure runs the tests of some packages again, each by itself, and keeps the lesser ratio.
func remeasure(ratios map[string]float64, names []string) error {
	for _, name := range names {
		fmt.Printf("%s looks too slow and is measured again\n", name)
		alone, _, err := timed([]string{"-count=1", "./" + filepath.ToSlash(name)})
		if err != nil {
			return err
		}
		ratios[name] = min(ratios[name], alone[name])
	}
	return nil
}

// total is the sum of all ratios.
func total(ratios map[string]float64) float64 {
	t := 0.0
	for _, ratio := range ratios {
		t += ratio
	}
	return t
}

// tooSlow lists the packages whose ratio is too large.
func tooSlow(ratios, recorded map[string]float64) []string {
	var slow []string
	for _, name := range slices.Sorted(maps.Keys(ratios)) {
		if ratios[name] > most(recorded, name) {
			slow = append(slow, name)
		}
	}
	return slow
}

// most is the largest ratio that a package, or the sum, may have.
func most(recorded map[string]float64, name string) float64 {
	return max(recorded[name]*tolerance, recorded[name]+recorded[sum]*slack)
}

// yardsticks adds what the yardstick takes now, in sorted order.
func yardsticks(units []float64) []float64 {
	for range times {
		units = append(units, yardstick())
	}
	slices.Sort(units)
	return units
}

// runTests runs go test and returns the CPU seconds of each package, by its folder.
func runTests(arguments []string) (map[string]float64, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	program, err := quoted(self)
	if err != nil {
		return nil, err
	}
	temporary, err := os.MkdirTemp("", "yardstick")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	costs := filepath.Join(temporary, "costs")
	c := exec.Command("go", append([]string{"test", "-exec", program}, arguments...)...)
	c.Stdout = os.Stdout
	c.Stderr = os.Stderr
	c.Env = append(os.Environ(), costVariable+"="+costs)
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("go test: %w", err)
	}
	return readCosts(costs)
}

// quoted is a path as go test takes it in -exec, which splits at blanks.
func quoted(path string) (string, error) {
	for _, quote := range []string{"'", `"`} {
		if !strings.Contains(path, quote) {
			return quote + path + quote, nil
		}
	}
	return "", fmt.Errorf("%s has both kinds of quotes; set TMPDIR to a folder that has not", path)
}

// readCosts sums up the lines that runTimed wrote.
func readCosts(path string) (map[string]float64, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	seconds := map[string]float64{}
	for lines := json.NewDecoder(bytes.NewReader(text)); ; {
		var c cost
		err := lines.Decode(&c)
		if errors.Is(err, io.EOF) {
			return seconds, nil
		}
		if err != nil {
			return nil, fmt.Errorf("what the tests cost: %w", err)
		}
		name, err := filepath.Rel(root, c.Folder)
		if err != nil {
			return nil, err
		}
		seconds[name] += c.Seconds
	}
}

// judge prints the ratios of all packages and of their sum, and returns an error if one is too
// large.
func judge(w io.Writer, ratios, recorded map[string]float64, unit float64) error {
	slow := len(tooSlow(ratios, recorded))
	fmt.Fprintln(w, "CPU time of tests")
	names := slices.SortedFunc(maps.Keys(ratios), func(a, b string) int { return int(1000 * (ratios[b] - ratios[a])) })
	for _, name := range names {
		ratio := ratios[name]
		verdict := ""
		if limit := most(recorded, name); ratio > limit {
			verdict = fmt.Sprintf("  too slow: at most %.1f", limit)
		}
		fmt.Fprintf(w, "%-24s %6.1f recorded %6.1f  %5.1f s%s\n", name, ratio, recorded[name], ratio*unit, verdict)
	}
	if slow > 0 {
		return fmt.Errorf("%d of these take more than %.1f times what they took, and more than %.0f%% of all above it; "+
			"make the tests faster, or record it with -update and say why", slow, tolerance, 100*slack)
	}
	return nil
}

// writeRatios records the ratios and their sum.
func writeRatios(ratios map[string]float64) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(ratios)) {
		fmt.Fprintf(&b, "%s %.1f\n", name, ratios[name])
	}
	return os.WriteFile(record, []byte(b.String()), 0o644)
}

// readRatios reads what writeRatios wrote; nothing is recorded in a file that is not there.
func readRatios() (map[string]float64, error) {
	recorded := map[string]float64{}
	text, err := os.ReadFile(record)
	if errors.Is(err, fs.ErrNotExist) {
		return recorded, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var name string
		var ratio float64
		if _, err := fmt.Sscan(line, &name, &ratio); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", record, line, err)
		}
		recorded[name] = ratio
	}
	return recorded, nil
}
