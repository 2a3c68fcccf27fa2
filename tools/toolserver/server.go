package toolserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/agentworld/internal/child"
	"example.com/agentworld/tools"
	"example.com/agentworld/trace"
)

// Server says where a server is and what of it is offered. It is the user's: no file of a scenario, a batch
// or a run holds one.
type Server struct {
	// Name is what the user calls it: 1 to 31 of a-z, 0-9 and _. Its tools are called NAME_TOOL.
	Name string
	// Command is a program with its arguments, which serves over its standard input and output; URL is an
	// endpoint of streamable HTTP. Exactly one of them is set.
	Command []string
	URL     string
	// Env is the environment of the program, in the form NAME=value. It has nothing else but PATH, HOME, the
	// language and the directory of temporary files.
	Env []string
	// Headers are sent to the endpoint, and nowhere else. They may hold secrets.
	Headers map[string]string
	// Tools say which tools are offered, by the server's names, and what models are told of them; none offers all,
	// without descriptions.
	Tools map[string]Choice
	// Agents may call the tools, nil for all. Trusted says that results may decide what an agent does.
	Agents  []string
	Trusted bool
	trace.ToolLimits
}

// Choice is what the user says of one tool of a server.
type Choice struct {
	// Description is what models are told. Without one, they are told the server's if Hash is the hash of what
	// the server says of the tool, as [Client.Hashes] returns it.
	Description, Hash string
	// Open are arguments that a plan need not give once texts of others are in view.
	Open []string
}

// The times that a server has: connectWait to answer at first, closeWait to end before it is killed.
const (
	connectWait = 30 * time.Second
	closeWait   = time.Second
)

// The bounds of what is read of a server before anything is made of it: of one message of a program, and of one
// response of an endpoint, which may be a stream of messages.
const (
	messageBytesMax  = 4 << 20
	responseBytesMax = 16 << 20
)

var serverName = regexp.MustCompile(`^[a-z0-9_]{1,31}$`)

// Check reports what is wrong with the server. The error repeats no address, header or argument.
func (s Server) Check() error {
	switch {
	case !serverName.MatchString(s.Name):
		return fmt.Errorf("tool server %q: a name has 1 to 31 of a-z, 0-9 and _", s.Name)
	case (len(s.Command) == 0) == (s.URL == ""):
		return fmt.Errorf("tool server %s: it needs a command or a URL, one of them", s.Name)
	case s.URL != "" && !strings.HasPrefix(s.URL, "http://") && !strings.HasPrefix(s.URL, "https://"):
		return fmt.Errorf("tool server %s: its URL has to begin with http:// or https://", s.Name)
	}
	return nil
}

// Client is a connection to a server. It is safe for concurrent use and has to be closed.
type Client struct {
	server  Server
	session *mcp.ClientSession
	// offered are the tools for a run, hashes the hashes of all that the server has, by its names, and notes
	// what of it is not offered, and why.
	offered []offer
	hashes  map[string]string
	notes   []string

	// flooded says that the server said more than is read of it: it is not asked any more.
	flooded atomic.Bool

	mu sync.Mutex
	// changed are the tools, by the server's names, that it changed or took away.
	changed map[string]bool
}

// Connect starts or reaches the server and asks for its tools. The error names the server and what failed,
// and repeats no address, header or argument.
func Connect(ctx context.Context, s Server) (*Client, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	c := &Client{server: s, changed: map[string]bool{}}
	transport, said := c.transport()
	// The connection outlives the time that it has to come about.
	connecting, cancel := context.WithTimeout(ctx, connectWait)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "agentworld", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, // nothing that a server asks for is answered
	})
	session, err := client.Connect(connecting, transport, nil)
	if err != nil {
		if c.flooded.Load() {
			return nil, fmt.Errorf("tool server %s: %w", s.Name, errTooLong)
		}
		return nil, fmt.Errorf("tool server %s: it cannot be reached: %s", s.Name, reason(err, said()))
	}
	c.session = session
	if err := c.offer(connecting); err != nil {
		return nil, errors.Join(fmt.Errorf("tool server %s: %w", s.Name, err), c.Close())
	}
	return c, nil
}

// reason says why a server cannot be reached without what may hold a secret: a kind of failure, or the name of
// the program that is not there. last are the last words of the program.
func reason(err error, last string) string {
	if _, is := errors.AsType[*exec.Error](err); is || errors.Is(err, fs.ErrNotExist) {
		return "there is no such program"
	}
	if last != "" {
		last = "; it said: " + last
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %v%s", connectWait, last)
	}
	return "no MCP server answers there" + last
}

// transport is the way to the server. said returns the last words of a program.
func (c *Client) transport() (t mcp.Transport, said func() string) {
	flooded := func() { c.flooded.Store(true) }
	if c.server.URL != "" {
		client := &http.Client{Transport: endpoint{c.server.Headers, flooded}, CheckRedirect: sameHost}
		return &mcp.StreamableClientTransport{Endpoint: c.server.URL, HTTPClient: client, MaxRetries: -1},
			func() string { return "" }
	}
	words := &child.LastWords{}
	command := exec.Command(c.server.Command[0], c.server.Command[1:]...)
	command.Env = environment(c.server.Env)
	command.Stderr = words
	command.WaitDelay = closeWait // so that a grandchild that keeps its output open holds up nobody
	return process{command, flooded}, words.Line
}

// offer asks the server for its tools and makes those that are offered.
func (c *Client) offer(ctx context.Context) error {
	all, err := c.list(ctx)
	if err != nil {
		return err
	}
	c.hashes = map[string]string{}
	version := versionOf(c.session.InitializeResult())
	namesakes := map[string]int{}
	for _, theirs := range all {
		if ours, ok := nameOf(theirs.Name); ok && c.chosen(theirs.Name) {
			namesakes[ours]++
		}
	}
	for _, theirs := range all {
		c.hashes[theirs.Name] = hashOf(theirs)
		choice, chosen := c.server.Tools[theirs.Name]
		if !c.chosen(theirs.Name) {
			continue
		}
		o, err := c.offerOf(theirs, choice, version)
		if ours, _ := nameOf(theirs.Name); namesakes[ours] > 1 {
			err = errNamesakes
		}
		if err != nil && chosen {
			return fmt.Errorf("tool %s: %w", tidy(theirs.Name), err)
		}
		if err != nil {
			c.notes = append(c.notes, fmt.Sprintf("tool %s of server %s is not offered: %v", tidy(theirs.Name),
				c.server.Name, err))
			continue
		}
		c.offered = append(c.offered, o)
	}
	for name := range c.server.Tools {
		if c.hashes[name] == "" {
			return fmt.Errorf("it has no tool %s", name)
		}
	}
	slices.SortFunc(c.offered, func(a, b offer) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// errNamesakes says that models could not tell two tools of a server apart.
var errNamesakes = errors.New("another tool of the server has the same name but for capitals and hyphens")

// chosen reports whether the user wants a tool, by the server's name.
func (c *Client) chosen(theirs string) bool {
	_, named := c.server.Tools[theirs]
	return named || len(c.server.Tools) == 0
}

// list asks the server for its tools.
func (c *Client) list(ctx context.Context) (all []*mcp.Tool, err error) {
	for t, err := range c.session.Tools(ctx, nil) {
		if err != nil && c.flooded.Load() {
			return nil, errTooLong
		}
		if err != nil {
			return nil, errors.New("its list of tools cannot be read")
		}
		all = append(all, t)
		if len(all) > toolsMax {
			return nil, fmt.Errorf("it has more than %d tools", toolsMax)
		}
	}
	return all, nil
}

// toolsMax bounds the tools that are read of a server; how many a run may have is the run's to say.
const toolsMax = 1000

// look asks the server for its tools again, before each call: a server need not tell when they change. One
// that is not as it was is changed for good.
func (c *Client) look(ctx context.Context) error {
	all, err := c.list(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.offered {
		same := func(t *mcp.Tool) bool { return t.Name == o.theirs && hashOf(t) == o.Hash }
		if !slices.ContainsFunc(all, same) {
			c.changed[o.theirs] = true
		}
	}
	return nil
}

// Tools are the tools that the server offers to a run, by name.
func (c *Client) Tools() []tools.Tool {
	list := make([]tools.Tool, len(c.offered))
	for i, o := range c.offered {
		list[i] = tools.Tool{Tool: o.Tool, Call: c.caller(o)}
	}
	return list
}

// Notes say which tools of the server are not offered, and why.
func (c *Client) Notes() []string { return c.notes }

// Hashes are the hashes of what the server says of each of its tools, by its names: what a user pins.
func (c *Client) Hashes() map[string]string { return c.hashes }

// Close ends the connection, and a process with it. A process that does not end is killed.
func (c *Client) Close() error {
	if err := c.session.Close(); err != nil && c.server.URL == "" {
		return fmt.Errorf("tool server %s: it did not end by itself", c.server.Name)
	}
	return nil
}
