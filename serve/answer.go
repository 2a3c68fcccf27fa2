package serve

import (
	"encoding/json"
	"net/http"
	"regexp"

	"example.com/agentworld/plaintext"
)

// absolute is the path of a file on this machine, in quotes or up to a space, but no part of an
// address.
var absolute = regexp.MustCompile(`(^|[\s('=])(?:/|[A-Za-z]:[\\/])[^\s"':;,)]*[\\/]|(")(?:/|[A-Za-z]:[\\/])[^"]*[\\/]`)

// Pathless is a text without where files are on this machine: that is no one's business.
func Pathless(text string) string { return absolute.ReplaceAllString(text, "$1$2…/") }

// Problem answers with one line for people, which is [Pathless].
func Problem(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	line, err := json.Marshal(map[string]string{"error": plaintext.Line(Pathless(text))})
	if err != nil {
		panic("serve: a problem cannot be encoded: " + err.Error())
	}
	_, _ = w.Write(line) // a client that is gone needs none
}

// Answer writes a value as JSON.
func Answer(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		Problem(w, http.StatusInternalServerError, "the answer cannot be encoded: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(body) // a client that is gone needs none
}
