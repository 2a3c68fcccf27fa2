package guardlab

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.com/agentworld/world"
)

// How well the search finds holes is measured by holes that a machine makes: mutants of the
// code of guard and terms that pass the unit tests of their package and let the victim do
// more than before. Each is built with an overlay, and the search is run against it.
//
//	go test ./internal/guardlab -run TestMutants -timeout 0 -mutants 20 -seeds 20 -mutants.out testdata/mutants.json
//
// It takes hours. The file keeps what is known, and the same command goes on from there as long
// as the code of guard, terms and search is the same.
var (
	mutantsWanted = flag.Int("mutants", 0, "holes to make and to search for")
	mutantSeeds   = flag.Int("seeds", 3, "seeds to search each hole with")
	mutantSeed    = flag.Uint64("mutants.seed", 1, "seed of the choice of mutants")
	mutantsAny    = flag.Bool("mutants.any", false, "take mutants that fail the unit tests, too: they are holes for sure")
	mutantsOut    = flag.String("mutants.out", "", "file that keeps the result, and what was measured so far")
	mutantsKinds  = flag.String("mutants.kinds", "ticks,two,one", "kinds of holes to make, with commas between")
	huntTrials    = flag.Int("hunt", 0, "trials of a hunt: the search of one seed, up to the first harm")
	huntSeed      = flag.Uint64("hunt.seed", 1, "seed of the hunt")
	huntPlain     = flag.String("hunt.plain", "", "test binary without the mutant: what does harm there is no find")
	huntTape      = flag.String("hunt.tape", "", "one trial: print whether it does harm")
	huntStories   = flag.String("hunt.stories", "", "trials to play instead, by number with commas between, to print what happens; all for each of the hunt")
)

// mutant is an edit under conditions, and its result.
type mutant struct {
	// Kind is one, two or ticks: how many conditions, or that it is about other ticks.
	Kind string   `json:"kind"`
	What string   `json:"what"`
	When []string `json:"when"`
	// Dropped is why it is no hole to search for, empty if it may be one.
	Dropped string `json:"dropped,omitempty"`
	// Found is the trial of the first harm by seed, -1 for none.
	Found []int `json:"found,omitempty"`
	edit  edit
	id    int
}

// name tells mutants apart.
func (m mutant) name() string {
	return m.Kind + ": " + m.What + " when " + strings.Join(m.When, " and ")
}

// measured reports whether there is nothing left to search for. A hole that three of the seeds
// miss has failed; what two seeds do not find may be no hole.
func (m mutant) measured() bool {
	n := len(m.Found)
	return m.Dropped != "" || n >= *mutantSeeds || missed(m) >= 3 || m.harmless()
}

// harmless reports that the first seeds found no harm: a mutant that allows more does not always
// do some.
func (m mutant) harmless() bool {
	return len(m.Found) >= min(2, *mutantSeeds) && slices.Max(m.Found) < 0
}

// measurement is what is known of mutants.
type measurement struct {
	// Code is a hash of the code that was changed and that searched.
	Code string `json:"code"`
	// Edits are those that allow more without conditions.
	Edits []string `json:"edits"`
	// Drawn are the mutants in the order in which they were drawn.
	Drawn []mutant `json:"drawn"`
}

// notSearching are the files here whose code makes mutants or tests the search.
var notSearching = []string{"mutants_test.go", "edits_test.go", "trials_test.go", "authorityclaims_test.go",
	"termsshown_test.go"}

// code returns the hash for a measurement.
func code(t *testing.T, files ...string) string {
	own, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, file := range append(files, own...) {
		if !slices.Contains(notSearching, file) {
			fmt.Fprintln(sum, source(t, file))
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

// load reads the file of a measurement of the same code.
func (k *measurement) load(t *testing.T) {
	var kept measurement
	data, err := os.ReadFile(*mutantsOut)
	if *mutantsOut == "" || err != nil || json.Unmarshal(data, &kept) != nil || kept.Code != k.Code {
		return
	}
	*k = kept
	t.Logf("%d edits and %d mutants are known", len(k.Edits), len(k.Drawn))
}

// keep writes the file; m is new or has changed.
func (k *measurement) keep(t *testing.T, changed ...mutant) {
	for _, m := range changed {
		if at := slices.IndexFunc(k.Drawn, func(o mutant) bool { return o.name() == m.name() }); at >= 0 {
			k.Drawn[at] = m
		} else {
			k.Drawn = append(k.Drawn, m)
		}
	}
	if *mutantsOut == "" {
		return
	}
	data, _ := json.MarshalIndent(k, "", "\t")
	if err := os.WriteFile(*mutantsOut, append(data, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

// recall gives a drawn mutant what is known of it.
func (k *measurement) recall(m mutant) (mutant, bool) {
	at := slices.IndexFunc(k.Drawn, func(o mutant) bool { return o.name() == m.name() })
	if at >= 0 {
		m.Dropped, m.Found = k.Drawn[at].Dropped, slices.Clone(k.Drawn[at].Found)
	}
	return m, at >= 0
}

// compared is how many random trials are played to see where a mutant differs.
const compared = 3000

// missed is how many seeds did not find a mutant.
func missed(m mutant) (n int) {
	for _, at := range m.Found {
		if at < 0 {
			n++
		}
	}
	return n
}

// root is where the module is.
const root = "../.."

// source reads a file.
func source(t *testing.T, file string) string {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// overlay writes files with all of the mutants in them, which must not overlap, and the
// overlay that puts them in place. A mutant is chosen by its number from 1, in the variable
// chosen of the environment.
func overlay(t *testing.T, dir string, mutants []mutant) string {
	replace, byFile := map[string]string{}, map[string][]mutant{}
	put := func(file, text string) {
		original, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replace[original] = filepath.Join(dir, fmt.Sprintf("mutated%d.go", len(replace)))
		if err := os.WriteFile(replace[original], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range mutants {
		m.id = i + 1
		byFile[m.edit.file] = append(byFile[m.edit.file], m)
	}
	packages := map[*checked]bool{}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		src, list := source(t, file), byFile[file]
		slices.SortFunc(list, func(a, b mutant) int { return cmp.Compare(b.edit.start, a.edit.start) })
		for _, m := range list {
			src = src[:m.edit.start] + m.edit.text(m.id, m.When) + src[m.edit.end:]
		}
		put(file, src)
		if of := list[0].edit.of; !packages[of] {
			packages[of] = true
			put(filepath.Join(of.dir, "chosen_mutant.go"), "package "+of.pkg.Name()+chooser)
		}
	}
	data, _ := json.Marshal(map[string]any{"Replace": replace})
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// chosen is the variable of the environment that names a mutant: 0 for none, -1 to probe which
// mutants ever differ, to print them.
const chosen = "AGENT_WORLD_MUTANT"

// playedTrial is the variable of the environment in which a trial's number stands while it is
// played, so that a probe can say in which trials a mutant differs.
const playedTrial = "AGENT_WORLD_TRIAL"

// chooser is the file that every package with mutants gets.
const chooser = `

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

var (
	chosenMutant, _ = strconv.Atoi(os.Getenv("` + chosen + `"))
	differing       sync.Map
)

func probeMutant(id int, differs func() bool) bool {
	defer func() { _ = recover() }()
	key := fmt.Sprintf("differs: %d in %s", id, os.Getenv("` + playedTrial + `"))
	if _, known := differing.Load(key); !known && differs() {
		differing.Store(key, true)
		fmt.Println(key)
	}
	return false
}
`

// output runs a command; false when it fails.
func output(dir, name string, args ...string) (string, bool) {
	return outputOf(dir, 0, name, args...)
}

// outputOf runs a command with a mutant chosen.
func outputOf(dir string, id int, name string, args ...string) (string, bool) {
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), fmt.Sprint(chosen, "=", id))
	out, err := c.CombinedOutput()
	return string(out), err == nil
}

var foundAt = regexp.MustCompile(`found=(-?\d+)`)

// TestMutants makes holes and counts in how many seeds the search finds each. It takes
// hours, so that it runs only when asked for.
func TestMutants(t *testing.T) {
	if *mutantsWanted == 0 {
		t.Skip("no mutants wanted")
	}
	policy, kernel := check(t, filepath.Join(root, "behavior/policy")), check(t, filepath.Join(root, "world"))
	edits := policy.edits(t, func(base string) bool { return base != "idle.go" })
	terms := []string{"terms.go", "request.go", "offer.go", "accept.go", "decline.go", "canceloffer.go"}
	edits = append(edits, kernel.edits(t, func(base string) bool { return slices.Contains(terms, base) })...)
	paths, err := filepath.Glob(filepath.Join(root, "behavior/policy/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range terms {
		paths = append(paths, filepath.Join(root, "world", file))
	}
	known := &measurement{Code: code(t, paths...)}
	known.load(t)
	dir := t.TempDir()
	// build builds the tests of a package with an overlay.
	build := func(name, overlay, of string) string {
		binary := filepath.Join(dir, name)
		if out, ok := output(of, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, "."); !ok {
			t.Fatal(out)
		}
		return binary
	}
	// played are the stories of trials, by number.
	played := func(binary string, id int, trials string) map[string]string {
		out, _ := outputOf(".", id, binary, "-test.run", "^TestHunt$", "-test.v", "-hunt", strconv.Itoa(compared), "-hunt.stories", trials)
		stories := map[string]string{}
		for _, story := range strings.Split(out, "\ntrial ") {
			number, text, _ := strings.Cut(story, "\n")
			stories[number] = text
		}
		return stories
	}
	// acts are, decision by decision, what was refused to the victim and what it did.
	acts := func(story string) (refused [][]string, done []string) {
		var before []string
		for line := range strings.SplitSeq(story, "\n") {
			switch {
			case strings.Contains(line, victim+" refused: "):
				before = append(before, line)
			case strings.Contains(line, victim+" decided: "):
				refused, before = append(refused, before), nil
			case strings.Contains(line, victim+": "):
				done = append(done, line)
			}
		}
		return refused, done
	}
	// freer says that, where two stories diverge, less was refused to the victim, or it gave
	// something away that was not more often refused.
	gives := regexp.MustCompile(`"action":"(transfer_resource|offer|accept_offer|sell_power|buy_power|place_power_order)"`)
	freer := func(usual, mutated string) bool {
		refused, done := acts(usual)
		other, does := acts(mutated)
		for at := range min(len(refused), len(other), len(done), len(does)) {
			if done[at] != does[at] {
				less := len(refused[at]) - len(other[at])
				return less > 0 || less == 0 && gives.MatchString(does[at])
			}
		}
		return false
	}
	plain := build("plain.test", overlay(t, dir, nil), ".")
	usual := played(plain, 0, "all")
	// prepare builds mutants that do not overlap into one binary, since building takes longer
	// than everything else, and notes the first trials in which each differs.
	var mutants []mutant
	var binary, over string
	var differing map[string][]string
	prepare := func(list []mutant, probe bool) {
		mutants, differing, over = list, map[string][]string{}, overlay(t, dir, list)
		binary = build("mutants.test", over, ".")
		if !probe {
			return
		}
		probed, _ := outputOf(".", -1, binary, "-test.run", "^TestHunt$", "-test.v", "-hunt", strconv.Itoa(compared), "-hunt.stories", "all")
		for line := range strings.SplitSeq(probed, "\n") {
			of, found := strings.CutPrefix(line, "differs: ")
			if id, trial, ok := strings.Cut(of, " in "); found && ok && len(differing[id]) < 300 {
				differing[id] = append(differing[id], trial)
			}
		}
	}
	// allowsMore plays up to most of the trials in which a mutant differs.
	allowsMore := func(id, most int) bool {
		trials := differing[strconv.Itoa(id)]
		for some := range slices.Chunk(trials[:min(most, len(trials))], 50) {
			for number, story := range played(binary, id, strings.Join(some, ",")) {
				if freer(usual[number], story) {
					return true
				}
			}
		}
		return false
	}
	// each calls do for every mutant, two at a time.
	each := func(do func(id int)) {
		var group errgroup.Group
		group.SetLimit(2)
		for i := range mutants {
			group.Go(func() error {
				do(i + 1)
				return nil
			})
		}
		_ = group.Wait()
	}
	// apart takes mutants from a source until it has none left, and drops what overlaps.
	apart := func(from func() (mutant, bool)) (list, rest []mutant) {
		for m, ok := from(); ok; m, ok = from() {
			if slices.ContainsFunc(list, func(o mutant) bool {
				return o.edit.file == m.edit.file && o.edit.start < m.edit.end && m.edit.start < o.edit.end
			}) {
				rest = append(rest, m)
			} else {
				list = append(list, m)
			}
		}
		return list, rest
	}
	// An edit that allows nothing more without conditions allows nothing more with some. The
	// others are drawn from.
	var all []mutant
	priced := len(known.Edits) > 0
	if !priced {
		for _, e := range edits {
			if m := (mutant{When: []string{"true"}, edit: e}); e.of.compiles(t, e, m.When) {
				all = append(all, m)
			}
		}
	}
	for len(all) > 0 {
		next := 0
		list, rest := apart(func() (m mutant, ok bool) {
			if ok = next < len(all); ok {
				m = all[next]
			}
			next++
			return m, ok
		})
		all = rest
		prepare(list, true)
		allows := make([]bool, len(list))
		each(func(id int) { allows[id-1] = allowsMore(id, 60) })
		for i, m := range list {
			if allows[i] {
				known.Edits = append(known.Edits, m.edit.what)
			}
		}
		t.Logf("%d edits tried, %d differ, %d allow more in all, %d left", len(list), len(differing), len(known.Edits), len(all))
	}
	if !priced {
		known.keep(t)
	}
	// Whether they were priced now or before, they are drawn from in the order of the sources, so
	// that a run that goes on draws as one that starts.
	edits = slices.DeleteFunc(edits, func(e edit) bool { return !slices.Contains(known.Edits, e.what) })
	r := rand.New(rand.NewPCG(*mutantSeed, 0))
	tried := map[string]bool{}
	// draw draws a mutant that was not tried yet; false if there seems to be none left.
	draw := func(kind string) (mutant, bool) {
		if !slices.ContainsFunc(edits, func(e edit) bool { return e.across == (kind == "ticks") }) {
			t.Fatalf("no edit of kind %s allows more", kind)
		}
		for range 100_000 {
			m := mutant{Kind: kind, edit: edits[r.IntN(len(edits))]}
			n := 1
			if kind == "two" {
				n = 2
			}
			m.When, m.What = m.edit.draw(r, n), m.edit.what
			if len(m.When) < n || m.edit.across != (kind == "ticks") || tried[m.name()] {
				continue
			}
			if tried[m.name()] = true; m.edit.of.compiles(t, m.edit, m.When) {
				return m, true
			}
		}
		return mutant{}, false
	}
	tests := map[*checked]string{}
	why := func(id int) string {
		switch of := mutants[id-1].edit.of; {
		case len(differing[strconv.Itoa(id)]) == 0:
			return "never differs in the trials compared"
		case !allowsMore(id, 300):
			return "allows nothing more in the trials compared"
		default:
			if _, ok := outputOf(of.dir, id, tests[of], "-test.short", "-test.timeout", "60s"); !ok && !*mutantsAny {
				return "fails the unit tests"
			}
			return ""
		}
	}
	// batch draws mutants; false if there were none.
	batch := func(kind string) bool {
		draws := 0
		list, _ := apart(func() (mutant, bool) {
			if draws++; draws > 200 {
				return mutant{}, false
			}
			return draw(kind)
		})
		unknown := 0
		for i, m := range list {
			var ok bool
			if list[i], ok = known.recall(m); !ok {
				unknown++
				list[i].Dropped = "?"
			}
		}
		prepare(list, unknown > 0)
		if unknown == 0 {
			return len(list) > 0
		}
		for _, of := range []*checked{policy, kernel} {
			tests[of] = build(of.pkg.Name()+".test", over, of.dir)
		}
		each(func(id int) {
			if m := &mutants[id-1]; m.Dropped == "?" {
				m.Dropped = why(id)
			}
		})
		known.keep(t, mutants...)
		t.Logf("%d mutants of kind %s, %d new, %d differ", len(list), kind, unknown, len(differing))
		return len(list) > 0
	}
	// hunts searches a mutant with the seeds from first to before last, two at a time, and
	// returns the trial of the first harm of each; false if one ends in a panic, which everybody
	// would notice.
	hunts := func(id, first, last int) (found []int, ok bool) {
		found = make([]int, last-first)
		var group errgroup.Group
		group.SetLimit(2)
		for i := range found {
			group.Go(func() error {
				out, _ := outputOf(".", id, binary, "-test.run", "^TestHunt$", "-test.v", "-test.timeout", "0", "-hunt", "10000", "-hunt.seed", strconv.Itoa(first+i), "-hunt.plain", plain)
				at := foundAt.FindStringSubmatch(out)
				if at == nil {
					return fmt.Errorf("no hunt: %.300s", out)
				}
				var err error
				found[i], err = strconv.Atoi(at[1])
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Log(err)
			return nil, false
		}
		return found, true
	}
	// Of 20 holes 8 have two conditions and 4 are across ticks.
	want := map[string]int{"two": *mutantsWanted * 8 / 20, "ticks": *mutantsWanted * 4 / 20}
	want["one"] = *mutantsWanted - want["two"] - want["ticks"]
	counts := map[string]int{}
	var holes []mutant
	for kind := range strings.SplitSeq(*mutantsKinds, ",") {
		for made, id := 0, 0; made < want[kind] && len(tried) < 1000**mutantsWanted; id++ {
			if id == 0 || id > len(mutants) {
				if !batch(kind) {
					t.Errorf("only %d of %d mutants of kind %s were found", made, want[kind], kind)
					break
				}
				id = 1
			}
			m := mutants[id-1]
			for !m.measured() {
				n := len(m.Found)
				found, ok := hunts(id, n+1, min(n+3, 1+*mutantSeeds))
				if m.Found = append(m.Found, found...); !ok {
					m.Dropped = "panics"
				}
				known.keep(t, m)
			}
			switch {
			case m.Dropped != "":
				counts[m.Dropped]++
			case m.harmless():
				t.Logf("%s: no harm by %d seeds", m.name(), len(m.Found))
			default:
				holes = append(holes, m)
				made++
				t.Logf("%s: found after %v", m.name(), m.Found)
			}
		}
	}
	t.Logf("dropped: %v", counts)
	for _, m := range holes {
		if missed(m)*10 > *mutantSeeds {
			t.Errorf("%s when %v: missed by %d of %d seeds", m.What, m.When, missed(m), len(m.Found))
		}
	}
}

// TestHunt is the search of one seed up to its first harm, for a binary with a mutant in it.
func TestHunt(t *testing.T) {
	if *huntTrials == 0 {
		t.Skip("no hunt wanted")
	}
	if *huntStories != "" {
		l := mustLab(t)
		for i := range *huntTrials {
			if *huntStories != "all" && !slices.Contains(strings.Split(*huntStories, ","), strconv.Itoa(i)) {
				continue
			}
			t.Setenv(playedTrial, strconv.Itoa(i))
			tape := drawn(uint64(i))
			w, err := world.New(tape.scene(), 1)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("trial %d\n%s\n", i, strings.Join(l.play(tape, w, attacked, true).story, "\n"))
		}
		return
	}
	if *huntTape != "" {
		harms, _, err := Tell(mustTape(t, *huntTape))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("harms=%d\n", len(harms))
		return
	}
	s, found := &Search{Seed: *huntSeed}, -1
	for found < 0 && s.Next < *huntTrials {
		s.Finds = nil
		run(t, s, Options{Trials: min(s.Next+generation, *huntTrials), Jobs: 1})
		for _, f := range s.Finds {
			out, _ := outputOf(".", 0, *huntPlain, "-test.run", "^TestHunt$", "-test.v", "-hunt", "1", "-hunt.tape", f.Tape)
			if found < 0 && (*huntPlain == "" || strings.Contains(out, "harms=0")) {
				found = f.Trial
				fmt.Printf("tape=%s harm=%+v\n", f.Tape, f.Harm)
			}
		}
	}
	fmt.Printf("found=%d\n", found)
}
