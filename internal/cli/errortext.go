package cli

import "strings"

// errorText is the message of an error for one line. Errors joined anywhere in it stand
// side by side, separated by "; ", and each is said once: a disk that is full fails
// whatever is tried next on it, and a writer that failed fails again when it is closed.
func errorText(err error) string {
	text := err.Error()
	switch wrapper := err.(type) {
	case interface{ Unwrap() error }:
		return within(text, wrapper.Unwrap())
	case interface{ Unwrap() []error }:
		causes := wrapper.Unwrap()
		if isJoin(text, causes) {
			return eachOnce(flat(causes))
		}
		for _, c := range causes {
			text = within(text, c)
		}
	}
	return text
}

// within puts the message of a cause where a wrapper's text quotes it. A wrapper that
// says it in other words keeps them.
func within(text string, c error) string {
	if c == nil || c.Error() == "" {
		return text
	}
	at := strings.LastIndex(text, c.Error())
	if at < 0 {
		return text
	}
	return text[:at] + errorText(c) + text[at+len(c.Error()):]
}

// isJoin tells errors.Join, whose text is nothing but its causes, from a format with
// several of them.
func isJoin(text string, causes []error) bool {
	lines := make([]string, len(causes))
	for i, c := range causes {
		lines[i] = c.Error()
	}
	return text == strings.Join(lines, "\n")
}

// flat takes errors joined within the joined ones into one list.
func flat(causes []error) []error {
	var all []error
	for _, c := range causes {
		if j, ok := c.(interface{ Unwrap() []error }); ok && isJoin(c.Error(), j.Unwrap()) {
			all = append(all, flat(j.Unwrap())...)
			continue
		}
		all = append(all, c)
	}
	return all
}

// eachOnce are the messages of several errors, without those that another one ends with.
func eachOnce(causes []error) string {
	var texts []string
	for i, c := range causes {
		text, said := errorText(c), false
		for j, other := range causes {
			o := errorText(other)
			said = said || strings.HasSuffix(o, ": "+text) || j < i && o == text
		}
		if !said {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}
