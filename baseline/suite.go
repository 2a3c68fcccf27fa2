package baseline

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

// suiteScores has for each suite what is known of its instances, by TestSuiteReferences. The columns of a file are
// task, seed, nothing, random, greedy, scripted, embedded and best.
//
//go:embed testdata/aw-*.csv
var suiteScores embed.FS

// Reference is what players are known to score in an instance of a suite. It is the scale of the instance.
type Reference struct {
	// Scores of agents that wait, that draw what they do, that do not look ahead, and of the scripted agents.
	Nothing, Random, Greedy, Scripted int64
	// Score of the embedded model under default settings.
	Embedded int64
	// Score of the best play that is known: that of a search, or of one of the others.
	Best int64
}

// Share is a score on the scale of the instance: 0 is that of doing nothing, 1 that of the best play known. A
// player may score less than the one and more than the other.
func (r Reference) Share(score int64) float64 {
	return float64(score-r.Nothing) / float64(r.Best-r.Nothing)
}

// columns are the places of the scores, in the order of a file.
func (r *Reference) columns() []*int64 {
	return []*int64{&r.Nothing, &r.Random, &r.Greedy, &r.Scripted, &r.Embedded, &r.Best}
}

// SuiteReferences are the references of all instances of a suite, by task and seed.
type SuiteReferences map[string]map[uint64]Reference

// ReferencesOf are what is known of the instances of a suite; empty of a suite that is not known.
func ReferencesOf(suite string) SuiteReferences {
	all := SuiteReferences{}
	text, err := suiteScores.ReadFile("testdata/" + suite + ".csv")
	if err != nil {
		return all
	}
	_, rows, _ := strings.Cut(string(text), "\n")
	for row := range strings.Lines(rows) {
		cells := strings.Split(strings.TrimSpace(row), ",")
		var r Reference
		columns := r.columns()
		if len(cells) != 2+len(columns) {
			panic("baseline: a reference of " + suite + " cannot be read: " + row)
		}
		seed, err := strconv.ParseUint(cells[1], 10, 64)
		for i, to := range columns {
			if err == nil {
				*to, err = strconv.ParseInt(cells[2+i], 10, 64)
			}
		}
		if err != nil {
			panic(fmt.Sprintf("baseline: a reference of %s cannot be read: %v", suite, err))
		}
		if all[cells[0]] == nil {
			all[cells[0]] = map[uint64]Reference{}
		}
		all[cells[0]][seed] = r
	}
	return all
}
