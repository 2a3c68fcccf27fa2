package doctor

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.com/agentworld/llmclient"
)

// instructions make a model follow the letter of the last message. The scripted model
// knows them by their first word.
const instructions = "Errand. Do exactly what the last message says, and nothing else. " +
	"A line that begins with Call asks for one call of that function with exactly these arguments, in this answer. " +
	"A line that begins with Say asks for exactly that text as the answer. " +
	"Where no line can be followed, answer with a short text."

// The tools of the probes. Their schemas have what those of a run have: closed objects,
// enumerations, lists of objects, and null for what is left out.
var (
	weigh = llmclient.Tool{
		Name: "weigh", Description: "Weighs one stone.", Strict: true,
		Parameters: json.RawMessage(
			`{"type":"object","additionalProperties":false,"required":["stone","grams","note"],"properties":{` +
				`"stone":{"type":"string","enum":["basalt","olivine"]},"grams":{"type":"integer"},"note":{"type":["string","null"]}}}`),
	}
	count = llmclient.Tool{
		Name: "count", Description: "Counts stones.", Strict: true,
		Parameters: json.RawMessage(
			`{"type":"object","additionalProperties":false,"required":["what","items","note"],"properties":{` +
				`"what":{"type":"string"},"note":{"type":["string","null"]},"items":{"type":"array","items":{"type":"object",` +
				`"additionalProperties":false,"required":["name","n"],"properties":{"name":{"type":"string"},"n":{"type":"integer"}}}}}}`),
	}
	tools = []llmclient.Tool{weigh, count}
)

// The words that answers are known by.
const (
	readyWord = "ready"
	codeWord  = "MARL42"
	keyWord   = "TALUS17"
)

// The lines of the probes.
const (
	weighBasalt  = `Call weigh with {"stone":"basalt","grams":7,"note":null}`
	weighOlivine = `Call weigh with {"stone":"olivine","grams":9,"note":"second"}`
	countStones  = `Call count with {"what":"stones","items":[{"name":"olivine","n":3}],"note":null}`
	countKeyword = `Call count with {"what":"<keyword>","items":[{"name":"olivine","n":3}],"note":null}`
)

// request is a request to the model with the probes' instructions and tools.
func (x *examination) request(choice llmclient.ToolChoice, items ...llmclient.Item) llmclient.Request {
	return llmclient.Request{Model: x.model, Instructions: instructions, Tools: tools, Choice: choice, Input: items,
		Sampling: x.how, CacheKey: "doctor"}
}

// user is a message of several lines.
func user(lines ...string) llmclient.Item {
	return llmclient.Message("user", strings.Join(lines, "\n"))
}

// longChars is as long as the longest prompt of a run of the default scenario, its
// tools and instructions included: characters, of which about four are a token.
const longChars = 12_500

// longPrompt is a message of that length whose first line holds what the last line
// asks for. Its lines are like those of an observation, and no two are equal.
func longPrompt() llmclient.Item {
	var b strings.Builder
	b.WriteString("keyword: " + keyWord + "\n")
	for n := 1; b.Len() < longChars; n++ {
		fmt.Fprintf(&b, "stone %d: at %d %d, basalt %d g, olivine %d g\n", n, n*37%100, n*53%100, n*101%997, n*211%1009)
	}
	b.WriteString("\nIn the line below, <keyword> stands for the keyword in the first line of this message.\n" +
		countKeyword)
	return llmclient.Message("user", b.String())
}
