package ask

import (
	"encoding/json"
	"fmt"
	"slices"

	"example.com/agentworld/behavior/interview"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Record is a question with its answer, as it is kept.
type Record struct {
	// Tick is the last one that the agent knew of, TurnTick that of its last own decision.
	Tick     int64  `json:"tick"`
	TurnTick int64  `json:"turn_tick"`
	AgentID  string `json:"agent_id"`
	Question string `json:"question"`
	// Model answered, through ModelSource.
	Model       string            `json:"model"`
	ModelSource trace.ModelSource `json:"model_source"`
	// BaseURL is where it was asked, as a trace calls an endpoint.
	BaseURL string `json:"base_url"`
	// Text is the answer, Cited the sources that it names; Failure says why there is none.
	Text    string           `json:"text"`
	Cited   []trace.Citation `json:"cited"`
	Failure trace.WaitReason `json:"failure,omitempty"`
	// Usage is what all answers were billed, CostMicros what that cost in millionths of Currency;
	// 0 where no price is known.
	Usage      llmclient.Usage `json:"usage"`
	CostMicros int64           `json:"cost_micros"`
	Currency   string          `json:"currency,omitempty"`
	// Exchanges are the requests with their answers, so that both can be checked again.
	Exchanges []Exchange `json:"exchanges"`
	// Timing has what depends on the clock.
	Timing Timing `json:"timing"`
}

// Exchange is one request of a question with its answer.
type Exchange struct {
	// RequestHash is that of the request before a cap bounded the length of its answer.
	RequestHash string       `json:"request_hash"`
	Answer      trace.Answer `json:"answer"`
	// Items are those of Answer.Output, byte for byte as they came.
	Items []trace.Blob `json:"items"`
}

// Timing is when a question was put, in UTC, and how long the answers took.
type Timing struct {
	AskedAt   string `json:"asked_at"`
	LatencyMS int64  `json:"latency_ms"`
}

// LastFailure is the failure that ended the question, nil where every request had a reply.
func (r Record) LastFailure() *llmclient.Failure {
	if len(r.Exchanges) == 0 {
		return nil
	}
	return r.Exchanges[len(r.Exchanges)-1].Answer.Failure
}

// exchangeOf records a request and its answer.
func exchangeOf(r llmclient.Request, a llmclient.Answer) Exchange {
	x := Exchange{RequestHash: r.Hash(), Items: []trace.Blob{}}
	output := []string{}
	if a.Reply != nil {
		for _, it := range a.Reply.Items {
			b := trace.NewBlob(0, trace.BlobItem, it.Raw)
			output, x.Items = append(output, b.Hash), append(x.Items, b)
		}
	}
	x.Answer = trace.AnswerOf(a, output)
	return x
}

// answer restores the answer. The error says that an item is not the one that came.
func (x Exchange) answer() (llmclient.Answer, error) {
	var blobs trace.Blobs
	for _, b := range x.Items {
		blobs.Add(b)
	}
	return x.Answer.Restore(&blobs)
}

// Keep writes a question beside the trace of the run, for good.
func Keep(dir run.Dir, r Record) error { return dir.KeepAsk(llmclient.Marshal(r)) }

// Kept returns the questions kept with the run, oldest first. The error names the line that is
// not as it was written.
func Kept(dir run.Dir) ([]Record, error) {
	lines, err := dir.Asks()
	if err != nil {
		return nil, err
	}
	records := make([]Record, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal(line, &records[i]); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", run.AsksFile, i+1, err)
		}
	}
	return records, nil
}

// Check derives a question again from the trace: its requests have to be those that were sent,
// and the answers have to read as they did. count bounds the tokens of a text. The error says
// what differs.
func Check(of Run, x *state.Index, r Record, count func(string) int) error {
	differs := func(what string) error {
		return fmt.Errorf("the question to %s after tick %d is not as recorded: %s", r.AgentID, r.Tick, what)
	}
	agent, err := Agent(of, x, r.Tick, r.AgentID)
	if err != nil {
		return err
	}
	turn, err := agent.Begin(r.Question, interview.With{Model: r.Model, CountTokens: count})
	if err != nil {
		return err
	}
	for i, kept := range r.Exchanges {
		asks, more := turn.Next()
		if !more || asks.Request.Hash() != kept.RequestHash {
			return differs(fmt.Sprintf("request %d is another one", i+1))
		}
		answer, err := kept.answer()
		if err != nil {
			return differs(err.Error())
		}
		turn.Answer(answer)
	}
	if _, more := turn.Next(); more {
		return differs("more is asked after its last answer")
	}
	if now := turn.Result(); now.Text != r.Text || now.Failure != r.Failure || !slices.Equal(now.Cited, r.Cited) {
		return differs("its answer reads otherwise")
	}
	return nil
}
