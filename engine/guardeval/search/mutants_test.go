package search

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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

	"example.com/agentworld/world"
)

// How well the search finds holes is measured by holes that a machine makes: mutants of the
// code of guard and terms that pass the unit tests of their package and let the victim do
// more than before. Each is built with an overlay, and the search is run against it.
//
//	go test ./engine/guardeval/search -run TestMutants -timeout 0 -mutants 20 -seeds 20 -mutants.out .tmp/mutants.json
var (
	mutantsWanted = flag.Int("mutants", 0, "holes to make and to search for")
	mutantSeeds   = flag.Int("seeds", 3, "seeds to search each hole with")
	mutantSeed    = flag.Uint64("mutants.seed", 1, "seed of the choice of mutants")
	mutantsAny    = flag.Bool("mutants.any", false, "take mutants that fail the unit tests, too: they are holes for sure")
	mutantsOut    = flag.String("mutants.out", "", "file for the result")
	huntTrials    = flag.Int("hunt", 0, "trials of a hunt: the search of one seed, up to the first harm")
	huntSeed      = flag.Uint64("hunt.seed", 1, "seed of the hunt")
	huntPlain     = flag.String("hunt.plain", "", "test binary without the mutant: what does harm there is no find")
	huntTape      = flag.String("hunt.tape", "", "one trial: print whether it does harm")
	huntStories   = flag.Bool("hunt.stories", false, "print what is played in the trials instead")
)

// edit replaces a part of a file.
type edit struct {
	file       string
	start, end int
	text       string
	// what it does, and which kind of hole it makes: condition, number or ticks.
	what, kind string
}

// acrossTicks matches functions that keep or read what happened in other ticks.
var acrossTicks = regexp.MustCompile(`(?i)ledger|spen|deviat|window|settle|recent|learn|record|since|sum|within|used|left`)

// opposites are what comparisons become.
var opposites = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
}

// editsOf lists what can be changed in a file.
func editsOf(t *testing.T, file string) (list []edit) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		kind := func(usual string) string {
			if acrossTicks.MatchString(f.Name.Name) || strings.Contains(file, "ledger") {
				return "ticks"
			}
			return usual
		}
		add := func(from, to token.Pos, text, what, kind string) {
			p := set.Position(from)
			list = append(list, edit{file, at(from), at(to), text, fmt.Sprintf("%s:%d %s: %s", filepath.Base(file), p.Line, f.Name.Name, what), kind})
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				left, right := string(src[at(n.X.Pos()):at(n.X.End())]), string(src[at(n.Y.Pos()):at(n.Y.End())])
				if opposite, ok := opposites[n.Op]; ok {
					add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), opposite, n.Op.String()+" becomes "+opposite, kind("condition"))
				}
				switch n.Op {
				case token.LAND, token.LOR:
					add(n.Pos(), n.End(), left, "without "+n.Op.String()+" "+right, kind("condition"))
					add(n.Pos(), n.End(), right, "without "+left+" "+n.Op.String(), kind("condition"))
				case token.ADD, token.SUB:
					add(n.Pos(), n.End(), left, "without "+n.Op.String()+" "+right, kind("number"))
				}
			case *ast.BasicLit:
				if v, err := strconv.Atoi(n.Value); err == nil && n.Kind == token.INT {
					add(n.Pos(), n.End(), strconv.Itoa(v+1), n.Value+" becomes "+strconv.Itoa(v+1), kind("number"))
				}
			case *ast.IfStmt:
				add(n.Cond.Pos(), n.Cond.End(), "("+string(src[at(n.Cond.Pos()):at(n.Cond.End())])+") && false", "never if "+string(src[at(n.Cond.Pos()):at(n.Cond.End())]), kind("condition"))
			case *ast.CaseClause:
				for i, e := range n.List {
					if len(n.List) > 1 && i+1 < len(n.List) {
						add(e.Pos(), n.List[i+1].Pos(), "", "without case "+string(src[at(e.Pos()):at(e.End())]), kind("condition"))
					}
				}
			case *ast.AssignStmt:
				if _, field := n.Lhs[0].(*ast.SelectorExpr); field || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
					add(n.Pos(), n.End(), "_ = 0", "without "+string(src[at(n.Pos()):at(n.End())]), "ticks")
				}
			case *ast.IncDecStmt:
				add(n.Pos(), n.End(), "_ = 0", "without "+string(src[at(n.Pos()):at(n.End())]), "ticks")
			}
			return true
		})
	}
	return list
}

// mutant is one or two edits and what came of it.
type mutant struct {
	Kind  string   `json:"kind"`
	What  []string `json:"what"`
	Found []int    `json:"found"`
	edits []edit
}

// root is where the module is.
const root = "../../.."

// targets are the files that mutants are made of, as patterns.
var targets = []string{"behavior/policy/*.go", "world/terms.go", "world/request.go", "world/offer.go", "world/accept.go", "world/decline.go", "world/canceloffer.go"}

// overlay writes the mutated files and the overlay that puts them in place.
func (m mutant) overlay(t *testing.T, dir string) string {
	replace, byFile := map[string]string{}, map[string][]edit{}
	for _, e := range m.edits {
		byFile[e.file] = append(byFile[e.file], e)
	}
	for i, file := range slices.Sorted(maps.Keys(byFile)) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		edits := byFile[file]
		slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(b.start, a.start) })
		for _, e := range edits {
			src = slices.Concat(src[:e.start], []byte(e.text), src[e.end:])
		}
		original, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replace[original] = filepath.Join(dir, fmt.Sprintf("mutated%d.go", i))
		if err := os.WriteFile(replace[original], src, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, _ := json.Marshal(map[string]any{"Replace": replace})
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// output runs a command at the root of the module; false when it fails.
func output(dir, name string, args ...string) (string, bool) {
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err == nil
}

var (
	foundAt = regexp.MustCompile(`found=(-?\d+)`)
)

// passes reports whether the packages that a mutant is in build and pass their tests.
func passes(m mutant, overlay string) bool {
	packages := map[string]bool{}
	for _, e := range m.edits {
		packages["./"+filepath.ToSlash(strings.TrimPrefix(filepath.Dir(e.file), root+"/"))] = true
	}
	_, ok := output(root, "go", append([]string{"test", "-short", "-overlay", overlay}, slices.Sorted(maps.Keys(packages))...)...)
	return ok
}

// TestMutants makes holes and counts in how many seeds the search finds each. It takes
// hours, so that it runs only when asked for.
func TestMutants(t *testing.T) {
	if *mutantsWanted == 0 {
		t.Skip("no mutants wanted")
	}
	byKind := map[string][]edit{}
	for _, pattern := range targets {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				for _, e := range editsOf(t, file) {
					byKind[e.kind] = append(byKind[e.kind], e)
				}
			}
		}
	}
	dir := t.TempDir()
	// hunt builds the search with an overlay and runs it.
	build := func(name, overlay string) (binary string, ok bool) {
		binary = filepath.Join(dir, name)
		_, ok = output(".", "go", "test", "-c", "-overlay", overlay, "-o", binary, ".")
		return binary, ok
	}
	// played are the stories of some trials; freer says that somewhere, where they part, the
	// victim did what was refused without the mutant.
	played := func(binary string) []string {
		out, _ := output(".", binary, "-test.run", "^TestHunt$", "-test.v", "-hunt", "300", "-hunt.stories")
		return strings.Split(out, "trial ")
	}
	refused := regexp.MustCompile(`decided: engine|By:fallback`)
	acts := func(story string) (decided, done []string) {
		for line := range strings.SplitSeq(story, "\n") {
			switch {
			case strings.Contains(line, victim+" decided:"):
				decided = append(decided, line)
			case strings.Contains(line, victim+": "):
				done = append(done, line)
			}
		}
		return decided, done
	}
	freer := func(usual, mutated []string) bool {
		for i := range min(len(usual), len(mutated)) {
			why, done := acts(usual[i])
			other, does := acts(mutated[i])
			for at := range min(len(why), len(other), len(done), len(does)) {
				if done[at] != does[at] {
					if refused.MatchString(why[at]) && !refused.MatchString(other[at]) {
						return true
					}
					break
				}
			}
		}
		return false
	}
	plain, ok := build("plain.test", mutant{}.overlay(t, dir))
	if !ok {
		t.Fatal("the search does not build")
	}
	usual := played(plain)
	r := rand.New(rand.NewPCG(*mutantSeed, 0))
	draw := func(kind string) mutant {
		pick := func(kind string) edit { return byKind[kind][r.IntN(len(byKind[kind]))] }
		if kind != "two" {
			e := pick(kind)
			return mutant{Kind: kind, What: []string{e.what}, edits: []edit{e}}
		}
		for {
			a, b := pick("condition"), pick("condition")
			if a.file != b.file || a.end <= b.start || b.end <= a.start {
				return mutant{Kind: kind, What: []string{a.what, b.what}, edits: []edit{a, b}}
			}
		}
	}
	// Of 20 holes 8 have two conditions and 4 are across ticks.
	want := map[string]int{"two": *mutantsWanted * 8 / 20, "ticks": *mutantsWanted * 4 / 20}
	want["number"] = *mutantsWanted * 2 / 20
	want["condition"] = *mutantsWanted - want["two"] - want["ticks"] - want["number"]
	counts, tried := map[string]int{}, map[string]bool{}
	var holes []mutant
	for _, kind := range slices.Sorted(maps.Keys(want)) {
		for made := 0; made < want[kind] && len(tried) < 100**mutantsWanted; {
			m := draw(kind)
			if tried[strings.Join(m.What, "; ")] {
				continue
			}
			tried[strings.Join(m.What, "; ")] = true
			overlay := m.overlay(t, dir)
			if !*mutantsAny && !passes(m, overlay) {
				counts["fails the unit tests, or to build"]++
				t.Logf("killed by unit tests, or by the compiler: %v", m.What)
				continue
			}
			binary, ok := build("mutant.test", overlay)
			if !ok {
				counts["does not build"]++
				continue
			}
			if !freer(usual, played(binary)) {
				counts["allows nothing more in 300 trials"]++
				t.Logf("allows nothing more: %v", m.What)
				continue
			}
			for seed := range *mutantSeeds {
				// Most changes make no hole: the first seed looks less long.
				trials := "10000"
				if seed == 0 {
					trials = "2000"
				}
				out, _ := output(".", binary, "-test.run", "^TestHunt$", "-test.v", "-test.timeout", "0", "-hunt", trials, "-hunt.seed", strconv.Itoa(seed+1), "-hunt.plain", plain)
				at := foundAt.FindStringSubmatch(out)
				if at == nil {
					t.Fatalf("%v: no hunt: %s", m.What, out)
				}
				n, _ := strconv.Atoi(at[1])
				m.Found = append(m.Found, n)
				if seed == 0 && n < 0 {
					// Nobody knows whether it is a hole: who reads the list decides.
					break
				}
			}
			t.Logf("%s %v found after %v", m.Kind, m.What, m.Found)
			if holes = append(holes, m); m.Found[0] >= 0 {
				made++
			}
			if *mutantsOut != "" {
				data, _ := json.MarshalIndent(map[string]any{"dropped": counts, "mutants": holes}, "", "\t")
				if err := os.WriteFile(*mutantsOut, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("dropped: %v", counts)
}

// TestHunt is the search of one seed up to its first harm, for a binary with a mutant in it.
func TestHunt(t *testing.T) {
	if *huntTrials == 0 {
		t.Skip("no hunt wanted")
	}
	if *huntStories {
		l := mustLab(t)
		for i := range *huntTrials {
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
			out, _ := output(".", *huntPlain, "-test.run", "^TestHunt$", "-test.v", "-hunt", "1", "-hunt.tape", f.Tape)
			if found < 0 && (*huntPlain == "" || strings.Contains(out, "harms=0")) {
				found = f.Trial
				fmt.Printf("tape=%s harm=%+v\n", f.Tape, f.Harm)
			}
		}
	}
	fmt.Printf("found=%d\n", found)
}
