package rolemanifest

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
	"k8s.io/apimachinery/pkg/util/validation"
)

// probe is a healthcheck as Kubernetes writes it.
type probe struct {
	// handler is one of httpGet, exec and tcpSocket, with its value.
	handler string
	action  *yaml.Node
	// times are the numbers, by their Kubernetes names.
	times []pair
	at    *yaml.Node
}

// probeTimes are the keys of the numbers, the least value that each may have, and
// what they are in Kubernetes, in the order of its documentation.
var probeTimes = []struct {
	key, kube string
	least     int64
}{
	{"initial_delay", "initialDelaySeconds", 0},
	{"period", "periodSeconds", 1},
	{"timeout", "timeoutSeconds", 1},
	{"success_threshold", "successThreshold", 1},
	{"failure_threshold", "failureThreshold", 1},
}

// readHealth reads the probes of a colocated container.
func (r *reader) readHealth(ro *role, f field) {
	o := r.object(f.value, InHealth, f.path, true)
	if p := o.get("readiness"); p.present() {
		ro.run.readiness = r.readProbe(p)
	}
	if p := o.get("liveness"); p.present() {
		ro.run.liveness = r.readProbe(p)
	}
}

func (r *reader) readProbe(f field) *probe {
	o := r.object(f.value, InProbe, f.path, true)
	p := &probe{at: f.name}
	var given []string
	for _, name := range []string{"url", "command", "port"} {
		if h := o.get(name); h.present() && !isEmpty(h.value) {
			given = append(given, name)
			r.handler(p, name, h, o)
		}
	}
	switch {
	case len(given) > 1:
		r.add(f.nameAt(), Error, CodeInvalidValue, fmt.Sprintf("%s has %s", f.key.Name, strings.Join(given, " and ")), "keep one of url, command and port")
		return nil
	case len(given) == 0 && !isEmpty(f.value):
		if o.saysNothing("url") && o.saysNothing("command") && o.saysNothing("port") {
			r.add(f.nameAt(), Error, CodeMissingKey, f.key.Name+" says nothing to do", "add one of url, command and port")
		}
		return nil
	case len(given) == 0 || p.action == nil:
		return nil
	}
	r.probeTimes(p, f, o)
	return p
}

// saysNothing says whether a key is absent, or there without a value; a faulty
// one, which was reported, says something.
func (o object) saysNothing(name string) bool {
	f := o.get(name)
	return f.present() && isEmpty(f.value) || !f.present() && !o.wrote(name)
}

func (r *reader) probeTimes(p *probe, f field, o object) {
	for _, t := range probeTimes {
		n := o.get(t.key)
		if !n.present() {
			continue
		}
		v, _ := integer(n.value)
		switch {
		case v == 0 && t.least > 0: // Kubernetes takes 0 for its default, as the format did
		case v < t.least || v > 1<<31-1:
			r.add(n.at(), Error, CodeInvalidValue, fmt.Sprintf("%s cannot be %d", t.key, v), fmt.Sprintf("write a number of at least %d", t.least))
		case t.key == "success_threshold" && f.key.Name == "liveness" && v != 1:
			r.add(n.at(), Error, CodeInvalidValue, fmt.Sprintf("success_threshold of liveness cannot be %d", v), "remove it: Kubernetes allows only 1")
		default:
			p.times = append(p.times, pair{t.kube, integerNode(v, n.value)})
		}
	}
	if h := o.get("headers"); h.present() && p.handler != "httpGet" {
		r.add(h.nameAt(), Warning, CodeNoEffect, "headers belong to a url, and the probe has none", "remove them")
	}
}

// handler fills in what the probe does.
func (r *reader) handler(p *probe, name string, f field, o object) {
	switch name {
	case "url":
		p.handler, p.action = "httpGet", r.httpGet(f, o.get("headers"))
	case "command":
		p.handler, p.action = "exec", mapping(f.value, pair{"command", r.probeCommand(f)})
	case "port":
		v, _ := integer(f.value)
		if v < 1 || v > 65535 {
			r.add(f.at(), Error, CodeInvalidPort, fmt.Sprintf("port cannot be %d", v), "write a port from 1 to 65535")
			return
		}
		p.handler, p.action = "tcpSocket", mapping(f.value, pair{"port", integerNode(v, f.value)})
	}
}

// probeCommand is the argument list of a command. The format has had two readings
// of the list: one program with its arguments, and (since 2018, for readiness)
// shell commands that must all succeed. A program's name has no space in it.
func (r *reader) probeCommand(f field) *yaml.Node {
	items := f.value.Content
	if strings.TrimSpace(items[0].Value) == "" {
		r.add(f.item(0), Error, CodeInvalidValue, "the command of a probe begins with an empty text", "write the program first")
	}
	if !strings.ContainsAny(items[0].Value, " \t\n") {
		return list(f.value, items...)
	}
	r.add(f.at(), Note, CodeProbeShell, "the commands have spaces in them and run through /bin/sh -c, one after the other, until one fails", "")
	script := strings.TrimSpace(items[0].Value)
	if len(items) > 1 {
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = "{ " + strings.TrimRight(item.Value, " \n\t;") + "\n}"
		}
		script = strings.Join(parts, " && ")
	}
	at := items[0]
	return list(f.value, text("/bin/sh", at), text("-c", at), text(script, at))
}

// httpGet is the action for a url, nil where it is none that Kubernetes can get.
func (r *reader) httpGet(f field, headers field) *yaml.Node {
	fault := func(message, remedy string) *yaml.Node {
		r.add(f.at(), Error, CodeInvalidValue, message, remedy)
		return nil
	}
	u, err := url.Parse(f.text())
	if err != nil {
		return fault(fmt.Sprintf("url %q is none", clip(f.text())), "write http://container-ip:PORT/PATH")
	}
	at := f.value
	port := int64(80)
	scheme := strings.ToUpper(u.Scheme)
	switch scheme {
	case "HTTP":
	case "HTTPS":
		port = 443
	default:
		return fault(fmt.Sprintf("a probe cannot get a url of scheme %q", u.Scheme), "use http or https")
	}
	if u.Port() != "" {
		if port, err = strconv.ParseInt(u.Port(), 10, 32); err != nil || port < 1 || port > 65535 {
			return fault(fmt.Sprintf("url has the port %s", u.Port()), "write a port from 1 to 65535")
		}
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	pairs := []pair{{"scheme", text(scheme, at)}, {"port", integerNode(port, at)}, {"path", text(path, at)}}
	switch host := u.Hostname(); host {
	case "", "container-ip":
	case "localhost", "127.0.0.1", "::1", "0.0.0.0":
		r.add(f.at(), Warning, CodeProbeHost, fmt.Sprintf("host %q is the node for the kubelet, which runs the probe; the pod's address is used instead", host), "write container-ip")
	default:
		r.add(f.at(), Warning, CodeProbeHost, fmt.Sprintf("the probe goes to %q, not to the pod", host), "write container-ip for the pod itself")
		pairs = append(pairs, pair{"host", text(host, at)})
	}
	if h := r.httpHeaders(u, headers, at); len(h) > 0 {
		pairs = append(pairs, pair{"httpHeaders", list(at, h...)})
	}
	return mapping(at, pairs...)
}

func (r *reader) httpHeaders(u *url.URL, headers field, at *yaml.Node) []*yaml.Node {
	var nodes []*yaml.Node
	if u.User != nil {
		password, _ := u.User.Password()
		basic := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		nodes = append(nodes, mapping(at, pair{"name", text("Authorization", at)}, pair{"value", text("Basic "+basic, at)}))
	}
	if headers.present() {
		for i := 0; i+1 < len(headers.value.Content); i += 2 {
			name, value := headers.value.Content[i], headers.value.Content[i+1]
			if len(validation.IsHTTPHeaderName(name.Value)) > 0 {
				r.add(placeOf(name, join(headers.path, name.Value)), Error, CodeInvalidValue, fmt.Sprintf("%q cannot be the name of a header", name.Value), "use letters, digits and hyphens")
				continue
			}
			nodes = append(nodes, mapping(name, pair{"name", text(name.Value, name)}, pair{"value", value}))
		}
	}
	return nodes
}
