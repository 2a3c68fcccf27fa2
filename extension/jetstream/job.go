package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
	"example.com/agentworld/trace"
)

// Job is a cell and what its run is.
type Job struct {
	Cell batch.Cell
	// Settings are those of the run. They hold no key: a worker uses its own.
	Settings trace.Settings
}

// job is a message of the queue: a [Job] of a batch.
type job struct {
	// Batch is the id of the batch.
	Batch string `json:"batch"`
	Job
	// Retries is how often a cell is played again that failed for a reason outside of the run.
	Retries int `json:"retries"`
}

// key is the key of the job's cell in the buckets.
func (j job) key() string { return cellKey(j.Batch, j.Cell.ID) }

// subject is where the job is in the queue.
func (j job) subject() string { return jobSubject + j.key() }

// ended is a result with the run directory, in the bucket of results.
type ended struct {
	Result batch.Result `json:"result"`
	// File names the run directory in the object store.
	File string `json:"file"`
}

// attemptFile names the packed directory of an attempt.
func attemptFile(key string, epoch int64) string { return fmt.Sprintf("attempt/%s/%d", key, epoch) }

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
