package world

import "slices"

// PostNote leaves a text at the agent's place for visitors to read.
type PostNote struct {
	// Text is posted as [MakeAction] makes it: cleaned and capped to [TextMax].
	Text string
}

func (PostNote) describe(*Industry) ActionSpec {
	return ActionSpec{
		Aliases: []string{"note", "leave_note", "留言"},
		Params:  []Param{freeText("message", "content", "note", "body")},
	}
}

func (a PostNote) rule(*facts, senses) ruling { return readable(a.Text) }

func (PostNote) afford(*knowledge) Affordance { return Affordance{OK: true} }

// carryOut leaves the note; the oldest goes when there are too many.
func (do PostNote) carryOut(w *World, n int32, _ ruling) effect {
	a := &w.agents[n]
	note := Note{w.textID("note", w.tick, n), a.id, w.tick, cleanText(do.Text, TextMax), w.parents}
	s := &w.sites[a.place]
	s.notes = append(s.notes, note)
	s.notes = slices.Delete(s.notes, 0, max(0, len(s.notes)-int(w.law.NotesMax)))
	w.touchSite(a.place)
	w.emit(Event{Kind: EventNotePosted, Agent: a.id, Place: w.placeID(a.place), Subject: note.ID, Text: note.Text})
	return effect{subject: note.ID}
}

// Note is a text left at a place, as visitors see it. All but the text is set by
// the world.
type Note struct {
	// ID is "note-<tick>-<author>-<n>", n counting the author's notes of that tick
	// from 1.
	ID string `json:"id"`
	// Author is the id of the agent that wrote it, Tick when.
	Author string `json:"author"`
	Tick   int64  `json:"tick"`
	// Text is what that agent wrote: data, at most [TextMax] characters, one line.
	Text string `json:"text"`
	// Parents are as those of [Terms].
	Parents []string `json:"-"`
}
