package toolserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/tools"
	"example.com/agentworld/trace"
)

// offer is a tool of a server as a run has it.
type offer struct {
	trace.Tool
	// theirs is the server's name of it, shape the way back from its arguments to those of the server.
	theirs string
	shape  *shape
}

// descriptionMax bounds a description in characters, the user's or a pinned one.
const descriptionMax = 1000

// parametersMax bounds in bytes what models are told of the arguments of one tool: names are a server's own words,
// and each call of each agent pays for them.
const parametersMax = 8000

// offerOf makes a tool of what a server says of it. The error says why models cannot be offered it.
func (c *Client) offerOf(theirs *mcp.Tool, choice Choice, version string) (offer, error) {
	o := offer{theirs: theirs.Name}
	name, ok := nameOf(theirs.Name)
	o.Tool = trace.Tool{Name: c.server.Name + "_" + name, Version: version, Server: c.server.Name, Hash: hashOf(theirs),
		Agents: c.server.Agents, Trusted: c.server.Trusted, ToolLimits: c.server.ToolLimits}
	if !ok || !trace.ToolName(o.Name) {
		return o, errors.New("its name has other characters than letters, digits, _ and -, or is too long")
	}
	schema, way, err := strictOf(theirs.InputSchema)
	if err != nil {
		return o, err
	}
	o.Parameters, o.shape = llmclient.Marshal(schema), way
	if len(o.Parameters) > parametersMax {
		return o, fmt.Errorf("its arguments take %d bytes in each call of a model; allowed are %d", len(o.Parameters),
			parametersMax)
	}
	for _, name := range choice.Open {
		ours, _ := nameOf(name)
		o.Open = append(o.Open, ours)
	}
	description := choice.Description
	switch {
	case choice.Hash != "" && choice.Hash != o.Hash:
		return o, fmt.Errorf("it is not the one whose hash is pinned: the server's is %s now", o.Hash)
	case choice.Hash != "":
		description = cmp.Or(description, theirs.Description)
	}
	o.Description = plaintext.Clip(strings.ToValidUTF8(description, ""), descriptionMax)
	return o, nil
}

// hashOf is the hash of all that a server says of a tool to models.
func hashOf(t *mcp.Tool) string {
	return tools.HashOf(t.Name, t.Description, llmclient.Marshal(t.InputSchema))
}

// nameOf is a name of a server in the characters that models see; ok is false for one that does not fit.
func nameOf(name string) (ours string, ok bool) {
	ours = strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	return ours, nameForm.MatchString(ours)
}

var (
	nameForm    = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)
	versionForm = regexp.MustCompile(`^[A-Za-z0-9._+-]{1,32}$`)
)

// versionOf is the version that a server says it has, empty if it is none.
func versionOf(r *mcp.InitializeResult) string {
	if r == nil || r.ServerInfo == nil || !versionForm.MatchString(r.ServerInfo.Version) {
		return ""
	}
	return r.ServerInfo.Version
}

// tidy is a name of a server for people.
func tidy(name string) string { return plaintext.Clip(plaintext.Line(name), 64) }

// caller returns what calls a tool of the server.
func (c *Client) caller(o offer) func(ctx context.Context, arguments json.RawMessage) (any, error) {
	return func(ctx context.Context, arguments json.RawMessage) (any, error) {
		var given any
		if err := json.Unmarshal(arguments, &given); err != nil {
			return nil, fmt.Errorf("read the arguments: %w", err)
		}
		if err := c.look(ctx); err != nil {
			return nil, c.lost(ctx, err)
		}
		c.mu.Lock()
		changed := c.changed[o.theirs]
		c.mu.Unlock()
		if changed {
			return nil, tools.ErrChanged
		}
		result, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: o.theirs, Arguments: o.shape.restored(given)})
		if refused, is := errors.AsType[*jsonrpc.Error](err); is {
			return nil, errors.New(refused.Message)
		}
		if err != nil {
			return nil, c.lost(ctx, err)
		}
		text := textOf(result)
		if result.IsError {
			return nil, errors.New(text)
		}
		if result.StructuredContent != nil {
			return result.StructuredContent, nil
		}
		return text, nil
	}
}

// lost is the error of a connection, whose own text may hold an address: the end of ctx stays one.
func (c *Client) lost(ctx context.Context, err error) error {
	if c.flooded.Load() {
		return errTooLong
	}
	if ctx.Err() != nil {
		return err
	}
	return tools.ErrUnavailable
}

// textOf is the text of a result. What is no text is named.
func textOf(r *mcp.CallToolResult) string {
	var parts []string
	for _, content := range r.Content {
		switch content := content.(type) {
		case *mcp.TextContent:
			parts = append(parts, content.Text)
		case *mcp.ImageContent:
			parts = append(parts, "(an image)")
		case *mcp.AudioContent:
			parts = append(parts, "(a sound)")
		default:
			parts = append(parts, "(a resource)")
		}
	}
	return strings.Join(parts, "\n")
}
