package lease

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/internal/owner"
)

// length is that of the leases in the tests.
const length = 30 * time.Second

// elsewhere is a process of another host.
func elsewhere(name string) owner.Process {
	return owner.Process{Host: name, Machine: "m-" + name, Boot: "b-" + name, Namespace: "1", PID: 7, Start: "1"}
}

// dir is a new directory.
func dir(t *testing.T) *Dir { return In(folder.Dir(t.TempDir())) }

// latest is who has a name, for one who only looks.
func latest(d *Dir) (Standing, error) { return At(d.Dir, time.Now()).Stand("a", length) }

// given says that the last claim was given up.
func given(s Standing) bool { return s.Gone && !s.Silent }

// leave makes a claim of a name as its owner would, some time ago.
func leave(t *testing.T, d *Dir, number int64, by owner.Process, age time.Duration) {
	t.Helper()
	text, err := json.Marshal(by)
	path := filepath.Join(string(d.Dir), Path("a", number))
	then := time.Now().Add(-age)
	err = errors.Join(err, os.MkdirAll(path, 0o700), os.WriteFile(filepath.Join(path, OwnerFile), text, 0o600),
		os.Chtimes(filepath.Join(path, OwnerFile), then, then))
	if err != nil {
		t.Fatal(err)
	}
}

// TestClaimsOfOthers leaves claims of other processes: who may be alive keeps others out; who has ended
// for certain, gave the name up or was silent for a lease does not.
func TestClaimsOfOthers(t *testing.T) {
	living := exec.Command("sleep", "60")
	if err := living.Start(); err != nil {
		t.Skipf("no process can be started: %v", err)
	}
	defer func() { _, _ = living.Process.Kill(), living.Wait() }()
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	here := func(pid int, start string) owner.Process {
		p := owner.Self()
		p.PID, p.Start = pid, start
		return p
	}
	nameless := owner.Self()
	nameless.Namespace = "another"
	for _, c := range []struct {
		name  string
		owner owner.Process
		ended bool
		age   time.Duration
		free  bool
	}{
		{name: "another host, heard of now", owner: elsewhere("far"), age: length / 2},
		{name: "another host, silent", owner: elsewhere("far"), age: length + 2*time.Second, free: true},
		{name: "another host, given up", owner: elsewhere("far"), ended: true, free: true},
		{name: "an equal name", owner: elsewhere(owner.Self().Host), age: time.Second},
		{name: "another container", owner: nameless, age: time.Second},
		{name: "alive", owner: here(living.Process.Pid, "")},
		{name: "ended", owner: here(ended.Process.Pid, ""), free: true},
		{name: "its id is another's by now", owner: here(living.Process.Pid, "1"), free: true},
		{name: "unreadable, now"},
		{name: "unreadable, long ago", age: time.Hour, free: true},
	} {
		d := dir(t)
		leave(t, d, 3, c.owner, c.age)
		if c.ended {
			if err := d.Replace(filepath.Join(Path("a", 3), EndedFile), folder.Content(nil)); err != nil {
				t.Fatal(err)
			}
		}
		if strings.HasPrefix(c.name, "unreadable") {
			name := filepath.Join(string(d.Dir), Path("a", 3), OwnerFile)
			then := time.Now().Add(-c.age)
			if err := errors.Join(os.Truncate(name, 10), os.Chtimes(name, then, then)); err != nil {
				t.Fatal(err)
			}
		}
		l, err := d.Claim("a", length)
		if err != nil || (l != nil) != c.free {
			t.Errorf("%s: %+v, %v", c.name, l, err)
			continue
		}
		at, err := latest(d)
		if l == nil {
			if at.Number != 3 || err != nil {
				t.Errorf("%s: a refused claim left %+v, %v", c.name, at, err)
			}
			continue
		}
		if at.Number != 4 || at.By != owner.Self() || given(at) || err != nil {
			t.Errorf("%s: %+v, %v", c.name, at, err)
		}
		err = l.Release()
		if at, _ := latest(d); !given(at) || at.Number != 4 || err != nil {
			t.Errorf("%s: given up: %+v, %v", c.name, at, err)
		}
	}
}

// TestASilentOwnerLooksFirst: an owner that was stopped for longer than others wait finds out who has
// the name, and leaves alone what they have.
func TestASilentOwnerLooksFirst(t *testing.T) {
	for _, taken := range []bool{false, true} {
		d := dir(t)
		l, err := d.Claim("a", length)
		if err != nil {
			t.Fatal(err)
		}
		l.mu.Lock()
		l.heard = time.Now().Add(-length - time.Second)
		l.mu.Unlock()
		if taken {
			leave(t, d, 2, elsewhere("far"), 0)
		}
		err = l.Check()
		lost, is := errors.AsType[*LostError](err)
		if taken && (!is || lost.By.Host != "far") || !taken && err != nil || l.Holds() == taken {
			t.Errorf("taken over %v: %v", taken, err)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		if at, err := latest(d); given(at) == taken || err != nil {
			t.Errorf("taken over %v, after the release: %+v, %v", taken, at, err)
		}
	}
}

// TestHeartbeats: an owner writes four times a lease, also after somebody removed its claim, and the time
// is that of the file system. Content of somebody else takes the name from it.
func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := dir(t)
		l, err := d.Claim("a", length)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(string(d.Dir), l.path())
		long := time.Unix(1_000_000, 0)
		for _, change := range []func() error{
			func() error { return os.Chtimes(filepath.Join(path, OwnerFile), long, long) },
			func() error { return os.Remove(filepath.Join(path, OwnerFile)) },
			func() error { return os.RemoveAll(path) },
		} {
			if err := change(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(length/4 + time.Millisecond)
			synctest.Wait()
			if at, err := latest(d); err != nil || at.By != owner.Self() || !at.Heard.After(long.Add(time.Hour)) {
				t.Errorf("%+v, %v", at, err)
			}
		}
		leave(t, d, 1, elsewhere("far"), 0)
		time.Sleep(length/4 + time.Millisecond)
		synctest.Wait()
		if at, err := latest(d); err != nil || at.By.Host != "far" || l.Check() == nil {
			t.Errorf("somebody else has it: %+v, %v, %v", at, err, l.Check())
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	})
}

// TestHostsRace lets processes of several hosts claim a name at the same time, again and again, also from
// an owner that was silent and comes back: at most one has it. It changes what a process is, so it runs
// alone.
func TestHostsRace(t *testing.T) {
	real := self
	defer func() { self = real }()
	var hosts atomic.Int64
	self = func() owner.Process { return elsewhere(fmt.Sprint("host-", hosts.Add(1))) }
	owned := 0
	for round := range 60 {
		d := dir(t)
		silent, err := d.Claim("a", length)
		if err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-time.Hour)
		name := filepath.Join(string(d.Dir), silent.path(), OwnerFile)
		if err := os.Chtimes(name, then, then); err != nil {
			t.Fatal(err)
		}
		claims := make([]*Lease, 4)
		var group sync.WaitGroup
		back := false
		group.Go(func() { back = silent.renew() == nil })
		for i := range claims {
			group.Go(func() {
				l, err := In(d.Dir).Claim("a", length)
				if err != nil {
					t.Error(err)
				}
				claims[i] = l
			})
		}
		group.Wait()
		now := 0
		for _, l := range append(claims, silent) {
			switch {
			case l == nil:
			case l == silent && back, l != silent && l.renew() == nil:
				now++
			}
		}
		if now > 1 {
			t.Fatalf("round %d: %d processes have the name", round, now)
		}
		owned += now
		for _, l := range append(claims, silent) {
			if l != nil {
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if owned < 20 {
		t.Errorf("the name had an owner in %d of 60 rounds", owned)
	}
}

// TestATakeoverBacksOff: who finds that the owner wrote while he made his claim gives it up.
func TestATakeoverBacksOff(t *testing.T) {
	d := dir(t)
	leave(t, d, 1, elsewhere("far"), time.Hour)
	// The owner comes back once the taker has looked at it: when it asks who it is itself.
	real := self
	defer func() { self = real }()
	self = func() owner.Process {
		leave(t, d, 1, elsewhere("far"), 0)
		return real()
	}
	l, err := d.Claim("a", length)
	if l != nil || err != nil {
		t.Errorf("%+v, %v", l, err)
	}
	if at, err := latest(d); at.Number != 1 || err != nil {
		t.Errorf("left: %+v, %v", at, err)
	}
}

// TestAReplacedDirectoryIsNotTouched gives the path of a directory to another one: the owner of a name in
// the first writes nothing there, and gives nothing of it up.
func TestAReplacedDirectoryIsNotTouched(t *testing.T) {
	d := In(folder.Dir(filepath.Join(t.TempDir(), "d")))
	if err := os.Mkdir(string(d.Dir), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := d.Claim("a", length)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(string(d.Dir), string(d.Dir)+"-moved"), os.Mkdir(string(d.Dir), 0o700)); err != nil {
		t.Fatal(err)
	}
	lost, is := errors.AsType[*LostError](l.renew())
	if err := l.Release(); err != nil || !is || !lost.Moved {
		t.Errorf("%v, %v", lost, err)
	}
	if left, err := os.ReadDir(string(d.Dir)); len(left) > 0 || err != nil {
		t.Errorf("the other directory has %v, %v", left, err)
	}
}

// TestWhoOnlyLooksWritesNothing looks at claims of now and of a time to come.
func TestWhoOnlyLooksWritesNothing(t *testing.T) {
	d := dir(t)
	leave(t, d, 1, elsewhere("far"), -time.Hour)
	read := At(d.Dir, time.Now())
	at, err := read.Stand("a", length)
	info, statErr := os.Stat(filepath.Join(string(d.Dir), Path("a", 1), OwnerFile))
	if err != nil || statErr != nil || at.Free || time.Until(info.ModTime()) < time.Minute {
		t.Errorf("%+v, %v, %v", at, err, statErr)
	}
	if at, err := read.Stand("b/c", length); err != nil || !at.Gone {
		t.Errorf("a name that nobody had: %+v, %v", at, err)
	}
	if _, err := os.Stat(filepath.Join(string(d.Dir), "b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its directory was made: %v", err)
	}
}
