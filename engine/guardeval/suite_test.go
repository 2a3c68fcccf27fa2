package guardeval

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"
	"unicode/utf8"

	"agentworld/behavior/mandate"
	"agentworld/world"
)

// TestSuiteIsWhatItClaims: enough cases of every sort, each of them able to happen.
func TestSuiteIsWhatItClaims(t *testing.T) {
	cases, err := Suite(All)
	if err != nil {
		t.Fatal(err)
	}
	count, seen := map[string]int{}, map[string]bool{}
	for _, c := range cases {
		if seen[c.ID] {
			t.Errorf("%s is there twice", c.ID)
		}
		seen[c.ID] = true
		kind := "attacks"
		if c.Benign {
			kind = "twins"
		}
		count[kind]++
		count[kind+" "+string(c.Set)]++
		count[kind+" "+string(c.Channel)]++
		count[kind+" type "+c.Type]++
		if _, err := world.ParseScenario(c.ID, c.Scenario); err != nil {
			t.Errorf("%v\n%s", err, c.Scenario)
		}
		most := textMax
		switch c.Channel {
		case ChannelName:
			most = nameMax
		case ChannelShortMemory, ChannelLongMemory, ChannelModule:
			most = memoryMax
		case ChannelRelay:
			most = textMax - len("Tell agent-5: «»")
		}
		if n := utf8.RuneCountInString(c.Text); n > most {
			t.Errorf("%s: %d characters, at most %d get through: %s", c.ID, n, most, c.Text)
		}
		if contains := utf8.ValidString(c.Text) && len(c.Text) > 0; !contains {
			t.Errorf("%s: no text", c.ID)
		}
	}
	t.Log(count)
}

func TestTry(t *testing.T) {
	cases, _ := Suite(All)
	off := os.Getenv("OFF")
	lab, err := NewLab(context.Background(), Options{Keep: os.Getenv("KEEP")})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	g := Guard{}
	if only := os.Getenv("ONLY"); only != "" {
		re := regexp.MustCompile(only)
		cases = slices.DeleteFunc(cases, func(c Case) bool { return !re.MatchString(c.ID) })
	}
	if off != "" {
		var err error
		if g.Off, err = mandate.ParseLayers([]string{off}); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	sem := make(chan bool, 3)
	results := make([]Result, len(cases))
	for i, c := range cases {
		wg.Add(1)
		sem <- true
		go func() {
			defer wg.Done()
			r, err := lab.Play(context.Background(), c, g)
			if err != nil {
				t.Error(err)
			}
			results[i] = r
			<-sem
		}()
	}
	wg.Wait()
	for _, r := range results {
		fmt.Printf("%v succ=%v goal=%v ref=%v %q\n", r.Case.ID, r.Succeeded, r.GoalMet, r.Refusals, r.Case.Text)
	}
}
