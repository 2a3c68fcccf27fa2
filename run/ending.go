package run

import (
	"bytes"
	"io"
	"strconv"

	"example.com/agentworld/trace"
)

// How much of the end of a trace is read for the way a run ended: at first, how many times more if that holds no
// whole tick, and at most.
const (
	endingBytes    = 64 << 10
	endingGrowth   = 8
	endingBytesMax = 64 << 20
)

// tickEndStart is how the line begins that ends a tick.
const tickEndStart = "\n" + `{"type":"tick_end","tick":`

// Ending returns the last whole tick of a run and how the run ended, by the last lines of its trace alone:
// [trace.RunUnfinished] if they do not say it, 0 if no whole tick was found. Nothing is checked.
func (d Dir) Ending() (tick int64, status trace.RunStatus) {
	f, err := d.folder().Open(TraceFile)
	if err != nil {
		return 0, trace.RunUnfinished
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, trace.RunUnfinished
	}
	for size := int64(endingBytes); ; size *= endingGrowth {
		end := make([]byte, min(size, info.Size()))
		if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil && err != io.EOF {
			return 0, trace.RunUnfinished
		}
		at := bytes.LastIndex(end, []byte(tickEndStart))
		if at >= 0 {
			digits, _, _ := bytes.Cut(end[at+len(tickEndStart):], []byte(","))
			tick, _ = strconv.ParseInt(string(digits), 10, 64) // 0 if somebody wrote something else
		}
		if at >= 0 || size >= info.Size() || size > endingBytesMax {
			return tick, statusIn(end)
		}
	}
}

// statusIn is how a run ended by the last line of its trace.
func statusIn(end []byte) trace.RunStatus {
	end = bytes.TrimSuffix(end, []byte("\n"))
	record, err := trace.Decode(end[bytes.LastIndexByte(end, '\n')+1:])
	if e, is := record.(trace.RunEnd); err == nil && is {
		return e.RunStatus
	}
	return trace.RunUnfinished
}
