//go:build unix

package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/internal/lease"
	"example.com/agentworld/trace"
)

// emptyRun is a new run directory.
func emptyRun(t *testing.T) Dir {
	t.Helper()
	d := Dir(filepath.Join(t.TempDir(), "run"))
	if err := d.Create(); err != nil {
		t.Fatal(err)
	}
	return d
}

// leave makes a claim of a run as a process of another host would, some time ago.
func leave(t *testing.T, d Dir, number int64, owner string, age time.Duration) {
	t.Helper()
	path := d.file(lease.Path(ClaimName, number))
	name := filepath.Join(path, lease.OwnerFile)
	then := time.Now().Add(-age)
	err := errors.Join(os.MkdirAll(path, 0o700), os.WriteFile(name, []byte(owner), 0o600), os.Chtimes(name, then, then))
	if err != nil {
		t.Fatal(err)
	}
}

// far is a process of another host.
const far = `{"host":"far","machine":"m","boot":"b","namespace":"1","pid":7,"start":"1"}`

// TestHostsNameEachOther: a process of another host is named with its age until it was silent for long.
func TestHostsNameEachOther(t *testing.T) {
	for _, c := range []struct {
		owner   string
		age     time.Duration
		refusal string
	}{
		{far, 15 * time.Second, `process 7 of host "far", which was heard of 1`},
		{"{", time.Second, "its claim is damaged"},
		{far, ClaimMax + 2*time.Second, ""},
	} {
		d := emptyRun(t)
		leave(t, d, 3, c.owner, c.age)
		if by := d.Holder(); (by != "") != (c.refusal != "" && c.owner == far) {
			t.Errorf("%s: %q works on the run", c.owner, by)
		}
		claim, err := d.Claim()
		if c.refusal != "" {
			if _, locked := errors.AsType[*LockedError](err); !locked || !strings.Contains(err.Error(), c.refusal) {
				t.Errorf("%s: %v", c.refusal, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := claim.Unlock(); err != nil {
			t.Error(err)
		}
		if left, err := lease.In(d.folder()).Numbers(ClaimName); len(left) != 1 || left[0] != 4 || err != nil {
			t.Errorf("the claims %v are left, %v", left, err)
		}
	}
}

// TestAnOvertakenOwnerWritesNothing: an owner whose run another host has by now writes no record.
func TestAnOvertakenOwnerWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
		leave(t, d, 2, far, 0)
		time.Sleep(ClaimMax)
		synctest.Wait()
		err = l.Write(trace.Segment{})
		after, _ := os.ReadFile(d.file(TraceFile))
		taken, over := errors.AsType[*TakenOverError](err)
		if !over || taken.By.Host != "far" || string(after) != string(before) {
			t.Errorf("%v, %d bytes more", err, len(after)-len(before))
		}
		if err := errors.Join(l.Close(), claim.Unlock()); err != nil {
			t.Error(err)
		}
	})
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
