package documents

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/world"
)

// ChunkCharsMax bounds the text of a chunk in characters: a few of them fit into a prompt.
const ChunkCharsMax = 600

// titleMax bounds a title, from its end: the nearest heading says most.
const titleMax = 120

// chunksOf cuts a document into chunks. A chunk ends at a heading, and where the next paragraph
// would make it longer than ChunkCharsMax. A longer paragraph is cut at the end of a line, a
// sentence or a word.
func chunksOf(d world.Document, number int) (chunks []Chunk) {
	var above headings
	text := ""
	flush := func() {
		if text == "" {
			return
		}
		chunks = append(chunks, Chunk{
			ID: fmt.Sprintf("doc-%d-%d", number, len(chunks)+1), Title: above.title(d.Name), Text: text,
			Trusted: d.Trusted, Agents: d.Agents,
		})
		text = ""
	}
	for _, b := range blocksOf(d.Text) {
		if b.level > 0 {
			flush()
			above = above.with(b)
			continue
		}
		for rest := b.text; rest != ""; {
			var piece string
			piece, rest = cutPiece(rest)
			piece = plaintext.Line(piece)
			if piece == "" {
				continue
			}
			if text != "" && utf8.RuneCountInString(text)+1+utf8.RuneCountInString(piece) > ChunkCharsMax {
				flush()
			}
			text = strings.TrimSpace(text + " " + piece)
		}
	}
	flush()
	return chunks
}

// headings are those above a passage, the one of level 1 first; a level that is left out is empty.
type headings []string

// with are the headings below b, which ends those of its level and deeper.
func (h headings) with(b block) headings {
	for len(h) < b.level {
		h = append(h, "")
	}
	return append(h[:b.level-1], plaintext.Line(b.text))
}

// title names a passage of a document.
func (h headings) title(document string) string {
	for _, heading := range h {
		if heading != "" {
			document += " > " + heading
		}
	}
	return plaintext.Last(plaintext.Line(document), titleMax)
}

// block is a heading of a level from 1, or a paragraph, whose level is 0.
type block struct {
	level int
	text  string
}

// blocksOf splits a text into headings and paragraphs. A fenced block, such as code, is one
// paragraph: a line that begins with # is no heading there.
func blocksOf(text string) (blocks []block) {
	var paragraph strings.Builder
	fence := ""
	flush := func() {
		if paragraph.Len() > 0 {
			blocks = append(blocks, block{text: paragraph.String()})
			paragraph.Reset()
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		marks := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(marks, fence) {
				fence = ""
			}
		case strings.HasPrefix(marks, "```"), strings.HasPrefix(marks, "~~~"):
			fence = marks[:3]
		case marks == "":
			flush()
			continue
		default:
			if level, heading := headingOf(line); level > 0 {
				flush()
				blocks = append(blocks, block{level, heading})
				continue
			}
		}
		paragraph.WriteString(line + "\n")
	}
	flush()
	return blocks
}

// headingOf reads a Markdown heading; level is 0 for any other line.
func headingOf(line string) (level int, heading string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level < 1 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(rest, "# \t"))
}

// cutPiece cuts a text that is too long for a chunk at the last end of a line, sentence or word
// in its second half, or else within a word.
func cutPiece(text string) (piece, rest string) {
	at := 0 // bytes of the first ChunkCharsMax characters
	for range ChunkCharsMax {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
		if at == len(text) {
			return text, ""
		}
	}
	head := text[:at]
	for _, ends := range [][]string{{"\n"}, {". ", "! ", "? ", "。", "！", "？"}, {" ", "\t", "，", "；", "、"}} {
		cut := 0
		for _, end := range ends {
			if i := strings.LastIndex(head, end); i >= 0 {
				cut = max(cut, i+len(end))
			}
		}
		if cut > len(head)/2 {
			return text[:cut], text[cut:]
		}
	}
	return head, text[at:]
}
