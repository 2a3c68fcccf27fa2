package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// reportHash is the member of a report that holds a hash of all its other bytes.
const reportHash = `"report_hash": "`

// SealReport puts the hash of a report, indented JSON in which it is empty, into it.
func SealReport(report []byte) []byte {
	before, after, ok := cutHash(report)
	if !ok {
		panic("state: a report has no place for its hash")
	}
	return fmt.Appendf(nil, "%s%s%s", before, llmclient.Hash(report), after)
}

// ReportHead returns the head of the trace that a report was made of. The error says that the
// report is not as it was written.
func ReportHead(report []byte) (trace.Chain, error) {
	before, after, ok := cutHash(report)
	hash, after, closed := bytes.Cut(after, []byte(`"`))
	if !ok || !closed {
		return "", errors.New("it has no hash: an older version wrote it, or somebody changed it")
	}
	var r struct {
		Timing struct {
			Head trace.Chain `json:"trace_head"`
		} `json:"timing"`
	}
	if string(hash) != llmclient.Hash(fmt.Appendf(nil, `%s"%s`, before, after)) || json.Unmarshal(report, &r) != nil {
		return "", errors.New("its hash does not fit it: somebody changed it")
	}
	return r.Timing.Head, nil
}

// cutHash splits a report where its hash is.
func cutHash(report []byte) (before, after []byte, ok bool) {
	at := bytes.LastIndex(report, []byte(reportHash))
	if at < 0 {
		return nil, nil, false
	}
	at += len(reportHash)
	return report[:at], report[at:], true
}
