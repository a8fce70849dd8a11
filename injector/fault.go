package injector

// Fault is something wrong with a definition, found when it is read or compiled.
type Fault struct {
	Origin Origin
	// Name is the definition's, "" where the document could not be read so far.
	Name   string
	Reason Reason
	// Message is a sentence without the position; it ends with the remedy.
	Message string
	// Warning is true where the role works nevertheless.
	Warning bool
}

// Error is the message behind its position.
func (f Fault) Error() string {
	if at := f.Origin.String(); at != "" {
		return at + ": " + f.Message
	}
	return f.Message
}
