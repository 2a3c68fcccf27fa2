package jetstream

import (
	"encoding/hex"
	"fmt"

	"example.com/agentworld/batch"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Exchange is a request of a cell and the answer that ended it: a line of exchanges.jsonl.
type Exchange struct {
	Cell batch.ID `json:"cell"`
	// Base is the attempt that the run continues, 0 or less if it began with its first tick: the
	// exchange comes after those which that attempt's trace holds.
	Base int64 `json:"base"`
	// Epoch is the attempt that asked.
	Epoch int64  `json:"epoch"`
	Tick  int64  `json:"tick"`
	Agent string `json:"agent_id"`
	Step  int    `json:"step"`
	// RequestHash is the hex SHA-256 of the request body.
	RequestHash string `json:"request_hash"`
	// Answer is what ended it, as a trace has it, and Items are the output items that it names.
	Answer trace.Answer     `json:"answer"`
	Timing trace.CallTiming `json:"timing"`
	Items  []trace.Blob     `json:"items,omitempty"`
}

// key identifies the call within the run.
func (x Exchange) key() trace.CallKey {
	return trace.CallKey{Tick: x.Tick, Agent: x.Agent, Step: x.Step}
}

// name is the key under which the exchange is stored; names of agents may have characters that a key cannot
// have.
func (x Exchange) name() string {
	return fmt.Sprintf("%s/%d/%s/%d", exchangesAfter(x.Cell, x.Base), x.Tick, hex.EncodeToString([]byte(x.Agent)), x.Step)
}

// exchangesKey begins the keys of exchanges.
const exchangesKey = "exchanges"

// exchangesAfter begins the keys of the exchanges of a cell that belong to a base.
func exchangesAfter(cell batch.ID, base int64) string {
	return fmt.Sprintf("%s/%s/%d", exchangesKey, cell, base)
}

// record keeps an answer with all that a run or its report uses.
func (x *Exchange) record(a llmclient.Answer) {
	hashes := []string{}
	if a.Reply != nil {
		for _, it := range a.Reply.Items {
			item := trace.NewBlob(x.Tick, trace.BlobItem, it.Raw)
			x.Items = append(x.Items, item)
			hashes = append(hashes, item.Hash)
		}
	}
	x.Answer = trace.AnswerOf(a, hashes)
	x.Timing = trace.CallTiming{LatencyMS: a.LatencyMS, Attempts: a.Attempts, FailedAttempts: a.FailedAttempts}
}

// restore returns the answer as the run received it. The error says that an item is none.
func (x Exchange) restore() (llmclient.Answer, error) {
	var items trace.Blobs
	for _, item := range x.Items {
		items.Add(item)
	}
	a, err := x.Answer.Restore(&items)
	a.LatencyMS = x.Timing.LatencyMS
	a.Attempts = x.Timing.Attempts
	a.FailedAttempts = x.Timing.FailedAttempts
	return a, err
}

// lasting says that the answer can be given to a later attempt.
func lasting(a llmclient.Answer) bool { return trace.Answer{Failure: a.Failure}.Lasting() }
