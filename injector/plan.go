package injector

// Attributes are what a plan needs to know of a request besides the pod.
type Attributes struct {
	// Operation is admission's: CREATE, UPDATE, DELETE or CONNECT.
	Operation string
	// Resource is "pods" for pods; SubResource is "" for the pod itself.
	Resource, SubResource string
}

// Creation is the request that a pod read from a file will become.
func Creation() Attributes { return Attributes{Operation: "CREATE", Resource: "pods"} }

// Plan decides what the pod gets. It is a pure function of the snapshot, the pod
// and the attributes: the same input gives the same bytes. The decision's patch
// is a view into p and valid until p is read into again.
func (s *Snapshot) Plan(p *Pod, a Attributes) Decision {
	return s.plan(p, a, nil)
}

// Step is the outcome of one rule for one pod.
type Step struct {
	// Rule is the rule's sentence.
	Rule string
	// Reason is "" where the rule let the pod pass.
	Reason Reason
	// Detail is the message where the rule decided.
	Detail string
}

// Explain is Plan with what each rule said, in order, up to the one that decided.
func (s *Snapshot) Explain(p *Pod, a Attributes) (Decision, []Step) {
	var steps []Step
	d := s.plan(p, a, func(step Step) { steps = append(steps, step) })
	return d, steps
}

// rule is one check. It returns pass where the pod may go on to the next.
type rule struct {
	says  string
	check func(*situation) verdict
}

// verdict is what a rule decides; where decided is true it ends the plan.
type verdict struct {
	decided bool
	outcome Outcome
	reason  Reason
	message string
}

// pass is the verdict of a rule that lets the pod go on to the next.
var pass = verdict{}

func refuse(reason Reason, message string) verdict {
	return verdict{true, Refused, reason, message}
}

// rules are in the order in which they are asked; a later one may rely on what
// the earlier ones have made sure of.
func rules() [18]rule {
	return [...]rule{
		{"the request creates a pod", ruleCreation},
		{"the pod asks for a role", ruleAsked},
		{"the pod is not a mirror pod", ruleMirror},
		{"the pod is not switched off", ruleSwitch},
		{"the role's name is given", ruleNamed},
		{"definitions are loaded", ruleLoaded},
		{"the role is known", ruleKnown},
		{"the role's definition is in order", ruleRejected},
		{"the pod runs on Linux", ruleLinux},
		{"no colocated container uses persistent state", ruleState},
		{"no container's name is taken", ruleContainers},
		{"the role's own container is found", ruleMain},
		{"no volume's name is taken", ruleVolumes},
		{"no mount path is taken", ruleMounts},
		{"no port is taken", rulePorts},
		{"the pod's settings suit the colocated containers", ruleSuits},
		{"the pod's own resources leave room", ruleBudget},
		{"what is missing is added", ruleAdd},
	}
}

// situation is one pod in front of one snapshot; it lives in the Pod's scratch,
// so that a plan costs no memory.
type situation struct {
	snapshot *Snapshot
	pod      *Pod
	attr     Attributes
	role     *role
	main     *podContainer
	native   bool // the meaning of auto

	status    Status // of ours and of this role; valid where hasStatus
	hasStatus bool
	outdated  bool // something is ours by a status with another hash only

	found    []*podContainer // per colocated container: the one in the pod that is ours, or nil
	warnings []string
}

// scratch is memory that one plan leaves to the next.
type scratch struct {
	situation situation
	out       []byte
	text      []byte
}

func (s *Snapshot) plan(p *Pod, a Attributes, trace func(Step)) Decision {
	t := &p.work.situation
	*t = situation{snapshot: s, pod: p, attr: a, found: t.found[:0]}
	p.work.out = p.work.out[:0]
	d := Decision{}
	for _, r := range rules() {
		v := r.check(t)
		if trace != nil {
			trace(stepOf(r, v))
		}
		if v.decided {
			d.Outcome, d.Reason, d.Message = v.outcome, v.reason, v.message
			break
		}
	}
	switch {
	case t.role != nil:
		d.Role, d.Known = t.role.name, true
	case p.annotations.role.set:
		d.Role = clip(p.annotations.role.value)
	}
	d.Warnings = t.warnings
	if d.Outcome == Injected && len(p.work.out) > 0 {
		d.patch = patch(p.work.out)
	}
	*t = situation{found: t.found[:0]} // so that a pooled pod keeps no old snapshot
	return d
}

func stepOf(r rule, v verdict) Step {
	if !v.decided {
		return Step{Rule: r.says}
	}
	return Step{Rule: r.says, Reason: v.reason, Detail: v.message}
}

func (t *situation) warn(message string) {
	t.warnings = append(t.warnings, printable(message, maxWarning))
}

// maxWarning is the length to which the API server may cut a warning. It counts
// characters; bytes are counted here, which is never more.
const maxWarning = 256
