//go:build unix

package run

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/internal/owner"
	"example.com/agentworld/trace"
)

// elsewhere is a process of another host.
func elsewhere(name string) owner.Process {
	return owner.Process{Host: name, Machine: "m-" + name, Boot: "b-" + name, Namespace: "1", PID: 7, Start: "1"}
}

// leave writes a claim of a run as its owner would, some time ago.
func leave(t *testing.T, d Dir, name string, r claimRecord, age time.Duration) {
	t.Helper()
	path := d.file(name)
	then := time.Now().Add(-age)
	err := errors.Join(os.WriteFile(path, r.encode(), 0o600), os.Chtimes(path, then, then))
	if err != nil {
		t.Fatal(err)
	}
}

// emptyRun is a new run directory.
func emptyRun(t *testing.T) Dir {
	t.Helper()
	d := Dir(filepath.Join(t.TempDir(), "run"))
	if err := d.Create(); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestClaimsOfOthers leaves claims of other processes: who may be alive keeps others out, and is
// named; who has ended for certain, or was silent for long, does not.
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
		name    string
		owner   owner.Process
		ended   bool
		device  string
		age     time.Duration
		refusal string
	}{
		{name: "another host, heard of now", owner: elsewhere("far"), age: 15 * time.Second, refusal: `process 7 of host "far", which was heard of 1`},
		{name: "another host, silent", owner: elsewhere("far"), age: ClaimMax + 2*time.Second},
		{name: "another host, given back", owner: elsewhere("far"), ended: true},
		{name: "an equal name", owner: elsewhere(owner.Self().Host), age: time.Second, refusal: "others are let in"},
		{name: "another container", owner: nameless, age: time.Second, refusal: "others are let in"},
		{name: "alive, by another mount", owner: here(living.Process.Pid, ""), device: "other", refusal: fmt.Sprintf("in use by process %d;", living.Process.Pid)},
		{name: "alive for long, by another mount", owner: here(living.Process.Pid, ""), device: "other", age: time.Hour, refusal: "in use by process"},
		{name: "ended", owner: here(ended.Process.Pid, ""), device: "other"},
		{name: "its id is another's by now", owner: here(living.Process.Pid, "1"), device: "other"},
		{name: "unreadable, now", refusal: "run.claim is damaged"},
		{name: "unreadable, long ago", age: time.Hour},
	} {
		d := emptyRun(t)
		leave(t, d, ClaimFile, claimRecord{Number: 3, Ended: c.ended, Device: c.device, Owner: c.owner}, c.age)
		if strings.HasPrefix(c.name, "unreadable") {
			if err := os.Truncate(d.file(ClaimFile), 100); err != nil {
				t.Fatal(err)
			}
			then := time.Now().Add(-c.age)
			if err := os.Chtimes(d.file(ClaimFile), then, then); err != nil {
				t.Fatal(err)
			}
		}
		before, _, _ := d.readClaim(ClaimFile)
		claim, err := d.Claim()
		if c.refusal != "" {
			_, locked := errors.AsType[*LockedError](err)
			if after, _, _ := d.readClaim(ClaimFile); !locked || !strings.Contains(err.Error(), c.refusal) || after != before {
				t.Errorf("%s: %v, and the claim %+v", c.name, err, after)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if now, _, err := d.readClaim(ClaimFile); err != nil || now.Number != before.Number+1 || now.Owner != owner.Self() || now.Ended {
			t.Errorf("%s: %+v, %v", c.name, now, err)
		}
		if err := claim.Unlock(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if now, _, err := d.readClaim(ClaimFile); err != nil || !now.Ended || now.Number != before.Number+1 {
			t.Errorf("%s: after it was given back: %+v, %v", c.name, now, err)
		}
		if _, highest, _ := d.tickets(); highest != 0 {
			t.Errorf("%s: ticket %d is left", c.name, highest)
		}
	}
}

// TestAStoppedTakeoverIsTakenOver: a process that was killed between its ticket and its claim lets
// others in after it was silent for long.
func TestAStoppedTakeoverIsTakenOver(t *testing.T) {
	for _, c := range []struct {
		age  time.Duration
		free bool
	}{{time.Second, false}, {ClaimMax + 2*time.Second, true}} {
		d := emptyRun(t)
		leave(t, d, ClaimFile, claimRecord{Number: 3, Owner: elsewhere("far")}, time.Hour)
		leave(t, d, ticketName(4), claimRecord{Number: 4, Owner: elsewhere("near")}, c.age)
		claim, err := d.Claim()
		if (err == nil) != c.free {
			t.Errorf("a ticket %s old: %v", c.age, err)
		}
		if err == nil && claim.number != 5 {
			t.Errorf("the claim has the number %d", claim.number)
		}
		if err == nil {
			err = claim.Unlock()
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestASilentOwnerWritesNothing: an owner that was stopped for longer than others wait looks before
// it writes again.
func TestASilentOwnerWritesNothing(t *testing.T) {
	for _, by := range []string{"", ClaimFile, "ticket"} {
		d := emptyRun(t)
		claim, err := d.Claim()
		if err != nil {
			t.Fatal(err)
		}
		l, err := d.CreateLog()
		if err != nil {
			t.Fatal(err)
		}
		l.Under(claim)
		header := trace.Header{Settings: trace.DefaultSettings()}
		if err := l.Write(header); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(d.file(TraceFile))
		claim.mu.Lock()
		claim.heard = time.Now().Add(-ClaimMax - time.Second)
		claim.mu.Unlock()
		next := claimRecord{Number: claim.number + 1, Owner: elsewhere("far")}
		switch by {
		case ClaimFile:
			leave(t, d, ClaimFile, next, 0)
		case "ticket":
			leave(t, d, ticketName(next.Number), next, 0)
		}
		err = l.Write(trace.Segment{})
		after, _ := os.ReadFile(d.file(TraceFile))
		taken, over := errors.AsType[*TakenOverError](err)
		switch {
		case by == "" && (err != nil || len(after) == len(before)):
			t.Errorf("nobody has it: %v", err)
		case by != "" && (!over || taken.By.Host != "far" || string(after) != string(before)):
			t.Errorf("taken over by a %s: %v, %d bytes more", by, err, len(after)-len(before))
		}
		if err := errors.Join(l.Close(), claim.Unlock()); err != nil {
			t.Error(err)
		}
		if now, _, err := d.readClaim(ClaimFile); by == ClaimFile && (err != nil || now != next) {
			t.Errorf("the claim of the successor is %+v, %v", now, err)
		}
	}
}

// TestHeartbeats: the owner of a run writes its claim every few seconds, also after somebody removed
// it, and the time is that of the file system.
func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := emptyRun(t)
		claim, err := d.Claim()
		if err != nil {
			t.Fatal(err)
		}
		for _, remove := range []bool{false, true} {
			long := time.Unix(1_000_000, 0)
			files := []string{ClaimFile, ticketName(claim.number)}
			for _, name := range files {
				if err := os.Chtimes(d.file(name), long, long); err != nil {
					t.Fatal(err)
				}
			}
			if remove {
				if err := os.Remove(d.file(ClaimFile)); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(BeatEvery + time.Millisecond)
			synctest.Wait()
			for _, name := range files { // another host that comes while the claim is gone finds the ticket
				r, at, err := d.readClaim(name)
				if err != nil || r != claim.record || !at.After(long.Add(time.Hour)) {
					t.Errorf("%s: %+v at %s, %v", name, r, at, err)
				}
			}
		}
		if err := claim.Unlock(); err != nil {
			t.Error(err)
		}
	})
}

// TestHostsRaceForARun lets processes of several hosts claim a run at the same time, again and
// again, without any lock of the operating system: at most one has it. It changes what a process
// is, so it runs alone.
func TestHostsRaceForARun(t *testing.T) {
	realSelf, realLock := self, lockDescription
	defer func() { self, lockDescription = realSelf, realLock }()
	var hosts atomic.Int64
	self = func() owner.Process { return elsewhere(fmt.Sprint("host-", hosts.Add(1))) }
	lockDescription = func(*os.File) (bool, error) { return true, nil }
	d := emptyRun(t)
	owned := int64(0)
	for round := range 60 {
		silent := round%3 == 0 // a last owner that gave nothing back
		if silent {
			leave(t, d, ClaimFile, claimRecord{Number: int64(1000 * (round + 1)), Owner: elsewhere("gone")}, time.Hour)
		}
		var claims [4]*Claim
		var group sync.WaitGroup
		for i := range claims {
			group.Go(func() {
				c, err := d.claim(nil)
				if _, locked := errors.AsType[*LockedError](err); err != nil && !locked && !errors.Is(err, errMoved) {
					t.Error(err)
				}
				claims[i] = c
			})
		}
		group.Wait()
		now := 0
		for _, c := range claims {
			if c != nil && c.renew() == nil {
				now++
			}
		}
		if now > 1 {
			t.Fatalf("round %d: %d processes have the run", round, now)
		}
		owned += int64(now)
		for _, c := range claims {
			if c != nil {
				if err := c.Unlock(); err != nil {
					t.Error(err)
				}
			}
		}
		if now == 0 { // all have backed off: the tickets of those who did must not keep others out
			if _, highest, err := d.tickets(); err != nil || highest != 0 {
				t.Fatalf("round %d: ticket %d is left, %v", round, highest, err)
			}
		}
	}
	if owned < 10 {
		t.Errorf("the run had an owner in %d of 60 rounds", owned)
	}
}

// TestNoLocks: a file system without flock keeps nobody apart, so a run says what it needs, and a
// caller with a lease goes on. It changes the calls of the system, so it runs alone.
func TestNoLocks(t *testing.T) {
	real := flock
	defer func() { flock = real }()
	for _, none := range []error{syscall.ENOSYS, syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOTSUP} {
		flock = func(int, int) error { return none }
		d := emptyRun(t)
		_, err := d.Claim()
		if _, without := errors.AsType[*NoLocksError](err); !without || !strings.Contains(err.Error(), "without locks") {
			t.Errorf("%v: %v", none, err)
		}
		claim, err := d.ClaimLeased()
		if err != nil {
			t.Errorf("%v: %v", none, err)
			continue
		}
		if err := claim.Unlock(); err != nil {
			t.Error(err)
		}
	}
	flock = func(int, int) error { return syscall.EIO }
	_, err := emptyRun(t).ClaimLeased()
	if _, without := errors.AsType[*NoLocksError](err); err == nil || without {
		t.Errorf("a disk that fails counts as one without locks: %v", err)
	}
}

// TestClaimsThatNoProcessLeft leaves what no process leaves: garbage longer than a claim, numbers that
// none has, times that are still to come. Who comes later is kept out for at most as long as by a
// claim of now.
func TestClaimsThatNoProcessLeft(t *testing.T) {
	twice := func(name string, d Dir) {
		t.Helper()
		for range 2 {
			claim, err := d.Claim()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := claim.Unlock(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	long := time.Now().Add(-time.Hour)
	d := emptyRun(t)
	garbage := []byte(strings.Repeat("x", 3*claimBytes))
	err := errors.Join(os.WriteFile(d.file(ClaimFile), garbage, 0o600), os.Chtimes(d.file(ClaimFile), long, long))
	if err != nil {
		t.Fatal(err)
	}
	twice("garbage", d)

	d = emptyRun(t)
	leave(t, d, ClaimFile, claimRecord{Number: 1<<63 - 1, Owner: elsewhere("far")}, time.Hour)
	leave(t, d, ticketName(1<<63-1), claimRecord{Number: 1<<63 - 1, Owner: elsewhere("far")}, 0)
	twice("numbers", d)

	for _, name := range []string{ClaimFile, ticketName(4)} {
		d = emptyRun(t)
		leave(t, d, ClaimFile, claimRecord{Number: 3, Owner: elsewhere("far")}, time.Hour)
		left := claimRecord{Number: 4, Owner: elsewhere("far")}
		leave(t, d, name, left, -time.Hour)
		_, err := d.Claim()
		if _, locked := errors.AsType[*LockedError](err); !locked {
			t.Errorf("a time to come of %s: %v", name, err)
		}
		now, at, err := d.readClaim(name)
		if err != nil || now != left || time.Until(at) > time.Minute {
			t.Errorf("%s is in the future for %s: %+v, %v", name, time.Until(at), now, err)
		}
	}
}

// TestAReplacedDirectoryIsNotTouched gives the name of a claimed directory to another run: the owner of
// the first one writes nothing there, and gives nothing of it back.
func TestAReplacedDirectoryIsNotTouched(t *testing.T) {
	d := emptyRun(t)
	claim, err := d.Claim()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(string(d), string(d)+"-moved"); err != nil {
		t.Fatal(err)
	}
	if err := d.Create(); err != nil {
		t.Fatal(err)
	}
	next, err := d.Claim()
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := d.readClaim(ClaimFile)
	if err := claim.renew(); !errors.Is(err, errReplaced) {
		t.Errorf("a heartbeat into another directory: %v", err)
	}
	if err := claim.Unlock(); err != nil {
		t.Error(err)
	}
	after, _, err := d.readClaim(ClaimFile)
	if err != nil || after != before || after.Ended || d.signed() == "" {
		t.Errorf("the claim of the other run was %+v and is %+v, %v", before, after, err)
	}
	if err := next.Unlock(); err != nil {
		t.Error(err)
	}
}
