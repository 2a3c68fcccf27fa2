package batch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/batch/storetest"
)

// TestDirectoryStore holds the store in a directory to the contract, by two paths of it.
func TestDirectoryStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Stores {
		dir := filepath.Join(t.TempDir(), "batch")
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		ways := []batch.Store{batch.Dir(dir).Store()}
		if os.Symlink(dir, link) == nil {
			ways = append(ways, batch.Dir(link).Store())
		}
		return storetest.Stores{Ways: ways, Silence: func(t *testing.T, key string, number int64, long time.Duration) {
			then := time.Now().Add(-long)
			owner := filepath.Join(dir, fmt.Sprintf("%s-%d", filepath.FromSlash(key), number), "owner")
			if err := os.Chtimes(owner, then, then); err != nil {
				t.Fatal(err)
			}
		}}
	})
}

// TestClaimsThatNobodyMakes leaves a claim with a time that is still to come, which counts from now on,
// and one with the last number there is, which counts nothing.
func TestClaimsThatNobodyMakes(t *testing.T) {
	dir, lease := t.TempDir(), time.Hour
	store := batch.Dir(dir).Store()
	held, err := store.Claim("a", lease)
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	for _, name := range []string{"a-1/owner", "b-1"} { // the second was killed before it wrote its name
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if name == "b-1" {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		then := time.Now().Add(3 * lease)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		at, err := store.Stand(name[:1], lease)
		info, statErr := os.Stat(path)
		if err != nil || statErr != nil || at.Free || time.Until(info.ModTime()) > time.Minute {
			t.Errorf("%s: %+v, %v, %v", name, at, err, statErr)
		}
		store = batch.Dir(dir).Store() // which asks for the time again
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "c-9223372036854775807"), 0o700); err != nil {
		t.Fatal(err)
	}
	next, err := store.Claim("c", lease)
	if err != nil || next == nil || next.Number() != 1 {
		t.Fatal(next, err)
	}
	if err := next.Release(); err != nil {
		t.Fatal(err)
	}
}
