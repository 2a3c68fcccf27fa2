package jetstream

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nuid"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/folder"
)

// The files of a coordinator in the batch directory.
const (
	exchangesFile = "exchanges.jsonl"
	idFile        = "jetstream.id"
)

// directory is the batch directory as a coordinator uses it.
type directory string

// folder is the directory as what it is read and written through: nothing below it is followed.
func (d directory) folder() folder.Dir { return folder.Dir(d) }

// exchangesName is the name of what is stored of a cell.
func exchangesName(id batch.ID) string { return filepath.Join("cells", string(id), exchangesFile) }

// fileBytesMax bounds the files that are read as a whole.
const fileBytesMax = 256 << 20

// attempt is the directory of an attempt.
func (d directory) attempt(id batch.ID, number int64) string {
	return filepath.Dir(batch.Dir(d).Run(id, number))
}

// id names the batch on a server. It is made once.
func (d directory) id() (string, error) {
	text, err := d.folder().Read(idFile, fileBytesMax)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	id := nuid.Next()
	return id, d.folder().Replace(idFile, folder.Content([]byte(id+"\n")))
}

// last returns the highest number of an attempt, and what the next one begins with, see
// [cellState].
func (d directory) last(id batch.ID) (number, base int64, err error) {
	number, base, abandoned, err := batch.Dir(d).Attempts(id)
	if errors.Is(err, os.ErrNotExist) {
		return 0, 0, nil
	}
	if base == 0 {
		base = -abandoned
	}
	return number, base, err
}

// exchanges returns what is stored of a cell. A last line that is not whole is cut off: it
// is still in the server's store.
func (d directory) exchanges(id batch.ID) ([]Exchange, error) {
	f, err := d.folder().OpenFile(exchangesName(id), os.O_RDWR)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []Exchange
	var size int64
	for lines := bufio.NewReaderSize(f, 1<<16); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			if len(line) > 0 {
				err = f.Truncate(size)
				return list, err
			}
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		var x Exchange
		if err := json.Unmarshal(line, &x); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", f.Name(), len(list)+1, err)
		}
		size += int64(len(line))
		list = append(list, x)
	}
}

// appendExchange adds a line to a cell's exchanges and syncs it.
func (d directory) appendExchange(x Exchange) error {
	name := exchangesName(x.Cell)
	if err := d.folder().MkdirAll(filepath.Dir(name)); err != nil {
		return err
	}
	existed := d.folder().Exists(name)
	f, err := d.folder().OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = f.Write(append(marshal(x), '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil || existed {
		return err
	}
	return d.folder().Sync(filepath.Dir(name))
}
