package yamldoc

// locate turns an error of the YAML library into one with a position.
func locate(data []byte, err error) *Error {
	return &Error{Line: 1, Column: 1, Code: CodeSyntax, Message: err.Error()}
}
