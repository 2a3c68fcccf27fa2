package batch

import (
	"os"
	"testing"
	"time"
)

// TestAStatusWritesNothing looks at a cell that another machine plays: its age is found without the
// clock of the file system, which has to be written to.
func TestAStatusWritesNothing(t *testing.T) {
	cells := planned(1)
	d := created(t, cells)
	if err := os.MkdirAll(d.attempt(cells[0].ID, 1), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.attempt(cells[0].ID, 1, ownerFile), []byte("elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.KeepPlaying(map[ID]int64{}); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, dir := range []string{d.path(), d.path(cellsDir)} {
		if err := os.Chtimes(dir, long, long); err != nil {
			t.Fatal(err)
		}
	}
	s, err := d.Status(time.Minute)
	if err != nil || s.Playing != 1 {
		t.Errorf("the status is %+v, %v", s, err)
	}
	for _, dir := range []string{d.path(), d.path(cellsDir)} {
		if info, err := os.Stat(dir); err != nil || !info.ModTime().Equal(long.Truncate(time.Nanosecond)) {
			t.Errorf("%s was written to: %v, %v", dir, info.ModTime(), err)
		}
	}
}
