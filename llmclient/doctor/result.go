package doctor

// Status is how a check went.
type Status string

// The statuses of a check.
const (
	// Pass: as a run needs it.
	Pass Status = "pass"
	// Warn: a run copes with it, at a cost that the detail names.
	Warn Status = "warn"
	// Fail: a run would not get far.
	Fail Status = "fail"
	// Skip: another failure kept it from being checked.
	Skip Status = "skip"
)

// The checks, in the order in which they are reported.
const (
	CheckConnection = "connection"
	CheckKey        = "key"
	CheckModel      = "model"
	CheckProtocol   = "protocol"
	CheckSampling   = "sampling"
	CheckThinking   = "thinking"
	CheckNone       = "tool_choice none"
	CheckTools      = "function tools"
	CheckCallIDs    = "call ids"
	CheckAllowed    = "tool_choice allowed_tools"
	CheckRequired   = "tool_choice required"
	CheckAlone      = "one tool alone"
	CheckSent       = "tool choice of a run"
	CheckFeedback   = "feedback role"
	CheckReasoning  = "reasoning round trip"
	CheckLongID     = "long call_id"
	CheckTurn       = "turn of a run"
	CheckCache      = "cached prefix"
	CheckRoundTrip  = "call_id round trip"
	CheckParallel   = "parallel calls"
	CheckStrict     = "strict schemas"
	CheckWindow     = "prompt window"
	CheckUsage      = "usage"
	CheckLatency    = "latency"
)

var checks = []string{
	CheckConnection, CheckKey, CheckModel, CheckProtocol, CheckSampling, CheckNone, CheckTools, CheckCallIDs,
	CheckAllowed, CheckRequired, CheckAlone, CheckSent, CheckRoundTrip, CheckFeedback, CheckReasoning, CheckLongID,
	CheckParallel, CheckStrict, CheckWindow, CheckUsage, CheckTurn, CheckCache, CheckThinking, CheckLatency,
}

// Result is what one check came to.
type Result struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	// Detail is what was seen, in one line without secrets.
	Detail string `json:"detail"`
	// Advice is what to change, empty where nothing has to. A setting is named by its key,
	// such as {llm.base_url}: what to call it is for the program that shows the advice.
	Advice string `json:"advice,omitempty"`
}

// Report is what an examination found.
type Report struct {
	// Endpoint is where the calls went, without secrets; Model is what was asked for.
	Endpoint string `json:"endpoint"`
	Model    string `json:"model"`
	// Calls is how many HTTP requests were sent, see [CallsMax].
	Calls int `json:"calls"`
	// Results has every check once, in a fixed order.
	Results []Result `json:"results"`
}

// findings collects the checks of an examination. The worst finding of a check holds,
// and of equals the first.
type findings map[string]Result

var severity = map[Status]int{Skip: 0, Pass: 1, Warn: 2, Fail: 3}

func (f findings) add(check string, status Status, detail, advice string) {
	if old, ok := f[check]; ok && severity[old.Status] >= severity[status] {
		return
	}
	f[check] = Result{check, status, detail, advice}
}
