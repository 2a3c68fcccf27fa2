package jetstream

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

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
	RequestHash string       `json:"request_hash"`
	Answer      answerRecord `json:"answer"`
}

// key identifies the call within the run.
func (x Exchange) key() trace.CallKey {
	return trace.CallKey{Tick: x.Tick, Agent: x.Agent, Step: x.Step}
}

// subject is where the exchange is stored; names of agents may have characters that a
// subject cannot have.
func (x Exchange) subject(id string) string {
	return fmt.Sprintf("%s%d.%d.%s.%d", cellSubject(id, x.Cell), x.Base, x.Tick, hex.EncodeToString([]byte(x.Agent)),
		x.Step)
}

// cellSubject begins the subjects of the exchanges of a cell.
func cellSubject(id string, cell batch.ID) string {
	return exchangeSubject + id + "." + string(cell) + "."
}

// answerRecord is an answer with all that a run or its report uses.
type answerRecord struct {
	Reply          *replyRecord          `json:"reply,omitempty"`
	Failure        *llmclient.Failure    `json:"failure,omitempty"`
	Attempts       int                   `json:"attempts"`
	FailedAttempts []llmclient.ErrorKind `json:"failed_attempts,omitempty"`
	LatencyMS      int64                 `json:"latency_ms"`
}

type replyRecord struct {
	ID               string `json:"id,omitempty"`
	Model            string `json:"model,omitempty"`
	Status           string `json:"status,omitempty"`
	IncompleteReason string `json:"incomplete_reason,omitempty"`
	// Items are the bytes of the output items, as they came.
	Items      []verbatim      `json:"items"`
	NonObjects int             `json:"non_objects,omitempty"`
	Repairs    []string        `json:"repairs,omitempty"`
	Usage      llmclient.Usage `json:"usage"`
}

// verbatim is bytes that are a JSON string if they are text, and else the only element of a
// list, in base64. Raw JSON would be compacted, and have another hash.
type verbatim []byte

// MarshalJSON implements json.Marshaler.
func (v verbatim) MarshalJSON() ([]byte, error) {
	if utf8.Valid(v) {
		return json.Marshal(string(v))
	}
	return json.Marshal([][]byte{v})
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *verbatim) UnmarshalJSON(data []byte) error {
	if strings.HasPrefix(string(data), `"`) {
		var text string
		err := json.Unmarshal(data, &text)
		*v = verbatim(text)
		return err
	}
	var coded [1][]byte
	err := json.Unmarshal(data, &coded)
	*v = coded[0]
	return err
}

// recordAnswer keeps an answer.
func recordAnswer(a llmclient.Answer) answerRecord {
	r := answerRecord{Failure: a.Failure, Attempts: a.Attempts, FailedAttempts: a.FailedAttempts, LatencyMS: a.LatencyMS}
	if p := a.Reply; p != nil {
		r.Reply = &replyRecord{ID: p.ID, Model: p.Model, Status: p.Status, IncompleteReason: p.IncompleteReason,
			Items: []verbatim{}, NonObjects: p.NonObjects, Repairs: p.Repairs, Usage: p.Usage}
		for _, it := range p.Items {
			r.Reply.Items = append(r.Reply.Items, verbatim(it.Raw))
		}
	}
	return r
}

// restore returns the answer as the run received it. The error says that an item is none.
func (r answerRecord) restore() (llmclient.Answer, error) {
	a := llmclient.Answer{Failure: r.Failure, Attempts: r.Attempts, FailedAttempts: r.FailedAttempts,
		LatencyMS: r.LatencyMS}
	if r.Reply == nil {
		if r.Failure == nil {
			return a, fmt.Errorf("a stored answer has neither reply nor failure")
		}
		return a, nil
	}
	p := r.Reply
	a.Reply = &llmclient.Reply{ID: p.ID, Model: p.Model, Status: p.Status, IncompleteReason: p.IncompleteReason,
		Items: make([]llmclient.Item, len(p.Items)), NonObjects: p.NonObjects, Repairs: p.Repairs, Usage: p.Usage}
	for i, raw := range p.Items {
		it, ok := llmclient.ParseItem(json.RawMessage(raw))
		if !ok {
			return a, fmt.Errorf("item %d of a stored answer is none", i+1)
		}
		a.Reply.Items[i] = it
	}
	return a, nil
}

// lasting says that the answer can be given to a later attempt.
func lasting(a llmclient.Answer) bool { return trace.Answer{Failure: a.Failure}.Lasting() }
