package rolemanifest

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"colocate.dev/colocate/injector/internal/pattern"
)

// port is one entry of a list of ports, in the words of the format.
type port struct {
	name     string
	protocol string
	internal span
	// external is the Service's side; like internal where not given.
	external span
	// numbered is set where each port is named with its number.
	numbered bool
	// at is where internal stands, nameAt where the name does.
	at, nameAt place
	// node and nameNode are what generated nodes take their positions from.
	node, nameNode *yaml.Node
}

// span is a range of port numbers, both ends included.
type span struct{ first, last int }

func (s span) length() int { return s.last - s.first + 1 }

func (s span) overlap(o span) (span, bool) {
	both := span{max(s.first, o.first), min(s.last, o.last)}
	return both, both.first <= both.last
}

func (s span) String() string {
	if s.first == s.last {
		return strconv.Itoa(s.first)
	}
	return fmt.Sprintf("%d-%d", s.first, s.last)
}

const (
	// maxPortName is Kubernetes' bound, maxNumberedName what leaves room for a
	// hyphen and five digits.
	maxPortName     = 15
	maxNumberedName = 9
	// maxPorts bounds the container ports of one role, ranges counted in full where
	// they become ports of a container.
	maxPorts = 1000
)

// readPorts adds the entries of a list of ports to the role. The ports of main
// roles are read for collisions only, so that their faults are warnings.
func (r *reader) readPorts(ro *role, list field) {
	for i, n := range list.value.Content {
		at := list.item(i)
		o := r.object(n, InPort, at.path, ro.colocated)
		if n.Kind != yaml.MappingNode {
			continue
		}
		p, ok := r.readPort(o, ro.colocated)
		if !ok {
			continue
		}
		count := 1
		if ro.colocated {
			count = p.internal.length()
		}
		if ro.run.portCount+count > maxPorts {
			r.add(p.at, severity(ro.colocated), CodeInvalidPort, fmt.Sprintf("role %q has more than %d ports", ro.name, maxPorts), "write shorter ranges")
			continue
		}
		ro.run.portCount += count
		ro.run.ports = append(ro.run.ports, p)
	}
}

func (r *reader) readPort(o object, strict bool) (port, bool) {
	p := port{at: o.at, nameAt: o.at, node: o.node, protocol: o.get("protocol").text(), name: o.get("name").text()}
	fault := func(at place, code Code, message, remedy string) {
		r.add(at, severity(strict), code, message, remedy)
	}
	internal := o.get("internal")
	if !internal.present() {
		if !o.wrote("internal") {
			fault(o.at, CodeMissingKey, "the port has no number", `add "internal"`)
		}
		return p, false
	}
	p.at, p.node, p.nameNode = internal.at(), internal.value, internal.value
	var ok bool
	if p.internal, ok = parseSpan(internal.value); !ok {
		fault(p.at, CodeInvalidPort, fmt.Sprintf("internal cannot be %q", internal.value.Value), "write a port from 1 to 65535, or a range N-M")
		return p, false
	}
	if p.protocol == "" {
		if !o.wrote("protocol") {
			fault(o.at, CodeMissingKey, "the port has no protocol", `add "protocol": TCP or UDP`)
		}
		p.protocol = "TCP"
	}
	r.external(&p, o, fault)
	r.portCounts(&p, o, fault)
	r.portName(&p, o, fault)
	return p, true
}

type faultFunc func(at place, code Code, message, remedy string)

func (r *reader) external(p *port, o object, fault faultFunc) {
	p.external = p.internal
	external := o.get("external")
	if !external.present() {
		return
	}
	s, ok := parseSpan(external.value)
	switch {
	case !ok:
		fault(external.at(), CodeInvalidPort, fmt.Sprintf("external cannot be %q", external.value.Value), "write a port from 1 to 65535, or a range N-M")
	case s.length() != p.internal.length():
		fault(external.at(), CodeInvalidPort, fmt.Sprintf("external %s has %d ports, internal %s has %d", s, s.length(), p.internal, p.internal.length()), "make them equally long")
	default:
		p.external = s
	}
}

// portCounts checks count and max and finds out how the ports are named.
func (r *reader) portCounts(p *port, o object, fault faultFunc) {
	length := int64(p.internal.length())
	count, most := length, length
	if c := o.get("count"); c.present() {
		if count, _ = integer(c.value); count != length {
			fault(c.at(), CodeInvalidPort, fmt.Sprintf("count is %d, but internal %s has %d ports", count, p.internal, length), "remove count, or correct the range")
			count = length
		}
		most = count
	}
	if m := o.get("max"); m.present() {
		if most, _ = integer(m.value); most < count {
			fault(m.at(), CodeInvalidPort, fmt.Sprintf("max is %d, which is less than the number of ports, %d", most, count), "raise max, or remove it")
		}
	}
	p.numbered = most > 1 || length > 1
}

// portNamePattern is what the format asks for.
var portNamePattern = pattern.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (r *reader) portName(p *port, o object, fault faultFunc) {
	f := o.get("name")
	if !f.present() || p.name == "" {
		if p.name == "" && (f.present() || !o.wrote("name")) {
			fault(o.at, CodeMissingKey, "the port has no name", `add "name"`)
		}
		return
	}
	p.nameAt, p.nameNode = f.at(), f.value
	most := maxPortName
	if p.numbered || o.get("count-configurable").truth() {
		most = maxNumberedName
	}
	switch {
	case len(p.name) > most:
		fault(p.nameAt, CodeInvalidPort, fmt.Sprintf("port name %q has %d characters, %d are allowed%s", p.name, len(p.name), most, map[bool]string{true: " where the number is appended"}[most == maxNumberedName]), fmt.Sprintf("write %q", strings.TrimRight(p.name[:most], "-")))
	case strings.Trim(p.name, "0123456789-") == "":
		fault(p.nameAt, CodeInvalidPort, fmt.Sprintf("port name %q has no letter in it", p.name), "write a word, such as \"http\"")
	case !portNamePattern().MatchString(p.name) || !p.numbered && len(validation.IsValidPortName(p.name)) > 0:
		fault(p.nameAt, CodeInvalidPort, fmt.Sprintf("port name %q is not made of lower-case words joined by single hyphens", p.name), suggestion(suggestPort(p.name, most)))
	default:
		return
	}
	p.name = ""
}

func suggestPort(name string, most int) string {
	name = suggestLabel(name, most)
	if strings.Trim(name, "0123456789-") == "" {
		return ""
	}
	return name
}

// parseSpan reads `N` or `N-M`.
func parseSpan(n *yaml.Node) (span, bool) {
	if i, ok := integer(n); ok {
		return span{int(i), int(i)}, i >= 1 && i <= 65535
	}
	first, last, isRange := strings.Cut(n.Value, "-")
	if !isRange {
		last = first
	}
	a, errA := strconv.Atoi(strings.TrimSpace(first))
	b, errB := strconv.Atoi(strings.TrimSpace(last))
	return span{a, b}, errA == nil && errB == nil && a >= 1 && b <= 65535 && a <= b
}
