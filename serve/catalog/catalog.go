// Package catalog finds runs and batches below a directory, for servers that show them to others. What a client
// names is an id, the path below the directory with slashes: it never climbs out of it, and leads through no link.
package catalog

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/folder"
	"example.com/agentworld/run"
)

// The bounds of a catalog.
const (
	entriesMax = 20_000
	depthMax   = 6
	// reportBytesMax bounds a report that is read.
	reportBytesMax = 64 << 20
)

// ErrNoSuch says that the directory holds nothing of that name. It does not say why.
var ErrNoSuch = errors.New("there is no such thing in this directory")

// Catalog finds runs and batches below a directory. It follows no symbolic link, and a run or
// batch with one in it does not exist for it. It is safe for concurrent use.
type Catalog struct {
	path string
	root *os.Root
	// depth is how deep below it runs are looked for.
	depth int
	mu    sync.Mutex
	// cached are rows by the id of the run.
	cached map[string]cachedRow
}

// cachedRow is the row of a run. It holds as long as stamp is that of the run's files.
type cachedRow struct {
	stamp string
	row   Row
	// checked says that the trace was read through, damage what was wrong with it.
	checked bool
	damage  error
}

// Open opens a directory, which need not hold anything yet.
func Open(dir string) (*Catalog, error) {
	root, err := folder.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Catalog{path: filepath.Clean(dir), root: root, depth: depthMax, cached: map[string]cachedRow{}}, nil
}

// Beside opens the directory that the directory of a run is in, for that run and those beside it. id is the run's.
func Beside(dir string) (c *Catalog, id string, err error) {
	whole, err := filepath.Abs(dir)
	if err == nil {
		whole, err = filepath.EvalSymlinks(whole)
	}
	if err == nil {
		c, err = Open(filepath.Dir(whole))
	}
	if err != nil {
		return nil, "", err
	}
	c.depth = 1
	return c, filepath.Base(whole), nil
}

// Shown is a message for clients: what it names of the directory is relative to it.
func (c *Catalog) Shown(text string) string {
	if !filepath.IsAbs(c.path) || c.path == filepath.Dir(c.path) {
		return text
	}
	text = strings.ReplaceAll(text, c.path+string(filepath.Separator), "")
	return strings.ReplaceAll(text, c.path, ".")
}

// Path is the directory.
func (c *Catalog) Path() string { return c.path }

// Close closes the directory.
func (c *Catalog) Close() error { return c.root.Close() }

// Entry is a directory that holds a run or a batch; its ID is the path to it with slashes, "."
// for the directory itself.
type Entry struct {
	ID string
	// batch says that it is one, empty that it is of a run without a trace, and problem why the trace
	// is none.
	batch, empty bool
	problem      string
}

// Entries finds all runs and batches, in the order of their ids.
func (c *Catalog) Entries() []Entry {
	var found []Entry
	var look func(id string, depth int)
	look = func(id string, depth int) {
		if len(found) >= entriesMax || depth > c.depth {
			return
		}
		files, err := fs.ReadDir(c.root.FS(), id)
		if err != nil {
			return // somebody removed it, or it is not ours to read
		}
		switch {
		case slices.ContainsFunc(files, isTrace):
			found = append(found, Entry{ID: id})
			return
		case slices.ContainsFunc(files,
			func(f fs.DirEntry) bool { return f.Name() == run.TraceFile && f.Type()&fs.ModeSymlink == 0 }):
			found = append(found, Entry{ID: id, problem: run.TraceFile + " is " + run.ErrIrregular.Error()})
			return
		case neverBegan(files):
			found = append(found, Entry{ID: id, empty: true})
			return
		}
		if slices.ContainsFunc(files, func(f fs.DirEntry) bool { return f.Name() == "batch.json" && f.Type().IsRegular() }) {
			found = append(found, Entry{ID: id, batch: true})
		}
		for _, f := range files {
			switch {
			case !f.IsDir():
			case utf8.ValidString(f.Name()):
				look(path.Join(id, f.Name()), depth+1)
			case c.unnamed(path.Join(id, f.Name())):
				found = append(found, Entry{ID: strings.ToValidUTF8(path.Join(id, f.Name()), "\ufffd"),
					problem: "the name of its directory is not valid UTF-8; rename it"})
			}
		}
	}
	look(".", 0)
	return found
}

// unnamed says that a directory whose name no page can say holds a run or a batch.
func (c *Catalog) unnamed(id string) bool {
	dir, err := c.root.Open(filepath.FromSlash(id))
	if err != nil {
		return false
	}
	defer dir.Close()
	files, err := dir.ReadDir(entriesMax)
	return (err == nil || err == io.EOF) &&
		slices.ContainsFunc(files, func(f fs.DirEntry) bool { return isTrace(f) || f.Name() == "batch.json" })
}

// isTrace says that a file makes its directory one of a run.
func isTrace(f fs.DirEntry) bool {
	return f.Type().IsRegular() &&
		(f.Name() == run.TraceFile || strings.HasPrefix(f.Name(), "trace-") && strings.HasSuffix(f.Name(), ".jsonl.zst"))
}

// neverBegan says that the files of a directory are those of a run before its trace, and no others.
func neverBegan(files []fs.DirEntry) bool {
	other := func(f fs.DirEntry) bool {
		return !run.SaysWho(f.Name()) && !(f.Name() == run.PlaybookDir && f.IsDir())
	}
	return len(files) > 0 && !slices.ContainsFunc(files, other)
}

// within returns the path of a directory of the catalog. Every part of it is a directory, not a
// link, and it holds no links.
func (c *Catalog) within(id string) (string, error) {
	if !fs.ValidPath(id) || id != "." && !filepath.IsLocal(filepath.FromSlash(id)) {
		return "", ErrNoSuch
	}
	at := ""
	for part := range strings.SplitSeq(id, "/") {
		at = path.Join(at, part)
		if info, err := c.root.Lstat(filepath.FromSlash(at)); err != nil || !info.IsDir() {
			return "", ErrNoSuch
		}
	}
	files, err := fs.ReadDir(c.root.FS(), id)
	if err != nil {
		return "", ErrNoSuch
	}
	if slices.ContainsFunc(files, irregular) {
		return "", ErrNoSuch
	}
	return filepath.Join(c.path, filepath.FromSlash(id)), nil
}

// irregular says that something is neither file nor directory: a link leads elsewhere, a pipe may
// never answer.
func irregular(f fs.DirEntry) bool { return !f.Type().IsRegular() && !f.IsDir() }

// Run returns the directory of a run.
func (c *Catalog) Run(id string) (run.Dir, error) {
	dir, err := c.within(id)
	if err != nil {
		return "", err
	}
	files, err := fs.ReadDir(c.root.FS(), id)
	if err != nil || !slices.ContainsFunc(files, isTrace) {
		return "", ErrNoSuch
	}
	return run.Dir(dir), nil
}

// Batch returns the directory of a batch. All below it is files and directories.
func (c *Catalog) Batch(id string) (batch.Dir, error) {
	dir, err := c.within(id)
	if err != nil {
		return "", err
	}
	if info, err := c.root.Lstat(filepath.FromSlash(path.Join(id, "batch.json"))); err != nil || !info.Mode().IsRegular() {
		return "", ErrNoSuch
	}
	err = fs.WalkDir(c.root.FS(), id, func(_ string, f fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed meanwhile
			return nil
		case err != nil:
			return err
		case irregular(f):
			return ErrNoSuch
		}
		return nil
	})
	if err != nil {
		return "", ErrNoSuch
	}
	return batch.Dir(dir), nil
}

// Stamp changes with a file.
func (c *Catalog) Stamp(id, name string) string {
	info, err := c.root.Lstat(filepath.FromSlash(path.Join(id, name)))
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return strconv.FormatInt(info.Size(), 10) + "@" + info.ModTime().UTC().Format(time.RFC3339Nano)
}

// Runs lists the runs with how they stand, the newest first.
func (c *Catalog) Runs() (rows []Row, batches []string) {
	rows, batches = []Row{}, []string{}
	labels := map[string]map[string][]batch.Label{} // by batch
	for _, e := range c.Entries() {
		if e.batch {
			batches = append(batches, e.ID)
			continue
		}
		r := Row{ID: e.ID, Status: StatusNotBegun, Set: []Setting{}}
		switch {
		case e.problem != "":
			r.Damage(errors.New(e.problem))
		case e.empty:
			if dir, err := c.within(e.ID); err != nil {
				continue // not ours
			} else if run.Dir(dir).Holder() != "" {
				r.Status = StatusRunning
			}
		default:
			of, err := c.Row(e.ID)
			if errors.Is(err, ErrNoSuch) || errors.Is(err, run.ErrNoRun) {
				continue // removed meanwhile, or not ours
			}
			if err == nil {
				r = of
			} else if !errors.Is(err, run.ErrNothingRecorded) {
				r.Damage(err)
			}
		}
		r.Problem = c.Shown(r.Problem)
		if info, err := c.root.Lstat(filepath.FromSlash(path.Join(e.ID, run.TraceFile))); err == nil {
			r.written = info.ModTime()
		}
		for _, b := range batches {
			if b == "." || strings.HasPrefix(e.ID, b+"/") {
				r.Batch = b
			}
		}
		if r.Batch != "" && labels[r.Batch] == nil {
			labels[r.Batch] = c.labelsOf(r.Batch)
		}
		for part := range strings.SplitSeq(e.ID, "/") {
			if of, is := labels[r.Batch][part]; is {
				r.Labels = of
			}
		}
		rows = append(rows, r)
	}
	// Of those that began in the same second, the one that was written to last comes first.
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(b.StartedAt, a.StartedAt), b.written.Compare(a.written))
	})
	return rows, batches
}

// labelsOf are the labels of the cells of a batch, by cell.
func (c *Catalog) labelsOf(id string) map[string][]batch.Label {
	of := map[string][]batch.Label{}
	dir, err := c.Batch(id)
	if err != nil {
		return of
	}
	_, cells, _ := dir.Cells() // without them there are no labels
	for _, cell := range cells {
		of[string(cell.ID)] = cell.Labels
	}
	return of
}
