package dashboard

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/serve"
	"example.com/agentworld/trace"
)

// Control lets the viewer of a page intervene in the run that it shows.
type Control interface {
	// Ask asks for a control, which the run takes before its next tick, and returns the number
	// of the request. The error says why it never will.
	Ask(trace.Control) (int64, error)
	// Status says where the run is, and how each request ended.
	Status() ControlStatus
}

// ControlStatus is where a run is for its operator.
type ControlStatus struct {
	// Tick is the tick before which the run waits, or that it plays.
	Tick int64 `json:"tick"`
	// Caps are those that hold.
	Caps trace.Caps `json:"-"`
	// Paused says that it waits before the tick, Ended that it plays none any more.
	Paused bool `json:"paused"`
	Ended  bool `json:"ended"`
	// Requests are the last ones, oldest first.
	Requests []ControlRequest `json:"requests"`
}

// ControlRequest is a request of an operator and how it ended.
type ControlRequest struct {
	// Number counts the requests of the run from 1.
	Number int64 `json:"number"`
	// What it is, in few words; Text is what was written.
	What string `json:"what"`
	Text string `json:"text,omitempty"`
	// Tick is the tick before which it was taken, 0 as long as it waits.
	Tick int64 `json:"tick"`
	// Refused says why it was not taken, empty if it was or waits.
	Refused string `json:"refused,omitempty"`
}

// The paths that may be posted to.
const (
	controlPath = "/api/control"
	enterPath   = "/api/control/enter"
)

// bodyMax bounds the body of a request, in bytes.
const bodyMax = 16 << 10

// door lets in the browser that is given the token. There is one token and one cookie at a time: who
// enters ends both, so that a browser that lost its cookie is replaced by the next one.
type door struct {
	// cookie is the name of the cookie, which is of this server alone: cookies do not tell ports
	// apart.
	cookie string
	// entered, when set, is called after a browser was let in.
	entered func()
	mu      sync.Mutex
	// token lets the next browser in. pass is the cookie of the last one, empty before the first.
	token, pass string
}

// newDoor returns the door of a server at an address.
func newDoor(at net.Addr) *door {
	_, port, _ := net.SplitHostPort(at.String())
	return &door{cookie: "agentworld-control-" + port, token: rand.Text()}
}

// enter exchanges the token for the value of the cookie. ok is false if it is another one, or was
// used before.
func (d *door) enter(token string) (pass string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if subtle.ConstantTimeCompare([]byte(token), []byte(d.token)) != 1 {
		return "", false
	}
	d.token, d.pass = rand.Text(), rand.Text()
	return d.pass, true
}

// knows reports whether a request has the cookie.
func (d *door) knows(r *http.Request) bool {
	c, err := r.Cookie(d.cookie)
	d.mu.Lock()
	defer d.mu.Unlock()
	return err == nil && d.pass != "" && subtle.ConstantTimeCompare([]byte(c.Value), []byte(d.pass)) == 1
}

// AwaitShown waits until every browser with an open page has shown how the run ended, at most a time. It
// returns at once if no page is open.
func (s *Server) AwaitShown(atMost time.Duration) {
	late := time.NewTimer(atMost)
	defer late.Stop()
	for {
		shown, more := s.hub.shown()
		if shown {
			return
		}
		select {
		case <-more:
		case <-s.done:
			return
		case <-late.C:
			return
		}
	}
}

// posted reads the body of a request into v. It answers itself, and returns false, where that is
// not one JSON value with nothing but the members of v.
func posted(w http.ResponseWriter, r *http.Request, v any) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyMax))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("more than one value")
		}
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		serve.Problem(w, http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the request is too large; allowed: %d bytes", bodyMax))
		return false
	}
	if err != nil {
		serve.Problem(w, http.StatusBadRequest, "the request cannot be read: "+strings.TrimPrefix(err.Error(), "json: "))
		return false
	}
	return true
}

// WhenEntered has f called each time a browser was let in, with the address that lets in the next one,
// once. The browser before then only looks on. It is set before [Server.Serve], of a server that has a
// [Server.ControlURL].
func (s *Server) WhenEntered(f func(address string)) {
	s.door.entered = func() { f(s.ControlURL()) } // nobody has the new token yet, so none can change it
}

// postEnter exchanges the token of the printed address for a cookie.
func (s *Server) postEnter(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Token string `json:"token"`
	}
	if !posted(w, r, &asked) {
		return
	}
	pass, ok := s.door.enter(asked.Token)
	if !ok {
		serve.Problem(w, http.StatusForbidden, "this is not the token, or it was used: an address lets in one browser, once")
		return
	}
	if s.door.entered != nil {
		s.door.entered()
	}
	http.SetCookie(w, &http.Cookie{Name: s.door.cookie, Value: pass, Path: "/api/", HttpOnly: true,
		Secure: strings.HasPrefix(r.Header.Get("Origin"), "https://"), SameSite: http.SameSiteStrictMode})
	serve.Answer(w, map[string]bool{"entered": true})
}

// control answers how the run stands for its operator, or takes what one asks for.
func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	allowed := s.door != nil && s.door.knows(r)
	switch {
	case r.Method != http.MethodPost && s.operator == nil:
		serve.Answer(w, map[string]bool{"control": false})
	case r.Method != http.MethodPost:
		now := s.operator.Status()
		serve.Answer(w, struct {
			Control bool `json:"control"`
			// Allowed says that this browser may ask for something.
			Allowed bool `json:"allowed"`
			ControlStatus
			Caps capsForm `json:"caps"`
		}{true, allowed, now, capsForm{formOf(now.Caps.Run), formOf(now.Caps.Agent), formOf(now.Caps.Tick)}})
	case !allowed:
		serve.Problem(w, http.StatusForbidden,
			"only the browser that was let in may control the run: open the address that it printed")
	default:
		s.postControl(w, r)
	}
}

// controlForm is a control as the page asks for it.
type controlForm struct {
	Kind   trace.ControlKind `json:"kind"`
	Agent  string            `json:"agent"`
	Prompt *string           `json:"system_prompt"`
	Short  *string           `json:"short_term_goal"`
	Long   *string           `json:"long_term_goal"`
	Caps   *capsForm         `json:"caps"`
	Text   string            `json:"text"`
}

// capsForm are caps, each 0 or empty for none.
type capsForm struct {
	Run   limitForm `json:"run"`
	Agent limitForm `json:"agent"`
	Tick  limitForm `json:"tick"`
}

type limitForm struct {
	Calls  int64 `json:"calls"`
	Tokens int64 `json:"tokens"`
	// Cost is an amount such as "0.25", empty for none.
	Cost string `json:"cost"`
}

func formOf(l trace.Limit) limitForm {
	f := limitForm{Calls: l.Calls, Tokens: l.Tokens}
	if l.Cost > 0 {
		f.Cost = l.Cost.String()
	}
	return f
}

func (f limitForm) limit() (l trace.Limit, err error) {
	l = trace.Limit{Calls: f.Calls, Tokens: f.Tokens}
	if f.Cost != "" {
		l.Cost, err = price.ParseMoney(f.Cost)
	}
	return l, err
}

func (s *Server) postControl(w http.ResponseWriter, r *http.Request) {
	var f controlForm
	if !posted(w, r, &f) {
		return
	}
	c := trace.Control{Kind: f.Kind, AgentID: f.Agent, SystemPrompt: f.Prompt, ShortTermGoal: f.Short,
		LongTermGoal: f.Long, Text: f.Text}
	if f.Caps != nil {
		var failed [3]error
		c.Caps = &trace.Caps{}
		c.Caps.Run, failed[0] = f.Caps.Run.limit()
		c.Caps.Agent, failed[1] = f.Caps.Agent.limit()
		c.Caps.Tick, failed[2] = f.Caps.Tick.limit()
		if err := errors.Join(failed[:]...); err != nil {
			serve.Problem(w, http.StatusBadRequest, "caps: "+err.Error())
			return
		}
	}
	number, err := s.operator.Ask(c)
	if err != nil {
		serve.Problem(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	serve.Answer(w, map[string]int64{"number": number})
}
