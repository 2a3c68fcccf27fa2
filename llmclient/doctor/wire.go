package doctor

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// wire counts requests and keeps the last response's body, because a reply does not
// tell a count of zero from one that was not sent.
type wire struct {
	next http.RoundTripper

	calls atomic.Int64
	mu    sync.Mutex
	body  []byte
}

// bodyMax bounds what is kept of a response.
const bodyMax = 1 << 20

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.calls.Add(1)
	w.mu.Lock()
	w.body = nil
	w.mu.Unlock()
	response, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	kept, _ := io.ReadAll(io.LimitReader(response.Body, bodyMax)) // an error shows again to whoever reads on
	w.mu.Lock()
	w.body = kept
	w.mu.Unlock()
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(kept), response.Body), response.Body}
	return response, nil
}

// says reports whether the last response holds a word.
func (w *wire) says(word string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Contains(w.body, []byte(word))
}

// usageFields are the parts of usage that the last response had.
type usageFields struct{ input, output, cached, reasoning bool }

func (w *wire) usage() (u usageFields) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var r struct {
		Usage struct {
			Input       *json.RawMessage            `json:"input_tokens"`
			Output      *json.RawMessage            `json:"output_tokens"`
			InputParts  map[string]*json.RawMessage `json:"input_tokens_details"`
			OutputParts map[string]*json.RawMessage `json:"output_tokens_details"`
		} `json:"usage"`
	}
	if json.Unmarshal(w.body, &r) != nil {
		return u
	}
	return usageFields{r.Usage.Input != nil, r.Usage.Output != nil, r.Usage.InputParts["cached_tokens"] != nil, r.Usage.OutputParts["reasoning_tokens"] != nil}
}
