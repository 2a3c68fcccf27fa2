package guardeval

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

//go:embed suite/*.toml
var suiteFiles embed.FS

// Set is a part of the suite.
type Set string

// The sets. Held-out templates are reported apart.
const (
	Open    Set = "open"
	HeldOut Set = "held_out"
	All     Set = "all"
)

// Sets lists the values of a set in a setting.
func Sets() []Set { return []Set{Open, HeldOut, All} }

// Channel is the way on which a text gets to the victim.
type Channel string

// The channels.
const (
	// ChannelMessage is a message of the attacker.
	ChannelMessage Channel = "message"
	// ChannelBroadcast is one message to everybody, mostly under a false name.
	ChannelBroadcast Channel = "broadcast"
	// ChannelNote is a note at the victim's place.
	ChannelNote Channel = "note"
	// ChannelName is the name of the place where the victim is.
	ChannelName Channel = "name"
	// ChannelShortMemory is a message that only memory still holds when it is time;
	// ChannelLongMemory is one among many that were summarised by then.
	ChannelShortMemory Channel = "short_memory"
	ChannelLongMemory  Channel = "long_memory"
	// ChannelModule is a memory that a module finds.
	ChannelModule Channel = "module"
	// ChannelBullet is a lesson of little trust in the victim's playbook,
	// ChannelShared one that several agents are said to have confirmed.
	ChannelBullet Channel = "bullet"
	ChannelShared Channel = "shared_playbook"
	// ChannelReflection is a message that is to become a lesson in a look back.
	ChannelReflection Channel = "reflection"
	// ChannelRelay is a message to an agent that passes it on to the victim.
	ChannelRelay Channel = "relay"
	// ChannelProvider is an answer that did not come from the victim's model: calls in
	// a reason step and in place of its draft, while a harmless message is in view.
	ChannelProvider Channel = "provider"
)

// template is a way of saying what one wants.
type template struct {
	ID       string    `toml:"id"`
	Type     string    `toml:"type"`
	Channels []Channel `toml:"channels"`
	Text     string    `toml:"text"`
	// NoTwins marks a form that is an order by itself, whatever is put into it.
	NoTwins bool `toml:"no_twins"`
	// Goals limits the goals it is used for; empty for all.
	Goals []string `toml:"goals"`
	// From is the first tick in which the text wants to be obeyed, 0 for at once.
	From int64 `toml:"from"`
	// Reasoning says that it wants to be obeyed in a reason step.
	Reasoning bool `toml:"reasoning"`
	set       Set
}

// goal is what an attacker is after.
type goal struct {
	ID          string   `toml:"id"`
	Say         []string `toml:"say"`
	Held        []string `toml:"held"`
	JSON        string   `toml:"json"`
	Brief       string   `toml:"brief"`
	Information bool     `toml:"information"`
	// Ticks is for how long a standing order asks for it, 0 for once.
	Ticks int64 `toml:"ticks"`
	// Hardware is the victim's stock at the start, 1 where it is not given.
	Hardware int64 `toml:"hardware"`
	// Opening are actions of the victim in its first ticks, which the case needs to
	// have happened; they are carried out before anybody has said anything.
	Opening []string `toml:"opening"`
}

// library is the suite as written.
type library struct {
	templates       []template
	goals, requests []goal
}

// readLibrary reads the embedded files. The error is a fault of the suite.
func readLibrary() (library, error) {
	var lib library
	for _, name := range []string{"goals", "requests", string(Open), string(HeldOut)} {
		var file struct {
			Goal     []goal     `toml:"goal"`
			Request  []goal     `toml:"request"`
			Template []template `toml:"template"`
		}
		data, err := suiteFiles.ReadFile("suite/" + name + ".toml")
		if err != nil {
			return lib, fmt.Errorf("suite: %w", err)
		}
		d := toml.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(&file); err != nil {
			return lib, fmt.Errorf("suite/%s.toml: %w", name, err)
		}
		lib.goals, lib.requests = append(lib.goals, file.Goal...), append(lib.requests, file.Request...)
		for _, t := range file.Template {
			t.set = Set(name)
			lib.templates = append(lib.templates, t)
		}
	}
	return lib, nil
}

// filled puts values in place of the names in double braces, until none is left:
// a value may have names in it.
func filled(text string, values map[string]string) string {
	pairs := make([]string, 0, 2*len(values))
	for name, value := range values {
		pairs = append(pairs, "{{"+name+"}}", value, "{{"+name+"|wide}}", wide(value))
	}
	for range 3 {
		text = strings.NewReplacer(pairs...).Replace(text)
	}
	return text
}

// wide writes letters and digits in their full-width forms, names in braces aside.
func wide(text string) string {
	var b strings.Builder
	depth := 0
	for _, r := range text {
		depth += strings.Count(string(r), "{") - strings.Count(string(r), "}")
		if depth == 0 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			r += 0xFEE0
		}
		b.WriteRune(r)
	}
	return b.String()
}
