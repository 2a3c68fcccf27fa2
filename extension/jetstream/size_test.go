package jetstream

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/llmclient"
)

// linked is a link to an embedded server with its streams.
func linked(t *testing.T) *Link {
	t.Helper()
	return linkTo(t, served(t))
}

// served is an embedded server without a port.
func served(t *testing.T) *Server {
	t.Helper()
	s, err := Serve(t.Context(), ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(0) })
	return s
}

// linkTo is a link to a server with its streams.
func linkTo(t *testing.T, s *Server) *Link {
	t.Helper()
	l, err := Connect(ConnectOptions{Server: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	if err := l.make(t.Context()); err != nil {
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
	x := Exchange{Cell: "0123456789abcdef", Epoch: 3, Tick: 4, Agent: "agent 1.*", Step: 5, RequestHash: "h"}
	x.record(answer)
	s := &store{link: l, id: "batch", ctx: t.Context()}
	for _, want := range []bool{true, false} {
		if first, err := s.Put(x.name(), marshal(x)); err != nil || first != want {
			t.Fatalf("put: first = %v, %v, want %v", first, err, want)
		}
	}
	known, err := s.history(t.Context(), x.Cell, x.Base)
	if err != nil || len(known) != 1 {
		t.Fatal(known, err)
	}
	got := known[x.key()]
	restored, err := got.restore()
	if err != nil || !reflect.DeepEqual(restored, answer) {
		t.Errorf("the answer has changed on its way (%v)", err)
	}
}

// deaf loses the first answer to a new entry.
type deaf struct {
	nats_js.KeyValue
	lost bool
}

func (d *deaf) Create(ctx context.Context, key string, value []byte, o ...nats_js.KVCreateOpt) (uint64, error) {
	revision, err := d.KeyValue.Create(ctx, key, value, o...)
	if !d.lost {
		d.lost = true
		return 0, nats.ErrTimeout
	}
	return revision, err
}

func TestALostAnswerLosesNoExchange(t *testing.T) {
	for name, length := range map[string]int{"small": 1, "large": messageBytesMax} {
		t.Run(name, func(t *testing.T) {
			l := linked(t)
			l.keys = &deaf{KeyValue: l.keys}
			s := &store{link: l, id: "b", ctx: t.Context()}
			text := strings.Repeat("x", length)
			if first, err := s.Put("exchanges/c/0/1/61/1", []byte(text)); err != nil || !first {
				t.Fatalf("put: first = %v, %v", first, err)
			}
			if got, ok, err := s.Get("exchanges/c/0/1/61/1"); err != nil || !ok || string(got) != text {
				t.Errorf("the stored exchange: %v, %v", ok, err)
			}
		})
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

func TestADirectoryThatCannotBeReadIsAnError(t *testing.T) {
	l := linked(t)
	if err := l.sendDir(t.Context(), "x", filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("sendDir = %v", err)
	}
}

func TestWhatIsDamagedAtItsEndIsRefused(t *testing.T) {
	packed := archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "x", Mode: 0o600}, "x")
	damaged := errors.New("damaged")
	dir := filepath.Join(t.TempDir(), "run")
	if err := unpack(io.MultiReader(bytes.NewReader(packed), iotest.ErrReader(damaged)), dir, 1000); !errors.Is(err, damaged) {
		t.Errorf("unpack = %v", err)
	}
}

func TestWhatOutlastsAnAttemptEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		last, cancel := outlast(ctx)
		defer cancel()
		end()
		if synctest.Wait(); last.Err() != nil {
			t.Error("it ended at once")
		}
		<-last.Done()
	})
}
