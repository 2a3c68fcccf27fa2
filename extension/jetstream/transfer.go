package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
)

// dirTimeout bounds the way of a run directory to or from the object store.
const dirTimeout = 30 * time.Minute

// attemptFile names the packed directory of an attempt.
func attemptFile(id string, cell batch.ID, epoch int64) string {
	return fmt.Sprintf("attempt/%s.%s/%d", id, cell, epoch)
}

// sendDir packs a directory into the object store. A directory that cannot be read is an error.
func (l *Link) sendDir(ctx context.Context, name, dir string) error {
	return l.insistFor(ctx, "store "+name, dirTimeout, func(ctx context.Context) error {
		r, w := io.Pipe()
		go func() {
			if err := pack(w, dir); err != nil {
				w.CloseWithError(errFinal{err})
			}
			w.Close()
		}()
		_, err := l.files.Put(ctx, nats_js.ObjectMeta{Name: name}, r)
		r.CloseWithError(err) // ends the packing
		return err
	})
}

// errUnusable says that an object holds no run directory.
var errUnusable = errors.New("what is stored is no run directory")

// unusable says that a run directory is not on the server, or damaged there.
func unusable(err error) bool { return missing(err) || errors.Is(err, errUnusable) }

// missing says that an object does not exist.
func missing(err error) bool { return errors.Is(err, nats_js.ErrObjectNotFound) }

// incoming remembers how reading failed.
type incoming struct {
	io.Reader
	err error
}

func (r *incoming) Read(p []byte) (n int, err error) {
	n, err = r.Reader.Read(p)
	if err != io.EOF {
		r.err = err
	}
	return n, err
}

// fetchDir makes dir of what sendDir has stored. The error is that dir cannot be written, or is
// errUnusable or one of a missing object.
func (l *Link) fetchDir(ctx context.Context, name, dir string) error {
	return l.insistFor(ctx, "fetch "+name, dirTimeout, func(ctx context.Context) error {
		o, err := l.files.Get(ctx, name)
		if err != nil {
			if missing(err) {
				return errFinal{err}
			}
			return err
		}
		defer o.Close()
		if err := os.RemoveAll(dir); err != nil {
			return errFinal{err}
		}
		in := &incoming{Reader: o}
		err = unpack(in, dir, archiveBytesMax)
		_, path := errors.AsType[*fs.PathError](err)
		_, link := errors.AsType[*os.LinkError](err)
		switch {
		case err == nil:
			return nil
		case path || link:
			return errFinal{err}
		case in.err == nil || errors.Is(in.err, nats_js.ErrDigestMismatch):
			return errFinal{fmt.Errorf("%s: %w: %w", name, errUnusable, err)}
		}
		return err
	})
}
