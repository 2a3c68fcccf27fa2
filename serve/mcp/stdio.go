package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines passes on the lines of a stream that are messages. It answers the others itself: to the SDK a line that it
// cannot read is the end of the session, and with it would end the runs that are played and the allowance.
type lines struct {
	in *bufio.Reader
	// out is where the lines are answered.
	out *shared
	// left is what remains of the last message.
	left []byte
}

// Read implements [io.Reader].
func (l *lines) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		line, err := l.next()
		if fault := faultOf(line); fault != nil {
			l.out.answer(fault)
		} else {
			l.left = line
		}
		if err != nil && len(l.left) == 0 {
			return 0, err
		}
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// next reads a line, with its end if it has one. Of one that is too long it returns some more than is allowed.
func (l *lines) next() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line) <= messageBytesMax {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// faultOf says why a line is no message, nil if it is one or is empty.
func faultOf(line []byte) *jsonrpc.Error {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return nil
	case len(text) > messageBytesMax:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the message is too long; allowed: 1 MiB"}
	case !json.Valid(text):
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is no JSON; allowed: a message a line"}
	}
	if _, err := jsonrpc.DecodeMessage(text); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: `the line is no message; allowed: an object with ` +
			`"jsonrpc":"2.0" and a method, one a line`}
	}
	return nil
}

// shared is a stream that others close. The SDK and [lines] write to it, whole messages each.
type shared struct {
	mu sync.Mutex
	io.Writer
}

// Write implements [io.Writer].
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Writer.Write(p)
}

// Close implements [io.Closer].
func (*shared) Close() error { return nil }

// answer says what is wrong with a message whose id is not known.
func (s *shared) answer(fault *jsonrpc.Error) {
	reply, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": fault})
	if err != nil {
		panic("mcp: an error cannot be encoded: " + err.Error())
	}
	_, _ = s.Write(append(reply, '\n')) // who does not read it is gone
}
