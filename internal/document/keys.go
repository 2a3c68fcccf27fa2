package document

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Key is a key of a TOML document, or the header of a table, with its place.
type Key struct {
	// Path leads to it from the top, Line is its line, counted from 1.
	Path []string
	Line int
	// Kind is that of its value, for a header that of the header. Text is the value as it is written,
	// without quotes.
	Kind unstable.Kind
	Text string
	// Element says that it is in a table that is an element of an array in brackets.
	Element bool
}

// Keys lists the keys of a valid document in order, also those in inline tables. A decoder gives positions
// only with its errors, so the syntax is walked.
func Keys(data []byte) []Key {
	k := keys{data: data, line: 1}
	p := &unstable.Parser{}
	p.Reset(data)
	var table Key
	for p.NextExpression() {
		if node := p.Expression(); node.Kind == unstable.KeyValue {
			k.add(node, table)
		} else {
			table = k.add(node, Key{})
		}
	}
	return k.list
}

// keys are those of a document so far. Keys come in order, and each is looked for from the last one on,
// which is at the byte counted of a line.
type keys struct {
	data          []byte
	list          []Key
	line, counted int
}

// add adds a key below another one, and those of its value.
func (k *keys) add(node *unstable.Node, under Key) Key {
	key := Key{Path: slices.Clone(under.Path), Element: under.Element, Kind: node.Kind}
	for it := node.Key(); it.Next(); {
		if key.Line == 0 {
			at := int(it.Node().Raw.Offset)
			k.line += bytes.Count(k.data[k.counted:at], []byte("\n"))
			k.counted = at
			key.Line = k.line
		}
		key.Path = append(key.Path, string(it.Node().Data))
	}
	if node.Kind != unstable.KeyValue {
		k.list = append(k.list, key)
		return key
	}
	value := node.Value()
	key.Kind = value.Kind
	key.Text = string(value.Data)
	k.list = append(k.list, key)
	k.within(value, key)
	return key
}

// within adds the keys of a value.
func (k *keys) within(value *unstable.Node, under Key) {
	switch value.Kind {
	case unstable.InlineTable:
		for it := value.Children(); it.Next(); {
			k.add(it.Node(), under)
		}
	case unstable.Array:
		under.Element = true
		for it := value.Children(); it.Next(); {
			k.within(it.Node(), under)
		}
	}
}
