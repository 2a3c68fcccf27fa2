package stub

import (
	"fmt"
	"net/http"

	"example.com/agentworld/llmclient"
)

// RequestError is a request that is refused instead of answered. Its text names
// fields and types only and repeats nothing of what the request said.
type RequestError struct {
	// Status is the HTTP status, 400 to 499.
	Status int
	// Code is a stable word for the reason, such as "invalid_json".
	Code string
	// Param is the field at fault, empty when it is none in particular.
	Param string
	// Message explains the refusal in one sentence.
	Message string
}

// Error implements error.
func (e *RequestError) Error() string {
	return fmt.Sprintf("stub server refused the request (%d %s): %s", e.Status, e.Code, e.Message)
}

// object is the error as it travels, in OpenAI's shape.
func (e *RequestError) object() []byte {
	fields := object{"message": e.Message, "type": "invalid_request_error", "param": nil, "code": e.Code}
	if e.Param != "" {
		fields["param"] = e.Param
	}
	return llmclient.Marshal(object{"error": fields})
}

// badRequest returns a refusal with status 400.
func badRequest(code, param, message string) *RequestError {
	return &RequestError{Status: http.StatusBadRequest, Code: code, Param: param, Message: message}
}
