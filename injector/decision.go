package injector

// Decision is the answer for one pod: a value that is read, not changed.
type Decision struct {
	// Outcome tells untouched, injected, refused and unavailable apart.
	Outcome Outcome
	// Reason is the stable code of the answer; never empty.
	Reason Reason
	// Role is the role that the pod named, "" where it named none.
	Role string
	// Known is true where Role is in the snapshot, so that it may become a metric label.
	Known bool
	// Message is the sentence for people where the pod is refused or untouched
	// although it asked; "" otherwise.
	Message string
	// Warnings are admission warnings: at most 256 characters each, no control characters.
	Warnings []string

	patch patch
}

// Outcome is the kind of a Decision.
type Outcome int

const (
	// Untouched pods are allowed as they are.
	Untouched Outcome = iota
	// Injected pods are allowed with a patch; it is empty where the pod has everything.
	Injected
	// Refused pods are denied with status 403.
	Refused
	// Unavailable means that no definitions are loaded yet: status 503, try again.
	Unavailable
)

// String is the value of the metric label "result".
func (o Outcome) String() string {
	switch o {
	case Untouched:
		return "untouched"
	case Injected:
		return "injected"
	case Refused:
		return "refused"
	case Unavailable:
		return "unavailable"
	}
	return "unknown"
}

// Allowed says whether the pod may be created.
func (d *Decision) Allowed() bool { return d.Outcome == Untouched || d.Outcome == Injected }
