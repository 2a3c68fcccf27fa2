package jetstream

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"example.com/agentworld/llmclient"
)

// linked is a link to an embedded server with its streams.
func linked(t *testing.T) *Link {
	t.Helper()
	s, err := Serve(ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(0) })
	l, err := Connect(ConnectOptions{Server: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	if err := l.make(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAnExchangeMayBeLargerThanAMessage(t *testing.T) {
	l := linked(t)
	item, ok := llmclient.ParseItem([]byte(`{"type":"message", "role":"assistant","content":[{"type":"output_text","text":"` + strings.Repeat("<é> ", 600_000) + `"}]}`))
	if !ok {
		t.Fatal("no item")
	}
	answer := llmclient.Answer{Reply: &llmclient.Reply{ID: "r", Status: "completed", Items: []llmclient.Item{item}}, Attempts: 2, FailedAttempts: []llmclient.ErrorKind{llmclient.ErrTimeout}}
	x := Exchange{Cell: "0123456789abcdef", Epoch: 3, Tick: 4, Agent: "agent 1.*", Step: 5, RequestHash: "h", Answer: recordAnswer(answer)}
	for _, want := range []bool{false, true} {
		existed, err := l.publish(t.Context(), x.subject("batch"), marshal(x), nats.Header{})
		if err != nil || existed != want {
			t.Fatalf("publish: existed = %v, %v, want %v", existed, err, want)
		}
	}
	got, err := l.exchange(t.Context(), x.subject("batch"))
	if err != nil {
		t.Fatal(err)
	}
	restored, err := got.Answer.restore()
	if err != nil || !reflect.DeepEqual(restored, answer) {
		t.Errorf("the answer has changed on its way (%v)", err)
	}
}

func TestFirstAnswerStays(t *testing.T) {
	l := linked(t)
	x := Exchange{Cell: "0123456789abcdef", Tick: 1, Agent: "a", Step: 1, RequestHash: "first", Answer: recordAnswer(llmclient.Failed(llmclient.ErrServer, "x"))}
	if _, err := l.publish(t.Context(), x.subject("b"), marshal(x), nil); err != nil {
		t.Fatal(err)
	}
	second := x
	second.RequestHash = "second"
	existed, err := l.publish(t.Context(), second.subject("b"), marshal(second), nil)
	if got, readErr := l.exchange(t.Context(), x.subject("b")); err != nil || readErr != nil || !existed || got.RequestHash != "first" {
		t.Errorf("stored %q, existed %v, %v, %v", got.RequestHash, existed, err, readErr)
	}
}

func TestAClaimEndsWithTheNext(t *testing.T) {
	l := linked(t)
	if _, err := l.cells.Create(t.Context(), "b.c", marshal(cellState{Epoch: 4})); err != nil {
		t.Fatal(err)
	}
	first, err := l.claimCell(t.Context(), "b.c")
	if err != nil || first.cell.Epoch != 5 || first.check(t.Context()) != nil {
		t.Fatalf("claim = %+v, %v", first, err)
	}
	second, err := l.claimCell(t.Context(), "b.c")
	if err != nil || second.cell.Epoch != 6 || second.cell.Deaths != 1 {
		t.Fatalf("claim = %+v, %v", second, err)
	}
	if err := first.check(t.Context()); !errors.Is(err, errFenced) {
		t.Errorf("check = %v, want errFenced", err)
	}
	if err := first.release(t.Context(), func(s *cellState) { s.Failed = true }); !errors.Is(err, errFenced) {
		t.Errorf("release = %v, want errFenced", err)
	}
	if err := second.check(t.Context()); err != nil {
		t.Errorf("check = %v", err)
	}
	if err := (&claim{link: l, key: "b.gone"}).check(t.Context()); !errors.Is(err, errFenced) {
		t.Errorf("check of a deleted cell = %v, want errFenced", err)
	}
}

// archive is a compressed tar file with one entry.
func archive(t *testing.T, h tar.Header, body string) []byte {
	t.Helper()
	var out bytes.Buffer
	packed, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewWriter(packed)
	h.Size = int64(len(body))
	_, writeErr := files.Write(nil)
	if err := errors.Join(writeErr, files.WriteHeader(&h)); err != nil {
		t.Fatal(err)
	}
	_, err = files.Write([]byte(body))
	if err := errors.Join(err, files.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestUnpackRefusesWhatLeavesTheDirectory(t *testing.T) {
	for name, packed := range map[string][]byte{
		"above":    archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "../x", Mode: 0o600}, "x"),
		"absolute": archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "/tmp/x", Mode: 0o600}, "x"),
		"inside":   archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "a/../../x", Mode: 0o600}, "x"),
		"symlink":  archive(t, tar.Header{Typeflag: tar.TypeSymlink, Name: "x", Linkname: "/etc/passwd"}, ""),
		"hardlink": archive(t, tar.Header{Typeflag: tar.TypeLink, Name: "x", Linkname: "../y"}, ""),
		"device":   archive(t, tar.Header{Typeflag: tar.TypeFifo, Name: "x"}, ""),
		"large":    archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "x", Mode: 0o600}, strings.Repeat("x", 2000)),
		"nonsense": []byte("nonsense"),
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "in", "run")
			if err := unpack(bytes.NewReader(packed), dir, 1000); err == nil {
				t.Error("accepted")
			}
			if _, err := os.Lstat(dir); err == nil {
				t.Error("the directory is there")
			}
			if left, _ := filepath.Glob(filepath.Join(parent, "in", "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestPackedDirectoriesComeOutEqual(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "run")
	for name, body := range map[string]string{"trace.jsonl": "a\n", "playbooks/a.toml": "b", "run.lock": "1"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(from, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := linked(t)
	if err := errors.Join(l.sendDir(t.Context(), "x", from), l.fetchDir(t.Context(), "x", to)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(to, "playbooks", "a.toml")); err != nil || string(text) != "b" {
		t.Errorf("playbook %q, %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(to, "run.lock")); err == nil {
		t.Error("the lock came along")
	}
}
