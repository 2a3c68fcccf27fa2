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
